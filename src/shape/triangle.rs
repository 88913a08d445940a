//! Triangles against boxes; pairs of triangles are in [`crate::triangle`].

use nalgebra::Point3;

use super::{Aabb, ClosestPoint, Distance, Obb, Overlaps, Segment, reversed};
use crate::numeric::error_bounds::PLANE_HEIGHT;
use crate::triangle::{Triangle, meeting_point, orient2d};

impl ClosestPoint for Triangle {
    /// See [`Triangle::closest_point`].
    fn closest_point(&self, point: &Point3<f64>) -> Point3<f64> {
        Triangle::closest_point(self, point)
    }
}

impl Overlaps<Aabb> for Triangle {
    /// Whether an edge of the triangle meets the box or, if none does, the triangle contains the point at which its
    /// plane cuts the box diagonal most nearly perpendicular to it (Green and Hatch, Fast Polygon-Cube Intersection
    /// Testing, Graphics Gems V, 1995).
    ///
    /// A triangle without area counts as its edges. Touching of the inside is never missed, and that of an edge is not
    /// if differences of coordinates are representable.
    fn overlaps(&self, aabb: &Aabb) -> bool {
        edges(self).iter().any(|edge| edge.overlaps(aabb)) || piercing_point(self, aabb).is_some()
    }
}

impl Distance<Aabb> for Triangle {
    /// The closest pair among each edge with the box and each corner of the box with the triangle. If none of those
    /// meet, the triangle may still pierce the box.
    fn closest_points(&self, aabb: &Aabb) -> (Point3<f64>, Point3<f64>) {
        let distance_sq = |(p, q): &(Point3<f64>, Point3<f64>)| (q - p).norm_squared();
        let [first, second, third] = edges(self).map(|edge| edge.closest_points(aabb));
        let corners = aabb.corners().map(|corner| (Triangle::closest_point(self, &corner), corner));
        let nearest = [second, third]
            .iter()
            .chain(&corners)
            .fold(first, |nearest, pair| if distance_sq(pair) < distance_sq(&nearest) { *pair } else { nearest });
        if distance_sq(&nearest) == 0.0 {
            return nearest;
        }
        let Some(common) = piercing_point(self, aabb) else { return nearest };
        // Where a triangle is hardly wider than rounding, the point may be farther off than the edges.
        let is_off = distance_sq(&(Triangle::closest_point(self, &common), common)) > distance_sq(&nearest);
        let point = if is_off { nearest.1 } else { common };
        (point, point)
    }
}

impl Overlaps<Obb> for Triangle {
    /// The triangle against the axis-aligned box in the box's frame.
    fn overlaps(&self, obb: &Obb) -> bool {
        in_frame_of(obb, self).overlaps(&obb.in_box_frame())
    }
}

impl Distance<Obb> for Triangle {
    fn closest_points(&self, obb: &Obb) -> (Point3<f64>, Point3<f64>) {
        let local = in_frame_of(obb, self);
        let (on_triangle, on_box) = Distance::closest_points(&local, &obb.in_box_frame());
        (obb.to_world(&on_triangle), obb.to_world(&on_box))
    }
}

reversed!(Aabb, 3: Triangle);
reversed!(Obb, 3: Triangle);

fn edges(triangle: &Triangle) -> [Segment; 3] {
    triangle.edges().map(|[start, end]| Segment { start, end })
}

fn in_frame_of(obb: &Obb, triangle: &Triangle) -> Triangle {
    Triangle { vertices: triangle.vertices.map(|vertex| obb.to_local(&vertex)) }
}

/// The point where the triangle meets the box diagonal most nearly perpendicular to it; `None` if it does not. If no
/// edge of the triangle meets the box, this diagonal decides whether the two overlap.
fn piercing_point(triangle: &Triangle, aabb: &Aabb) -> Option<Point3<f64>> {
    if aabb.is_empty() || is_apart_along_normal(triangle, aabb) {
        return None;
    }
    let [a, b, c] = &triangle.vertices;
    // The exact signs of the normal.
    let normal = [0, 1, 2].map(|axis| orient2d(axis, a, b, c));
    let corner = |side: f64| {
        let coordinate = |k: usize| if normal[k] * side > 0.0 { aabb.upper[k] } else { aabb.lower[k] };
        Point3::from([0, 1, 2].map(coordinate))
    };
    meeting_point(&[corner(-1.0), corner(1.0)], triangle)
}

/// Whether the triangle's computed normal, which need not be exact, proves that the box is apart.
fn is_apart_along_normal(triangle: &Triangle, aabb: &Aabb) -> bool {
    let normal = triangle.scaled_normal();
    let (size, corners) = (aabb.size(), triangle.vertices.map(|vertex| vertex - aabb.lower));
    let [a, b, c] = corners.map(|corner| corner.dot(&normal));
    let rising = size.dot(&normal.map(|n| n.max(0.0)));
    let falling = size.dot(&normal.map(|n| n.min(0.0)));
    let farthest = corners.iter().fold(size, |most, corner| most.sup(&corner.abs()));
    let rounding = PLANE_HEIGHT * farthest.dot(&normal.abs());
    a.min(b).min(c) > rising + rounding || a.max(b).max(c) < falling - rounding
}
