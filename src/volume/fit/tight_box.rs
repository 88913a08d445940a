//! Axes of a small box around a few points, fast enough for every node of a tree: a local search over turns about one
//! axis.
//!
//! If one axis is given, the best other two are those of the least rectangle around the points' projection along it,
//! which is found exactly. So a candidate is an axis: first the given axes, then in turn the three axes of the best box
//! so far. The search for eight sets of points together has no branches, which would mostly be mispredicted on small
//! sets.

use nalgebra::{Matrix3, Point3, Vector3};
use smallvec::SmallVec;

use super::enclose::{
    Axes8, frame_in_plane, inverse_roots, perpendicular, perpendicular_basis, quick_frame_in_plane, scaled, turned,
    unit, where_gt,
};
use super::minimum_box::{Rectangle, minimum_rectangle_by};
use crate::simd::vectors::{Vector8x64, dot_unfused64};
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Maximum number of rotations about a box's own axes after the first candidates.
const MAX_TURNS: usize = 6;
/// A rotation about an axis fails if it lowers the cost by less than this fraction. After three failures in a row, one
/// for each axis, the search ends; the search for eight boxes at once ends after two.
pub(super) const LEAST_GAIN: f64 = 1e-3;
/// Length added to each side of a box, relative to the set's size: the boxes in the plane of a flat set, whose volumes
/// are all zero, then differ by their area.
const SKIN: f64 = 1e-7;

/// Axes of a box of small surface area around the points. The search tries the surface's `normal` (of any length) and
/// the axes of `start`: about each, it finds the exact rectangle of least area (Freeman and Shapira 1975). It then
/// rotates about the box's own axes in turn for as long as that helps, as in Chang, Gorissen and Melchior 2011.
///
/// The surface area is never larger than along `start`. The cost is about one sort of the points per axis tried.
pub fn tight_axes(points: &[Point3<f64>], start: &Matrix3<f64>, normal: &Vector3<f64>) -> Matrix3<f64> {
    dispatch(SimdLevel::detect(), Tight::<false> { points, start, normal })
}

/// Axes of a box of small volume around the points, by the same search as [`tight_axes`]; of small area for points in a
/// plane.
///
/// The volume is at most that of the box along `start` with each side longer by 1e-7 of the points' extent.
pub fn tight_axes_by_volume(points: &[Point3<f64>], start: &Matrix3<f64>, normal: &Vector3<f64>) -> Matrix3<f64> {
    dispatch(SimdLevel::detect(), Tight::<true> { points, start, normal })
}

/// The search, by volume or by area.
struct Tight<'a, const BY_VOLUME: bool> {
    points: &'a [Point3<f64>],
    start: &'a Matrix3<f64>,
    normal: &'a Vector3<f64>,
}

impl<const BY_VOLUME: bool> Task for Tight<'_, BY_VOLUME> {
    type Output = Matrix3<f64>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Matrix3<f64> {
        let Self { points, start, normal } = self;
        let Some(rows) = rows_of(points) else { return *start };
        let flat = SmallVec::from_elem([0.0; 2], 8 * rows.len());
        let best = Candidate { axes: *start, cost: box_cost::<BY_VOLUME>(lengths_along(s, &rows, start)) };
        let mut search = Search { points: points.len(), rows, best, tried: SmallVec::new(), flat };
        let normal = unit(normal);
        let has_normal = normal.amax() > 0.0 && normal.amax().is_finite();
        let (mut turn, mut failures) = (if has_normal { 0 } else { 1 }, 0);
        // The order is: the normal, the axes of `start`, then the axes of the best box.
        while failures < 3 && turn < 4 + MAX_TURNS {
            let axis = match turn {
                0 => normal,
                1..=3 => start.column(turn - 1).into_owned(),
                _ => search.best.axes.column((turn - 4) % 3).into_owned(),
            };
            let before = search.best.cost;
            search.turn_about::<S, BY_VOLUME>(s, &axis);
            failures = if turn < 4 || search.best.cost < before * (1.0 - LEAST_GAIN) { 0 } else { failures + 1 };
            turn += 1;
        }
        search.best.axes
    }
}

/// Eight points, a row for each coordinate.
type Eight = [[f64; 8]; 3];

