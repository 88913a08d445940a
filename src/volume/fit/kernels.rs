//! The passes over a node's triangles that take most of a build's time, vectorised by the compiler.
//!
//! A corner fills four lanes, the last of them idle; or eight corners a row for each coordinate. Nothing is fused or
//! reordered: results are the same to the last bit on every machine; passes over many triangles go block by block, on
//! any number of threads the same ones.

use nalgebra::{Matrix3, Vector3};

use super::corners;
use super::primitives::{self, Primitive};
use crate::parallel;
use crate::simd::vectors::Vector8x64;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::Frame;

/// Least and greatest coordinates along three axes.
#[derive(Clone, Copy)]
pub(crate) struct Ranges {
    pub(crate) lower: [f64; 3],
    pub(crate) upper: [f64; 3],
}

impl Ranges {
    /// Half the surface area of the box that they are.
    pub(crate) fn half_area(&self) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.upper[k] - self.lower[k]);
        x * y + y * z + z * x
    }

    /// Widens ends in f32; the fourth lanes are idle.
    #[inline(always)]
    pub(crate) fn of_ends(lower: [f32; 4], upper: [f32; 4]) -> Self {
        let ([a, b, c, _], [d, e, f, _]) = (lower.map(f64::from), upper.map(f64::from));
        Self { lower: [a, b, c], upper: [d, e, f] }
    }

    #[inline(always)]
    fn of_halves([a, b, c, _, d, e, f, _]: [f64; 8], [p, q, r, _, s, t, u, _]: [f64; 8]) -> Self {
        Self { lower: [a, b, c], upper: [p, q, r] }.joined(Self { lower: [d, e, f], upper: [s, t, u] })
    }

    /// Of equal ends those of the first: `f64::min` may give either zero.
    #[inline(always)]
    fn joined(self, other: Self) -> Self {
        Self {
            lower: std::array::from_fn(|k| if other.lower[k] < self.lower[k] { other.lower[k] } else { self.lower[k] }),
            upper: std::array::from_fn(|k| if other.upper[k] > self.upper[k] { other.upper[k] } else { self.upper[k] }),
        }
    }
}

/// Triangles of a block.
pub(crate) const BLOCK: usize = 1 << 14;

/// What `run` finds in the triangles, joined from what it finds in each block of them, in order.
pub(crate) fn by_blocks<T: Send>(
    primitives: &[Primitive],
    run: impl Fn(&[Primitive]) -> T + Sync,
    join: impl Fn(T, T) -> T,
) -> T {
    if primitives.len() <= BLOCK {
        return run(primitives);
    }
    let blocks: Vec<T> = parallel::map_chunks(primitives, BLOCK, &run);
    blocks.into_iter().reduce(join).unwrap_or_else(|| run(primitives))
}

/// The mean of the corners, given their sum.
fn mean_of([x, y, z, _]: [f64; 4], primitives: &[Primitive]) -> Vector3<f64> {
    Vector3::new(x, y, z) / (3.0 * primitives.len() as f64)
}

/// The corners' ranges along the axes, in columns; corners and ranges are in the frame's coordinates.
pub(crate) fn local_ranges(level: SimdLevel, primitives: &[Primitive], frame: &Frame, axes: &Matrix3<f64>) -> Ranges {
    let Frame { origin, unit } = frame;
    let along = |primitives: &[Primitive]| dispatch(level, RangesAlong { primitives, axes, origin: (*origin).into() });
    let Ranges { lower, upper } = by_blocks(primitives, along, Ranges::joined);
    // A power of two: to scale the ends is as exact as to scale the corners.
    Ranges { lower: lower.map(|end| end * (1.0 / unit)), upper: upper.map(|end| end * (1.0 / unit)) }
}

/// The corners' ranges along the coordinate axes; of equal zeros always the same ones.
pub(crate) fn bounds(level: SimdLevel, primitives: &[Primitive]) -> Ranges {
    by_blocks(primitives, |block| dispatch(level, Bounds(block)), Ranges::joined)
}

/// As [`bounds`] and [`mean`], in one pass; of equal zeros the bounds may be either.
pub(crate) fn bounds_and_mean(level: SimdLevel, primitives: &[Primitive]) -> (Ranges, Vector3<f64>) {
    let join = |(ranges, a): (Ranges, [f64; 4]), (others, b)| (ranges.joined(others), sum(a, b));
    let (ranges, sum) = by_blocks(primitives, |block| dispatch(level, BoundsAndMean(block)), join);
    (ranges, mean_of(sum, primitives))
}

struct BoundsAndMean<'a>(&'a [Primitive]);

impl Task for BoundsAndMean<'_> {
    type Output = (Ranges, [f64; 4]);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (Ranges, [f64; 4]) {
        let (mut lower, mut upper) = (s.splat(f32::INFINITY), s.splat(f32::NEG_INFINITY));
        let sum = summed(s, self.0, |two| {
            let [two] = s.load_rows(bytemuck::cast_slice(two), 0, 8);
            lower = s.min(two, lower);
            upper = s.max(two, upper);
        });
        (Ranges::of_halves(s.to_array(lower).map(f64::from), s.to_array(upper).map(f64::from)), sum)
    }
}

