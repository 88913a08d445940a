//! The surface area heuristic's plane among a few.

use std::marker::PhantomData;

use nalgebra::Matrix3;

use super::items::Item;
use super::kernels::{axis_rows, by_blocks};
use super::side::Side;
use super::split_volume::{SplitVolume, along, partition_in_place};
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Slices of equal width along an axis; planes between them are tried.
const BINS: usize = 16;

/// Brings the triangles below the cheapest plane to the front and returns their number; `None` if no plane tried
/// separates the centroids. Axes shorter than `axis_ratio` of the longest are not tried.
///
/// The cost of a plane is the triangles on each side times the surface area of what is around them (Wald 2007, "On fast
/// construction of SAH-based bounding volume hierarchies").
pub(super) fn partition<B: Side>(
    level: SimdLevel,
    items: &mut [Item],
    volume: &SplitVolume,
    axis_ratio: f64,
) -> Option<usize> {
    let middle: [f64; 3] = std::array::from_fn(|k| (volume.ranges.lower[k] + volume.ranges.upper[k]) * 0.5);
    let longest = (0..3).map(|k| volume.length(k)).fold(0.0, f64::max);
    let (mut best, mut least) = (None, f64::INFINITY);
    for k in 0..3 {
        let width = volume.length(k) / BINS as f64;
        if volume.length(k) < axis_ratio * longest || width <= 0.0 {
            continue;
        }
        let first = volume.ranges.lower[k];
        let slices = |items: &[Item]| {
            let (axes, per_length) = (volume.axes(), 1.0 / width);
            dispatch(level, Slices { items, axes, middle, k, first, per_length, of: PhantomData })
        };
        let bins: [B; BINS] = by_blocks(items, slices, |a: [B; BINS], b| std::array::from_fn(|i| a[i].joined(&b[i])));
        let mut above = [B::EMPTY; BINS];
        let mut joined = B::EMPTY;
        for (bin, above) in bins.iter().zip(&mut above).rev() {
            joined.join(bin);
            *above = joined;
        }
        let mut below = B::EMPTY;
        for plane in 1..BINS {
            below.join(&bins[plane - 1]);
            let above = &above[plane];
            let cost = below.cost() + above.cost();
            if below.triangles() > 0 && above.triangles() > 0 && (cost < least || best.is_none()) {
                (best, least) = (Some((k, volume.ranges.lower[k] + plane as f64 * width)), cost);
            }
        }
    }
    let (k, plane) = best?;
    let axis = volume.axis(k);
    let middle = partition_in_place(items, |item| along(&axis, item) < 3.0 * plane);
    (middle > 0 && middle < items.len()).then_some(middle)
}

/// The triangles to be sorted into slices along axis `k`.
struct Slices<'a, B> {
    items: &'a [Item],
    axes: &'a Matrix3<f64>,
    /// Of the node's volume, along its axes.
    middle: [f64; 3],
    k: usize,
    /// Where the first slice begins.
    first: f64,
    /// Slices per length.
    per_length: f64,
    of: PhantomData<B>,
}

impl<B: Side> Task for Slices<'_, B> {
    type Output = [B; BINS];

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> [B; BINS] {
        let rows = axis_rows(self.axes);
        let mut bins = [B::EMPTY; BINS];
        for item in self.items {
            let mut along = [[0.0; 4]; 3];
            let mut sum = [0.0; 4];
            for (along, corner) in along.iter_mut().zip(item.corners) {
                let (x, y, z) = (f64::from(corner[0]), f64::from(corner[1]), f64::from(corner[2]));
                for k in 0..4 {
                    along[k] = rows[0][k] * x + rows[1][k] * y + rows[2][k] * z;
                    sum[k] += along[k];
                }
            }
            let slice = ((sum[self.k] / 3.0 - self.first) * self.per_length) as usize;
            bins[slice.min(BINS - 1)].join(&B::of(&along, &self.middle));
        }
        bins
    }
}
