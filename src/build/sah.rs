//! The surface area heuristic's plane among a few.

use super::items::Item;
use super::split::{SplitVolume, along, partition_in_place};

/// Slices of equal width along an axis; planes between them are tried.
const BINS: usize = 16;
/// Axes shorter than this part of the longest are not tried.
const AXIS_RATIO: f64 = 0.7;

/// Brings the triangles below the cheapest plane to the front and returns their number; `None` if no plane tried
/// separates the centroids.
///
/// The cost of a plane is the triangles on each side times the surface area of the box around them, along the axes of
/// the node's volume (Wald 2007, "On fast construction of SAH-based bounding volume hierarchies").
pub(super) fn partition(items: &mut [Item], volume: &SplitVolume) -> Option<usize> {
    let axes = [0, 1, 2].map(|k| volume.axis(k));
    let longest = (0..3).map(|k| volume.length(k)).fold(0.0, f64::max);
    let mut best: Option<(f64, usize, f64)> = None;
    for k in 0..3 {
        let width = volume.length(k) / BINS as f64;
        if volume.length(k) < AXIS_RATIO * longest || width <= 0.0 {
            continue;
        }
        let mut bins = [Bin::EMPTY; BINS];
        for item in items.iter() {
            let offset = along(&axes[k], item) / 3.0 - volume.lower[k];
            bins[((offset / width) as usize).min(BINS - 1)].add(&axes, item);
        }
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
                best = Some((cost, k, volume.lower[k] + plane as f64 * width));
            }
        }
    }
    let (_, k, plane) = best?;
    let middle = partition_in_place(items, |item| along(&axes[k], item) < 3.0 * plane);
    (middle > 0 && middle < items.len()).then_some(middle)
}

/// Triangles whose centroids lie in a slice, and their ranges along the three axes.
#[derive(Clone, Copy)]
struct Bin {
    triangles: usize,
    lower: [f64; 3],
    upper: [f64; 3],
}

impl Bin {
    const EMPTY: Bin = Bin { triangles: 0, lower: [f64::INFINITY; 3], upper: [f64::NEG_INFINITY; 3] };

    #[inline(always)]
    fn add(&mut self, axes: &[[f64; 3]; 3], item: &Item) {
        self.triangles += 1;
        for corner in item.corners {
            let [x, y, z] = corner.map(f64::from);
            for (k, axis) in axes.iter().enumerate() {
                let along = axis[0] * x + axis[1] * y + axis[2] * z;
                self.lower[k] = if along < self.lower[k] { along } else { self.lower[k] };
                self.upper[k] = if along > self.upper[k] { along } else { self.upper[k] };
            }
        }
    }

    fn join(&mut self, other: &Bin) {
        self.triangles += other.triangles;
        for k in 0..3 {
            self.lower[k] = self.lower[k].min(other.lower[k]);
            self.upper[k] = self.upper[k].max(other.upper[k]);
        }
    }

    fn cost(&self) -> f64 {
        let [x, y, z]: [f64; 3] = std::array::from_fn(|k| self.upper[k] - self.lower[k]);
        if self.triangles == 0 { 0.0 } else { self.triangles as f64 * (x * y + y * z + z * x) }
    }
}
