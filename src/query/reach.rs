//! How far apart volumes may be and still matter, in one unit for the frames of both trees.

use std::cmp::Ordering;

use super::traverse::Judged;
use crate::packed::{Node, ToFrame, Volume8};
use crate::simd::Simd;
use crate::tree::BvTree;

/// A distance as the limit of volumes' squared lower bounds.
pub(super) struct Reach {
    /// The larger of the frames' units: bounds of either frame fit in it.
    unit: f64,
    /// What brings squared bounds of A's frame, and of B's, into that unit. Powers of two.
    scales: [f32; 2],
    /// What is to be added to distances found in the frames, in A's units.
    beyond: f64,
    /// Squared lower bounds above this are too far.
    limit: f32,
}

impl Reach {
    /// Excludes nothing.
    pub(super) fn unlimited(trees: [&BvTree; 2], to_frames: &[ToFrame; 2]) -> Self {
        let units = trees.map(|tree| tree.meta().frame.unit);
        let unit = units[0].max(units[1]);
        let beyond = [0, 1].map(|side| to_frames[side].beyond * units[side]);
        Self {
            unit,
            scales: units.map(|own| (own / unit).powi(2) as f32),
            beyond: beyond[0].min(beyond[1]),
            limit: f32::INFINITY,
        }
    }

    /// Excludes what is certainly farther.
    pub(super) fn limit(&mut self, distance: f64) {
        let limit = ((distance - self.beyond) / self.unit).max(0.0);
        // Bounds may have been rounded when they were scaled below the least normal number.
        self.limit = ((limit * limit + f64::from(f32::MIN_POSITIVE)) as f32).next_up();
    }

    /// The distance that a squared lower bound stands for.
    pub(super) fn distance(&self, lower_bound: f32) -> f64 {
        f64::from((lower_bound - f32::MIN_POSITIVE).max(0.0)).sqrt() * self.unit + self.beyond
    }

    #[inline(always)]
    pub(super) fn judge<V: Volume8, S: Simd>(
        &self,
        simd: S,
        one: &V,
        eight: &Node<'_>,
        to: &ToFrame,
        target: usize,
    ) -> Judged {
        let (lower_bounds, larger) = one.lower_bounds_sq(simd, eight, to.margin, self.scales[target], self.limit);
        // What overflowed before it was scaled is greater than any number was then, and no more.
        let lower_bounds = simd.min(lower_bounds, simd.splat(f32::MAX * self.scales[target]));
        let far = simd.bits(simd.gt(lower_bounds, simd.splat(self.limit)));
        Judged { survivors: eight.lanes() & !far, larger, lower_bounds: simd.to_array(lower_bounds) }
    }

    #[inline(always)]
    pub(super) fn includes(&self, lower_bound: f32) -> bool {
        // A bound that is not a number, past f32's range, excludes nothing.
        !matches!(lower_bound.partial_cmp(&self.limit), Some(Ordering::Greater))
    }
}
