//! Pairs of bodies whose boxes are near each other, kept from one question to the next with what is known about them.

use std::ops::ControlFlow;

use super::body::Slot;
use super::broad_phase::{BoxTree, ItemPair};
use super::known::{Candidate, Known, STRETCH};

/// More pairs are not kept, unless there are as many for each body: they are asked as they are found.
const MAX_KEPT: usize = 1 << 20;
const MAX_PER_BODY: usize = 16;
/// Distances of more pairs are not tracked: a tracker may take some megabytes.
const MAX_TRACKERS: usize = 128;
/// After so many questions of which each had half the reach or less, pairs are gathered anew.
const PATIENCE: u32 = 16;

/// What is kept.
#[derive(Debug, Default)]
pub(super) struct PairCache {
    /// Of bodies by their places, the lesser first; sorted.
    pub(super) pairs: Vec<ItemPair>,
    /// What is known about each of the pairs. Nothing is there before somebody asks what is worth to be known.
    pub(super) candidates: Vec<Candidate>,
    /// The pairs are those whose boxes are this near. None where there is nothing kept.
    reach: Option<f64>,
    /// Of each place that there has been since, or less: whether its pairs must be gathered anew.
    changes: Vec<Change>,
    /// The places that have changed, in no order.
    changed: Vec<u32>,
    /// Questions in a row of half the reach.
    shorter: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Change {
    Nothing,
    /// What is known about its pairs stays true.
    Moved,
    /// It is another body, or what is known about it no longer holds.
    Forgotten,
}

impl PairCache {
    pub(super) fn moved(&mut self, place: u32) {
        self.change(place, Change::Moved);
    }

    /// A body came to the place, left it or has another mesh; or its displacements are summed anew. Facts about it end.
    pub(super) fn forget(&mut self, place: u32) {
        self.change(place, Change::Forgotten);
    }

    fn change(&mut self, place: u32, change: Change) {
        if self.reach.is_none() {
            return;
        }
        if self.changes.len() <= place as usize {
            self.changes.resize(place as usize + 1, Change::Nothing);
        }
        let before = &mut self.changes[place as usize];
        if *before == Change::Nothing {
            self.changed.push(place);
        }
        if *before < change {
            *before = change;
        }
    }

    fn change_of(&self, place: u32) -> Change {
        self.changes.get(place as usize).copied().unwrap_or(Change::Nothing)
    }

    /// Brings the list up to date for questions of a reach. False, and nothing is kept, if there are too many pairs.
    pub(super) fn refresh(
        &mut self,
        tree: &BoxTree,
        slots: &[Slot],
        reach: f64,
        keep: impl Fn(u32, u32) -> bool + Sync,
    ) -> bool {
        let most = MAX_KEPT.max(MAX_PER_BODY * slots.len());
        let is_short = self.reach.is_some_and(|kept| reach < 0.5 * kept);
        self.shorter = if is_short { self.shorter + 1 } else { 0 };
        let covers = self.reach.is_some_and(|kept| kept >= reach) && self.shorter < PATIENCE;
        if covers && self.changed.is_empty() {
            return true;
        }
        let gathered_reach = if covers { self.reach.unwrap_or(reach) } else { reach };
        let is_partial = covers && self.changed.len() < slots.len() / 4;
        let found = if is_partial {
            self.pairs_of_changed(tree, slots, gathered_reach, most, keep)
        } else {
            tree.pairs(reach32(gathered_reach), most, keep)
        };
        let Some(found) = found else {
            *self = Self::default();
            return false;
        };
        self.merge(found, is_partial);
        for place in self.changed.drain(..) {
            self.changes[place as usize] = Change::Nothing;
        }
        self.reach = Some(gathered_reach);
        if !covers {
            self.shorter = 0;
        }
        self.pairs.len() <= most
    }

    /// Has those pairs tracked of which a distance is known, which is asked for again where bodies move; the first
    /// ones, for the choice is not to depend on threads.
    pub(super) fn choose_trackers(&mut self) {
        let mut left = MAX_TRACKERS;
        for candidate in &mut self.candidates {
            let Known::Distance(near) = &mut candidate.known else { continue };
            near.may_track = near.closest.distance > 0.0 && near.inner.is_none() && left > 0;
            if near.may_track {
                left -= 1;
            } else {
                near.tracker = None;
            }
        }
    }

    /// All pairs that have a changed body; sorted.
    fn pairs_of_changed(
        &self,
        tree: &BoxTree,
        slots: &[Slot],
        reach: f64,
        most: usize,
        keep: impl Fn(u32, u32) -> bool,
    ) -> Option<Vec<ItemPair>> {
        let mut found = Vec::new();
        for &place in &self.changed {
            if slots[place as usize].is_empty() {
                continue;
            }
            let near = slots[place as usize].room.grown(reach32(reach));
            let flow = tree.for_each_overlap(&near, |other| {
                // Of two changed bodies the lesser finds the pair.
                let is_its_own = other > place || other < place && self.change_of(other) == Change::Nothing;
                let pair = [place.min(other), place.max(other)];
                if is_its_own && keep(pair[0], pair[1]) {
                    found.push(pair);
                }
                if found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if flow.is_break() {
                return None;
            }
        }
        found.sort_unstable();
        Some(found)
    }

    /// Makes the pairs those found and, if these are only of changed bodies, the kept ones of all others. What is known
    /// about a pair stays, unless there is another body.
    fn merge(&mut self, found: Vec<ItemPair>, is_partial: bool) {
        if !is_partial && self.candidates.is_empty() {
            self.pairs = found;
            return;
        }
        let before = std::mem::take(&mut self.pairs);
        let mut known = std::mem::take(&mut self.candidates);
        let is_other = |pair: &ItemPair| pair.iter().any(|&place| self.change_of(place) == Change::Forgotten);
        let stays = |pair: &ItemPair| is_partial && pair.iter().all(|&place| self.change_of(place) == Change::Nothing);
        let most = found.len() + if is_partial { before.len() } else { 0 };
        let mut pairs = Vec::with_capacity(most);
        let mut candidates = Vec::with_capacity(if known.is_empty() { 0 } else { most });
        // A pair, with the number that it had if something may be known about it.
        let mut put = |pair: ItemPair, number: Option<usize>| {
            pairs.push(pair);
            if !known.is_empty() {
                candidates.push(number.map_or_else(Candidate::default, |number| std::mem::take(&mut known[number])));
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
        (self.pairs, self.candidates) = (pairs, candidates);
    }
}

/// A distance in a body's frame as one for the broad phase, rounded up.
pub(super) fn reach32(reach: f64) -> f32 {
    if reach > 0.0 { ((reach * STRETCH) as f32).next_up() } else { 0.0 }
}
