//! Axes of a small box around few points, fast enough for every node of a tree: a local search over turns about one axis.
//!
//! With one axis given, the best other two are those of the least rectangle around the points' projection along it, which is
//! found exactly. So a candidate is an axis; first those at hand, then the three axes of the best box so far in turn.

use nalgebra::{Matrix3, Point3, Vector3};
use smallvec::SmallVec;

use super::enclose::projections;
use super::frame::{frame_in_defined_plane, perpendicular_basis, quick_frame_in_plane};
use super::minimum_rectangle::minimum_rectangle;
use crate::simd::SimdLevel;

/// Turns about a box's own axes after the first candidates, at most.
const MAX_TURNS: usize = 6;
/// A turn about an axis counts as a failure where it makes the cost less by a smaller part than this; after three failures in a
/// row, one for each axis, the search ends.
const LEAST_GAIN: f64 = 1e-3;
/// Thickness given to flat sets, relative to their size, so that the flattest box is also the smallest in its plane.
const SKIN: f64 = 1e-7;

/// Axes of small surface area around the points: found from `start`'s axes and the surface's `normal` (of any length),
/// about each of which the rectangle of least area is exact (Freeman and Shapira 1975); then about the box's own axes
/// in turn for as long as that helps, as in Chang, Gorissen and Melchior 2011.
///
/// Never of larger surface area than `start`. Costs about one sort of the points per axis tried.
pub fn tight_axes(points: &[Point3<f64>], start: &Matrix3<f64>, normal: &Vector3<f64>) -> Matrix3<f64> {
    search(points, start, normal, |[x, y, z], _| x * y + y * z + z * x)
}

/// As [`tight_axes`], of small volume instead; among flat boxes, of small area.
///
/// Never of larger volume than `start` by more than a relative 1e-6.
pub fn tight_axes_by_volume(points: &[Point3<f64>], start: &Matrix3<f64>, normal: &Vector3<f64>) -> Matrix3<f64> {
    search(points, start, normal, |[x, y, z], size| (x + SKIN * size) * (y + SKIN * size) * (z + SKIN * size))
}

/// `cost` is that of a box, by its lengths and the point set's size.
fn search(
    points: &[Point3<f64>],
    start: &Matrix3<f64>,
    normal: &Vector3<f64>,
    cost: impl Fn([f64; 3], f64) -> f64,
) -> Matrix3<f64> {
    let Some(origin) = points.first() else { return *start };
    let size = points.iter().map(|point| (point - origin).amax()).fold(0.0, f64::max);
    let per_size = 1.0 / size;
    if !per_size.is_normal() {
        return *start;
    }
    let cost = |lengths: [f64; 3]| cost(lengths, size);
    let best = Candidate { axes: *start, cost: f64::INFINITY };
    let level = SimdLevel::detect();
    let (tried, flat) = (SmallVec::new(), SmallVec::new());
    let mut search = Search { level, points, origin, per_size, cost, best, tried, flat };
    search.try_box(*start);
    let length = normal.norm();
    if length > 0.0 && length.is_finite() {
        search.turn_about(&(normal / length));
    }
    for axis in start.column_iter() {
        search.turn_about(&axis.into_owned());
    }
    let mut failures = 0;
    for turn in 0..MAX_TURNS {
        let before = search.best.cost;
        search.turn_about(&search.best.axes.column(turn % 3).into_owned());
        failures = if search.best.cost < before * (1.0 - LEAST_GAIN) { 0 } else { failures + 1 };
        if failures == 3 {
            break;
        }
    }
    search.best.axes
}

/// The axes of the box of least surface area around a triangle: in its plane, along its longest edge. `None` for a
/// triangle without area.
pub fn triangle_axes(corners: &[Point3<f64>; 3]) -> Option<Matrix3<f64>> {
    let (axes, are_known) = proper_longest_edge_axes(corners);
    are_known.then_some(axes)
}

/// [`triangle_axes`] without a branch, and whether they are.
#[inline(always)]
fn proper_longest_edge_axes(corners: &[Point3<f64>; 3]) -> (Matrix3<f64>, bool) {
    let (longest, next) = longest_edge(corners);
    frame_in_defined_plane(&longest, &next)
}

/// As [`proper_longest_edge_axes`]; see [`quick_frame_in_plane`].
#[inline(always)]
pub(crate) fn quick_longest_edge_axes(corners: &[Point3<f64>; 3]) -> (Matrix3<f64>, bool) {
    let (longest, next) = longest_edge(corners);
    quick_frame_in_plane(&longest, &next)
}

/// The first of the longest edges, and the next one around the triangle.
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

struct Search<'a, C> {
    level: SimdLevel,
    points: &'a [Point3<f64>],
    origin: &'a Point3<f64>,
    /// Brings offsets from the origin to unit size, so that no square of them underflows.
    per_size: f64,
    cost: C,
    /// The first of the least cost so far.
    best: Candidate,
    /// Axes turned about, by their bits.
    tried: SmallVec<[[u64; 3]; 4 + MAX_TURNS]>,
    flat: SmallVec<[[f64; 2]; 48]>,
}

/// Axes and what the box along them costs.
#[derive(Clone, Copy)]
struct Candidate {
    axes: Matrix3<f64>,
    cost: f64,
}

impl<C: Fn([f64; 3]) -> f64> Search<'_, C> {
    fn try_box(&mut self, axes: Matrix3<f64>) {
        let (lower, upper) = projections(self.points, self.origin, &axes);
        let cost = (self.cost)((upper - lower).into());
        if cost < self.best.cost {
            self.best = Candidate { axes, cost };
        }
    }

    /// Tries the box with one axis given and the least rectangle about it.
    fn turn_about(&mut self, axis: &Vector3<f64>) {
        let bits = [axis.x, axis.y, axis.z].map(f64::to_bits);
        if self.tried.contains(&bits) {
            return;
        }
        self.tried.push(bits);
        let [u, v] = perpendicular_basis(axis);
        self.flat.clear();
        self.flat.extend(self.points.iter().map(|point| {
            let offset = (point - self.origin) * self.per_size;
            [offset.dot(&u), offset.dot(&v)]
        }));
        let [cos, sin] = minimum_rectangle(self.level, &mut self.flat);
        self.try_box(Matrix3::from_columns(&[u * cos + v * sin, v * cos - u * sin, *axis]));
    }
}
