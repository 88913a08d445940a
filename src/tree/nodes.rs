//! The stored volumes of a tree, one by one, in mesh coordinates: for reports and exports.

use std::collections::VecDeque;
use std::ops::Range;

use super::arrays::View;
use super::bvtree::BvTree;
use crate::volume::{BoundingVolume, Frame, Node, NodeRef, Volume, VolumeKind, for_kind};

/// A stored volume of a tree, around a leaf or an eight-wide node, and its place in the tree.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct NodeInfo<V = Volume> {
    /// The level, 0 for the root.
    pub level: u32,
    /// Index of the node above, in the order of [`BvTree::nodes`]; `None` for the root.
    pub parent: Option<usize>,
    /// The volume, in mesh coordinates.
    pub volume: V,
    /// Index of the node's first triangle in [`BvTree::faces`].
    pub first_triangle: usize,
    /// The number of triangles below.
    pub triangles: usize,
    /// The number of volumes directly below: 0 for a leaf.
    pub children: usize,
    /// The reference to the volume's children or triangles.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) below: NodeRef,
}

impl<V> NodeInfo<V> {
    /// Whether the node is a leaf, with triangles directly below.
    pub fn is_leaf(&self) -> bool {
        self.children == 0
    }

    /// The same node with another volume.
    pub(crate) fn with_volume<W>(self, volume: W) -> NodeInfo<W> {
        let Self { level, parent, volume: _, first_triangle, triangles, children, below } = self;
        NodeInfo { level, parent, volume, first_triangle, triangles, children, below }
    }
}

impl BvTree {
    /// All stored volumes (one item per volume, not per eight-wide node), level by level from the root, siblings
    /// together. There are none for an empty mesh.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeInfo> + '_ {
        Nodes::new(self)
    }

    /// The mesh's triangles in leaf order, by their indices in the mesh: the triangles below a node are consecutive.
    pub fn faces(&self) -> &[u32] {
        self.view().faces
    }
}

impl BvTree {
    /// The node two levels above a triangle's leaf, or the root, given the triangle's leaf index.
    pub(crate) fn node_around(&self, leaf_index: usize) -> NodeRef {
        let (view, kind) = (self.view(), self.kind());
        let children = |node: NodeRef| Node::at(view.nodes, kind, node);
        let first_triangle = |mut below: NodeRef| {
            while !below.is_leaf() {
                below = children(below).child(0);
            }
            below.first_triangle()
        };
        let (mut above, mut node) = (NodeRef::ROOT, NodeRef::ROOT);
        loop {
            // Leaves are in the order of triangles: the last child that begins at the triangle or before holds it.
            let wide = children(node);
            let lane = (1..node.children()).rev().find(|&lane| first_triangle(wide.child(lane)) <= leaf_index);
            let below = wide.child(lane.unwrap_or(0));
            if below.is_leaf() {
                return above;
            }
            (above, node) = (node, below);
        }
    }
}

/// An iterator over a tree's volumes, level by level.
struct Nodes<'a> {
    view: View<'a>,
    kind: VolumeKind,
    frame: Frame,
    index: usize,
    count: usize,
    /// Wide nodes whose children are still to be returned, the next first.
    queue: VecDeque<Siblings>,
}

struct Siblings {
    level: u32,
    parent: Option<usize>,
    wide: NodeRef,
    lane: usize,
    /// The leaf indices of the triangles below the siblings that are still to be returned.
    triangles: Range<usize>,
}

impl<'a> Nodes<'a> {
    fn new(tree: &'a BvTree) -> Self {
        let view = tree.view();
        let mut queue = VecDeque::new();
        if !view.corners.is_empty() {
            let triangles = 0..view.corners.len();
            queue.push_back(Siblings { level: 0, parent: None, wide: NodeRef::ROOT, lane: 0, triangles });
        }
        Self { view, kind: tree.kind(), frame: tree.meta().frame, index: 0, count: tree.node_count(), queue }
    }

    fn children(&self, wide: NodeRef) -> Node<'a> {
        Node::at(self.view.nodes, self.kind, wide)
    }

    /// The leaf index of the first triangle below a sibling, which is not the first: leaves are in the order of
    /// triangles, and therefore their ancestors are too. No two of these searches visit the same node.
    fn first_triangle(&self, mut below: NodeRef) -> usize {
        while !below.is_leaf() {
            below = self.children(below).child(0);
        }
        below.first_triangle()
    }
}

impl Iterator for Nodes<'_> {
    type Item = NodeInfo;

    fn next(&mut self) -> Option<NodeInfo> {
        let &Siblings { level, parent, wide, lane: child, ref triangles } = self.queue.front()?;
        let node = self.children(wide);
        let (below, is_last) = (node.child(child), child + 1 == wide.children());
        let end = if is_last { triangles.end } else { self.first_triangle(node.child(child + 1)) };
        let triangles = triangles.start..end;
        match self.queue.front_mut() {
            Some(siblings) if !is_last => (siblings.lane, siblings.triangles.start) = (child + 1, end),
            _ => drop(self.queue.pop_front()),
        }
        if !below.is_leaf() {
            let (parent, triangles) = (Some(self.index), triangles.clone());
            self.queue.push_back(Siblings { level: level + 1, parent, wide: below, lane: 0, triangles });
        }
        self.index += 1;
        Some(NodeInfo {
            level,
            parent,
            volume: for_kind!(self.kind, V => V::unpack(&node.fields(child), &self.frame)),
            first_triangle: triangles.start,
            triangles: triangles.len(),
            children: if below.is_leaf() { 0 } else { below.children() },
            below,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = self.count.saturating_sub(self.index);
        (remaining, Some(remaining))
    }
}

impl ExactSizeIterator for Nodes<'_> {}
