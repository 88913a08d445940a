//! The pairs of bodies whose boxes are near each other, kept from query to query with the facts about them.

use std::ops::ControlFlow;

use super::body::Slot;
use super::broad_phase::{DynamicTree, ItemPair};
use super::pair_memory::{PairFact, PairMemory};
use crate::numeric::error_bounds::POSE_STRETCH;
use crate::query::FacePair;
use crate::shape::NO_FACE;

/// The largest number of pairs that are kept in small scenes; in large ones it is [`MAX_PER_BODY`] times the number of
/// bodies.
const MAX_KEPT: usize = 1 << 20;
const MAX_PER_BODY: usize = 16;
/// The largest number of pairs whose distances are tracked; a tracker may take a few megabytes.
const MAX_TRACKERS: usize = 128;
/// Pairs are gathered anew after this many consecutive queries with less than half the margin of the kept pairs.
const MAX_SHORTER_QUERIES: u32 = 16;

/// The pairs whose fat AABBs are within a margin, and the facts about them.
#[derive(Debug, Default)]
pub(super) struct PairCache {
    /// Pairs of body indices, the smaller first; sorted.
    pub(super) pairs: Vec<ItemPair>,
    /// The memory of each pair; empty until a query stores facts.
    pub(super) memories: Vec<PairMemory>,
    /// The margin within which the pairs were gathered. `None` if nothing is kept.
    margin: Option<f64>,
    /// The change of each body index since the pairs were gathered; bodies with indices past the end of the list have
    /// not changed.
    changes: Vec<Change>,
    /// The indices that have changed, in no order.
    changed: Vec<u32>,
    /// The number of consecutive queries with less than half of `margin`.
    shorter_queries: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Change {
    Nothing,
    /// The body left its fat AABB, or is compared with other bodies than before: facts about its pairs stay valid.
    Moved,
    /// The index now belongs to another body, or facts about the body no longer hold.
    Forgotten,
}

impl PairCache {
    #[inline]
    pub(super) fn moved(&mut self, index: u32) {
        self.change(index, Change::Moved);
    }

    /// Discards all facts about a body that was added, removed or deformed, or whose sum of displacements restarted.
    pub(super) fn forget(&mut self, index: u32) {
        self.change(index, Change::Forgotten);
    }

    #[inline]
    fn change(&mut self, index: u32, change: Change) {
        if self.margin.is_none() {
            return;
        }
        if self.changes.len() <= index as usize {
            self.changes.resize(index as usize + 1, Change::Nothing);
        }
        let before = &mut self.changes[index as usize];
        if *before == Change::Nothing {
            self.changed.push(index);
        }
        if *before < change {
            *before = change;
        }
    }

    fn change_of(&self, index: u32) -> Change {
        self.changes.get(index as usize).copied().unwrap_or(Change::Nothing)
    }

    /// Updates the pairs for a query of this margin. Returns false if there are too many pairs to keep; the cache must
    /// then be replaced by an empty one.
    pub(super) fn refresh(
        &mut self,
        tree: &DynamicTree,
        slots: &[Slot],
        margin: f64,
        keep: impl Fn(u32, u32) -> bool + Sync,
    ) -> bool {
        let max_pairs = MAX_KEPT.max(MAX_PER_BODY * slots.len());
        let is_short = self.margin.is_some_and(|kept| margin < 0.5 * kept);
        self.shorter_queries = if is_short { self.shorter_queries + 1 } else { 0 };
        let covers = self.margin.is_some_and(|kept| kept >= margin) && self.shorter_queries < MAX_SHORTER_QUERIES;
        if covers && self.changed.is_empty() {
            return true;
        }
        let gathered_margin = if covers { self.margin.unwrap_or(margin) } else { margin };
        let is_partial = covers && self.changed.len() < slots.len() / 4;
        let found = if is_partial {
            self.pairs_of_changed(tree, slots, gathered_margin, max_pairs, keep)
        } else {
            tree.pairs(margin_f32(gathered_margin), max_pairs, keep)
        };
        let Some(found) = found else {
            *self = Self::default();
            return false;
        };
        self.merge(found, is_partial);
        for index in self.changed.drain(..) {
            self.changes[index as usize] = Change::Nothing;
        }
        self.margin = Some(gathered_margin);
        if !covers {
            self.shorter_queries = 0;
        }
        self.pairs.len() <= max_pairs
    }

