//! The axes of contacts of cylinders and cones, for contact manifolds: where their round parts touch triangles and
//! edges.

use nalgebra::{Point3, Vector3};

use super::ConvexShape;
use super::convex::{Core, Frustum};
use super::convex_distance::RelativeTriangle;
use crate::numeric::error_bounds::SIDE_TEST_ROUNDING;
use crate::triangle::Triangle;

impl ConvexShape {
    /// Whether a triangle is proven to be beyond a distance from a shape with round parts by one of two planes: across
    /// the triangle's normal, or where the shape is nearest to the triangle's corner that is nearest to its center.
    pub(crate) fn is_beyond_own_planes(&self, triangle: &Triangle, distance: f64) -> bool {
        let Core::Frustum(frustum) = &self.core else { return false };
        let squares = triangle.vertices.map(|vertex| (vertex - self.center()).norm_squared());
        let nearest = (0..3).min_by(|i, k| squares[*i].total_cmp(&squares[*k])).unwrap_or_default();
        let normal = triangle.scaled_normal();
        let facing = if (triangle.vertices[0] - self.center()).dot(&normal) < 0.0 { -normal } else { normal };
        let opposite = RelativeTriangle::new(self, triangle);
        let corner = &triangle.vertices[nearest];
        [corner - frustum.closest_point(corner), facing]
            .iter()
            .filter_map(|axis| axis.try_normalize(0.0))
            .any(|axis| self.plane_along(&opposite, &axis).gap > distance)
    }

    /// What finds the axes of contacts of a shape with round parts; `None` of others.
    pub(crate) fn round_axes(&self, margin: f64) -> Option<RoundAxes<'_>> {
        let Core::Frustum(frustum) = &self.core else { return None };
        let [sine, cosine] = frustum.elevation();
        let height = (frustum.centers[1] - frustum.centers[0]).dot(&frustum.axis);
        let taper = frustum.radii[1] - frustum.radii[0];
        Some(RoundAxes { shape: self, frustum, margin, sine, cosine, height, taper })
    }
}

/// The axes of contacts of a cylinder or a cone with triangles and edges that are within a margin of it.
pub(crate) struct RoundAxes<'a> {
    shape: &'a ConvexShape,
    frustum: &'a Frustum,
    margin: f64,
    /// Of the elevation of the side's normals above the discs' plane.
    sine: f64,
    cosine: f64,
    height: f64,
    /// The second disc's radius less the first one's.
    taper: f64,
}

