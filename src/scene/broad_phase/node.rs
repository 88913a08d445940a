//! Nodes of a tree of boxes.

use super::box32::Box32;

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// Of a leaf, the first child is [`NONE`] and the second the item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) bounds: Box32,
    pub(crate) children: [u32; 2],
}

impl Node {
    pub(crate) fn leaf(bounds: Box32, item: u32) -> Self {
        Self { bounds, children: [NONE, item] }
    }

    #[inline(always)]
    pub(crate) fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}
