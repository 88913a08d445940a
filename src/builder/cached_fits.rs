//! Boxes that splits have measured, kept for the nodes that they are around: they need not be fitted again.

use std::cmp::Reverse;
use std::ops::Range;

use crate::volume::{BoundingVolume, FittedBox, PackedObb, WIDTH};

/// In preorder: a node's box before those of what is below it, the left side first. In several lists, one after the
/// other, so that what several threads have made is joined without moving it.
#[derive(Default)]
pub(super) struct KeptBoxes {
    lists: Vec<Vec<KeptBox>>,
}

struct KeptBox {
    first: u32,
    end: u32,
    words: [u32; WORDS],
}

/// Words of a box without its reference.
const WORDS: usize = PackedObb::FIELDS - 1;

impl KeptBoxes {
    /// Not of so few triangles that they are leaves of one node.
    pub(super) fn push(&mut self, triangles: Range<usize>, fit: &FittedBox) {
        if triangles.len() <= WIDTH {
            return;
        }
        let mut words = [0; WORDS];
        PackedObb::pack(fit, &mut words);
        let kept = KeptBox { first: triangles.start as u32, end: triangles.end as u32, words };
        match self.lists.last_mut() {
            Some(list) => list.push(kept),
            None => self.lists.push(vec![kept]),
        }
    }

    /// Puts what is further right in the tree behind.
    pub(super) fn append(&mut self, mut right: Self) {
        self.lists.append(&mut right.lists);
    }

    pub(super) fn indexed(self) -> KeptIndex {
        let Self { lists } = self;
        let mut first = Vec::new();
        for (list, boxes) in lists.iter().enumerate() {
            for (number, kept) in boxes.iter().enumerate() {
                while first.len() * STEP <= kept.first as usize {
                    first.push([list as u32, number as u32]);
                }
            }
        }
        KeptIndex { lists, first }
    }
}

/// Boxes to look up.
pub(super) struct KeptIndex {
    lists: Vec<Vec<KeptBox>>,
    /// By a triangle's number over [`STEP`], the first box that begins there or later: its list and its number in that.
    first: Vec<[u32; 2]>,
}

/// As many triangles as have a few boxes.
const STEP: usize = 16;

impl KeptIndex {
    /// The words of the box around the triangles.
    pub(super) fn words(&self, triangles: &Range<usize>) -> Option<&[u32]> {
        if triangles.len() <= WIDTH {
            return None;
        }
        let [list, number] = self.first.get(triangles.start / STEP)?.map(|index| index as usize);
        let later = self.lists[list + 1..].iter().flatten();
        // Preorder.
        let place = |first: u32, end: u32| (first, Reverse(end));
        let sought = place(triangles.start as u32, triangles.end as u32);
        let found =
            self.lists[list][number..].iter().chain(later).find(|kept| place(kept.first, kept.end) >= sought)?;
        (place(found.first, found.end) == sought).then_some(&found.words)
    }
}
