//! The volume test of questions about distance: how near may the two come?

use std::cell::Cell;

use super::volume_test::{TestResult, VolumeTest};
use crate::numeric::denormals::above;
use crate::query::posed_trees::PosedTrees;
use crate::simd::Simd;
use crate::volume::{Node, PairTests, RelativeFrame};

/// Distances as limits of volumes' squared lower bounds, in one unit for the frames of both trees.
#[derive(Clone, Copy)]
pub(in crate::query) struct SearchRadius {
    /// The larger of the frames' units: bounds of either frame fit in it.
    unit: f64,
    /// What brings squared bounds of A's frame, and of B's, into that unit. Powers of two.
    scales: [f32; 2],
    /// What is to be added to distances found in the frames, in A's units.
    beyond: f64,
}

impl SearchRadius {
    pub(in crate::query) fn new(trees: &PosedTrees<'_>) -> Self {
        let units = trees.frames.map(|frame| frame.unit);
        let unit = units[0].max(units[1]);
        let beyond = [0, 1].map(|side| trees.to_frames[side].far_offset * units[side]);
        Self { unit, scales: units.map(|own| (own / unit).powi(2) as f32), beyond: beyond[0].min(beyond[1]) }
    }

    /// The limit that excludes what is certainly farther than a distance.
    pub(in crate::query) fn limit(&self, distance: f64) -> f32 {
        let limit = ((distance - self.beyond) / self.unit).max(0.0);
        // Bounds may have been rounded when they were scaled below the least normal number.
        above(limit * limit + f64::from(f32::MIN_POSITIVE))
    }

    /// The distance that a squared lower bound stands for.
    pub(in crate::query) fn distance(&self, lower_bound: f32) -> f64 {
        f64::from((lower_bound - f32::MIN_POSITIVE).max(0.0)).sqrt() * self.unit + self.beyond
    }
}

/// Goes on with volumes whose squared distance may be within the limit, the nearest first.
pub(in crate::query) struct LowerBound {
    scales: [f32; 2],
    /// The least squared lower bound of a volume that was excluded, if that is asked for.
    excluded: Option<Cell<f32>>,
}

impl LowerBound {
    pub(in crate::query) fn new(radius: &SearchRadius) -> Self {
        Self { scales: radius.scales, excluded: None }
    }

    /// Keeps the least squared lower bound of all that is excluded.
    pub(in crate::query) fn with_excluded(radius: &SearchRadius) -> Self {
        Self { scales: radius.scales, excluded: Some(Cell::new(f32::INFINITY)) }
    }

    /// The least squared lower bound of a volume that was excluded; infinite if there is none.
    pub(in crate::query) fn excluded(&self) -> f32 {
        self.excluded.as_ref().map_or(f32::INFINITY, Cell::get)
    }
}

impl VolumeTest for LowerBound {
    const ORDERED: bool = true;

    #[inline(always)]
    fn test<V: PairTests, S: Simd>(
        &self,
        simd: S,
        single: &V,
        wide: &Node<'_>,
        to: &RelativeFrame,
        target: usize,
        limit: f32,
    ) -> TestResult {
        let scale = self.scales[target];
        let (lower_bounds, larger) = single.lower_bounds_sq(simd, wide, to.margin, scale, limit);
        // What overflowed before it was scaled is greater than any number was then, and no more.
        let lower_bounds = simd.min(lower_bounds, simd.splat(f32::MAX * scale));
        let far = simd.bits(simd.gt(lower_bounds, simd.splat(limit)));
        let survivors = wide.lanes() & !far;
        let lower_bounds = simd.to_array(lower_bounds);
        if let Some(excluded) = &self.excluded {
            for (lane, &lower_bound) in lower_bounds.iter().enumerate() {
                if wide.lanes() & !survivors & 1 << lane != 0 {
                    excluded.set(excluded.get().min(lower_bound));
                }
            }
        }
        TestResult { survivors, larger, lower_bounds }
    }
}
