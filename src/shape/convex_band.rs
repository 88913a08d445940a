//! Which triangles and edges are near a convex shape's surface, for contact manifolds.

use nalgebra::{Point3, Vector3};

use super::convex::{Core, Frustum};
use super::convex_core::INSCRIBED;
use super::convex_distance::RelativeTriangle;
use super::{ConvexShape, Obb};
use crate::numeric::error_bounds::SHAPE_BAND_ROUNDING;
use crate::triangle::Triangle;

impl ConvexShape {
    /// A ball around the core: its center and its radius.
    pub(crate) fn core_ball(&self) -> (Point3<f64>, f64) {
        let Obb { center, half_extents, .. } = self.core_obb();
        (*center, half_extents.norm())
    }

    /// Whether a triangle may have contacts with the shape whose gap or depth is at most a margin: whether it may be
    /// within it of the shape, and not all of it deeper inside. A cheap test that only ever errs towards them.
    pub(crate) fn may_have_contacts(&self, triangle: &Triangle, margin: f64) -> bool {
        if self.is_sphere() {
            return self.may_have_contacts_with_sphere(triangle, margin);
        }
        let Obb { center, axes, half_extents } = self.core_obb();
        let corners = triangle.vertices.map(|vertex| axes.tr_mul(&(vertex - center)));
        let [a, b, c] = &corners;
        let [lower, upper] = [a.inf(b).inf(c), a.sup(b).sup(c)];
        let largest = upper.amax().max(lower.amax()).max(self.extent);
        let rounding = SHAPE_BAND_ROUNDING * (largest + self.radius + margin);
        let reach = self.radius + margin + rounding;
        if (0..3).any(|k| lower[k] > half_extents[k] + reach || upper[k] < -half_extents[k] - reach) {
            return false;
        }
        // Of rounded shapes, what is near the core is deep.
        let deep = self.radius - margin - rounding;
        let first = self.distances_from_core(a, deep);
        if first[1] < deep && [b, c].iter().all(|corner| self.distances_from_core(corner, deep)[1] < deep) {
            return false;
        }
        let size_sq = (b - a).norm_squared().max((c - a).norm_squared());
        let beyond = first[0] - reach;
        if beyond > 0.0 && beyond * beyond > size_sq {
            return false;
        }
        let normal = triangle.scaled_normal();
        let [low, high] = [-normal, normal].map(|axis| self.core_height(&axis));
        let height = (triangle.vertices[0] - self.center()).dot(&normal);
        let margin = (reach + rounding) * normal.norm();
        height <= high + margin && height >= -low - margin
    }

    /// [`ConvexShape::may_have_contacts`] of a sphere.
    fn may_have_contacts_with_sphere(&self, triangle: &Triangle, margin: f64) -> bool {
        let center = self.center();
        let offsets = triangle.vertices.map(|vertex| vertex - center);
        let largest = offsets.iter().map(|offset| offset.amax()).fold(0.0, f64::max);
        let rounding = SHAPE_BAND_ROUNDING * (largest + self.radius + margin);
        let (reach, deep) = (self.radius + margin + rounding, self.radius - margin - rounding);
        let squares = offsets.map(|offset| offset.norm_squared());
        if deep > 0.0 && squares.iter().all(|square| *square < deep * deep) {
            return false;
        }
        if squares.iter().any(|square| *square <= reach * reach) {
            return true;
        }
        let normal = triangle.scaled_normal();
        let height = offsets[0].dot(&normal);
        let is_plane_near = height.abs() <= (reach + rounding) * normal.norm();
        is_plane_near && (triangle.closest_point(&center) - center).norm_squared() <= reach * reach
    }

    /// Bounds of the distance of a point, in the frame of the core's box, from the core: a lower one, and an upper one
    /// from the polytope that stands for it, negative by how deep it is inside. They are infinite where they are not
    /// known, and the upper one where it is not below a limit.
    fn distances_from_core(&self, point: &Vector3<f64>, limit: f64) -> [f64; 2] {
        let Obb { center, axes, half_extents } = self.core_obb();
        match &self.core {
            Core::Polytope(polytope) if polytope.is_cuboid => {
                let beyond = point.abs() - half_extents;
                let inside = beyond.max();
                [if inside <= 0.0 { inside } else { beyond.sup(&Vector3::zeros()).norm() }; 2]
            }
            Core::Polytope(polytope) => {
                let (point, normals) = (center + axes * point, polytope.edges_and_normals().1);
                let limit = limit.min(0.0);
                let is_below = |(corners, normal): (&[usize; 3], &Vector3<f64>)| {
                    (point - polytope.vertices()[corners[0]]).dot(normal) < limit
                };
                let is_inside = !normals.is_empty() && polytope.facets().iter().zip(normals).all(is_below);
                [f64::NEG_INFINITY, if is_inside { f64::NEG_INFINITY } else { f64::INFINITY }]
            }
            Core::Frustum(frustum) => frustum.distances_from(&(center + axes * point)),
        }
    }

