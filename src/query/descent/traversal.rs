//! The loop itself: pop an entry, test its volumes, queue triangles, push what is below.

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

use super::distinct::{self, Distinct};
use super::entry::Entry;
use super::lanes::{lanes, least, ordered};
use super::pair_queue::PairQueue;
use super::policy::DescentPolicy;
use super::visitor::LeafVisitor;
use super::volume_test::{TestResult, VolumeTest};
use crate::query::interrupt::{Interrupt, STEPS};
use crate::query::posed_trees::PosedTrees;
use crate::simd::Simd;
use crate::volume::VolumeKind;
use crate::volume::{Node, NodeRef, PairTests};

/// A descent of two trees, ready to be run.
pub(super) struct Descent<'a, T> {
    pub(super) trees: &'a PosedTrees<'a>,
    pub(super) test: &'a T,
    /// Lower bounds above this don't matter at first.
    pub(super) limit: f32,
    pub(super) visitor: &'a mut dyn LeafVisitor,
    pub(super) policy: DescentPolicy,
    pub(super) entries: &'a mut Vec<Entry>,
    pub(super) pairs: &'a mut PairQueue,
    pub(super) interrupt: &'a mut Interrupt,
    pub(super) volume_tests: &'a mut u64,
}

/// Descends both trees from the entries and hands pairs of leaf triangles to the visitor.
///
/// The sides take turns: a volume that survives against another is opened next, unless the other is much larger and
/// not a leaf.
#[inline(always)]
pub(super) fn traverse<V: PairTests, S: Simd, T: VolumeTest>(simd: S, descent: Descent<'_, T>) {
    let Descent { trees, test, limit, visitor, policy, entries, pairs, interrupt, volume_tests } = descent;
    let is_recorded = T::ORDERED && visitor.recorder().is_some();
    let mut traversal: Traversal<'_, V, S, T> = Traversal {
        simd,
        trees,
        test,
        limit,
        visitor,
        is_recorded,
        policy,
        entries,
        pairs,
        steps_left: interrupt.steps_left(),
        interrupt,
        volume_tests,
        volume: PhantomData,
    };
    // A break has nothing more to tell: the visitor or the interrupt knows why.
    let _ = traversal.run();
}

struct Traversal<'a, V, S, T> {
    simd: S,
    trees: &'a PosedTrees<'a>,
    test: &'a T,
    /// Lower bounds above this no longer matter.
    limit: f32,
    visitor: &'a mut dyn LeafVisitor,
    is_recorded: bool,
    policy: DescentPolicy,
    entries: &'a mut Vec<Entry>,
    pairs: &'a mut PairQueue,
    interrupt: &'a mut Interrupt,
    /// Until the interrupt is to look again; here, for it would lie in memory there.
    steps_left: u32,
    volume_tests: &'a mut u64,
    volume: PhantomData<V>,
}

/// A volume of the single node and the wide node that it was tested against.
struct Tested<'a> {
    entry: Entry,
    /// What is below the volume.
    below: NodeRef,
    wide: Node<'a>,
}

