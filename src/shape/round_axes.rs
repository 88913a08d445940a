//! The axes of contacts of cylinders and cones, for contact manifolds: where their round parts touch triangles and
//! edges.

use nalgebra::{Point3, Vector3};

use super::ConvexShape;
use super::convex::{Core, Frustum};
use super::convex_distance::RelativeTriangle;
use crate::numeric::error_bounds::{NARROW_BAND_ROUNDING, SIDE_TEST_ROUNDING};
use crate::simd::vectors::{Vector8, cross_fused, dot_fused, in_lanes, lanes_in, narrowed, norm, splatted, without};
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::triangle::Triangle;

impl ConvexShape {
    /// Whether one of two planes proves that a triangle is farther than `distance` from a shape with round parts. Their
    /// normals are the triangle's, and the direction from the shape to the triangle's corner that is nearest to the
    /// shape's center.
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

    /// The finder of the axes of contacts of a cylinder or a cone; `None` for other cores.
    pub(crate) fn round_axes(&self, margin: f64) -> Option<RoundAxes<'_>> {
        let Core::Frustum(frustum) = &self.core else { return None };
        let [sine, cosine] = frustum.elevation();
        let height = (frustum.centers[1] - frustum.centers[0]).dot(&frustum.axis);
        let taper = frustum.radii[1] - frustum.radii[0];
        Some(RoundAxes { shape: self, frustum, margin, sine, cosine, height, taper })
    }
}

/// Finds the axes of contacts of a cylinder or a cone with triangles and edges that are within a margin of it.
pub(crate) struct RoundAxes<'a> {
    shape: &'a ConvexShape,
    frustum: &'a Frustum,
    margin: f64,
    /// The sine of the elevation of the side's normals above the discs' plane; `cosine` is of the same angle.
    sine: f64,
    cosine: f64,
    height: f64,
    /// The second disc's radius less the first one's.
    taper: f64,
}

