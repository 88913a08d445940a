//! The closest points of a cylinder or a cone and a triangle. A search by support points would take many small steps;
//! here the closest points of the shape and a point are found in closed form, and those of the shape and an edge where
//! the squared distance, a convex function along the edge, is least.

use nalgebra::{Point3, Vector3};

use super::convex::Frustum;
use crate::numeric::error_bounds::SAME_DISTANCE_SQ;
use crate::triangle::Triangle;

/// The closest points of a cylinder or cone and a triangle.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    pub(super) on_shape: Point3<f64>,
    pub(super) on_triangle: Point3<f64>,
    /// The direction, of any length, from the shape to the triangle, along which their gap is the distance.
    pub(super) axis: Vector3<f64>,
    distance_sq: f64,
}

/// The maximum number of steps of a search along an edge: most searches need six, and one in a hundred more than
/// twenty.
const MAX_STEPS: usize = 64;

/// A search ends if the squared sine of the angle between the edge and the plane perpendicular to the connection to the
/// shape is at most this times `distance / (size + distance)`: then that plane proves the distance.
const SQUARE_SINE: f64 = 1e-16;

impl Frustum {
    /// The closest points of the shape and a triangle that does not meet it, up to rounding: the best of the triangle's
    /// vertices, its face and its edges. `None` if a vertex, or a point tried on an edge, is in the shape.
    pub(super) fn closest_to_triangle(&self, triangle: &Triangle) -> Option<Nearest> {
        let nearest_to = |on_triangle: Point3<f64>| {
            let on_shape = self.closest_point(&on_triangle);
            let axis = on_triangle - on_shape;
            let distance_sq = axis.norm_squared();
            (distance_sq > 0.0).then_some(Nearest { on_shape, on_triangle, axis, distance_sq })
        };
        let [a, b, c] = triangle.vertices;
        let corners = [nearest_to(a)?, nearest_to(b)?, nearest_to(c)?];
        // A point of an edge rather than a vertex that is as near but for rounding, whose axis is not across the edge.
        let nearer = |p: Nearest, q: Nearest| if q.distance_sq <= p.distance_sq * SAME_DISTANCE_SQ { q } else { p };
        let mut best = nearer(nearer(corners[0], corners[1]), corners[2]);
        let normal = triangle.scaled_normal();
        let outward = normal * (a - self.centers[0]).dot(&normal).signum();
        let on_shape = self.support(&outward, &a).0;
        let on_triangle = triangle.closest_point(&on_shape);
        best = nearer(
            best,
            Nearest { on_shape, on_triangle, axis: outward, distance_sq: (on_triangle - on_shape).norm_squared() },
        );
        let size = (self.centers[1] - self.centers[0]).norm() + self.radii[0].max(self.radii[1]);
        for [i, j] in [[0, 1], [1, 2], [2, 0]] {
            let ([p, q], start) = ([&corners[i], &corners[j]], triangle.vertices[i]);
            let edge = triangle.vertices[j] - start;
            // Half the slope of the squared distance along the edge.
            let [mut low, mut high] = [edge.dot(&p.axis), edge.dot(&q.axis)];
            if low >= 0.0 || high <= 0.0 {
                continue;
            }
            // A convex function is above its tangents at both ends.
            let crossing = (q.distance_sq - p.distance_sq - 2.0 * high) / (2.0 * (low - high));
            if p.distance_sq + 2.0 * low * crossing > best.distance_sq * SAME_DISTANCE_SQ {
                continue;
            }
            let edge_sq = edge.norm_squared();
            // False position, where an end that stays twice counts half (the Illinois method; Dowell and Jarratt 1971).
            let (mut lower, mut upper, mut last) = (0.0, 1.0, 0.0);
            let mut found = *p;
            for _ in 0..MAX_STEPS {
                let part = (lower * high - upper * low) / (high - low);
                found = nearest_to(start + edge * part)?;
                let slope = edge.dot(&found.axis);
                let distance = found.distance_sq.sqrt();
                // Across the edge, so that the triangle is not nearer along it.
                found.axis -= edge * (slope / edge_sq);
                if slope * slope * (size + distance) <= SQUARE_SINE * edge_sq * found.distance_sq * distance {
                    break;
                }
                let part_of_other = if slope * last > 0.0 { 0.5 } else { 1.0 };
                if slope < 0.0 {
                    (lower, low) = (part, slope);
                    high *= part_of_other;
                } else {
                    (upper, high) = (part, slope);
                    low *= part_of_other;
                }
                last = slope;
            }
            best = nearer(best, found);
        }
        Some(best)
    }

    /// The point of the shape that is closest to `point`: `point` itself if it is inside.
    pub(super) fn closest_point(&self, point: &Point3<f64>) -> Point3<f64> {
        let from = point - self.centers[0];
        let along = from.dot(&self.axis);
        let outward = from - self.axis * along;
        let across = outward.norm();
        let height = (self.centers[1] - self.centers[0]).dot(&self.axis);
        let [first, second] = self.radii;
        let taper = second - first;
        let on_disc = |disc: usize| self.centers[disc] + outward;
        if along <= 0.0 && across <= first {
            return on_disc(0);
        }
        if along >= height && across <= second {
            return on_disc(1);
        }
        // In the half plane of the axis and the point, the side goes from one rim to the other.
        let is_between = height > 0.0 && along >= 0.0 && along <= height;
        let is_inside = is_between && (across - first) * height <= along * taper;
        if is_inside {
            return *point;
        }
        let side_sq = taper * taper + height * height;
        // A disc's side is its rim.
        let part = if side_sq > 0.0 { ((across - first) * taper + along * height) / side_sq } else { 0.0 };
        let part = part.clamp(0.0, 1.0);
        let center = self.centers[0] + (self.centers[1] - self.centers[0]) * part;
        center + outward * ((first + taper * part) / across)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_has_no_inside_beside_it() {
        for radii in [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]] {
            let disc = Frustum { centers: [Point3::origin(); 2], radii, axis: Vector3::z() };
            let rim = radii[0].max(radii[1]);
            for height in [0.0, 1.0, -1.0] {
                let closest = disc.closest_point(&Point3::new(0.0, -3.0, height));
                assert_eq!(closest, Point3::new(0.0, -rim, 0.0), "{radii:?} {height}");
            }
        }
    }
}
