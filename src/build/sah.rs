//! The surface area heuristic's plane among a few.

use std::marker::PhantomData;

use super::items::Item;
use super::kernels::by_blocks;
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
    let longest = (0..3).map(|k| volume.length(k)).fold(0.0, f64::max);
    let (mut best, mut least) = (None, f64::INFINITY);
    for k in 0..3 {
        let width = volume.length(k) / BINS as f64;
        if volume.length(k) < axis_ratio * longest || width <= 0.0 {
            continue;
        }
        let first = volume.ranges.lower[k];
        let slices =
            |items: &[Item]| dispatch(level, Slices { items, k, first, per_length: 1.0 / width, of: PhantomData });
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
        let mut bins = [B::EMPTY; BINS];
        for item in self.items {
            let sum: f64 = item.corners.iter().map(|corner| f64::from(corner[self.k])).sum();
            let slice = ((sum / 3.0 - self.first) * self.per_length) as usize;
            bins[slice.min(BINS - 1)].join(&B::of(item));
        }
        bins
    }
}
