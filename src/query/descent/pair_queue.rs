//! Pairs of leaf triangles on their way from the descent to the question, up to eight at a time.

use crate::tree::View;
use crate::triangle::Batch;

/// Up to eight pairs of triangles, of A and of B, by their leaf indices.
#[derive(Clone, Debug, Default)]
pub(in crate::query) struct PairQueue {
    leaves: [[u32; 2]; Self::CAPACITY],
    count: usize,
    /// Scratch memory for the triangles side by side.
    batch: Batch,
}

impl PairQueue {
    pub(in crate::query) const CAPACITY: usize = 8;

    pub(in crate::query) fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a pair. There must be room.
    #[inline(always)]
    pub(in crate::query) fn push(&mut self, a: usize, b: usize) {
        self.leaves[self.count & (Self::CAPACITY - 1)] = [a as u32, b as u32];
        self.count += 1;
    }

    #[inline(always)]
    pub(in crate::query) fn len(&self) -> usize {
        self.count
    }

    /// A bit for each pair.
    #[inline(always)]
    pub(in crate::query) fn lanes(&self) -> u8 {
        ((1 << self.count) - 1) as u8
    }

    /// For each pair its lane, and the leaf indices of A's and of B's triangle.
    #[inline(always)]
    pub(in crate::query) fn iter(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.leaves.iter().take(self.count).enumerate().map(|(lane, &[a, b])| (lane, a as usize, b as usize))
    }

    /// The triangles of A and those of B, as [`PairQueue::batch`] left them.
    pub(in crate::query) fn triangles(&self) -> [&[[[f32; 8]; 3]; 3]; 2] {
        self.batch.triangles()
    }

    /// The pairs' triangles side by side.
    #[inline(always)]
    pub(in crate::query) fn batch(&mut self, [view_a, view_b]: &[View<'_>; 2]) -> &Batch {
        for (lane, &[a, b]) in self.leaves.iter().take(self.count).enumerate() {
            self.batch.set(lane, view_a.triangle(a as usize), view_b.triangle(b as usize));
        }
        &self.batch
    }
}
