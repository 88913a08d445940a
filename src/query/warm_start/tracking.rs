//! The visitor that starts from a front, and records where the descent ends for the next question.

use std::ops::ControlFlow;

use super::front::Front;
use super::plane_search::PlaneSearch;
use crate::numeric::denormals::above;
use crate::query::descent::{DescentPolicy, Engine, Entry, LeafVisitor, LowerBound, PairQueue, Recorder};
use crate::query::distance::Nearest;
use crate::query::posed_trees::PosedTrees;
use crate::triangle::Distances;

/// Finds the nearest pair of triangles, starting from a front, and records where the descent ends for the next.
pub(super) struct Tracking<'a, 'f> {
    pub(super) nearest: Nearest<'a>,
    front: &'f mut Front,
    trees: &'f PosedTrees<'f>,
}

impl<'a, 'f> Tracking<'a, 'f> {
    pub(super) fn new(nearest: Nearest<'a>, front: &'f mut Front, trees: &'f PosedTrees<'f>) -> Self {
        Self { nearest, front, trees }
    }

    fn search(&self) -> PlaneSearch<'f> {
        let distance = above(self.nearest.bound_sq.sqrt() / self.trees.frames[0].unit);
        PlaneSearch { level: self.nearest.level, trees: self.trees, distance }
    }

    /// Descends from the front where that is of use, else from the roots; returns the number of volume tests.
    pub(super) fn descend(&mut self, engine: &mut Engine, test: &LowerBound, policy: DescentPolicy) -> u64 {
        let search = self.search();
        engine.entries.clear();
        let follows = self.front.reactivate(&search, &mut engine.entries);
        let trees = self.trees;
        let volume_tests = if self.test_reactivated().is_break() {
            0
        } else if follows {
            let limit = self.nearest.limit;
            engine.resume(trees, test, limit, self, policy.without_greedy_descents())
        } else {
            engine.descend(trees, test, self.nearest.limit, self, policy)
        };
        // The descent was broken off if nothing can be nearer.
        self.front.finish(!self.nearest.is_done() && !engine.interrupt.is_set());
        volume_tests
    }

    fn test_reactivated(&mut self) -> ControlFlow<()> {
        let mut pairs = PairQueue::default();
        while let Some([a, b]) = self.front.reactivated.pop() {
            pairs.push(a as usize, b as usize);
            if pairs.len() == PairQueue::CAPACITY || self.front.reactivated.is_empty() {
                if let ControlFlow::Break(()) = self.visit(&mut pairs) {
                    return ControlFlow::Break(());
                }
                pairs.clear();
            }
        }
        ControlFlow::Continue(())
    }
}

impl LeafVisitor for Tracking<'_, '_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        let is_recorded = self.front.is_recording();
        let (Distances { separations, .. }, far) = self.nearest.test_pairs(pairs, is_recorded);
        if is_recorded {
            let search = self.search();
            self.front.add_pairs(&search, pairs, far, &separations);
        }
        if self.nearest.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(self.nearest.limit) }
    }

    fn recorder(&mut self) -> Option<&mut dyn Recorder> {
        if self.front.is_recording() { Some(self) } else { None }
    }
}

impl Recorder for Tracking<'_, '_> {
    fn on_separated(&mut self, entry: &Entry) {
        let search = self.search();
        self.front.add_separated(&search, *entry);
    }

    fn on_culled(&mut self, entry: &Entry) {
        self.front.add_volumes_without_plane(*entry);
    }
}
