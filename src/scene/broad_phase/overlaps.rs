//! The items of a tree whose boxes overlap one.

use std::ops::ControlFlow;

use super::box32::Box32;
use super::tree::{BoxTree, Stack};

impl BoxTree {
    /// Calls `visit` for each item whose box overlaps the given one, in no particular order, until it breaks.
    #[inline]
    pub(crate) fn for_each_overlap(
        &self,
        bounds: &Box32,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut stack = Stack::new();
        stack.extend(self.root_number().filter(|&root| self.node(root).bounds.overlaps(bounds)));
        while let Some(at) = stack.pop() {
            let node = self.node(at);
            if node.is_leaf() {
                visit(node.children[1])?;
                continue;
            }
            for child in node.children {
                if self.node(child).bounds.overlaps(bounds) {
                    stack.push(child);
                }
            }
        }
        ControlFlow::Continue(())
    }
}
