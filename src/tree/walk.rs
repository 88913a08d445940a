//! The stored volumes of a tree, one by one, in mesh coordinates: what reports and exports look at.

use std::collections::VecDeque;
use std::ops::Range;

use super::bvtree::BvTree;
use super::view::View;
use crate::shape::{Aabb, Obb, Sphere};
use crate::volume::{Frame, Node, NodeRef, PackedAabb, PackedObb, PackedSphere, PackedVolume};
use crate::volume::{Volume, VolumeKind};

/// One stored volume of a tree, a leaf's or that around an eight-wide node, and where it is there.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct NodeInfo {
    /// 0 for the root.
    pub level: u32,
    /// The node above, counted from 0 as [`BvTree::nodes`] gives them; `None` for the root.
    pub parent: Option<usize>,
    /// The volume, in mesh coordinates.
    pub volume: Volume,
    /// Where its triangles begin in [`BvTree::faces`].
    pub first_triangle: usize,
    /// Triangles below.
    pub triangles: usize,
    /// Volumes directly below: 0 for a leaf.
    pub children: usize,
    /// Where its children or triangles are.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) below: NodeRef,
}

impl NodeInfo {
    /// Whether triangles come next.
    pub fn is_leaf(&self) -> bool {
        self.children == 0
    }
}

impl BvTree {
    /// Every stored volume (not every eight-wide node), level by level from the root; siblings stand together. None for
    /// an empty mesh.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeInfo> + '_ {
        Nodes::new(self)
    }

    /// The mesh's triangles, by their indices there, in the order of the leaves: those below a node stand together.
    pub fn faces(&self) -> &[u32] {
        self.view().faces
    }
}

/// Walks a tree level by level.
struct Nodes<'a> {
    view: View<'a>,
    kind: VolumeKind,
    frame: Frame,
    /// How many nodes have come, and how many there are.
    index: usize,
    count: usize,
    /// Wide nodes whose children are still to come, the next first.
    queue: VecDeque<Siblings>,
}

/// The children of a wide node, and the next of them.
struct Siblings {
    level: u32,
    parent: Option<usize>,
    wide: NodeRef,
    lane: usize,
}

impl<'a> Nodes<'a> {
    fn new(tree: &'a BvTree) -> Self {
        let view = tree.view();
        let mut queue = VecDeque::new();
        if !view.corners.is_empty() {
            queue.push_back(Siblings { level: 0, parent: None, wide: NodeRef::ROOT, lane: 0 });
        }
        Self { view, kind: tree.kind(), frame: tree.meta().frame, index: 0, count: tree.node_count(), queue }
    }

    fn children(&self, wide: NodeRef) -> Node<'a> {
        Node::at(self.view.nodes, self.kind, wide)
    }

    /// The triangles below: leaves are in the order of their triangles, and so are their ancestors.
    fn triangles(&self, below: NodeRef) -> Range<usize> {
        let (mut first, mut last) = (below, below);
        while !first.is_leaf() {
            first = self.children(first).child(0);
        }
        while !last.is_leaf() {
            last = self.children(last).child(last.children() - 1);
        }
        first.first_triangle()..self.view.leaf(last.first_triangle()).end
    }
}

impl Iterator for Nodes<'_> {
    type Item = NodeInfo;

    fn next(&mut self) -> Option<NodeInfo> {
        let &mut Siblings { level, parent, wide, ref mut lane } = self.queue.front_mut()?;
        let child = *lane;
        *lane += 1;
        if *lane == wide.children() {
            self.queue.pop_front();
        }
        let node = self.children(wide);
        let below = node.child(child);
        if !below.is_leaf() {
            self.queue.push_back(Siblings { level: level + 1, parent: Some(self.index), wide: below, lane: 0 });
        }
        self.index += 1;
        let triangles = self.triangles(below);
        Some(NodeInfo {
            level,
            parent,
            volume: in_mesh(unpack(self.kind, &node.fields(child)), &self.frame),
            first_triangle: triangles.start,
            triangles: triangles.len(),
            children: if below.is_leaf() { 0 } else { below.children() },
            below,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.count.saturating_sub(self.index);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Nodes<'_> {}

/// A stored volume, in local coordinates.
fn unpack(kind: VolumeKind, words: &[u32]) -> Volume {
    match kind {
        VolumeKind::Aabb => PackedAabb::unpack(words),
        VolumeKind::Obb => PackedObb::unpack(words),
        VolumeKind::Sphere => PackedSphere::unpack(words),
    }
}

/// A volume in local coordinates brought into the mesh's.
fn in_mesh(local: Volume, frame: &Frame) -> Volume {
    match local {
        Volume::Aabb(Aabb { lower, upper }) => {
            Volume::Aabb(Aabb { lower: frame.to_mesh(&lower), upper: frame.to_mesh(&upper) })
        }
        Volume::Obb(Obb { center, axes, half_extents }) => {
            Volume::Obb(Obb { center: frame.to_mesh(&center), axes, half_extents: half_extents * frame.unit })
        }
        Volume::Sphere(Sphere { center, radius }) => {
            Volume::Sphere(Sphere { center: frame.to_mesh(&center), radius: radius * frame.unit })
        }
    }
}