    /// Chooses pairs with a known distance for tracking: the first ones, so that the choice does not depend on threads.
    pub(super) fn choose_trackers(&mut self) {
        let mut left = MAX_TRACKERS;
        for memory in &mut self.memories {
            let PairFact::Distance(near) = &mut memory.fact else { continue };
            let FacePair { face_a, face_b } = near.closest.faces;
            let are_trees = face_a != NO_FACE && face_b != NO_FACE;
            near.may_track = are_trees && near.closest.distance > 0.0 && near.inner.is_none() && left > 0;
            if near.may_track {
                left -= 1;
            } else {
                near.tracker = None;
            }
        }
    }

    fn pairs_of_changed(
        &self,
        tree: &DynamicTree,
        slots: &[Slot],
        margin: f64,
        max_pairs: usize,
        keep: impl Fn(u32, u32) -> bool,
    ) -> Option<Vec<ItemPair>> {
        let mut found = Vec::new();
        for &index in &self.changed {
            if slots[index as usize].is_empty() {
                continue;
            }
            let near = slots[index as usize].fat_aabb.grown(margin_f32(margin));
            let flow = tree.for_each_overlap(&near, |other| {
                // The smaller of two changed bodies finds the pair.
                let is_its_own = other > index || other < index && self.change_of(other) == Change::Nothing;
                let pair = [index.min(other), index.max(other)];
                if is_its_own && keep(pair[0], pair[1]) {
                    found.push(pair);
                }
                if found.len() > max_pairs { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if flow.is_break() {
                return None;
            }
        }
        found.sort_unstable();
        Some(found)
    }

    /// Replaces the pairs, or only those of changed bodies. Facts about a pair stay unless [`PairCache::forget`] was
    /// called for one of its bodies.
    fn merge(&mut self, found: Vec<ItemPair>, is_partial: bool) {
        if !is_partial && self.memories.is_empty() {
            self.pairs = found;
            return;
        }
        let before = std::mem::take(&mut self.pairs);
        let mut known = std::mem::take(&mut self.memories);
        let is_other = |pair: &ItemPair| pair.iter().any(|&index| self.change_of(index) == Change::Forgotten);
        let stays = |pair: &ItemPair| is_partial && pair.iter().all(|&index| self.change_of(index) == Change::Nothing);
        let max_pairs = found.len() + if is_partial { before.len() } else { 0 };
        let mut pairs = Vec::with_capacity(max_pairs);
        let mut memories = Vec::with_capacity(if known.is_empty() { 0 } else { max_pairs });
        // A pair, and its old position if facts may be kept.
        let mut put = |pair: ItemPair, number: Option<usize>| {
            pairs.push(pair);
            if !known.is_empty() {
                memories.push(number.map_or_else(PairMemory::default, |number| std::mem::take(&mut known[number])));
            }
        };
        let mut old = before.into_iter().enumerate().peekable();
        for pair in found {
            while let Some((number, before)) = old.next_if(|(_, before)| *before < pair) {
                if stays(&before) {
                    put(before, Some(number));
                }
            }
            let same = old.next_if(|(_, before)| *before == pair).filter(|_| !is_other(&pair));
            put(pair, same.map(|(number, _)| number));
        }
        old.filter(|(_, pair)| stays(pair)).for_each(|(number, pair)| put(pair, Some(number)));
        (self.pairs, self.memories) = (pairs, memories);
    }
}

/// A distance in a body's frame as a margin of the broad phase, rounded up.
pub(super) fn margin_f32(margin: f64) -> f32 {
    if margin > 0.0 { ((margin * POSE_STRETCH) as f32).next_up() } else { 0.0 }
}