    /// A lower bound of the distance of a triangle's vertices from the core of a shape with round parts; negative by
    /// how deep one may be inside.
    pub(crate) fn distance_of_vertices(&self, triangle: &Triangle) -> f64 {
        let Core::Frustum(frustum) = &self.core else { return f64::NEG_INFINITY };
        let distances = triangle.vertices.iter().map(|vertex| frustum.distances_from(vertex)[0]);
        distances.fold(f64::INFINITY, f64::min)
    }

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

    /// Where a shape with round parts is deepest along a triangle's normal, if that is over the triangle and within a
    /// margin of it: the signed gap of the core, and the unit direction from the shape.
    pub(crate) fn axis_across(&self, triangle: &Triangle, margin: f64) -> Option<(f64, Vector3<f64>)> {
        let Core::Frustum(frustum) = &self.core else { return None };
        let axis = -triangle.scaled_normal().try_normalize(0.0)?;
        let line = frustum.line_along(&axis)?;
        let gaps = line.map(|end| (triangle.vertices[0] - end).dot(&axis));
        let (deepest, gap) = if gaps[0] <= gaps[1] { (line[0], gaps[0]) } else { (line[1], gaps[1]) };
        if (gap - self.radius).abs() > margin {
            return None;
        }
        let is_beside = |points: &[Point3<f64>]| {
            let is_out =
                |[p, q]: &[Point3<f64>; 2]| points.iter().all(|end| (end - p).dot(&(q - p).cross(&axis)) > 0.0);
            triangle.edges().iter().any(is_out)
        };
        let across = (line[1] - line[0]).cross(&axis);
        let sides = triangle.vertices.map(|vertex| (vertex - deepest).dot(&across));
        // The whole line may be over it, or cross it.
        let is_crossed = || sides.iter().any(|side| *side >= 0.0) && sides.iter().any(|side| *side <= 0.0);
        let is_line_near = gaps[0].max(gaps[1]) <= self.radius + margin;
        let is_over = !is_beside(&[deepest]) || is_line_near && is_crossed() && !is_beside(&line);
        is_over.then_some((gap, axis))
    }

    /// The same across an edge and the side of a cylinder or a cone.
    pub(crate) fn axes_across_edge(&self, edge: &[Point3<f64>; 2], margin: f64) -> [Option<(f64, Vector3<f64>)>; 2] {
        let Core::Frustum(frustum) = &self.core else { return [None; 2] };
        let Some(direction) = (edge[1] - edge[0]).try_normalize(0.0) else { return [None; 2] };
        frustum.side_axes_across(&direction, &frustum.beside(&direction)).map(|axis| {
            let axis = axis?;
            let gap = (edge[0] - self.center()).dot(&axis) - self.core_height(&axis);
            if (gap - self.radius).abs() > margin {
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
}

impl Frustum {
    /// The line of the side that is farthest along a direction, from disc to disc; `None` along the axis.
    pub(super) fn line_along(&self, direction: &Vector3<f64>) -> Option<[Point3<f64>; 2]> {
        let outward = (direction - self.axis * direction.dot(&self.axis)).try_normalize(0.0)?;
        Some([0, 1].map(|disc| self.centers[disc] + outward * self.radii[disc]))
    }

    /// See [`ConvexShape::distances_from_core`].
    fn distances_from(&self, point: &Point3<f64>) -> [f64; 2] {
        let from = point - self.centers[0];
        let height = (self.centers[1] - self.centers[0]).dot(&self.axis);
        let along = from.dot(&self.axis);
        let taper = (self.radii[1] - self.radii[0]) / height;
        if !taper.is_finite() {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let (across, radius) = ((from - self.axis * along).norm(), self.radii[0] + taper * along);
        let [outer, inner] = [1.0, INSCRIBED]
            .map(|part| (-along).max(along - height).max((across - part * radius) / 1.0_f64.hypot(taper)));
        [outer, if inner < 0.0 { inner } else { f64::INFINITY }]
    }
}
