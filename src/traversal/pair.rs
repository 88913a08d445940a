//! The traversal of two trees: pop a node pair, test its volumes, queue leaf triangles, push the node pairs below.

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

use super::distinct_triangles::{self, DistinctTriangles};
use super::interrupt::{Interrupt, STEPS};
use super::masked_pairs::MaskedPairs;
use super::node_pair::{NodePair, lanes, least_lower_bound, ordered_lanes};
use super::pair_visitor::{PairQueue, PairVisitor};
use super::pair_volume_tests::{PairTestResult, PairVolumeTest, TriangleTest, WideSide};
use super::policy::{END_OF_RECORDING, FULL_LEAF_MARGIN, MAX_REPLACED, TraversalPolicy, nodes_to_open};
use super::posed_trees::PosedTrees;
use super::triangle_boxes::TriangleBoxes;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::{Node, NodeRef, PackedAnyBox, PairTests, TriangleBox, VolumeKind, for_kind};

/// Traverses two trees; owns the scratch memory.
#[derive(Debug)]
pub(crate) struct PairTraversal {
    pub(crate) level: SimdLevel,
    /// The node pairs still to be tested.
    pub(crate) stack: Vec<NodePair>,
    queue: PairQueue,
    boxes: TriangleBoxes,
    pub(crate) interrupt: Interrupt,
}

impl PairTraversal {
    pub(crate) fn new(level: SimdLevel) -> Self {
        let (stack, queue, boxes) = (Vec::new(), PairQueue::default(), TriangleBoxes::default());
        Self { level, stack, queue, boxes, interrupt: Interrupt::default() }
    }

    /// Traverses both trees from their roots; returns the number of volume tests. The result does not show whether the
    /// visitor or the interrupt ended the traversal early.
    pub(crate) fn run<T: PairVolumeTest>(
        &mut self,
        trees: &PosedTrees<'_>,
        test: &T,
        limit: f32,
        visitor: &mut dyn PairVisitor,
        policy: TraversalPolicy,
    ) -> u64 {
        if trees.is_empty() {
            return 0;
        }
        self.stack.clear();
        self.stack.push(NodePair::ROOTS);
        self.resume(trees, test, limit, visitor, policy)
    }

    /// Traverses both trees from the node pairs on the stack; returns the number of volume tests.
    pub(crate) fn resume<T: PairVolumeTest>(
        &mut self,
        trees: &PosedTrees<'_>,
        test: &T,
        limit: f32,
        visitor: &mut dyn PairVisitor,
        mut policy: TraversalPolicy,
    ) -> u64 {
        let mut masked;
        let visitor: &mut dyn PairVisitor = if trees.is_filtered() {
            // The one of equal triangles that would be tested for all of them may not pass the filter.
            policy.skips_duplicates = false;
            masked = MaskedPairs { trees, limit, visitor };
            &mut masked
        } else {
            visitor
        };
        match trees.kinds {
            [a, b] if a == b => for_kind!(a, V => self.resume_as::<V, T>(trees, test, limit, visitor, policy)),
            _ => self.resume_as::<PackedAnyBox, T>(trees, test, limit, visitor, policy),
        }
    }

    /// [`resume`](Self::resume), with all nodes read as volumes `V`.
    fn resume_as<V: PairTests, T: PairVolumeTest>(
        &mut self,
        trees: &PosedTrees<'_>,
        test: &T,
        limit: f32,
        visitor: &mut dyn PairVisitor,
        policy: TraversalPolicy,
    ) -> u64 {
        let Self { level, stack, queue, boxes, interrupt } = self;
        queue.clear();
        boxes.clear();
        let is_recorded = T::ORDERED && visitor.recorder().is_some();
        let steps_left = interrupt.steps_left();
        let (volume_tests, volume) = (0, PhantomData::<V>);
        let traversal = Loop {
            level: *level,
            trees,
            test,
            limit,
            visitor,
            is_recorded,
            policy,
            stack,
            queue,
            boxes,
            interrupt,
            steps_left,
            volume_tests,
            volume,
        };
        dispatch(*level, traversal)
    }
}

/// A traversal in progress.
struct Loop<'a, V, T> {
    level: SimdLevel,
    trees: &'a PosedTrees<'a>,
    test: &'a T,
    /// Node pairs with a greater lower bound no longer matter.
    limit: f32,
    visitor: &'a mut dyn PairVisitor,
    is_recorded: bool,
    policy: TraversalPolicy,
    stack: &'a mut Vec<NodePair>,
    queue: &'a mut PairQueue,
    boxes: &'a mut TriangleBoxes,
    interrupt: &'a mut Interrupt,
    /// Steps until the interrupt is polled; kept here, where it can stay in a register.
    steps_left: u32,
    volume_tests: u64,
    volume: PhantomData<V>,
}