impl RoundAxes<'_> {
    /// The axes across triangles and across edges, with the signed gaps of the core along them.
    pub(crate) fn find(
        &self,
        level: SimdLevel,
        triangles: &[(Triangle, u32)],
        edges: impl Iterator<Item = [Point3<f64>; 2]>,
    ) -> Vec<(f64, Vector3<f64>)> {
        let start = &self.frustum.centers[0];
        let plane = |(triangle, _): &(Triangle, u32)| [triangle.vertices[0] - start, triangle.scaled_normal()];
        let planes: Vec<[Vector3<f64>; 2]> = triangles.iter().map(plane).collect();
        let edges: Vec<[Point3<f64>; 2]> = edges.collect();
        let lines: Vec<[Vector3<f64>; 2]> = edges.iter().map(|[p, q]| [p - start, q - p]).collect();
        let of_triangles = self.near(level, &planes, Sort::Plane).into_iter();
        let of_edges = self.near(level, &lines, Sort::Line).into_iter();
        let mut axes: Vec<(f64, Vector3<f64>)> =
            of_triangles.filter_map(|index| self.across(&triangles[index].0)).collect();
        axes.extend(of_edges.flat_map(|index| self.across_edge(&edges[index])).flatten());
        axes
    }

    /// The indices of the planes or lines that may be touched, by a quick and conservative test.
    fn near(&self, level: SimdLevel, given: &[[Vector3<f64>; 2]], sort: Sort) -> Vec<usize> {
        let Self { shape, frustum, margin, .. } = self;
        let scale = (shape.extent + shape.radius + margin).recip();
        let narrow = |distance: f64| (distance * scale) as f32;
        let narrow_round = NarrowRound {
            axis: narrowed(&frustum.axis),
            radii: [narrow(frustum.radii[0]), narrow(frustum.radii[1])],
            rounding_radius: narrow(shape.radius),
            margin: narrow(*margin),
            sine: self.sine as f32,
            cosine: self.cosine as f32,
            height: narrow(self.height),
            taper: narrow(self.taper),
        };
        dispatch(level, Near { round: &narrow_round, scale, given, sort })
    }

    /// The axis across a triangle: the signed gap of the core along the triangle's normal, and the unit direction from
    /// the shape. `None` unless the shape's deepest point, or the line of the side that contains it, is over the
    /// triangle and within the margin of it; also if the normal is along the shape's axis.
    fn across(&self, triangle: &Triangle) -> Option<(f64, Vector3<f64>)> {
        let Self { shape, frustum, margin, .. } = self;
        let axis = -triangle.scaled_normal().try_normalize(0.0)?;
        let line = frustum.line_along(&axis)?;
        let gaps = line.map(|end| (triangle.vertices[0] - end).dot(&axis));
        let (deepest, gap) = if gaps[0] <= gaps[1] { (line[0], gaps[0]) } else { (line[1], gaps[1]) };
        if (gap - shape.radius).abs() > *margin {
            return None;
        }
        // The axis is opposite to the normal, so the cross product of an edge and the axis points inward.
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

    /// The axes across an edge and the side, like those of [`RoundAxes::across`].
    fn across_edge(&self, edge: &[Point3<f64>; 2]) -> [Option<(f64, Vector3<f64>)>; 2] {
        let Self { shape, frustum, margin, .. } = self;
        let Some(direction) = (edge[1] - edge[0]).try_normalize(0.0) else { return [None; 2] };
        frustum.side_axes_across(&direction, &frustum.beside(&direction)).map(|axis| {
            let axis = axis?;
            let gap = (edge[0] - shape.center()).dot(&axis) - shape.core_height(&axis);
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
}

/// The kind of the objects that may be touched.
#[derive(Clone, Copy)]
enum Sort {
    /// Planes, each by a point relative to the first disc's center and a normal of any length. A plane may be touched
    /// if it may be within the margin of the shape's deepest point along the normal.
    Plane,
    /// Edges, each by its start relative to the first disc's center and the vector to its end. An edge may be touched
    /// if it may be within the margin of a line of the side and cross that line, seen along the common normal.
    Line,
}

/// [`RoundAxes`] in f32, with sizes of at most about one.
struct NarrowRound {
    axis: [f32; 3],
    radii: [f32; 2],
    rounding_radius: f32,
    margin: f32,
    sine: f32,
    cosine: f32,
    height: f32,
    taper: f32,
}

struct Near<'a> {
    round: &'a NarrowRound,
    scale: f64,
    given: &'a [[Vector3<f64>; 2]],
    sort: Sort,
}

impl Task for Near<'_> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Vec<usize> {
        let Self { round, scale, given, sort } = self;
        let mut near = Vec::new();
        for (row, eight) in given.chunks(8).enumerate() {
            let words = in_lanes(eight.iter().copied(), scale);
            let [a, b, c, d, e, f] = s.load_rows(words.as_flattened().as_flattened(), 8, 8);
            let away = match sort {
                Sort::Plane => round.are_planes_away(s, &[a, b, c], &[d, e, f]),
                Sort::Line => round.are_lines_away(s, &[a, b, c], &[d, e, f]),
            };
            near.extend(lanes_in(row, !away & (u8::MAX >> (8 - eight.len()))));
        }
        near
    }
}

/// The length below which a direction is too inexact in f32.
const SHORT: f32 = 1e-12;
/// The sine of the angle to the axis below which an edge's part across the axis is too inexact.
const NEARLY_PARALLEL: f32 = 0.01;
/// The steepest slope of the side's normals above the discs' plane at which the place where an edge touches the side
/// follows accurately from the edge's rise; flatter cones are not tested.
const STEEPEST: f32 = 20.0;

