//! The interface between a traversal of two trees and a query: a queue of up to eight pairs of leaf triangles, and the
//! visitor that receives it.

use std::ops::ControlFlow;

use super::node_pair::NodePair;
use crate::tree::View;
use crate::triangle::Batch;

/// A query's handler of pairs of leaf triangles.
pub(crate) trait PairVisitor {
    /// Receives one to eight pairs of triangles that passed the volume tests. Breaks to end the traversal, or returns
    /// the new limit: from then on, node pairs whose lower bound exceeds it are skipped (infinite if the volume test is
    /// not ordered).
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32>;

    /// The recorder of node pairs at which the traversal ends, if there is one.
    fn recorder(&mut self) -> Option<&mut dyn Recorder> {
        None
    }
}

/// Records node pairs at which a traversal ends.
pub(crate) trait Recorder {
    /// Records lanes that have just been tested and are too far apart: one of the single node, some of the wide node.
    fn on_separated(&mut self, nodes: &NodePair);

    /// Records a node pair whose lower bound is above a limit that was lowered since it was tested.
    fn on_culled(&mut self, nodes: &NodePair);

    /// Ends the recording, because triangles are about to be tested in place of their leaf.
    fn give_up(&mut self);
}

/// Up to eight pairs of triangles, one of A and one of B, by leaf index.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairQueue {
    leaves: [[u32; 2]; Self::CAPACITY],
    count: usize,
    /// Scratch memory for the triangles, one pair in each lane.
    batch: Batch,
}

impl PairQueue {
    pub(crate) const CAPACITY: usize = 8;

    /// Removes the pairs for which `passes` returns false.
    pub(crate) fn retain(&mut self, passes: impl Fn([u32; 2]) -> bool) {
        let mut kept = 0;
        for i in 0..self.count {
            self.leaves[kept] = self.leaves[i];
            kept += usize::from(passes(self.leaves[i]));
        }
        self.count = kept;
    }

    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a pair. Precondition: fewer than [`CAPACITY`](Self::CAPACITY) pairs are queued.
    #[inline(always)]
    pub(crate) fn push(&mut self, a: usize, b: usize) {
        self.leaves[self.count & (Self::CAPACITY - 1)] = [a as u32, b as u32];
        self.count += 1;
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// A bit for each pair.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> u8 {
        ((1 << self.count) - 1) as u8
    }

    /// The lane of each pair, and the leaf indices of its triangles of A and B.
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.leaves.iter().take(self.count).enumerate().map(|(lane, &[a, b])| (lane, a as usize, b as usize))
    }

    /// The triangles of A and of B, as the last call of [`PairQueue::batch`] left them.
    pub(crate) fn triangles(&self) -> [&[[[f32; 8]; 3]; 3]; 2] {
        self.batch.triangles()
    }

    /// The triangles of the pairs, one pair in each lane.
    #[inline(always)]
    pub(crate) fn batch(&mut self, [view_a, view_b]: &[View<'_>; 2]) -> &Batch {
        for (lane, &[a, b]) in self.leaves.iter().take(self.count).enumerate() {
            self.batch.set(lane, view_a.triangle(a as usize), view_b.triangle(b as usize));
        }
        &self.batch
    }
}
