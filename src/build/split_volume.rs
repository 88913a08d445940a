//! What splitting needs to know of a node: its volume, and on which side of a plane its triangles are.

use nalgebra::{Matrix3, Vector3};

use super::items::Item;
use super::kernels::{self, Ranges};
use crate::fit;
use crate::options::SplitRule;
use crate::simd::SimdLevel;
use crate::sort_few::sort_few;

/// Three times the offset of the triangle's centroid along the axis.
#[inline(always)]
pub(super) fn along(axis: &[f64; 3], item: &Item) -> f64 {
    let [x, y, z] = item.corner_sum();
    axis[0] * x + axis[1] * y + axis[2] * z
}

/// Swaps the items for which `below` holds to the front; returns their count.
#[inline(always)]
pub(super) fn partition_in_place(items: &mut [Item], below: impl Fn(&Item) -> bool) -> usize {
    let mut front = 0;
    for i in 0..items.len() {
        // Always swapped, and counted only if below: no branch to mispredict.
        let is_below = below(&items[i]);
        // Corner by corner: a swap of whole items goes through memory.
        for corner in 0..3 {
            let other = items[front].corners[corner];
            items[front].corners[corner] = items[i].corners[corner];
            items[i].corners[corner] = other;
        }
        front += usize::from(is_below);
    }
    front
}

/// What splitting needs to know of a node's volume: an oriented box for oriented boxes, else an axis-aligned one.
pub(super) struct SplitVolume {
    axes: Matrix3<f64>,
    is_axis_aligned: bool,
    /// Of the corners along the axes.
    pub(super) ranges: Ranges,
    /// Of the centroids; where the rule asks for it.
    pub(super) mean: Vector3<f64>,
}

impl SplitVolume {
    pub(super) fn oriented(level: SimdLevel, items: &[Item]) -> Self {
        let (mean, covariance) = kernels::mean_and_covariance(level, items);
        let axes = fit::eigenvectors(&covariance);
        Self { axes, is_axis_aligned: false, ranges: kernels::ranges(level, items, &axes), mean }
    }

    /// `bounds` are the triangles', where they are known.
    pub(super) fn axis_aligned(level: SimdLevel, items: &[Item], bounds: Option<Ranges>, rule: SplitRule) -> Self {
        let (ranges, mean) = match (rule, bounds) {
            (SplitRule::Mean, _) => kernels::bounds_and_mean(level, items),
            (_, Some(bounds)) => (bounds, Vector3::zeros()),
            (_, None) => (kernels::bounds(level, items), Vector3::zeros()),
        };
        Self { axes: Matrix3::identity(), is_axis_aligned: true, ranges, mean }
    }

    pub(super) fn axis(&self, k: usize) -> [f64; 3] {
        self.axes.column(k).into_owned().into()
    }

    /// Whether the axes are the coordinate axes.
    pub(super) fn is_axis_aligned(&self) -> bool {
        self.is_axis_aligned
    }

    pub(super) fn length(&self, k: usize) -> f64 {
        self.ranges.upper[k] - self.ranges.lower[k]
    }

    pub(super) fn axes_by_length(&self) -> [usize; 3] {
        let mut order = [0, 1, 2];
        sort_few(&mut order, |&i, &j| self.length(j).total_cmp(&self.length(i)));
        order
    }
}
