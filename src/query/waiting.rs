//! Pairs of triangles that wait to be tested eight at a time.

use crate::tree::View;
use crate::triangle::Batch;

/// Up to eight pairs.
pub(super) struct Waiting<'a> {
    /// Scratch memory, which is not worth clearing for every question.
    batch: &'a mut Batch,
    places: [(u32, u32); 8],
    count: usize,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(batch: &'a mut Batch) -> Self {
        Self { batch, places: [(0, 0); 8], count: 0 }
    }

    /// Adds a pair, by its places in leaf order. True if there is no more room: then all are to be tested.
    #[inline(always)]
    pub(super) fn add(&mut self, [views_a, views_b]: [View<'_>; 2], a: usize, b: usize) -> bool {
        self.batch.set(self.count, views_a.triangle(a), views_b.triangle(b));
        self.places[self.count] = (a as u32, b as u32);
        self.count += 1;
        self.count == 8
    }

    /// How many wait.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// All pairs side by side.
    #[inline(always)]
    pub(super) fn batch(&self) -> &Batch {
        self.batch
    }

    /// A bit for each that waits.
    #[inline(always)]
    pub(super) fn lanes(&self) -> u8 {
        ((1 << self.count) - 1) as u8
    }

    /// Takes all pairs out: for each its lane in the batch, and its places.
    #[inline(always)]
    pub(super) fn take(&mut self) -> impl Iterator<Item = (usize, usize, usize)> + Clone + use<> {
        let count = std::mem::take(&mut self.count);
        self.places.into_iter().take(count).enumerate().map(|(lane, (a, b))| (lane, a as usize, b as usize))
    }
}