impl RoundAxes<'_> {
    /// Where the shape is deepest along a triangle's normal, if that is over the triangle and within the margin of it:
    /// the signed gap of the core, and the unit direction from the shape.
    pub(crate) fn across(&self, triangle: &Triangle) -> Option<(f64, Vector3<f64>)> {
        let Self { shape, frustum, margin, .. } = self;
        let normal = triangle.scaled_normal();
        if !self.may_touch_plane(&triangle.vertices[0], &normal) {
            return None;
        }
        let axis = -normal.try_normalize(0.0)?;
        let line = frustum.line_along(&axis)?;
        let gaps = line.map(|end| (triangle.vertices[0] - end).dot(&axis));
        let (deepest, gap) = if gaps[0] <= gaps[1] { (line[0], gaps[0]) } else { (line[1], gaps[1]) };
        if (gap - shape.radius).abs() > *margin {
            return None;
        }
        // The axis is against the normal: across an edge, its product with the edge is inward.
        let is_beside = |points: &[Point3<f64>]| {
            let is_out =
                |[p, q]: &[Point3<f64>; 2]| points.iter().all(|end| (end - p).dot(&(q - p).cross(&axis)) < 0.0);
            triangle.edges().iter().any(is_out)
        };
        let across = (line[1] - line[0]).cross(&axis);
        let sides = triangle.vertices.map(|vertex| (vertex - deepest).dot(&across));
        // The whole line may be over it, or cross it.
        let is_crossed = || sides.iter().any(|side| *side >= 0.0) && sides.iter().any(|side| *side <= 0.0);
        let is_line_near = gaps[0].max(gaps[1]) <= shape.radius + margin;
        let is_over = !is_beside(&[deepest]) || is_line_near && is_crossed() && !is_beside(&line);
        is_over.then_some((gap, axis))
    }

    /// The same across an edge and the side.
    pub(crate) fn across_edge(&self, edge: &[Point3<f64>; 2]) -> [Option<(f64, Vector3<f64>)>; 2] {
        if self.may_touch_side(edge) { self.across_any_edge(edge) } else { [None; 2] }
    }

    /// [`RoundAxes::across_edge`] without a quick test.
    fn across_any_edge(&self, edge: &[Point3<f64>; 2]) -> [Option<(f64, Vector3<f64>)>; 2] {
        let Self { shape, frustum, margin, .. } = self;
        let Some(direction) = (edge[1] - edge[0]).try_normalize(0.0) else { return [None; 2] };
        frustum.side_axes_across(&direction, &frustum.beside(&direction)).map(|axis| {
            let axis = axis?;
            let gap = (edge[0] - shape.center()).dot(&axis) - self.core_height(&axis);
            if (gap - shape.radius).abs() > *margin {
                return None;
            }
            let [start, end] = frustum.line_along(&axis)?;
            let across = (end - start).cross(&axis);
            let [p, q] = edge.map(|end| (end - start).dot(&across));
            let part = p / (p - q);
            let along = (edge[0] + (edge[1] - edge[0]) * part - start).dot(&(end - start));
            let is_over = (0.0..=1.0).contains(&part) && (0.0..=(end - start).norm_squared()).contains(&along);
            is_over.then_some((gap, axis))
        })
    }

    /// Whether a plane, given by a point and a normal of any length, may be within the margin of what is deepest along
    /// its normal. Quick, and errs only towards those that may.
    fn may_touch_plane(&self, point: &Point3<f64>, normal: &Vector3<f64>) -> bool {
        let Self { shape, frustum, margin, .. } = self;
        let offset = point - frustum.centers[0];
        let (along, size_sq) = (normal.dot(&frustum.axis), normal.norm_squared());
        let (size, across) = (size_sq.sqrt(), (size_sq - along * along).max(0.0).sqrt());
        let reach = (frustum.radii[0] * across).max(frustum.radii[1] * across - self.height * along);
        let gap = -offset.dot(normal) - reach;
        let room = margin + SIDE_TEST_ROUNDING * (offset.amax() + self.size());
        (gap - shape.radius * size).abs() <= room * size
    }

    /// Whether an edge may be within the margin of a line of the side and cross it, seen along the normal of both.
    /// Quick, and errs only towards those that may.
    fn may_touch_side(&self, [p, q]: &[Point3<f64>; 2]) -> bool {
        let Self { shape, frustum, margin, sine, cosine, height, taper } = self;
        let (offset, edge) = (p - frustum.centers[0], q - p);
        let rise = edge.dot(&frustum.axis);
        let edge_sq = edge.norm_squared();
        let run_sq = edge_sq - rise * rise;
        if run_sq <= NEARLY_PARALLEL_SQ * edge_sq {
            return true;
        }
        let run = run_sq.sqrt();
        // The normal's part in the discs' plane, by those along the edge's and beside it.
        let forward = -sine * rise / (cosine * run);
        let sideways_sq = 1.0 - forward * forward;
        if sideways_sq < -SIDE_TEST_ROUNDING {
            return false;
        }
        let sideways = sideways_sq.max(0.0).sqrt();
        let along = offset.dot(&frustum.axis);
        let ahead = (offset.dot(&edge) - along * rise) / run;
        let beside = offset.dot(&frustum.axis.cross(&edge)) / run;
        let rounding = SIDE_TEST_ROUNDING * (offset.amax() + edge.amax() + self.size());
        let slant_sq = height * height + taper * taper;
        [sideways, -sideways].iter().any(|sideways| {
            let outward = forward * ahead + sideways * beside;
            let gap = (outward - frustum.radii[0]) * cosine + along * sine;
            // How far the ends are beside the line of the side.
            let ends = [forward * beside - sideways * ahead, forward * beside - sideways * (ahead + run)];
            if (gap - shape.radius).abs() > margin + rounding
                || ends[0].min(ends[1]) > rounding
                || ends[0].max(ends[1]) < -rounding
            {
                return false;
            }
            let between = ends[0] - ends[1];
            if between.abs() <= rounding {
                return true;
            }
            let part = (ends[0] / between).clamp(0.0, 1.0);
            let on_side = (along + part * rise) * height + (outward + part * forward * run - frustum.radii[0]) * taper;
            let room = rounding * (height.abs() + taper.abs());
            on_side >= -room && on_side <= slant_sq + room
        })
    }

    /// How far the core reaches above its center along a unit direction.
    fn core_height(&self, direction: &Vector3<f64>) -> f64 {
        let Self { shape, frustum, .. } = self;
        let across = direction.cross(&frustum.axis).norm();
        let height =
            |disc: usize| (frustum.centers[disc] - shape.center()).dot(direction) + frustum.radii[disc] * across;
        height(0).max(height(1))
    }

    /// A measure of the core's size.
    fn size(&self) -> f64 {
        self.shape.extent + self.shape.radius
    }
}