impl<V: PairTests, T: PairVolumeTest> Task for Loop<'_, V, T> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> u64 {
        // The visitor or the interrupt knows why it broke.
        let _ = self.traverse(simd);
        self.volume_tests
    }
}

/// A volume of the single node, and the wide node against which it was tested.
struct Tested<'a> {
    /// The lane of the single node, and all lanes of the wide node.
    nodes: NodePair,
    /// The child of the single node that has this volume, or a triangle that is tested in place of its leaf.
    below: NodeRef,
    wide: Node<'a>,
}

impl<V: PairTests, T: PairVolumeTest> Loop<'_, V, T> {
    #[inline(always)]
    fn traverse<S: Simd>(&mut self, simd: S) -> ControlFlow<()> {
        let mut length_before = usize::MAX;
        loop {
            if T::ORDERED && self.policy.best_first_pops > 0 && self.stack.len() < length_before {
                self.policy.best_first_pops -= 1;
                bring_nearest_to_top(self.stack);
            }
            length_before = self.stack.len();
            let Some(nodes) = self.stack.pop() else { break };
            if T::ORDERED && nodes.lower_bound > self.limit {
                self.record_culled(&nodes);
                continue;
            }
            self.step()?;
            if T::LOOSE_LEAF_SURVIVORS.is_some() && nodes.single.is_leaf() {
                self.expand_triangle(nodes)?;
            } else {
                self.expand(simd, nodes)?;
            }
            if self.policy.is_eager && self.limit == f32::INFINITY {
                self.flush()?;
            }
        }
        self.flush()
    }

    /// The kind of a tree, which is known at compile time in most cases.
    #[inline(always)]
    fn kind(&self, side: usize) -> VolumeKind {
        match V::NODES {
            Some(kind) => kind,
            None => self.trees.kinds[side],
        }
    }

    /// Tests the volumes of a node pair; below those that pass, queues the triangles or pushes the node pairs.
    #[inline(always)]
    fn expand<S: Simd>(&mut self, simd: S, nodes: NodePair) -> ControlFlow<()> {
        let side = nodes.side();
        let target = 1 - side;
        let to = &self.trees.to_frames[target];
        let single = Node::at(self.trees.views[side].nodes, self.kind(side), nodes.single);
        let wide = Node::at(self.trees.views[target].nodes, self.kind(target), nodes.wide);
        let leaves = wide.leaves(simd);
        let posed = V::posed(simd, &single, to);
        for lane in lanes(nodes.single_lanes()) {
            let volume = V::single(&posed, lane, to);
            let lanes = nodes.wide_lanes() & wide.lanes() & self.wanted_lanes(&nodes, lane);
            let PairTestResult { survivors, larger, lower_bounds } =
                self.test.test(simd, &volume, &WideSide { node: wide, margin: to.margin, target, limit: self.limit });
            let survivors = survivors & lanes;
            self.volume_tests += u64::from(lanes.count_ones());
            let part = |wide_lanes: u8| nodes.with_lanes(lane, wide_lanes);
            self.record_separated(&part(lanes & !survivors));
            if survivors == 0 {
                continue;
            }
            let below = single.child(lane);
            let mut tested = Tested { nodes: part(0xff), below, wide };
            if below.is_leaf() {
                if let Some(least) = T::LOOSE_LEAF_SURVIVORS {
                    tested.nodes.add_leaf_survivors(survivors.count_ones());
                    if tested.nodes.leaf_survivors() >= least
                        && self.expand_triangles(tested.nodes.with_wide_lanes(survivors), below)?
                    {
                        continue;
                    }
                }
                self.queue_leaves(&tested, survivors & leaves, &lower_bounds)?;
            }
            let (open_wide, open_single) = nodes_to_open(survivors, larger, leaves, below.is_leaf());
            if open_single != 0 {
                Node::prefetch(simd, self.trees.views[side].nodes, self.kind(side), below);
            }
            self.push(&tested, open_wide, open_single, &lower_bounds);
        }
        ControlFlow::Continue(())
    }

    /// A bit for each lane of the wide node that is to be tested against a lane of the single node.
    #[inline(always)]
    fn wanted_lanes(&self, nodes: &NodePair, lane: usize) -> u8 {
        if T::ORDERED || !self.policy.is_self || nodes.single != nodes.wide {
            0xff
        } else if nodes.side() == 0 {
            0xff << lane
        } else {
            0xff >> (7 - lane)
        }
    }

    /// Tests the triangles of a loose leaf, each by its own box, against lanes of the wide node; returns false if the
    /// leaf's own volume is to be tested instead.
    ///
    /// Triangles are not recorded: the recording ends at a leaf that is so loose that a warm start from the recorded
    /// node pairs would save no time.
    #[cold]
    #[inline(never)]
    fn expand_triangles(&mut self, nodes: NodePair, leaf: NodeRef) -> ControlFlow<(), bool> {
        let side = nodes.side();
        let leaf = self.trees.views[side].leaf(leaf.first_triangle());
        let to = &self.trees.to_frames[1 - side];
        if self.policy.keeps_leaves
            || leaf.len() > MAX_REPLACED
            || to.far_offset != 0.0
            || self.kind(side) == VolumeKind::Obb
                && to.margin < FULL_LEAF_MARGIN
                && self.trees.views[side].is_parallelogram(&leaf)
        {
            return ControlFlow::Continue(false);
        }
        if self.is_recorded {
            if nodes.leaf_survivors() < END_OF_RECORDING {
                return ControlFlow::Continue(false);
            }
            self.is_recorded = false;
            if let Some(recorder) = self.visitor.recorder() {
                recorder.give_up();
            }
        }
        for triangle in leaf {
            self.expand_triangle(NodePair { single: NodeRef::leaf(triangle), ..nodes })?;
        }
        ControlFlow::Continue(true)
    }

    /// [`expand`](Self::expand) for a triangle in place of the single node.
    #[cold]
    #[inline(never)]
    fn expand_triangle(&mut self, nodes: NodePair) -> ControlFlow<()> {
        let side = nodes.side();
        let target = 1 - side;
        let triangle = nodes.single.first_triangle();
        let wide = Node::at(self.trees.views[target].nodes, self.kind(target), nodes.wide);
        self.volume_tests += 1;
        let (test, limit) = (self.test, self.limit);
        let is_beyond = |gap| test.is_beyond(gap, target, limit);
        let Some(TriangleBox { volume, margin, .. }) = self.boxes.get(self.trees, side, triangle, is_beyond) else {
            return ControlFlow::Continue(());
        };
        let other = WideSide { node: wide, margin: *margin, target, limit: self.limit };
        let tested = TriangleTest { test: self.test, triangle: volume, other };
        let PairTestResult { survivors, lower_bounds, .. } = dispatch(self.level, tested);
        let lanes = nodes.wide_lanes() & wide.lanes();
        self.volume_tests += u64::from(lanes.count_ones());
        let mut inner = survivors & lanes;
        for other in ordered_lanes(survivors & lanes, &lower_bounds, T::ORDERED) {
            let below = wide.child(other);
            if below.is_leaf() {
                inner &= !(1 << other);
                if !T::ORDERED || lower_bounds[other] <= self.limit {
                    let leaves = [triangle..triangle + 1, self.trees.views[target].leaf(below.first_triangle())];
                    self.queue_pairs(leaves[side].clone(), leaves[target].clone())?;
                }
            }
        }
        let tested = Tested { nodes: nodes.with_wide_lanes(0xff), below: nodes.single, wide };
        self.push(&tested, inner, 0, &lower_bounds);
        ControlFlow::Continue(())
    }

    /// Queues the pairs of the single leaf's triangles with the triangles of the wide node's leaves in `leaves`.
    #[inline(always)]
    fn queue_leaves(&mut self, tested: &Tested<'_>, leaves: u8, lower_bounds: &[f32; 8]) -> ControlFlow<()> {
        let [view_a, view_b] = &self.trees.views;
        for other in ordered_lanes(leaves, lower_bounds, T::ORDERED) {
            if T::ORDERED && lower_bounds[other] > self.limit {
                self.record_culled(&tested.nodes.with_wide_lanes(1 << other));
                continue;
            }
            let (leaf, other_leaf) = (tested.below.first_triangle(), tested.wide.child(other).first_triangle());
            let [a, b] = if tested.nodes.side() == 0 { [leaf, other_leaf] } else { [other_leaf, leaf] };
            self.queue_pairs(view_a.leaf(a), view_b.leaf(b))?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn queue_pairs(&mut self, leaf_a: Range<usize>, leaf_b: Range<usize>) -> ControlFlow<()> {
        if self.policy.skips_duplicates && leaf_a.len() * leaf_b.len() >= distinct_triangles::LARGE {
            self.queue_large(leaf_a, leaf_b)
        } else {
            self.queue(leaf_a, leaf_b)
        }
    }

    #[inline(always)]
    fn queue(
        &mut self,
        leaf_a: impl Iterator<Item = usize>,
        leaf_b: impl Iterator<Item = usize> + Clone,
    ) -> ControlFlow<()> {
        for a in leaf_a {
            for b in leaf_b.clone() {
                self.queue.push(a, b);
                if self.queue.len() >= self.policy.queue_size {
                    self.flush()?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Queues the pairs of triangles of two leaves with many pairs, without duplicates: a leaf may hold thousands of
    /// equal triangles, which no plane separates and whose pairs would take minutes to test.
    #[cold]
    #[inline(never)]
    fn queue_large(&mut self, leaf_a: Range<usize>, leaf_b: Range<usize>) -> ControlFlow<()> {
        let [view_a, view_b] = &self.trees.views;
        match [DistinctTriangles::of(view_a, leaf_a.clone()), DistinctTriangles::of(view_b, leaf_b.clone())] {
            [Some(a), Some(b)] => self.queue(a.iter(), b.iter()),
            [Some(a), None] => self.queue(a.iter(), leaf_b),
            [None, Some(b)] => self.queue(leaf_a, b.iter()),
            [None, None] => self.queue(leaf_a, leaf_b),
        }
    }

    /// Pushes the node pairs below a test: the children of the lanes in `open_wide` against the tested volume of the
    /// single node, and the lanes in `open_single` against that volume's children.
    #[inline(always)]
    fn push(&mut self, tested: &Tested<'_>, open_wide: u8, open_single: u8, lower_bounds: &[f32; 8]) {
        let &Tested { nodes, below, wide } = tested;
        let opened_wide =
            |other: usize| NodePair { wide: wide.child(other), lower_bound: lower_bounds[other], ..nodes };
        let opened_single = |lanes: u8, lower_bound: f32| nodes.swapped(below, lanes, lower_bound);
        if T::ORDERED && (self.policy.best_first_pops > 0 || !self.policy.keeps_siblings_together) {
            // The nearest is pushed last, to be popped first.
            let first = self.stack.len();
            for other in ordered_lanes(open_wide | open_single, lower_bounds, T::ORDERED) {
                let is_wide = open_wide >> other & 1 != 0;
                self.stack.push(if is_wide {
                    opened_wide(other)
                } else {
                    opened_single(1 << other, lower_bounds[other])
                });
            }
            self.stack[first..].reverse();
        } else {
            for other in lanes(open_wide) {
                self.stack.push(opened_wide(other));
            }
            if open_single != 0 {
                let lower_bound = if T::ORDERED { least_lower_bound(open_single, lower_bounds) } else { 0.0 };
                self.stack.push(opened_single(open_single, lower_bound));
            }
        }
    }

    /// Counts a step. Breaks if the query is to end.
    #[inline(always)]
    fn step(&mut self) -> ControlFlow<()> {
        self.steps_left -= 1;
        if self.steps_left > 0 {
            return ControlFlow::Continue(());
        }
        self.steps_left = STEPS;
        self.interrupt.poll()
    }

    /// Passes the queued pairs to the visitor.
    #[inline(always)]
    fn flush(&mut self) -> ControlFlow<()> {
        if self.queue.len() > 0 {
            self.step()?;
            self.limit = self.visitor.visit(self.queue)?;
            self.queue.clear();
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn record_culled(&mut self, nodes: &NodePair) {
        if self.is_recorded
            && let Some(recorder) = self.visitor.recorder()
        {
            recorder.on_culled(nodes);
        }
    }

    #[inline(always)]
    fn record_separated(&mut self, nodes: &NodePair) {
        if self.is_recorded
            && let Some(recorder) = self.visitor.recorder()
        {
            recorder.on_separated(nodes);
        }
    }
}

/// Swaps the node pair of least lower bound to the top of the stack; of equally near pairs, the topmost.
fn bring_nearest_to_top(stack: &mut [NodePair]) {
    let nearest = (0..stack.len()).rev().min_by(|&i, &j| stack[i].lower_bound.total_cmp(&stack[j].lower_bound));
    if let Some(nearest) = nearest {
        let last = stack.len() - 1;
        stack.swap(nearest, last);
    }
}
