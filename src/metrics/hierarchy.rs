//! The volumes of a tree, with a search for those that contain a point or meet a line.

use nalgebra::Point3;

use super::measured::Measured;
use crate::shape::Aabb;
use crate::tree::{BvTree, NodeInfo};
use crate::volume::Volume;

/// The volumes of a tree, breadth first, and their children.
pub(super) struct Hierarchy<V = Volume> {
    pub(super) nodes: Vec<NodeInfo<V>>,
    /// Index of each node's first child; the others follow.
    first_child: Vec<usize>,
    /// The box around each node's volume and all volumes below it; the node's own volume need not enclose these.
    subtree_bounds: Vec<Aabb>,
}

impl Hierarchy {
    /// The stored volumes of a tree.
    pub(super) fn new(tree: &BvTree) -> Self {
        Self::of(tree.nodes().collect())
    }
}

impl<V: Measured> Hierarchy<V> {
    /// The volumes that `fit` returns for the corners of the triangles below each node of a tree.
    pub(super) fn fitted(tree: &BvTree, mut fit: impl FnMut(&[Point3<f64>]) -> V) -> Self {
        let mut points: Vec<Point3<f64>> = Vec::new();
        let nodes = tree.nodes().map(|node| {
            points.clear();
            let below = node.first_triangle..node.first_triangle + node.triangles;
            points.extend(below.flat_map(|leaf_index| tree.view().triangle(leaf_index).map(|vertex| vertex.cast())));
            node.with_volume(fit(&points))
        });
        Self::of(nodes.collect())
    }

    /// The nodes of a tree, in the order of [`BvTree::nodes`].
    pub(super) fn of(nodes: Vec<NodeInfo<V>>) -> Self {
        let mut next = 1;
        let first_child = nodes
            .iter()
            .map(|node| {
                let first = next;
                next += node.children;
                first
            })
            .collect();
        let mut subtree_bounds: Vec<Aabb> = nodes.iter().map(|node| node.volume.aabb()).collect();
        // Children come after their parents.
        for (index, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                subtree_bounds[parent] = subtree_bounds[parent].union(&subtree_bounds[index]);
            }
        }
        Self { nodes, first_child, subtree_bounds }
    }

    pub(super) fn levels(&self) -> usize {
        self.nodes.last().map_or(0, |last| last.level as usize + 1)
    }

    pub(super) fn children(&self, node: usize) -> std::ops::Range<usize> {
        let first = self.first_child[node];
        first..first + self.nodes[node].children
    }

    /// Visits the nodes for whose volumes `matters` returns true: all of them, or only those that a traversal reaches.
    /// `may_matter` returns whether any volume in a box might matter.
    pub(super) fn for_each(
        &self,
        nodes: Nodes,
        may_matter: impl Fn(&Aabb) -> bool,
        matters: impl Fn(&V) -> bool,
        mut visit: impl FnMut(usize, &NodeInfo<V>),
    ) {
        let mut stack: Vec<usize> = Vec::from_iter((!self.nodes.is_empty()).then_some(0));
        while let Some(index) = stack.pop() {
            if !may_matter(&self.subtree_bounds[index]) {
                continue;
            }
            let node = &self.nodes[index];
            if matters(&node.volume) {
                visit(index, node);
            } else if nodes == Nodes::Reached {
                continue;
            }
            stack.extend(self.children(index));
        }
    }
}

/// Which of the nodes whose volumes matter are visited. If volumes are nested, both choices visit the same nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nodes {
    /// All nodes.
    All,
    /// The nodes that a traversal from the root reaches: the volumes of all nodes above matter too.
    Reached,
}

/// Whether a node is part of the tree cut at a level.
pub(super) fn is_cut_at<V>(node: &NodeInfo<V>, level: usize) -> bool {
    let own = node.level as usize;
    own == level || own < level && node.is_leaf()
}
