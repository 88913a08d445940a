//! How far apart volumes may be and still matter, in the frames of both trees.

use std::cmp::Ordering;

use super::traverse::Judged;
use crate::packed::{Node, ToFrame, Volume8};
use crate::simd::Simd;
use crate::tree::BvTree;

/// A distance as the limit of volumes' squared lower bounds.
pub(super) struct Reach {
    /// Units of the trees' frames, A's and B's.
    units: [f64; 2],
    /// What is to be added to distances in the frames.
    beyond: [f64; 2],
    /// Squared lower bounds above these are too far, in A's unit and in B's.
    limits: [f32; 2],
}

impl Reach {
    /// Excludes nothing.
    pub(super) fn unlimited(trees: [&BvTree; 2], to_frames: &[ToFrame; 2]) -> Self {
        Self {
            units: trees.map(|tree| tree.meta().frame.unit),
            beyond: [to_frames[0].beyond, to_frames[1].beyond],
            limits: [f32::INFINITY; 2],
        }
    }

    /// Excludes what is certainly farther.
    pub(super) fn limit(&mut self, distance: f64) {
        for side in 0..2 {
            let limit = (distance / self.units[side] - self.beyond[side]).max(0.0);
            self.limits[side] = ((limit * limit) as f32).next_up();
        }
    }

    /// The distance that a squared lower bound in the target's frame stands for.
    pub(super) fn distance(&self, lower_bound: f32, target: usize) -> f64 {
        (f64::from(lower_bound).sqrt() + self.beyond[target]) * self.units[target]
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
        let (lower_bounds, larger) = one.lower_bounds_sq(simd, eight, to.margin);
        let far = simd.bits(simd.gt(lower_bounds, simd.splat(self.limits[target])));
        Judged { survivors: eight.lanes() & !far, larger, lower_bounds: simd.to_array(lower_bounds) }
    }

    #[inline(always)]
    pub(super) fn includes(&self, lower_bound: f32, target: usize) -> bool {
        // A bound that is not a number, past f32's range, excludes nothing.
        !matches!(lower_bound.partial_cmp(&self.limits[target]), Some(Ordering::Greater))
    }
}