impl<V: PairTests, S: Simd, T: VolumeTest> Traversal<'_, V, S, T> {
    #[inline(always)]
    fn run(&mut self) -> ControlFlow<()> {
        let mut left_before = usize::MAX;
        loop {
            if T::ORDERED && self.policy.best_first_pops > 0 && self.entries.len() < left_before {
                self.policy.best_first_pops -= 1;
                bring_nearest_to_top(self.entries);
            }
            left_before = self.entries.len();
            let Some(entry) = self.entries.pop() else { break };
            if T::ORDERED && entry.lower_bound > self.limit {
                self.record_culled(&entry);
                continue;
            }
            self.step()?;
            self.expand(entry)?;
            if self.policy.is_eager && self.limit == f32::INFINITY {
                self.hand_over()?;
            }
        }
        self.hand_over()
    }

    /// The kind of a tree, which is mostly known to the compiler.
    #[inline(always)]
    fn kind(&self, side: usize) -> VolumeKind {
        match V::NODES {
            Some(kind) => kind,
            None => self.trees.kinds[side],
        }
    }

    /// Tests an entry's volumes, and goes on to what is below those that survive.
    #[inline(always)]
    fn expand(&mut self, entry: Entry) -> ControlFlow<()> {
        let side = usize::from(entry.side);
        let target = 1 - side;
        let to = &self.trees.to_frames[target];
        let single = Node::at(self.trees.views[side].nodes, self.kind(side), entry.single);
        let wide = Node::at(self.trees.views[target].nodes, self.kind(target), entry.wide);
        let leaves = wide.leaves(self.simd);
        let posed = V::posed(self.simd, &single, to);
        for lane in lanes(entry.single_lanes) {
            let volume = V::single(&posed, lane, to);
            let lanes = entry.wide_lanes & wide.lanes() & self.wanted_lanes(&entry, lane);
            let TestResult { survivors, larger, lower_bounds } =
                self.test.test(self.simd, &volume, &wide, to, target, self.limit);
            let survivors = survivors & lanes;
            *self.volume_tests += u64::from(lanes.count_ones());
            let part = |wide_lanes: u8| Entry { single_lanes: 1 << lane, wide_lanes, ..entry };
            self.record_separated(&part(lanes & !survivors));
            if survivors == 0 {
                continue;
            }
            let below = single.child(lane);
            let tested = Tested { entry: part(0xff), below, wide };
            // Lanes to open beside the same one, and lanes to be tested against its children in turn.
            let (open, swap) = if below.is_leaf() {
                self.queue_leaves(&tested, survivors & leaves, &lower_bounds)?;
                (survivors & !leaves, 0)
            } else {
                let open = survivors & larger & !leaves;
                (open, survivors & !open)
            };
            if swap != 0 {
                Node::prefetch(self.simd, self.trees.views[side].nodes, self.kind(side), below);
            }
            self.push(&tested, open, swap, &lower_bounds);
        }
        ControlFlow::Continue(())
    }

    /// A bit for each lane of the wide node that is to be tested against a lane of the single node.
    #[inline(always)]
    fn wanted_lanes(&self, entry: &Entry, lane: usize) -> u8 {
        if T::ORDERED || !self.policy.is_self || entry.single != entry.wide {
            0xff
        } else if entry.side == 0 {
            0xff << lane
        } else {
            0xff >> (7 - lane)
        }
    }

    /// Queues the triangles of the volume, a leaf, with those of the wide node's lanes that are leaves.
    #[inline(always)]
    fn queue_leaves(&mut self, tested: &Tested<'_>, leaves: u8, lower_bounds: &[f32; 8]) -> ControlFlow<()> {
        let [view_a, view_b] = &self.trees.views;
        for other in ordered(leaves, lower_bounds, T::ORDERED) {
            if T::ORDERED && lower_bounds[other] > self.limit {
                self.record_culled(&Entry { wide_lanes: 1 << other, ..tested.entry });
                continue;
            }
            let (leaf, other_leaf) = (tested.below.first_triangle(), tested.wide.child(other).first_triangle());
            let [a, b] = if tested.entry.side == 0 { [leaf, other_leaf] } else { [other_leaf, leaf] };
            let (leaf_a, leaf_b) = (view_a.leaf(a), view_b.leaf(b));
            if self.policy.skips_duplicates && leaf_a.len() * leaf_b.len() >= distinct::LARGE {
                self.queue_large(leaf_a, leaf_b)?;
            } else {
                self.queue(leaf_a, leaf_b)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn queue(
        &mut self,
        leaf_a: impl Iterator<Item = usize>,
        leaf_b: impl Iterator<Item = usize> + Clone,
    ) -> ControlFlow<()> {
        for a in leaf_a {
            for b in leaf_b.clone() {
                self.pairs.push(a, b);
                if self.pairs.len() >= self.policy.pairs {
                    self.hand_over()?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Queues triangles of leaves that may be thousands of duplicates, which no plane parts: their pairs would take
    /// minutes.
    #[cold]
    #[inline(never)]
    fn queue_large(&mut self, leaf_a: Range<usize>, leaf_b: Range<usize>) -> ControlFlow<()> {
        let [view_a, view_b] = &self.trees.views;
        match [Distinct::of(view_a, leaf_a.clone()), Distinct::of(view_b, leaf_b.clone())] {
            [Some(a), Some(b)] => self.queue(a.iter(), b.iter()),
            [Some(a), None] => self.queue(a.iter(), leaf_b),
            [None, Some(b)] => self.queue(leaf_a, b.iter()),
            [None, None] => self.queue(leaf_a, leaf_b),
        }
    }

    /// Pushes what is to be tested next: the children of lanes to be opened, against the same volume, and the lanes to
    /// swap, against the volume's children.
    #[inline(always)]
    fn push(&mut self, tested: &Tested<'_>, open: u8, swap: u8, lower_bounds: &[f32; 8]) {
        let &Tested { entry, below, wide } = tested;
        let open_lane = |other: usize| Entry {
            single: entry.single,
            wide: wide.child(other),
            single_lanes: entry.single_lanes,
            wide_lanes: 0xff,
            side: entry.side,
            lower_bound: lower_bounds[other],
        };
        let swap_lanes = |lanes: u8, lower_bound: f32| Entry {
            single: entry.wide,
            wide: below,
            single_lanes: lanes,
            wide_lanes: 0xff,
            side: 1 - entry.side,
            lower_bound,
        };
        if T::ORDERED && (self.policy.best_first_pops > 0 || !self.policy.keeps_siblings_together) {
            // The nearest is pushed last, to be popped first.
            let first = self.entries.len();
            for other in ordered(open | swap, lower_bounds, T::ORDERED) {
                let is_open = open >> other & 1 != 0;
                self.entries.push(if is_open { open_lane(other) } else { swap_lanes(1 << other, lower_bounds[other]) });
            }
            self.entries[first..].reverse();
        } else {
            for other in lanes(open) {
                self.entries.push(open_lane(other));
            }
            if swap != 0 {
                let lower_bound = if T::ORDERED { least(swap, lower_bounds) } else { 0.0 };
                self.entries.push(swap_lanes(swap, lower_bound));
            }
        }
    }

    /// Breaks where the question is to end.
    #[inline(always)]
    fn step(&mut self) -> ControlFlow<()> {
        self.steps_left -= 1;
        if self.steps_left > 0 {
            return ControlFlow::Continue(());
        }
        self.steps_left = STEPS;
        self.interrupt.look()
    }

    /// Hands over the pairs that there are.
    #[inline(always)]
    fn hand_over(&mut self) -> ControlFlow<()> {
        if self.pairs.len() > 0 {
            self.step()?;
            self.limit = self.visitor.visit(self.pairs)?;
            self.pairs.clear();
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn record_culled(&mut self, entry: &Entry) {
        if self.is_recorded
            && let Some(recorder) = self.visitor.recorder()
        {
            recorder.on_culled(entry);
        }
    }

    #[inline(always)]
    fn record_separated(&mut self, entry: &Entry) {
        if self.is_recorded
            && let Some(recorder) = self.visitor.recorder()
        {
            recorder.on_separated(entry);
        }
    }
}

/// Swaps the entry of least lower bound, of several the one pushed last, to where it is popped next.
fn bring_nearest_to_top(entries: &mut [Entry]) {
    let nearest = (0..entries.len()).rev().min_by(|&i, &j| entries[i].lower_bound.total_cmp(&entries[j].lower_bound));
    if let Some(nearest) = nearest {
        let last = entries.len() - 1;
        entries.swap(nearest, last);
    }
}