/// The points' offsets from the first point, in units of the greatest offset, so that no square underflows; the last
/// eight are filled with zeros, the offset of the first point. `None` if all points are equal or not finite.
#[inline(always)]
fn rows_of(points: &[Point3<f64>]) -> Option<SmallVec<[Eight; 6]>> {
    let origin = points.first()?;
    let size = points.iter().map(|point| (point - origin).amax()).fold(0.0, f64::max);
    let per_size = 1.0 / size;
    if !per_size.is_normal() {
        return None;
    }
    let mut rows: SmallVec<[Eight; 6]> = SmallVec::from_elem([[0.0; 8]; 3], points.len().div_ceil(8));
    for (i, point) in points.iter().enumerate() {
        for k in 0..3 {
            rows[i / 8][k][i % 8] = (point[k] - origin[k]) * per_size;
        }
    }
    Some(rows)
}

/// Lengths of the box along the axes.
#[inline(always)]
fn lengths_along<S: Simd>(s: S, rows: &[Eight], axes: &Matrix3<f64>) -> [f64; 3] {
    let mut lengths = [0.0; 3];
    for (k, length) in lengths.iter_mut().enumerate() {
        let (mut least, mut greatest) = (s.splat64(0.0), s.splat64(0.0));
        for eight in rows {
            let along = along(s, eight, [axes[(0, k)], axes[(1, k)], axes[(2, k)]]);
            (least, greatest) = (s.min64(along, least), s.max64(along, greatest));
        }
        *length = range(s, least, greatest);
    }
    lengths
}

/// The offsets of eight points along an axis.
#[inline(always)]
fn along<S: Simd>(s: S, [x, y, z]: &Eight, axis: [f64; 3]) -> S::F64x8 {
    let xy = s.add64(s.mul64(s.load64(x), s.splat64(axis[0])), s.mul64(s.load64(y), s.splat64(axis[1])));
    s.add64(xy, s.mul64(s.load64(z), s.splat64(axis[2])))
}

/// The difference between the greatest and the least value of all lanes.
#[inline(always)]
fn range<S: Simd>(s: S, least: S::F64x8, greatest: S::F64x8) -> f64 {
    let (mut least, mut greatest) = (s.to_array64(least), s.to_array64(greatest));
    for half in [4, 2, 1] {
        for lane in 0..half {
            let (a, b) = (least[lane], least[lane + half]);
            least[lane] = if b < a { b } else { a };
            let (a, b) = (greatest[lane], greatest[lane + half]);
            greatest[lane] = if b > a { b } else { a };
        }
    }
    greatest[0] - least[0]
}

/// The cost of a box with these lengths, around points of unit size.
#[inline(always)]
fn box_cost<const BY_VOLUME: bool>([x, y, z]: [f64; 3]) -> f64 {
    if BY_VOLUME { (x + SKIN) * (y + SKIN) * (z + SKIN) } else { x * y + y * z + z * x }
}

/// [`box_cost`] for eight boxes.
#[inline(always)]
pub(super) fn box_cost_by<S: Simd, const BY_VOLUME: bool>(s: S, [x, y, z]: [S::F64x8; 3]) -> S::F64x8 {
    if BY_VOLUME {
        let skin = s.splat64(SKIN);
        s.mul64(s.mul64(s.add64(x, skin), s.add64(y, skin)), s.add64(z, skin))
    } else {
        s.add64(s.add64(s.mul64(x, y), s.mul64(y, z)), s.mul64(z, x))
    }
}

/// The axes of the box of least surface area around a triangle: in its plane, along its longest edge. `None` for a
/// triangle without area, or nearly so: if the sine of the angle between that edge and the next is at most 1e-10.
pub fn triangle_axes(corners: &[Point3<f64>; 3]) -> Option<Matrix3<f64>> {
    let (longest, next) = longest_edge(corners);
    frame_in_plane(&longest, &next)
}

/// [`triangle_axes`] by [`quick_frame_in_plane`], and whether they are valid.
#[inline(always)]
pub(crate) fn quick_longest_edge_axes(corners: &[Point3<f64>; 3]) -> (Matrix3<f64>, bool) {
    let (longest, next) = longest_edge(corners);
    quick_frame_in_plane(&longest, &next)
}

