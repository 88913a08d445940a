//! The surface area heuristic's plane among a few.

use super::items::Item;
use super::kernels::by_blocks;
use super::side::{BoxSide, Side};
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
        let slices = |items: &[Item]| dispatch(level, Slices { items, k, first, per_length: 1.0 / width });
        let joined = |a: [BoxSide; BINS], b: [BoxSide; BINS]| std::array::from_fn(|i| a[i].joined(&b[i]));
        let bins = by_blocks(items, slices, joined).map(B::of_box);
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
struct Slices<'a> {
    items: &'a [Item],
    k: usize,
    /// Where the first slice begins.
    first: f64,
    /// Slices per length.
    per_length: f64,
}

impl Task for Slices<'_> {
    type Output = [BoxSide; BINS];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [BoxSide; BINS] {
        let mut triangles = [0; BINS];
        // Of the first two corners in one half, of the last two in the other.
        let mut lower = [s.splat(f32::INFINITY); BINS];
        let mut upper = [s.splat(f32::NEG_INFINITY); BINS];
        for item in self.items {
            let slice = ((item.corner_sum_along(self.k) / 3.0 - self.first) * self.per_length) as usize;
            let slice = slice.min(BINS - 1);
            let [first, last] = s.load_rows(item.words(), 4, 8);
            triangles[slice] += 1;
            lower[slice] = s.min(s.min(first, last), lower[slice]);
            upper[slice] = s.max(s.max(first, last), upper[slice]);
        }
        let mut bins = [BoxSide::EMPTY; BINS];
        for (slice, bin) in bins.iter_mut().enumerate() {
            *bin = BoxSide::of_halves(triangles[slice], s.to_array(lower[slice]), s.to_array(upper[slice]));
        }
        bins
    }
}
