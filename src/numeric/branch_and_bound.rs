//! The open regions of a branch and bound for a maximum, the region of greatest upper bound first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::{Index, IndexMut};

/// The regions of the search that may contain a greater value than the greatest one found.
///
/// A popped region keeps its index, by which it is read, until it is put back, settled or removed.
pub(crate) struct OpenRegions<R> {
    queue: BinaryHeap<Queued>,
    regions: Vec<R>,
    free: Vec<usize>,
    settled: f64,
}

/// A region of the queue, ordered by an upper bound on the values in it.
struct Queued {
    upper: f64,
    region: usize,
}

impl<R> OpenRegions<R> {
    pub(crate) fn new() -> Self {
        Self { queue: BinaryHeap::new(), regions: Vec::new(), free: Vec::new(), settled: 0.0 }
    }

    /// Adds a region, or only records it as settled if its upper bound is at most `enough`.
    pub(crate) fn push(&mut self, upper: f64, enough: f64, region: R) {
        if upper <= enough {
            return self.settle_bound(upper);
        }
        let index = match self.free.pop() {
            Some(index) => {
                self.regions[index] = region;
                index
            }
            None => {
                self.regions.push(region);
                self.regions.len() - 1
            }
        };
        self.queue.push(Queued { upper, region: index });
    }

    /// Removes the region of greatest upper bound from the queue; returns its index and the bound. Ties go to the
    /// lowest index.
    pub(crate) fn pop(&mut self) -> Option<(usize, f64)> {
        self.queue.pop().map(|queued| (queued.region, queued.upper))
    }

    /// The greatest upper bound of the queue.
    pub(crate) fn greatest(&self) -> Option<f64> {
        self.queue.peek().map(|queued| queued.upper)
    }

    /// Puts a popped region back, with a tighter upper bound.
    pub(crate) fn put_back(&mut self, index: usize, upper: f64) {
        self.queue.push(Queued { upper, region: index });
    }

    /// Removes a popped region and records it as settled, since its upper bound is near enough to the greatest value
    /// found.
    pub(crate) fn settle(&mut self, index: usize, upper: f64) {
        self.settle_bound(upper);
        self.remove(index);
    }

    /// Records the upper bound of a region outside the queue as settled, since the bound is near enough to the greatest
    /// value found.
    pub(crate) fn settle_bound(&mut self, upper: f64) {
        self.settled = self.settled.max(upper);
    }

    /// Removes a popped region whose parts have been added.
    pub(crate) fn remove(&mut self, index: usize) {
        self.free.push(index);
    }

    /// The greatest upper bound of all settled regions; 0 if there is none.
    pub(crate) fn settled(&self) -> f64 {
        self.settled
    }
}

impl<R> Index<usize> for OpenRegions<R> {
    type Output = R;

    fn index(&self, index: usize) -> &R {
        &self.regions[index]
    }
}

impl<R> IndexMut<usize> for OpenRegions<R> {
    fn index_mut(&mut self, index: usize) -> &mut R {
        &mut self.regions[index]
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.upper.total_cmp(&other.upper).then(other.region.cmp(&self.region))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Queued {}