/// The first of the longest edges, and the next edge around the triangle.
#[inline(always)]
fn longest_edge([a, b, c]: &[Point3<f64>; 3]) -> (Vector3<f64>, Vector3<f64>) {
    let edges = [b - a, c - b, a - c];
    let [first, second, third] = [edges[0].norm_squared(), edges[1].norm_squared(), edges[2].norm_squared()];
    let (is_first, is_second) = ((first >= second) & (first >= third), second >= third);
    let (mut longest, mut next) = (edges[0], edges[1]);
    for k in 0..3 {
        let later = if is_second { [edges[1][k], edges[2][k]] } else { [edges[2][k], edges[0][k]] };
        (longest[k], next[k]) = if is_first { (longest[k], next[k]) } else { (later[0], later[1]) };
    }
    (longest, next)
}

struct Search {
    points: usize,
    rows: SmallVec<[Eight; 6]>,
    /// The candidate of least cost so far; the first of equal ones.
    best: Candidate,
    /// The axes tried so far, by their bits.
    tried: SmallVec<[[u64; 3]; 4 + MAX_TURNS]>,
    /// The points projected along an axis.
    flat: SmallVec<[[f64; 2]; 48]>,
}

/// Axes, and the cost of the box along them.
#[derive(Clone, Copy)]
struct Candidate {
    axes: Matrix3<f64>,
    cost: f64,
}

impl Search {
    /// Tries the box with one given axis and the rectangle of least area about it.
    #[inline(always)]
    fn turn_about<S: Simd, const BY_VOLUME: bool>(&mut self, s: S, axis: &Vector3<f64>) {
        let bits = [axis.x, axis.y, axis.z].map(f64::to_bits);
        if self.tried.contains(&bits) {
            return;
        }
        self.tried.push(bits);
        let [u, v] = perpendicular_basis(axis);
        let (mut least, mut greatest) = (s.splat64(0.0), s.splat64(0.0));
        for (eight, flat) in self.rows.iter().zip(self.flat.chunks_exact_mut(8)) {
            let (flat_u, flat_v) = (s.to_array64(along(s, eight, u.into())), s.to_array64(along(s, eight, v.into())));
            for lane in 0..8 {
                flat[lane] = [flat_u[lane], flat_v[lane]];
            }
            let above = along(s, eight, [axis.x, axis.y, axis.z]);
            (least, greatest) = (s.min64(above, least), s.max64(above, greatest));
        }
        let Rectangle { along: [cos, sin], lengths: [x, y] } = minimum_rectangle_by(s, &mut self.flat[..self.points]);
        let cost = box_cost::<BY_VOLUME>([x, y, range(s, least, greatest)]);
        if cost < self.best.cost {
            let axes = Matrix3::from_columns(&[u * cos + v * sin, v * cos - u * sin, *axis]);
            self.best = Candidate { axes, cost };
        }
    }
}

/// A set is flat if it is thinner along the normal, by this factor, than both sides of its rectangle.
const FLAT: f64 = 10.0;
/// Maximum number of rotations about a box's own axes after the first candidates, for eight boxes at once.
const MAX_TURNS_OF_EIGHT: usize = 4;

