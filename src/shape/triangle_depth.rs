//! How deep a triangle is in a convex core: the axis of the shortest translation that separates the two, among the
//! normals of all parts of their Minkowski difference, and the two points that touch after the translation along it.

use nalgebra::{Point3, Vector3};

use super::convex::Core;
use super::convex_distance::{Along, Opposite, RelativeTriangle};
use super::{ConvexShape, Obb, Segment, ShapeContact};
use crate::numeric::error_bounds::{CONVEX_GAP_ERROR, RESOLVED_UNPROVEN_GAP, TOUCHING_POINTS};
use crate::simd::SimdLevel;
use crate::triangle::Triangle;

/// The least sine of the angle between two edges whose cross product gives a direction, and the least height, relative
/// to its longest edge, of a triangle that has a normal.
pub(super) const THIN: f64 = 1e-5;
/// The sine of the angle below which edges count as parallel.
pub(super) const PARALLEL: f64 = 1e-14;

/// An axis along which a translation separates two convex sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    /// The unit vector along the axis, pointing from the shape to the other set.
    pub(super) axis: Vector3<f64>,
    /// The gap along the axis: the negative of the depth.
    pub(super) gap: f64,
}

/// A conclusive result of testing a triangle against a shape.
pub(super) enum TriangleDepth {
    /// The triangle is farther away than the given limit, which the gap along this unit axis, from the shape to the
    /// triangle, proves.
    Apart(Vector3<f64>),
    /// The triangle reaches into the core, with this contact.
    Deep(ShapeContact),
}

impl TriangleDepth {
    pub(super) fn contact(self) -> Option<ShapeContact> {
        if let Self::Deep(contact) = self { Some(contact) } else { None }
    }
}

impl ConvexShape {
    /// Whether a triangle's signed distance exceeds a limit, or else the contact if the triangle reaches into the core;
    /// `None` if neither is certain.
    pub(super) fn depth_of(
        &self,
        level: SimdLevel,
        opposite: &RelativeTriangle<'_>,
        limit: f64,
    ) -> Option<TriangleDepth> {
        if self.is_thin() {
            return None;
        }
        let extent = opposite.extent().max(self.extent);
        let way = self.way_out_of(level, opposite, extent)?;
        if way.gap > self.radius + limit + CONVEX_GAP_ERROR * extent * way.axis.abs().sum() {
            return Some(TriangleDepth::Apart(way.axis));
        }
        if way.gap > -RESOLVED_UNPROVEN_GAP * extent {
            return None;
        }
        let points = self.touching_points(level, opposite, extent, &way)?;
        let is_certain = self.core_has(level, &points[1], -RESOLVED_UNPROVEN_GAP * extent);
        is_certain.then(|| TriangleDepth::Deep(self.contact_along(opposite, &way, 0.0, points)))
    }

    /// Whether the core has no inside because it is a point or a segment.
    fn is_thin(&self) -> bool {
        matches!(&self.core, Core::Polytope(polytope) if polytope.is_thin())
    }

    /// The best way out of a triangle. `None` for flat hulls, or if an axis is too inexact.
    pub(super) fn way_out_of(&self, level: SimdLevel, opposite: &RelativeTriangle<'_>, extent: f64) -> Option<WayOut> {
        let (triangle, tolerance) = (opposite.triangle, CONVEX_GAP_ERROR * extent);
        let axis = match &self.core {
            Core::Polytope(_) if self.is_cuboid() => self.core_obb().way_out_of(triangle, tolerance)?,
            Core::Polytope(polytope) => polytope.way_out_of(level, triangle, &self.center(), tolerance)?,
            Core::Frustum(frustum) => {
                let mut best: Option<WayOut> = None;
                for axis in frustum.axes_out_of(triangle) {
                    let Some(axis) = axis.try_normalize(0.0) else { continue };
                    let gap = opposite.lowest(&axis).1 - self.core_height(&axis);
                    // Of equally short ways out, the first is kept.
                    if best.is_none_or(|best| gap > best.gap + tolerance) {
                        best = Some(WayOut { axis, gap });
                    }
                }
                return best;
            }
        };
        let Along { gap, .. } = self.along(opposite, extent, &axis);
        Some(WayOut { axis, gap })
    }

