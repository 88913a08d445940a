//! A tree's volumes, in order, with what it takes to find those that hold a point or meet a line.

use crate::shape::Aabb;
use crate::tree::{BvTree, NodeInfo};
use crate::volume::Volume;

/// The stored volumes of a tree and which are below which.
pub(super) struct Hierarchy {
    pub(super) nodes: Vec<NodeInfo>,
    /// Of each node the index of its first child; the others follow.
    first_child: Vec<usize>,
    /// A box around each node's volume and all below it, which the volume itself need not enclose.
    reach: Vec<Aabb>,
}

impl Hierarchy {
    pub(super) fn new(tree: &BvTree) -> Self {
        let nodes: Vec<NodeInfo> = tree.nodes().collect();
        let mut next = 1;
        let first_child = nodes
            .iter()
            .map(|node| {
                let first = next;
                next += node.children;
                first
            })
            .collect();
        let mut reach: Vec<Aabb> = nodes.iter().map(|node| node.volume.aabb()).collect();
        // Children come after their parents.
        for (index, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                reach[parent] = reach[parent].union(&reach[index]);
            }
        }
        Self { nodes, first_child, reach }
    }

    /// How many levels of volumes there are.
    pub(super) fn levels(&self) -> usize {
        self.nodes.last().map_or(0, |last| last.level as usize + 1)
    }

    /// The indices of a node's children.
    pub(super) fn children(&self, node: usize) -> std::ops::Range<usize> {
        let first = self.first_child[node];
        first..first + self.nodes[node].children
    }

    /// Visits every node whose volume matters; `may_matter` says whether any volume in a box might.
    pub(super) fn for_each(
        &self,
        may_matter: impl Fn(&Aabb) -> bool,
        matters: impl Fn(&Volume) -> bool,
        mut visit: impl FnMut(usize, &NodeInfo),
    ) {
        let mut left: Vec<usize> = Vec::from_iter((!self.nodes.is_empty()).then_some(0));
        while let Some(index) = left.pop() {
            if !may_matter(&self.reach[index]) {
                continue;
            }
            let node = &self.nodes[index];
            if matters(&node.volume) {
                visit(index, node);
            }
            left.extend(self.children(index));
        }
    }
}

/// Whether a node is part of the tree cut at a level.
pub(super) fn is_cut_at(node: &NodeInfo, level: usize) -> bool {
    let own = node.level as usize;
    own == level || own < level && node.is_leaf()
}