/// Axes of boxes of small volume or surface area around eight sets of points, found from `start` and the surfaces'
/// `normals` (of any length) much as [`tight_axes`](super::tight_axes) does, with fewer rotations. In a search by area,
/// a set that is flat along the first axis tried is rotated about no other.
///
/// Each of at most [`MAX_POINTS`] elements of `points` has one point of each set; smaller sets repeat their last point.
/// Coordinates are offsets of at most about 1, or all zero.
#[inline(always)]
pub(crate) fn tight_axes_of_eight<S: Simd>(
    s: S,
    points: &[Vector8x64<S>],
    start: &Axes8<S>,
    normals: &Vector8x64<S>,
    by_volume: bool,
) -> Axes8<S> {
    let mut best = *start;
    let mut least = cost_by(s, lengths_of_eight_along(s, points, start), by_volume);
    let first = unit_or(s, normals, &start[0]);
    // The points projected along an axis.
    let mut flat = [[s.splat64(0.0); 2]; MAX_POINTS];
    let flat = &mut flat[..points.len()];
    // A bit per lane: whether its last rotation failed, and whether its search has ended.
    let (mut failed, mut ended) = (0_u8, 0_u8);
    for turn in 0..4 + MAX_TURNS_OF_EIGHT {
        if ended == 0xff {
            break;
        }
        // The last axis of the best box is the axis about which the box was found.
        let axis = match turn {
            0 => first,
            1..=3 => start[turn - 1],
            _ => best[turn % 2],
        };
        let (axes, lengths) = turned_about(s, points, flat, &axis);
        let cost = cost_by(s, lengths, by_volume);
        let mut handicap = [0.0; 8];
        for (lane, handicap) in handicap.iter_mut().enumerate() {
            *handicap = if ended >> lane & 1 != 0 { f64::INFINITY } else { 0.0 };
        }
        let cost = s.add64(cost, s.load64(&handicap));
        let gains = s.gt64(s.mul64(least, s.splat64(1.0 - LEAST_GAIN)), cost);
        for k in 0..3 {
            best[k] = where_gt(s, [least, cost], &axes[k], &best[k]);
        }
        least = s.min64(cost, least);
        if turn == 0 && !by_volume {
            // A flat set has little area to gain.
            let [x, y, thickness] = lengths;
            ended = s.gt64(s.min64(x, y), s.mul64(thickness, s.splat64(FLAT)));
        }
        if turn >= 4 {
            ended |= failed & !gains;
            failed = !gains;
        }
    }
    best
}

/// The axes of the box with the given last axis and the rectangle of least area about it, and its lengths.
#[inline(always)]
fn turned_about<S: Simd>(
    s: S,
    points: &[Vector8x64<S>],
    flat: &mut [[S::F64x8; 2]],
    axis: &Vector8x64<S>,
) -> (Axes8<S>, [S::F64x8; 3]) {
    let [u, v] = perpendicular(s, axis);
    let (mut least, mut greatest) = (s.splat64(f64::INFINITY), s.splat64(f64::NEG_INFINITY));
    for (flat, point) in flat.iter_mut().zip(points) {
        *flat = [dot_unfused64(s, point, &u), dot_unfused64(s, point, &v)];
        let above = dot_unfused64(s, point, axis);
        (least, greatest) = (s.min64(above, least), s.max64(above, greatest));
    }
    let Rectangles { along, lengths: [x, y] } = least_rectangles(s, flat);
    let [first, second] = turned(s, &[u, v], along);
    ([first, second, *axis], [x, y, s.sub64(greatest, least)])
}

/// The costs of eight boxes with these lengths, by volume or by surface area.
#[inline(always)]
fn cost_by<S: Simd>(s: S, lengths: [S::F64x8; 3], by_volume: bool) -> S::F64x8 {
    if by_volume { box_cost_by::<S, true>(s, lengths) } else { box_cost_by::<S, false>(s, lengths) }
}

/// Maximum number of points of a set: three for each of 16 triangles.
pub(crate) const MAX_POINTS: usize = 48;

/// Eight rectangles in the plane: the direction of one side, and the lengths along that side and across it.
struct Rectangles<S: Simd> {
    along: [S::F64x8; 2],
    lengths: [S::F64x8; 2],
}

