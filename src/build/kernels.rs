//! The passes over a node's triangles that take most of a build's time, vectorised by the compiler.
//!
//! Vectors have four lanes, the last of them idle, so that they fill registers. Nothing is fused or reordered: results
//! are the same to the last bit on every machine; passes over many triangles go block by block, on any number of threads
//! the same ones.

use nalgebra::{Matrix3, Vector3};

use super::items::{self, Item};
use crate::packed::Frame;
use crate::parallel;
use crate::simd::vectors::twice64;
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Least and greatest coordinates along three axes.
#[derive(Clone, Copy)]
pub(super) struct Ranges {
    pub(super) lower: [f64; 3],
    pub(super) upper: [f64; 3],
}

impl Ranges {
    /// Half the surface area of the box that they are.
    pub(super) fn half_area(&self) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.upper[k] - self.lower[k]);
        x * y + y * z + z * x
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
const BLOCK: usize = 1 << 14;

/// What `run` finds in the triangles, joined from what it finds in each block of them, in order.
pub(super) fn by_blocks<T: Send>(items: &[Item], run: impl Fn(&[Item]) -> T + Sync, join: impl Fn(T, T) -> T) -> T {
    if items.len() <= BLOCK {
        return run(items);
    }
    let blocks: Vec<T> = parallel::map_chunks(items, BLOCK, &run);
    blocks.into_iter().reduce(join).unwrap_or_else(|| run(items))
}

/// The mean of the triangles' corners, each counted once per triangle, hence of their centroids too.
pub(super) fn mean(level: SimdLevel, items: &[Item]) -> Vector3<f64> {
    mean_of(by_blocks(items, |block| dispatch(level, Mean(block)), sum), items)
}

/// The mean of the corners, given their sum.
fn mean_of([x, y, z, _]: [f64; 4], items: &[Item]) -> Vector3<f64> {
    Vector3::new(x, y, z) / (3.0 * items.len() as f64)
}

/// Sums of products of the corners' offsets from the mean; the scale does not matter for its eigenvectors.
pub(super) fn covariance(level: SimdLevel, items: &[Item], mean: &Vector3<f64>) -> Matrix3<f64> {
    let mean = [mean.x, mean.y, mean.z, 0.0];
    let rows = |block: &[Item]| dispatch(level, Covariance(block, mean));
    let [x, y, z] = by_blocks(items, rows, |a, b| [sum(a[0], b[0]), sum(a[1], b[1]), sum(a[2], b[2])]);
    Matrix3::new(x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])
}

/// The corners' ranges along the axes, in columns.
pub(super) fn ranges(level: SimdLevel, items: &[Item], axes: &Matrix3<f64>) -> Ranges {
    let along = |items: &[Item]| dispatch(level, RangesAlong { items, axes, origin: [0.0; 4], scale: 1.0 });
    by_blocks(items, along, Ranges::joined)
}

/// The corners' ranges along the axes, in columns; corners and ranges are in the frame's coordinates.
pub(super) fn local_ranges(level: SimdLevel, items: &[Item], frame: &Frame, axes: &Matrix3<f64>) -> Ranges {
    let Frame { origin, unit } = frame;
    let (origin, scale) = ([origin.x, origin.y, origin.z, 0.0], 1.0 / unit);
    by_blocks(items, |items| dispatch(level, RangesAlong { items, axes, origin, scale }), Ranges::joined)
}

/// The corners' ranges along the coordinate axes; of equal zeros always the same ones.
pub(super) fn bounds(level: SimdLevel, items: &[Item]) -> Ranges {
    by_blocks(items, |block| dispatch(level, Bounds(block)), Ranges::joined)
}

/// As [`bounds`] and [`mean`], in one pass; of equal zeros the bounds may be either.
pub(super) fn bounds_and_mean(level: SimdLevel, items: &[Item]) -> (Ranges, Vector3<f64>) {
    let join = |(ranges, a): (Ranges, [f64; 4]), (others, b)| (ranges.joined(others), sum(a, b));
    let (ranges, sum) = by_blocks(items, |block| dispatch(level, BoundsAndMean(block)), join);
    (ranges, mean_of(sum, items))
}

struct Mean<'a>(&'a [Item]);

impl Task for Mean<'_> {
    type Output = [f64; 4];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [f64; 4] {
        summed(s, self.0, |_| ())
    }
}

