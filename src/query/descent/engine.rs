//! Runs descents: for the kinds of the two trees, and with the CPU's instructions.

use std::marker::PhantomData;

use super::entry::Entry;
use super::pair_queue::PairQueue;
use super::policy::DescentPolicy;
use super::traversal::{Descent, traverse};
use super::visitor::LeafVisitor;
use super::volume_test::VolumeTest;
use crate::query::interrupt::Interrupt;
use crate::query::posed_trees::PosedTrees;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::{PackedAnyBox, PairTests, for_kind};

/// Runs descents; has their scratch memory.
#[derive(Debug)]
pub(in crate::query) struct Engine {
    pub(in crate::query) level: SimdLevel,
    /// What is still to be done.
    pub(in crate::query) entries: Vec<Entry>,
    pairs: PairQueue,
    pub(in crate::query) interrupt: Interrupt,
}

impl Engine {
    pub(in crate::query) fn new(level: SimdLevel) -> Self {
        Self { level, entries: Vec::new(), pairs: PairQueue::default(), interrupt: Interrupt::default() }
    }

    /// Descends both trees from their roots; returns the number of volume tests. Where the visitor breaks, it knows
    /// why; an interrupt is known by itself.
    pub(in crate::query) fn descend<T: VolumeTest>(
        &mut self,
        trees: &PosedTrees<'_>,
        test: &T,
        limit: f32,
        visitor: &mut dyn LeafVisitor,
        policy: DescentPolicy,
    ) -> u64 {
        if trees.is_empty() {
            return 0;
        }
        self.entries.clear();
        self.entries.push(Entry::ROOTS);
        self.resume(trees, test, limit, visitor, policy)
    }

    /// Descends from the entries that there are.
    pub(in crate::query) fn resume<T: VolumeTest>(
        &mut self,
        trees: &PosedTrees<'_>,
        test: &T,
        limit: f32,
        visitor: &mut dyn LeafVisitor,
        policy: DescentPolicy,
    ) -> u64 {
        let Self { level, entries, pairs, interrupt } = self;
        pairs.clear();
        let mut volume_tests = 0;
        let work = &mut volume_tests;
        let descent = Descent { trees, test, limit, visitor, policy, entries, pairs, interrupt, volume_tests: work };
        match trees.kinds {
            [a, b] if a == b => for_kind!(a, V => dispatch(*level, OfKind::<V, _>(descent, PhantomData))),
            _ => dispatch(*level, OfKind::<PackedAnyBox, _>(descent, PhantomData)),
        }
        volume_tests
    }
}

/// A descent for some kind of volume.
struct OfKind<V, D>(D, PhantomData<V>);

impl<V: PairTests, T: VolumeTest> Task for OfKind<V, Descent<'_, T>> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        traverse::<V, S, T>(simd, self.0);
    }
}