    /// The points of the core and of a triangle that touch after the translation along `way`, the best way out.
    pub(super) fn points_after(
        &self,
        level: SimdLevel,
        opposite: &RelativeTriangle<'_>,
        extent: f64,
        way: &WayOut,
    ) -> [Point3<f64>; 2] {
        self.touching_points(level, opposite, extent, way).unwrap_or_else(|| {
            // The origin is nearest to the part that it leaves by, from far as from near.
            let shift = way.axis * (extent - way.gap);
            let moved = Triangle { vertices: opposite.triangle.vertices.map(|vertex| vertex + shift) };
            let gap = self.search_to(&RelativeTriangle::new(self, &moved), f64::INFINITY, -1.0);
            [gap.on_core, gap.on_triangle - shift]
        })
    }

    /// [`ConvexShape::points_after`] where a vertex of either touches, or two edges do; `None` if none is found.
    fn touching_points(
        &self,
        level: SimdLevel,
        opposite: &RelativeTriangle<'_>,
        extent: f64,
        WayOut { axis, gap }: &WayOut,
    ) -> Option<[Point3<f64>; 2]> {
        let (triangle, tolerance, apart) = (opposite.triangle, TOUCHING_POINTS * extent, axis * *gap);
        let heights = opposite.heights(axis);
        let lowest = heights[0].min(heights[1]).min(heights[2]);
        for (vertex, height) in triangle.vertices.iter().zip(heights) {
            let on_core = vertex - apart;
            if height <= lowest + tolerance && self.core_has(level, &on_core, tolerance) {
                return Some([on_core, *vertex]);
            }
        }
        let (on_core, _) = self.core_support(axis);
        if triangle.has_normal() && triangle.has(&(on_core + apart), tolerance) {
            return Some([on_core, on_core + apart]);
        }
        let highest = (0..3).max_by(|&i, &k| heights[i].total_cmp(&heights[k]))?;
        let [start, end] = [(highest + 1) % 3, (highest + 2) % 3].map(|k| triangle.vertices[k]);
        let (edge, line) = (Segment { start, end }, self.core_edge(axis, &on_core)?);
        let points = edges_touch(&line, &edge)?;
        ((points[1] - points[0] - apart).norm() <= tolerance).then_some(points)
    }

    /// Whether a point is at most `distance` above the planes of all faces of the core; if `distance` is negative,
    /// whether the point is at least that deep inside. False for a flat hull.
    pub(super) fn core_has(&self, level: SimdLevel, point: &Point3<f64>, distance: f64) -> bool {
        match &self.core {
            Core::Polytope(_) if self.is_cuboid() => {
                let Obb { center, axes, half_extents } = self.core_obb();
                let local = axes.tr_mul(&(point - center));
                (0..3).all(|k| local[k].abs() <= half_extents[k] + distance)
            }
            Core::Polytope(polytope) => {
                let center = self.center();
                polytope.lanes(&center).is_some_and(|lanes| lanes.height_of(level, &(point - center)) <= distance)
            }
            Core::Frustum(frustum) => frustum.height_of(point) <= distance,
        }
    }

    /// The edge of the core, or the line of its side, that is farthest along an axis. An edge starts at the point
    /// `farthest`.
    fn core_edge(&self, axis: &Vector3<f64>, farthest: &Point3<f64>) -> Option<Segment> {
        match &self.core {
            Core::Polytope(_) if self.is_cuboid() => {
                let Obb { center, axes, half_extents } = self.core_obb();
                let k = axes.tr_mul(axis).iamin();
                let edge = axes.column(k) * (2.0 * half_extents[k]);
                let start = *farthest;
                let end = if (start - center).dot(&edge) > 0.0 { start - edge } else { start + edge };
                Some(Segment { start, end })
            }
            Core::Polytope(polytope) => {
                let mut second: Option<(f64, Point3<f64>)> = None;
                for vertex in polytope.vertices().iter().filter(|vertex| *vertex != farthest) {
                    let height = (vertex - farthest).dot(axis);
                    if second.is_none_or(|(known, _)| height > known) {
                        second = Some((height, *vertex));
                    }
                }
                second.map(|(_, end)| Segment { start: *farthest, end })
            }
            Core::Frustum(frustum) => frustum.line_along(axis).map(|[start, end]| Segment { start, end }),
        }
    }
}