struct BoundsAndMean<'a>(&'a [Item]);

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
fn summed<S: Simd>(s: S, items: &[Item], mut show: impl FnMut(&[f32; 8])) -> [f64; 4] {
    let (twos, last) = items::corners_by_two(items);
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

struct Covariance<'a>(&'a [Item], [f64; 4]);

impl Task for Covariance<'_> {
    type Output = [[f64; 4]; 3];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [[f64; 4]; 3] {
        let Self(items, mean) = self;
        let (twos, last) = items::corners_by_two(items);
        let means = twice64(s, mean);
        let mut sums = [s.splat64(0.0); 3];
        for two in twos {
            let offset = s.sub64(s.widen(two), means);
            for (x, sum) in sums.iter_mut().enumerate() {
                *sum = s.add64(*sum, s.mul64(s.spread64(offset, x), offset));
            }
        }
        let mut rows = [joined(s.to_array64(sums[0])), joined(s.to_array64(sums[1])), joined(s.to_array64(sums[2]))];
        if let Some(corner) = last {
            for (x, row) in rows.iter_mut().enumerate() {
                for k in 0..4 {
                    row[k] += (f64::from(corner[x]) - mean[x]) * (f64::from(corner[k]) - mean[k]);
                }
            }
        }
        rows
    }
}

/// A corner in both halves, where seeing it twice does no harm.
#[inline(always)]
pub(super) fn corner_twice([x, y, z, w]: &[f32; 4]) -> [f32; 8] {
    [*x, *y, *z, *w, *x, *y, *z, *w]
}

/// The sum of both halves.
#[inline(always)]
fn joined([a, b, c, d, e, f, g, h]: [f64; 8]) -> [f64; 4] {
    sum([a, b, c, d], [e, f, g, h])
}

#[inline(always)]
fn sum(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

/// Coordinates x, y and z of the axes in three lanes, the fourth idle.
#[inline(always)]
pub(super) fn axis_rows(axes: &Matrix3<f64>) -> [[f64; 4]; 3] {
    [0, 1, 2].map(|x| [axes[(x, 0)], axes[(x, 1)], axes[(x, 2)], 0.0])
}

struct RangesAlong<'a> {
    items: &'a [Item],
    axes: &'a Matrix3<f64>,
    origin: [f64; 4],
    /// A power of two, so that scaling is exact.
    scale: f64,
}

impl Task for RangesAlong<'_> {
    type Output = Ranges;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Ranges {
        let rows = axis_rows(self.axes);
        let rows = [twice64(s, rows[0]), twice64(s, rows[1]), twice64(s, rows[2])];
        let (origin, scale) = (twice64(s, self.origin), s.splat64(self.scale));
        let (mut lower, mut upper) = (s.splat64(f64::INFINITY), s.splat64(f64::NEG_INFINITY));
        let (twos, last) = items::corners_by_two(self.items);
        let again = last.map(corner_twice);
        for two in twos.iter().chain(again.as_ref()) {
            let local = s.mul64(s.sub64(s.widen(two), origin), scale);
            let (x, y, z) = (s.spread64(local, 0), s.spread64(local, 1), s.spread64(local, 2));
            let along = s.add64(s.mul64(rows[0], x), s.mul64(rows[1], y));
            let along = s.add64(along, s.mul64(rows[2], z));
            lower = s.min64(along, lower);
            upper = s.max64(along, upper);
        }
        Ranges::of_halves(s.to_array64(lower), s.to_array64(upper))
    }
}

struct Bounds<'a>(&'a [Item]);

impl Task for Bounds<'_> {
    type Output = Ranges;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Ranges {
        let (mut lower, mut upper) = (s.splat(f32::INFINITY), s.splat(f32::NEG_INFINITY));
        for item in self.0 {
            // The first two corners in eight lanes, then the last two.
            let rows: [S::F32x8; 2] = s.load_rows(item.words(), 4, 8);
            lower = s.min(s.min(rows[0], rows[1]), lower);
            upper = s.max(s.max(rows[0], rows[1]), upper);
        }
        Ranges::of_halves(s.to_array(lower).map(f64::from), s.to_array(upper).map(f64::from))
    }
}

#[cfg(test)]
#[path = "kernels_tests.rs"]
mod tests;