/// The sum of all corners, which are shown two by two on the way, the last one of an odd number twice.
#[inline(always)]
fn summed<S: Simd>(s: S, primitives: &[Primitive], mut show: impl FnMut(&[f32; 8])) -> [f64; 4] {
    let (twos, last) = primitives::corners_by_two(primitives);
    // Two sums at once: each alone would wait for its own additions.
    let mut sums = [s.splat64(0.0); 2];
    let (fours, rest) = twos.as_chunks::<2>();
    for [a, b] in fours {
        sums[0] = s.add64(sums[0], s.widen(a));
        sums[1] = s.add64(sums[1], s.widen(b));
        show(a);
        show(b);
    }
    for two in rest {
        sums[0] = s.add64(sums[0], s.widen(two));
        show(two);
    }
    let mut sum = joined(s.to_array64(s.add64(sums[0], sums[1])));
    if let Some(corner) = last {
        for k in 0..4 {
            sum[k] += f64::from(corner[k]);
        }
        show(&corner_twice(corner));
    }
    sum
}

/// A corner in both halves, where seeing it twice does no harm.
#[inline(always)]
pub(crate) fn corner_twice([x, y, z, w]: &[f32; 4]) -> [f32; 8] {
    [*x, *y, *z, *w, *x, *y, *z, *w]
}

/// The sum of both halves.
#[inline(always)]
fn joined([a, b, c, d, e, f, g, h]: [f64; 8]) -> [f64; 4] {
    sum([a, b, c, d], [e, f, g, h])
}

#[inline(always)]
pub(crate) fn sum(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

/// Coordinates x, y and z of the axes in three lanes, the fourth idle.
#[inline(always)]
pub(crate) fn axis_rows(axes: &Matrix3<f64>) -> [[f64; 4]; 3] {
    [0, 1, 2].map(|x| [axes[(x, 0)], axes[(x, 1)], axes[(x, 2)], 0.0])
}

/// Of corners, as seen from the origin.
struct RangesAlong<'a> {
    primitives: &'a [Primitive],
    axes: &'a Matrix3<f64>,
    origin: [f64; 3],
}

impl Task for RangesAlong<'_> {
    type Output = Ranges;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Ranges {
        let Self { primitives, axes, origin: [x, y, z] } = self;
        let origin = [s.splat64(x), s.splat64(y), s.splat64(z)];
        let mut columns = [origin; 3];
        for (k, column) in columns.iter_mut().enumerate() {
            *column = [s.splat64(axes[(0, k)]), s.splat64(axes[(1, k)]), s.splat64(axes[(2, k)])];
        }
        let mut ends = [[s.splat64(f64::INFINITY); 3], [s.splat64(f64::NEG_INFINITY); 3]];
        let (eights, rest) = corners::by_eight(primitives);
        for eight in eights {
            ends = joined_along(s, ends, &columns, &origin, &corners::rows(s, eight));
        }
        if let Some(first) = rest.first() {
            // To see a corner again does no harm.
            ends = joined_along(s, ends, &columns, &origin, &corners::rest_rows(s, rest, first));
        }
        let [lower, upper] = ends;
        let mut ranges = Ranges { lower: [0.0; 3], upper: [0.0; 3] };
        for k in 0..3 {
            ranges.lower[k] = first_of(s.to_array64(lower[k]), |a, b| b < a);
            ranges.upper[k] = first_of(s.to_array64(upper[k]), |a, b| b > a);
        }
        ranges
    }
}

/// The ends of the ranges along the axes when eight more corners are in them.
#[inline(always)]
fn joined_along<S: Simd>(
    s: S,
    [mut lower, mut upper]: [Vector8x64<S>; 2],
    axes: &[Vector8x64<S>; 3],
    origin: &Vector8x64<S>,
    eight: &Vector8x64<S>,
) -> [Vector8x64<S>; 2] {
    let [x, y, z] = [s.sub64(eight[0], origin[0]), s.sub64(eight[1], origin[1]), s.sub64(eight[2], origin[2])];
    for (k, axis) in axes.iter().enumerate() {
        let along = s.add64(s.mul64(axis[0], x), s.mul64(axis[1], y));
        let along = s.add64(along, s.mul64(axis[2], z));
        lower[k] = s.min64(along, lower[k]);
        upper[k] = s.max64(along, upper[k]);
    }
    [lower, upper]
}

/// The lane that comes before all others, halves by halves.
#[inline(always)]
fn first_of(mut lanes: [f64; 8], is_before: impl Fn(f64, f64) -> bool) -> f64 {
    for half in [4, 2, 1] {
        for lane in 0..half {
            let (a, b) = (lanes[lane], lanes[lane + half]);
            lanes[lane] = if is_before(a, b) { b } else { a };
        }
    }
    lanes[0]
}

struct Bounds<'a>(&'a [Primitive]);

impl Task for Bounds<'_> {
    type Output = Ranges;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Ranges {
        let (mut lower, mut upper) = (s.splat(f32::INFINITY), s.splat(f32::NEG_INFINITY));
        for primitive in self.0 {
            // The first two corners in eight lanes, then the last two.
            let rows: [S::F32x8; 2] = s.load_rows(primitive.words(), 4, 8);
            lower = s.min(s.min(rows[0], rows[1]), lower);
            upper = s.max(s.max(rows[0], rows[1]), upper);
        }
        Ranges::of_halves(s.to_array(lower).map(f64::from), s.to_array(upper).map(f64::from))
    }
}

#[cfg(test)]
#[path = "kernels_tests.rs"]
mod tests;
