//! The surface area heuristic's plane among a few.

use nalgebra::Matrix3;

use super::items::Item;
use super::kernels::axis_rows;
use super::split::{SplitVolume, along, partition_in_place};
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Slices of equal width along an axis; planes between them are tried.
const BINS: usize = 16;
/// Axes shorter than this part of the longest are not tried.
const AXIS_RATIO: f64 = 0.7;

/// Brings the triangles below the cheapest plane to the front and returns their number; `None` if no plane tried
/// separates the centroids.
///
/// The cost of a plane is the triangles on each side times the surface area of the box around them, along the axes of
/// the node's volume (Wald 2007, "On fast construction of SAH-based bounding volume hierarchies").
pub(super) fn partition(level: SimdLevel, items: &mut [Item], volume: &SplitVolume) -> Option<usize> {
    let longest = (0..3).map(|k| volume.length(k)).fold(0.0, f64::max);
    let mut best: Option<(f64, usize, f64)> = None;
    for k in 0..3 {
        let width = volume.length(k) / BINS as f64;
        if volume.length(k) < AXIS_RATIO * longest || width <= 0.0 {
            continue;
        }
        let slices = Slices { items, axes: volume.axes(), k, first: volume.ranges.lower[k], per_length: 1.0 / width };
        let bins = dispatch(level, slices);
        let mut above = [Bin::EMPTY; BINS];
        let mut joined = Bin::EMPTY;
        for (bin, above) in bins.iter().zip(&mut above).rev() {
            joined.join(bin);
            *above = joined;
        }
        let mut below = Bin::EMPTY;
        for plane in 1..BINS {
            below.join(&bins[plane - 1]);
            let above = &above[plane];
            let cost = below.cost() + above.cost();
            if below.triangles > 0 && above.triangles > 0 && best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, k, volume.ranges.lower[k] + plane as f64 * width));
            }
        }
    }
    let (_, k, plane) = best?;
    let axis = volume.axis(k);
    let middle = partition_in_place(items, |item| along(&axis, item) < 3.0 * plane);
    (middle > 0 && middle < items.len()).then_some(middle)
}

/// The triangles to be sorted into slices along axis `k`.
struct Slices<'a> {
    items: &'a [Item],
    axes: &'a Matrix3<f64>,
    k: usize,
    /// Where the first slice begins.
    first: f64,
    /// Slices per length.
    per_length: f64,
}

impl Task for Slices<'_> {
    type Output = [Bin; BINS];

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> [Bin; BINS] {
        let rows = axis_rows(self.axes);
        let mut bins = [Bin::EMPTY; BINS];
        for item in self.items {
            let (mut lower, mut upper, mut sum) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4], [0.0; 4]);
            for corner in item.corners {
                let (x, y, z) = (f64::from(corner[0]), f64::from(corner[1]), f64::from(corner[2]));
                for k in 0..4 {
                    let along = rows[0][k] * x + rows[1][k] * y + rows[2][k] * z;
                    lower[k] = if along < lower[k] { along } else { lower[k] };
                    upper[k] = if along > upper[k] { along } else { upper[k] };
                    sum[k] += along;
                }
            }
            let slice = ((sum[self.k] / 3.0 - self.first) * self.per_length) as usize;
            bins[slice.min(BINS - 1)].join(&Bin { triangles: 1, lower, upper });
        }
        bins
    }
}

/// Triangles whose centroids lie in a slice, and their ranges along the three axes (a fourth lane is idle).
#[derive(Clone, Copy)]
struct Bin {
    triangles: usize,
    lower: [f64; 4],
    upper: [f64; 4],
}

impl Bin {
    const EMPTY: Bin = Bin { triangles: 0, lower: [f64::INFINITY; 4], upper: [f64::NEG_INFINITY; 4] };

    #[inline(always)]
    fn join(&mut self, other: &Bin) {
        self.triangles += other.triangles;
        for k in 0..4 {
            self.lower[k] = if other.lower[k] < self.lower[k] { other.lower[k] } else { self.lower[k] };
            self.upper[k] = if other.upper[k] > self.upper[k] { other.upper[k] } else { self.upper[k] };
        }
    }

    fn cost(&self) -> f64 {
        let [x, y, z]: [f64; 3] = std::array::from_fn(|k| self.upper[k] - self.lower[k]);
        if self.triangles == 0 { 0.0 } else { self.triangles as f64 * (x * y + y * z + z * x) }
    }
}
