//! A cache of the boxes of the triangles that were last tested in place of their leaves.

use std::fmt;

use super::posed_trees::PosedTrees;
use crate::volume::{TriangleBox, TriangleFrame};

/// A cache of triangles' boxes, each at its triangle's index modulo the capacity: a traversal tests the same few
/// triangles again and again.
pub(super) struct TriangleBoxes {
    frames: [Option<TriangleFrame>; 2],
    /// The side and index of each box's triangle.
    keys: [Option<[usize; 2]>; Self::CAPACITY],
    boxes: [TriangleBox; Self::CAPACITY],
}

impl TriangleBoxes {
    const CAPACITY: usize = 8;

    /// Discards the boxes of the previous query.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        if self.frames.iter().any(Option::is_some) {
            (self.frames, self.keys) = ([None; 2], [None; Self::CAPACITY]);
        }
    }

    /// The box, in the other tree's frame, around the part of a side's triangle that matters (see [`TriangleBox`]);
    /// `None` if `is_beyond` returns true for a lower bound on the triangle's distance from the other tree's triangles.
    pub(super) fn get(
        &mut self,
        trees: &PosedTrees<'_>,
        side: usize,
        triangle: usize,
        is_beyond: impl Fn(f32) -> bool,
    ) -> Option<&TriangleBox> {
        let (key, slot) = (Some([side, triangle]), triangle % Self::CAPACITY);
        let found = &mut self.boxes[slot];
        if self.keys[slot] != key {
            let frame = self.frames[side].get_or_insert_with(|| TriangleFrame::new(side, &trees.frames, trees.b_to_a));
            let corners = frame.local(trees.views[side].triangle(triangle));
            if is_beyond(frame.plane_gap(&corners)) {
                return None;
            }
            (self.keys[slot], *found) = (key, frame.around(&corners));
        }
        (!is_beyond(found.gap)).then_some(found)
    }
}

impl Default for TriangleBoxes {
    fn default() -> Self {
        Self { frames: [None; 2], keys: [None; Self::CAPACITY], boxes: [TriangleBox::default(); Self::CAPACITY] }
    }
}

impl fmt::Debug for TriangleBoxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TriangleBoxes").finish_non_exhaustive()
    }
}
