//! Pairs of bodies whose boxes are near each other, kept from one question to the next with what is known about them.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::ControlFlow;

use super::body::Place;
use super::broad_phase::{BoxTree, ItemPair};
use crate::query::{ClosestPair, DistanceTracker};

/// More pairs are not kept, unless there are as many for each body: they are asked as they are found.
const MOST_KEPT: usize = 1 << 20;
const MOST_PER_BODY: usize = 16;
/// Distances of more pairs are not tracked: a tracker may take some megabytes.
const MOST_TRACKERS: usize = 128;
/// After so many questions of which each had half the reach or less, pairs are gathered anew.
const PATIENCE: u32 = 16;

/// Two bodies, by their places, the lesser first.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) pair: ItemPair,
    /// How far both bodies had travelled when this was found out.
    pub(super) travel: f64,
    pub(super) known: Known,
    /// Whether their distances may be tracked.
    pub(super) may_track: bool,
    /// Starts from what it found last.
    pub(super) tracker: Option<Box<DistanceTracker>>,
}

/// What was found out about two bodies.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Nothing,
    Touching,
    /// Their distance, which is not 0, is this at least.
    Apart(f64),
    /// Their distance, as it was.
    Distance(ClosestPair),
}

impl Candidate {
    pub(super) fn new(pair: ItemPair) -> Self {
        Self { pair, travel: 0.0, known: Known::Nothing, may_track: false, tracker: None }
    }
}

/// What is kept.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Sorted.
    pub(super) list: Vec<Candidate>,
    /// The pairs are those whose boxes are this near. None where there is nothing kept.
    reach: Option<f64>,
    /// Bodies whose pairs must be gathered anew.
    changed: HashMap<u32, Change>,
    /// Questions in a row of half the reach.
    shorter: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// What is known about its pairs stays true.
    Moved,
    /// It is another body.
    Came,
}

impl Candidates {
    pub(super) fn moved(&mut self, place: u32) {
        if self.reach.is_some() {
            self.changed.entry(place).or_insert(Change::Moved);
        }
    }

    /// A body came to the place, or left it.
    pub(super) fn came(&mut self, place: u32) {
        if self.reach.is_some() {
            self.changed.insert(place, Change::Came);
        }
    }

    /// Brings the list up to date for questions of a reach. False, and nothing is kept, if there are too many pairs.
    pub(super) fn refresh(
        &mut self,
        tree: &BoxTree,
        places: &[Place],
        reach: f64,
        keep: impl Fn(u32, u32) -> bool + Sync,
    ) -> bool {
        let most = MOST_KEPT.max(MOST_PER_BODY * places.len());
        let is_short = self.reach.is_some_and(|kept| reach < 0.5 * kept);
        self.shorter = if is_short { self.shorter + 1 } else { 0 };
        let covers = self.reach.is_some_and(|kept| kept >= reach) && self.shorter < PATIENCE;
        if covers && self.changed.is_empty() {
            return true;
        }
        let gathered_reach = if covers { self.reach.unwrap_or(reach) } else { reach };
        let is_partial = covers && self.changed.len() < places.len() / 4;
        let found = if is_partial {
            self.pairs_of_changed(tree, places, gathered_reach, most, keep)
        } else {
            tree.pairs(reach32(gathered_reach), most, keep)
        };
        let Some(found) = found else {
            *self = Self::default();
            return false;
        };
        self.merge(found, is_partial);
        self.changed.clear();
        self.reach = Some(gathered_reach);
        if !covers {
            self.shorter = 0;
        }
        self.list.len() <= most
    }

    /// Has those pairs tracked of which a distance is known, which is asked for again where bodies move; the first ones, for the choice is not to
    /// depend on threads.
    pub(super) fn choose_trackers(&mut self) {
        let mut left = MOST_TRACKERS;
        for candidate in &mut self.list {
            let is_near = matches!(candidate.known, Known::Distance(found) if found.distance > 0.0);
            candidate.may_track = is_near && left > 0;
            if candidate.may_track {
                left -= 1;
            } else {
                candidate.tracker = None;
            }
        }
    }

    /// All pairs that have a changed body; sorted.
    fn pairs_of_changed(
        &self,
        tree: &BoxTree,
        places: &[Place],
        reach: f64,
        most: usize,
        keep: impl Fn(u32, u32) -> bool,
    ) -> Option<Vec<ItemPair>> {
        let mut found = Vec::new();
        for &place in self.changed.keys() {
            if places[place as usize].slot.as_ref().is_none_or(|slot| slot.is_empty()) {
                continue;
            }
            let near = tree.bounds(place).grown(reach32(reach));
            let flow = tree.for_each_overlap(&near, |other| {
                // Of two changed bodies the lesser finds the pair.
                let is_its_own = other > place || other < place && !self.changed.contains_key(&other);
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

    /// Makes the list that of the pairs found and, if these are only of changed bodies, of the kept ones of all others. What is known
    /// about a pair stays, unless there is another body.
    fn merge(&mut self, found: Vec<ItemPair>, is_partial: bool) {
        let changed = &self.changed;
        let is_other = |pair: &ItemPair| pair.iter().any(|place| changed.get(place) == Some(&Change::Came));
        let stays = |pair: &ItemPair| is_partial && !pair.iter().any(|place| changed.contains_key(place));
        let mut list = Vec::with_capacity(found.len() + if is_partial { self.list.len() } else { 0 });
        let mut old = std::mem::take(&mut self.list).into_iter().peekable();
        for pair in found {
            while let Some(before) = old.next_if(|candidate| candidate.pair.cmp(&pair) == Ordering::Less) {
                if stays(&before.pair) {
                    list.push(before);
                }
            }
            let same = old.next_if(|candidate| candidate.pair == pair).filter(|_| !is_other(&pair));
            list.push(same.unwrap_or_else(|| Candidate::new(pair)));
        }
        list.extend(old.filter(|candidate| stays(&candidate.pair)));
        self.list = list;
    }
}

/// A reach for the broad phase, rounded up. Distances are measured in a body's frame, whose matrix may stretch a little.
pub(super) fn reach32(reach: f64) -> f32 {
    if reach > 0.0 { ((reach * 1.001) as f32).next_up() } else { 0.0 }
}