impl NarrowRound {
    /// The planes that are certainly not touched, as bits; see [`Sort::Plane`].
    #[inline(always)]
    fn are_planes_away<S: Simd>(&self, s: S, point: &Vector8<S>, normal: &Vector8<S>) -> u8 {
        let axis = splatted(s, self.axis);
        let along = dot_fused(s, normal, &axis);
        let (size, across) = (norm(s, normal), norm(s, &cross_fused(s, normal, &axis)));
        let [p, q] = [s.mul(s.splat(self.radii[0]), across), s.mul(s.splat(self.radii[1]), across)];
        let reach = s.max(p, s.sub(q, s.mul(s.splat(self.height), along)));
        let gap = s.add(dot_fused(s, point, normal), reach);
        let largest = s.max(s.max(s.abs(point[0]), s.abs(point[1])), s.max(s.abs(point[2]), s.splat(1.0)));
        let room = s.mul_add(largest, s.splat(NARROW_BAND_ROUNDING), s.splat(self.margin));
        let off = s.abs(s.mul_add(s.splat(self.rounding_radius), size, gap));
        s.bits(s.gt(off, s.mul(room, size))) & s.bits(s.gt(size, s.splat(SHORT)))
    }

    /// The edges that are certainly not touched, as bits; see [`Sort::Line`].
    #[inline(always)]
    fn are_lines_away<S: Simd>(&self, s: S, start: &Vector8<S>, edge: &Vector8<S>) -> u8 {
        if self.sine.abs() > STEEPEST * self.cosine {
            return 0;
        }
        let (zero, one, axis) = (s.splat(0.0), s.splat(1.0), splatted(s, self.axis));
        let (height, taper) = (s.splat(self.height), s.splat(self.taper));
        let (first_radius, rounding_radius) = (s.splat(self.radii[0]), s.splat(self.rounding_radius));
        let rise = dot_fused(s, edge, &axis);
        let ahead_of = without(s, edge, &axis, rise);
        let (length, run) = (norm(s, edge), norm(s, &ahead_of));
        let is_known = s.bits(s.gt(run, s.max(s.mul(length, s.splat(NEARLY_PARALLEL)), s.splat(SHORT))));
        let per_run = s.div(one, run);
        // The normal's part in the discs' plane, by those along the edge's and beside it.
        let forward = s.mul(s.mul(rise, per_run), s.splat(-self.sine / self.cosine));
        let sideways_sq = s.sub(one, s.mul(forward, forward));
        let mut away = s.bits(s.gt(s.splat(-SIDE_TEST_ROUNDING * SIDE_TEST_ROUNDING), sideways_sq));
        let sideways = s.sqrt(s.max(sideways_sq, zero));
        let along = dot_fused(s, start, &axis);
        let ahead = s.mul(dot_fused(s, start, &ahead_of), per_run);
        let beside = s.mul(dot_fused(s, start, &cross_fused(s, &axis, edge)), per_run);
        let rounding = s.add(s.add(norm(s, start), length), one);
        let rounding = s.mul(rounding, s.splat(SIDE_TEST_ROUNDING));
        let limit = s.add(s.splat(self.margin), rounding);
        let between = s.mul(sideways, run);
        let room = s.mul(s.add(one, s.div(length, between)), s.add(s.abs(height), s.abs(taper)));
        let room = s.mul(room, rounding);
        let longest = s.splat(self.height * self.height + self.taper * self.taper);
        let mut both_away = u8::MAX;
        for sign in [1.0, -1.0] {
            let (sideways, between) = (s.mul(sideways, s.splat(sign)), s.mul(between, s.splat(sign)));
            let outward = s.mul_add(forward, ahead, s.mul(sideways, beside));
            let over = s.sub(outward, first_radius);
            let gap = s.mul_add(over, s.splat(self.cosine), s.mul(along, s.splat(self.sine)));
            // How far the ends are beside the line of the side.
            let first = s.sub(s.mul(forward, beside), s.mul(sideways, ahead));
            let last = s.sub(first, between);
            let is_off = s.gt(s.abs(s.sub(gap, rounding_radius)), limit);
            let is_beside = s.or(s.gt(s.min(first, last), rounding), s.gt(s.sub(zero, rounding), s.max(first, last)));
            let part = s.min(s.max(s.div(first, between), zero), one);
            let (up, out) = (s.mul_add(part, rise, along), s.mul_add(part, s.mul(forward, run), over));
            let on_side = s.mul_add(up, height, s.mul(out, taper));
            let is_past = s.or(s.gt(s.sub(zero, room), on_side), s.gt(on_side, s.add(longest, room)));
            let is_crossing = s.bits(s.gt(s.abs(between), rounding));
            both_away &= s.bits(s.or(is_off, is_beside)) | s.bits(is_past) & is_crossing;
        }
        away |= both_away;
        away & is_known
    }
}

