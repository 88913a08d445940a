//! How many bytes a cooked file spends on what.

use super::groups;
use super::sections::NAMES;
use crate::tree::BvTree;

impl BvTree {
    /// Bytes of each section that the tree's cooked file has, by name and in the file's order. The header and the
    /// padding between sections come on top.
    pub fn section_sizes(&self) -> [(&'static str, usize); 6] {
        let view = self.view();
        let sizes = [
            size_of_val(view.nodes),
            size_of_val(view.vertices),
            size_of_val(view.corners),
            size_of_val(view.faces),
            size_of_val(view.polygons),
            groups::encode(self.groups()).len(),
        ];
        std::array::from_fn(|i| (NAMES[i], sizes[i]))
    }
}
