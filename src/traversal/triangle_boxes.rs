//! The boxes of the triangles that were last tested in place of their leaves.

use std::fmt;

use super::posed_trees::PosedTrees;
use crate::volume::{TriangleBox, TriangleFrame};

/// The last boxes, each in the place of its triangle's index: a traversal comes back to a few of them.
#[derive(Default)]
pub(super) struct TriangleBoxes {
    frames: [Option<TriangleFrame>; 2],
    boxes: [Option<([usize; 2], TriangleBox)>; Self::CAPACITY],
}

impl TriangleBoxes {
    const CAPACITY: usize = 8;

    /// Forgets the boxes of another query.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        if self.frames.iter().any(Option::is_some) {
            *self = Self::default();
        }
    }

    /// The box around the triangle of a side, in the other tree's frame.
    pub(super) fn get(&mut self, trees: &PosedTrees<'_>, side: usize, triangle: usize) -> &TriangleBox {
        let (key, slot) = ([side, triangle], &mut self.boxes[triangle % Self::CAPACITY]);
        if slot.as_ref().is_none_or(|(known, _)| *known != key) {
            *slot = None;
        }
        let (_, found) = slot.get_or_insert_with(|| {
            let frame = &mut self.frames[side];
            let frame = frame.get_or_insert_with(|| TriangleFrame::new(side, &trees.frames, trees.b_to_a));
            (key, frame.around(trees.views[side].triangle(triangle)))
        });
        found
    }
}

impl fmt::Debug for TriangleBoxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TriangleBoxes").finish_non_exhaustive()
    }
}