impl Frustum {
    /// The line of the side that is farthest along a direction, from disc to disc; `None` for a direction along the
    /// axis.
    pub(super) fn line_along(&self, direction: &Vector3<f64>) -> Option<[Point3<f64>; 2]> {
        let outward = (direction - self.axis * direction.dot(&self.axis)).try_normalize(0.0)?;
        Some([0, 1].map(|disc| self.centers[disc] + outward * self.radii[disc]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random_numbers;

    /// The quick tests leave out no axis, even for edges along and across the shape's axis, but they leave out most
    /// planes and edges.
    #[test]
    fn quick_tests_leave_out_no_axis() {
        let numbers = random_numbers(37, 27_000);
        let shapes = [
            ConvexShape::cylinder(0.7, 0.4),
            ConvexShape::cone(0.7, 0.5),
            ConvexShape::cone(0.03, 0.5),
            ConvexShape::cone(1e-4, 0.5),
            ConvexShape::cylinder(0.0, 0.5),
        ];
        for shape in shapes.into_iter().flat_map(|shape| [0.0, 0.1].map(|by| shape.clone().unwrap().rounded(by))) {
            let shape = shape.unwrap();
            let round = shape.round_axes(0.05).unwrap();
            let cases = numbers.chunks_exact(9).enumerate().map(|(case, coordinates)| {
                let mut corners =
                    [0, 3, 6].map(|k| Point3::new(coordinates[k], coordinates[k + 1], coordinates[k + 2]));
                match case % 4 {
                    0 => corners[1].z = corners[0].z,
                    1 => (corners[1].x, corners[1].y) = (corners[0].x, corners[0].y),
                    _ => {}
                }
                Triangle { vertices: corners }
            });
            let cases: Vec<Triangle> = cases.collect();
            let start = round.frustum.centers[0];
            let offset = |case: &Triangle| case.vertices[0] - start;
            let planes: Vec<_> = cases.iter().map(|case| [offset(case), case.scaled_normal()]).collect();
            let lines: Vec<_> = cases.iter().map(|case| [offset(case), case.vertices[1] - case.vertices[0]]).collect();
            let touched = |case: &Triangle| {
                let axis = -case.scaled_normal().normalize();
                let gap = (case.vertices[0] - shape.center()).dot(&axis) - shape.core_height(&axis);
                let is_touched = (gap - shape.radius).abs() <= round.margin;
                [is_touched, round.across_edge(&[case.vertices[0], case.vertices[1]]) != [None; 2]]
            };
            let there: Vec<[bool; 2]> = cases.iter().map(touched).collect();
            let found = [0, 1].map(|k| there.iter().filter(|there| there[k]).count());
            let all = cases.len();
            let mut passed = [0; 2];
            for level in SimdLevel::available() {
                for (k, (given, sort)) in [(&planes, Sort::Plane), (&lines, Sort::Line)].into_iter().enumerate() {
                    let near = round.near(level, given, sort);
                    passed[k] = near.len();
                    let is_near = |index: usize| near.binary_search(&index).is_ok();
                    assert!((0..all).all(|index| is_near(index) || !there[index][k]), "{level:?} {k} {shape:?}");
                }
            }
            let has_side = shape.obb().half_extents.min() > 0.2;
            assert!(found[0] > 10 && (found[1] > 10 || !has_side), "{found:?} {shape:?}");
            assert!(4 * passed[0] < all && (!has_side || 4 * passed[1] < 3 * all), "{passed:?} of {all} {shape:?}");
        }
    }
}