/// The squared sine of the angle to the axis below which an edge's part across it is not known well.
const NEARLY_PARALLEL_SQ: f64 = 1e-8;

impl Frustum {
    /// The line of the side that is farthest along a direction, from disc to disc; `None` along the axis.
    pub(super) fn line_along(&self, direction: &Vector3<f64>) -> Option<[Point3<f64>; 2]> {
        let outward = (direction - self.axis * direction.dot(&self.axis)).try_normalize(0.0)?;
        Some([0, 1].map(|disc| self.centers[disc] + outward * self.radii[disc]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random_numbers;

    /// The quick tests leave out no axis, of edges along and across the axis, too, but most planes and edges.
    #[test]
    fn quick_tests_leave_out_no_axis() {
        let numbers = random_numbers(37, 27_000);
        let shapes = [ConvexShape::cylinder(0.7, 0.4), ConvexShape::cone(0.7, 0.5), ConvexShape::cylinder(0.0, 0.5)];
        for shape in shapes.into_iter().flat_map(|shape| [0.0, 0.1].map(|by| shape.clone().unwrap().rounded(by))) {
            let shape = shape.unwrap();
            let (mut found, mut passed, mut all) = ([0; 2], [0; 2], 0);
            for (case, coordinates) in numbers.chunks_exact(9).enumerate() {
                let mut corners =
                    [0, 3, 6].map(|k| Point3::new(coordinates[k], coordinates[k + 1], coordinates[k + 2]));
                match case % 4 {
                    0 => corners[1].z = corners[0].z,
                    1 => (corners[1].x, corners[1].y) = (corners[0].x, corners[0].y),
                    _ => {}
                }
                let (round, edge) = (shape.round_axes(0.05).unwrap(), [corners[0], corners[1]]);
                let normal = Triangle { vertices: corners }.scaled_normal();
                let axis = -normal.normalize();
                let gap = (corners[0] - shape.center()).dot(&axis) - round.core_height(&axis);
                let is_touched = (gap - shape.radius).abs() <= round.margin;
                let there = [is_touched, round.across_any_edge(&edge) != [None; 2]];
                let may_be = [round.may_touch_plane(&corners[0], &normal), round.may_touch_side(&edge)];
                for k in 0..2 {
                    assert!(may_be[k] || !there[k], "{case} {k} {shape:?}");
                    found[k] += usize::from(there[k]);
                    passed[k] += usize::from(may_be[k]);
                }
                all += 1;
            }
            let has_side = shape.obb().half_extents.min() > 0.2;
            assert!(found[0] > 10 && (found[1] > 10 || !has_side), "{found:?} {shape:?}");
            assert!(4 * passed[0] < all && (!has_side || 4 * passed[1] < 3 * all), "{passed:?} of {all} {shape:?}");
        }
    }
}