/// The rectangles of least area around the points. A side lies on an edge of the convex hull (Freeman and Shapira
/// 1975); the search goes from edge to edge around the hull (Jarvis 1973, "On the identification of the convex hull of
/// a finite set of points in the plane").
///
/// Each rectangle considered encloses all points, wherever rounding errors lead the search around the hull.
#[inline(always)]
fn least_rectangles<S: Simd>(s: S, points: &[[S::F64x8; 2]]) -> Rectangles<S> {
    let zero = s.splat64(0.0);
    let mut begin = points[0];
    for point in &points[1..] {
        let y = s.where_gt64(begin[0], point[0], point[1], begin[1]);
        begin = [s.min64(point[0], begin[0]), y];
    }
    let (mut at, mut second) = (begin, begin);
    // Downward from the leftmost point.
    let mut direction = [zero, s.splat64(-1.0)];
    let mut least = s.splat64(f64::INFINITY);
    let mut best = Rectangles { along: [s.splat64(1.0), zero], lengths: [zero; 2] };
    // Infinite for sets whose hull is complete.
    let (inf, mut around) = (s.splat64(f64::INFINITY), zero);
    for step in 0..=MAX_POINTS {
        // The edge to the point that has all others on its left; until one is found, the reverse direction.
        let mut edge = [s.sub64(zero, direction[0]), s.sub64(zero, direction[1])];
        let mut next = at;
        for point in points {
            let offset = [s.sub64(point[0], at[0]), s.sub64(point[1], at[1])];
            let right = s.sub64(s.mul64(edge[1], offset[0]), s.mul64(edge[0], offset[1]));
            for x in 0..2 {
                next[x] = s.where_gt64(right, zero, point[x], next[x]);
                edge[x] = s.where_gt64(right, zero, offset[x], edge[x]);
            }
        }
        direction = unit_of_eight(s, edge);
        let [cos, sin] = direction;
        let (mut lower, mut upper) = ([inf; 2], [s.sub64(zero, inf); 2]);
        for [x, y] in points {
            let along = s.add64(s.mul64(*x, cos), s.mul64(*y, sin));
            let across = s.sub64(s.mul64(*y, cos), s.mul64(*x, sin));
            lower = [s.min64(along, lower[0]), s.min64(across, lower[1])];
            upper = [s.max64(along, upper[0]), s.max64(across, upper[1])];
        }
        let lengths = [s.sub64(upper[0], lower[0]), s.sub64(upper[1], lower[1])];
        let area = s.add64(s.mul64(lengths[0], lengths[1]), around);
        for x in 0..2 {
            best.along[x] = s.where_gt64(least, area, direction[x], best.along[x]);
            best.lengths[x] = s.where_gt64(least, area, lengths[x], best.lengths[x]);
        }
        least = s.min64(area, least);
        at = next;
        if step == 0 {
            second = next;
        } else {
            // The first point may lie on an edge, between two corners.
            around = s.where_gt64(apart(s, &at, &begin), zero, around, inf);
            around = s.where_gt64(apart(s, &at, &second), zero, around, inf);
            if s.gt64(inf, around) == 0 {
                break;
            }
        }
    }
    best
}

/// The Manhattan distance between two points of the plane: the sum of the differences of their coordinates.
#[inline(always)]
fn apart<S: Simd>(s: S, a: &[S::F64x8; 2], b: &[S::F64x8; 2]) -> S::F64x8 {
    s.add64(s.abs64(s.sub64(a[0], b[0])), s.abs64(s.sub64(a[1], b[1])))
}

/// Normalises directions in the plane. Precondition: none is zero.
#[inline(always)]
fn unit_of_eight<S: Simd>(s: S, [x, y]: [S::F64x8; 2]) -> [S::F64x8; 2] {
    let per_length = inverse_roots(s, s.add64(s.mul64(x, x), s.mul64(y, y)));
    [s.mul64(x, per_length), s.mul64(y, per_length)]
}

/// Normalises vectors; returns the lane of `others` where a vector is zero.
#[inline(always)]
fn unit_or<S: Simd>(s: S, vectors: &Vector8x64<S>, others: &Vector8x64<S>) -> Vector8x64<S> {
    let least = s.splat64(f64::MIN_POSITIVE);
    let length_sq = dot_unfused64(s, vectors, vectors);
    let per_length = inverse_roots(s, s.max64(length_sq, least));
    where_gt(s, [length_sq, least], &scaled(s, vectors, per_length), others)
}

/// Lengths of the boxes along the axes.
#[inline(always)]
fn lengths_of_eight_along<S: Simd>(s: S, points: &[Vector8x64<S>], axes: &Axes8<S>) -> [S::F64x8; 3] {
    let mut lengths = [s.splat64(0.0); 3];
    for k in 0..3 {
        let (mut least, mut greatest) = (s.splat64(f64::INFINITY), s.splat64(f64::NEG_INFINITY));
        for point in points {
            let along = dot_unfused64(s, point, &axes[k]);
            (least, greatest) = (s.min64(along, least), s.max64(along, greatest));
        }
        lengths[k] = s.sub64(greatest, least);
    }
    lengths
}
