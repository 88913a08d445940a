//! The stored volumes of a tree, one by one, in mesh coordinates: what reports and exports look at.

use super::bvtree::BvTree;
use crate::packed::{Aabb8, Frame, Node, NodeRef, Obb8, Sphere8, Volume8, WIDTH};
use crate::shape::{Aabb, Obb, Sphere};
use crate::volume::{Volume, VolumeKind};

/// One stored volume of a tree, and its place there.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeInfo {
    /// 0 for the root.
    pub level: u32,
    /// The node above, by its index in [`BvTree::nodes`]; `None` for the root.
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
    pub(crate) below: NodeRef,
}

impl NodeInfo {
    /// Whether triangles come next.
    pub fn is_leaf(&self) -> bool {
        self.children == 0
    }
}

impl BvTree {
    /// Every stored volume, level by level from the root; siblings stand together. Empty for an empty mesh.
    pub fn nodes(&self) -> Vec<NodeInfo> {
        match self.kind() {
            VolumeKind::Aabb => self.walk::<Aabb8>(),
            VolumeKind::Obb => self.walk::<Obb8>(),
            VolumeKind::Sphere => self.walk::<Sphere8>(),
        }
    }

    /// The mesh's triangles, by their indices there, in the order of the leaves: those below a node stand together.
    pub fn faces(&self) -> &[u32] {
        self.view().faces
    }

    fn walk<V: Volume8>(&self) -> Vec<NodeInfo> {
        let view = self.view();
        let mut nodes = Vec::with_capacity(self.node_count());
        if view.corners.is_empty() {
            return nodes;
        }
        let frame = &self.meta().frame;
        let mut parents = vec![(None, NodeRef::ROOT)];
        let mut level = 0;
        while !parents.is_empty() {
            let mut inner = Vec::with_capacity(parents.len().saturating_mul(WIDTH));
            for (parent, wide) in parents {
                let node = Node::at(view.nodes, V::KIND, wide);
                for lane in 0..wide.children() {
                    let below = node.child(lane);
                    let (first_triangle, triangles, children) = if below.is_leaf() {
                        (below.first_triangle(), view.leaf(below.first_triangle()).len(), 0)
                    } else {
                        inner.push((Some(nodes.len()), below));
                        (usize::MAX, 0, below.children())
                    };
                    let volume = in_mesh(V::unpack(&node.fields(lane)), frame);
                    nodes.push(NodeInfo { level, parent, volume, first_triangle, triangles, children, below });
                }
            }
            parents = inner;
            level += 1;
        }
        // Children come after their parents, so that going backwards a node is complete before it is passed up.
        for node in (0..nodes.len()).rev() {
            if let Some(parent) = nodes[node].parent {
                nodes[parent].triangles += nodes[node].triangles;
                nodes[parent].first_triangle = nodes[parent].first_triangle.min(nodes[node].first_triangle);
            }
        }
        nodes
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