impl Obb {
    /// The unit vector, pointing from the box to a triangle, along the shortest translation that separates the two: a
    /// face normal of either, or a cross product of their edges (the separating axes of Gottschalk et al. 1996). `None`
    /// if one of them is too inexact. Of axes that are equally good up to `tolerance`, the first is kept; the very
    /// first is the opposite of the triangle's normal.
    fn way_out_of(&self, triangle: &Triangle, tolerance: f64) -> Option<Vector3<f64>> {
        if !triangle.has_normal() {
            return None;
        }
        let Self { center, axes, half_extents: half } = self;
        let [a, b, c] = triangle.vertices.map(|vertex| axes.tr_mul(&(vertex - center)));
        let edges = [b - a, c - b, a - c];
        let normal = edges[0].cross(&edges[1]);
        let (length, height, reach) = (normal.norm(), normal.dot(&a), normal.abs().dot(half));
        let mut best = (-normal / length, (-height - reach) / length);
        let mut offer = |gap: f64, axis: Vector3<f64>| {
            if gap > best.1 + tolerance {
                best = (axis, gap);
            }
        };
        offer((height - reach) / length, normal / length);
        for k in 0..3 {
            offer(a[k].min(b[k]).min(c[k]) - half[k], Vector3::ith(k, 1.0));
            offer(-a[k].max(b[k]).max(c[k]) - half[k], Vector3::ith(k, -1.0));
        }
        for k in 0..3 {
            let [i, j] = [(k + 1) % 3, (k + 2) % 3];
            for ((edge, p), r) in edges.iter().zip([a, b, c]).zip([c, a, b]) {
                // The product of the box's axis and the edge.
                let (u, v) = (-edge[j], edge[i]);
                let across = (u * u + v * v).sqrt();
                if across <= THIN * edge.norm() {
                    if across > PARALLEL * edge.norm() {
                        return None;
                    }
                    continue;
                }
                let [near, far] = [u * p[i] + v * p[j], u * r[i] + v * r[j]];
                let reach = half[i] * u.abs() + half[j] * v.abs();
                let axis = |sign: f64| {
                    let mut axis = Vector3::zeros();
                    (axis[i], axis[j]) = (sign * u / across, sign * v / across);
                    axis
                };
                offer((near.min(far) - reach) / across, axis(1.0));
                offer((-near.max(far) - reach) / across, axis(-1.0));
            }
        }
        Some((axes * best.0).normalize())
    }
}

impl Triangle {
    /// Whether the triangle is thick enough for an accurate normal.
    pub(super) fn has_normal(&self) -> bool {
        let longest_sq = self.edges().iter().map(|[p, q]| (q - p).norm_squared()).fold(0.0, f64::max);
        self.scaled_normal().norm_squared() > (THIN * longest_sq) * (THIN * longest_sq)
    }

    /// Whether a point is in the triangle, or within about `distance` of it.
    fn has(&self, point: &Point3<f64>, distance: f64) -> bool {
        let normal = self.scaled_normal();
        let room = distance * normal.norm();
        let is_within = |[p, q]: &[Point3<f64>; 2]| {
            let edge = q - p;
            edge.cross(&(point - p)).dot(&normal) >= -room * edge.norm()
        };
        (point - self.vertices[0]).dot(&normal).abs() <= room && self.edges().iter().all(is_within)
    }
}

/// The closest points of the lines of two edges, each moved to the nearer end if it is past an end; `None` if the edges
/// are parallel.
fn edges_touch(first: &Segment, second: &Segment) -> Option<[Point3<f64>; 2]> {
    let (u, v, w) = (first.end - first.start, second.end - second.start, second.start - first.start);
    let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
    let inner = uu * vv - uv * uv;
    let part = (w.dot(&u) * vv - w.dot(&v) * uv) / inner;
    let other = (w.dot(&u) * uv - w.dot(&v) * uu) / inner;
    (part.is_finite() && other.is_finite()).then(|| [first.point_at(part), second.point_at(other)])
}
