//! The binary tree that builders hand on: which triangles stay together, without volumes.

use std::ops::Range;

use bytemuck::Zeroable;

/// A node in preorder: the left child follows its parent. Leaves of one triangle are not stored, for they are most of a
/// tree's nodes and their parents tell all there is to know.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(super) struct BinaryNode {
    /// Triangles below the node, consecutive in the builder's order.
    triangles: u32,
    /// Nodes from this one to where its right child's begin; [`LEAF`] or [`BUNDLE`] for what has no children.
    right: u32,
    /// Half the surface area of the volume that was split, in an arbitrary unit; 0 for a leaf.
    area: f32,
}

const LEAF: u32 = 0;
const BUNDLE: u32 = u32::MAX;

impl BinaryNode {
    /// Keeps the place of an inner node until its subtree is there.
    pub(super) const PENDING: Self = Self { triangles: 0, right: LEAF, area: 0.0 };

    /// None for a single triangle, which needs no node.
    pub(super) fn leaf(triangles: usize) -> Option<Self> {
        (triangles > 1).then_some(Self { triangles: triangles as u32, right: LEAF, area: 0.0 })
    }

    /// `right` counts the nodes from this one to where its right child's begin.
    pub(super) fn inner(triangles: usize, right: usize, area: f32) -> Self {
        Self { triangles: triangles as u32, right: right as u32, area }
    }

    /// Stands for a subtree whose leaves hold a triangle each, halved down to them: how does not matter where they
    /// become siblings anyway.
    pub(super) fn bundle(triangles: usize, area: f32) -> Self {
        Self { triangles: triangles as u32, right: BUNDLE, area }
    }
}

/// A binary tree over the builder's order of triangles. Empty for an empty mesh.
pub(super) struct Binary {
    triangles: usize,
    nodes: Vec<BinaryNode>,
    /// Triangles of the fullest leaf.
    fullest: usize,
}

/// A subtree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where its nodes begin. A leaf of one triangle has none.
    pub(super) node: usize,
    pub(super) first: usize,
    pub(super) triangles: usize,
    pub(super) head: Head,
}

/// What stands at a subtree's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    Inner,
    Bundle,
    Leaf,
}

impl Place {
    pub(super) fn is_leaf(self) -> bool {
        self.head == Head::Leaf
    }

    /// Where its triangles are.
    pub(super) fn range(self) -> Range<usize> {
        self.first..self.first + self.triangles
    }
}

impl Binary {
    pub(super) fn new(triangles: usize, nodes: Vec<BinaryNode>) -> Self {
        let leaves = nodes.iter().filter(|node| node.right == LEAF);
        let fullest = leaves.map(|leaf| leaf.triangles as usize).max().unwrap_or(1);
        Self { triangles, nodes, fullest }
    }

    /// Whether every leaf is a single triangle.
    pub(super) fn is_single(&self) -> bool {
        self.fullest == 1
    }

    /// How many nodes there are but for the leaves of one triangle.
    pub(super) fn stored_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn root(&self) -> Option<Place> {
        (self.triangles > 0).then(|| self.place(0, 0..self.triangles))
    }

    #[inline]
    fn place(&self, node: usize, triangles: Range<usize>) -> Place {
        let right = if triangles.len() == 1 { LEAF } else { self.nodes[node].right };
        let head = match right {
            LEAF => Head::Leaf,
            BUNDLE => Head::Bundle,
            _ => Head::Inner,
        };
        Place { node, first: triangles.start, triangles: triangles.len(), head }
    }

    /// The two children, or none for a leaf or a bundle.
    #[inline]
    pub(super) fn children(&self, place: Place) -> Option<[Place; 2]> {
        (place.head == Head::Inner).then(|| {
            let Range { start, end } = place.range();
            let right = self.nodes[place.node].right as usize;
            let left_triangles = if right == 1 { 1 } else { self.nodes[place.node + 1].triangles as usize };
            let middle = start + left_triangles;
            [self.place(place.node + 1, start..middle), self.place(place.node + right, middle..end)]
        })
    }

    /// The area of the volume that was split at an inner node.
    pub(super) fn area(&self, place: Place) -> f32 {
        self.nodes[place.node].area
    }

    /// How many leaves a subtree has, or any number greater than `limit`.
    pub(super) fn leaves_up_to(&self, limit: usize, place: Place) -> usize {
        // There are no fewer than this.
        if place.triangles > limit * self.fullest || self.is_single() {
            return place.triangles.div_ceil(self.fullest);
        }
        match self.children(place) {
            None if place.is_leaf() => 1,
            None => place.triangles,
            Some([left, right]) => {
                let leaves = self.leaves_up_to(limit, left);
                if leaves > limit { leaves } else { leaves + self.leaves_up_to(limit - leaves, right) }
            }
        }
    }

    /// Appends the leaves of a subtree, in order.
    pub(super) fn push_leaves(&self, place: Place, leaves: &mut impl Extend<Place>) {
        // Where all are single they are the subtree's triangles one by one.
        let children = if self.is_single() { None } else { self.children(place) };
        match children {
            Some(children) => children.into_iter().for_each(|child| self.push_leaves(child, leaves)),
            None if place.is_leaf() => leaves.extend([place]),
            None => leaves.extend(place.range().map(|first| Place { first, triangles: 1, head: Head::Leaf, ..place })),
        }
    }

    /// Splits between the root and the deepest leaf.
    pub(super) fn depth(&self) -> u32 {
        let mut deepest = 0;
        let mut stack: Vec<(Place, u32)> = self.root().map(|root| (root, 0)).into_iter().collect();
        while let Some((place, depth)) = stack.pop() {
            match self.children(place) {
                Some(children) => stack.extend(children.map(|child| (child, depth + 1))),
                None if place.is_leaf() => deepest = deepest.max(depth),
                None => deepest = deepest.max(depth + place.triangles.next_power_of_two().ilog2()),
            }
        }
        deepest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halves down to single triangles.
    fn halved(triangles: usize, nodes: &mut Vec<BinaryNode>) {
        if triangles == 1 {
            return;
        }
        let node = nodes.len();
        nodes.push(BinaryNode::PENDING);
        halved(triangles / 2, nodes);
        nodes[node] = BinaryNode::inner(triangles, nodes.len() - node, 1.0);
        halved(triangles - triangles / 2, nodes);
    }

    fn leaves(binary: &Binary) -> Vec<(Range<usize>, bool)> {
        let mut leaves: Vec<Place> = Vec::new();
        binary.push_leaves(binary.root().unwrap(), &mut leaves);
        leaves.iter().map(|leaf| (leaf.range(), leaf.is_leaf())).collect()
    }

    #[test]
    fn a_bundle_is_what_it_stands_for() {
        for triangles in 1..=20 {
            let mut nodes = Vec::new();
            halved(triangles, &mut nodes);
            let bundle = (triangles > 1).then(|| BinaryNode::bundle(triangles, 1.0));
            let [halved, bundle] = [nodes, Vec::from_iter(bundle)].map(|nodes| Binary::new(triangles, nodes));
            assert_eq!(halved.depth(), bundle.depth());
            assert_eq!(leaves(&halved), leaves(&bundle));
            assert_eq!(leaves(&halved), Vec::from_iter((0..triangles).map(|i| (i..i + 1, true))));
            for limit in 0..=triangles {
                let counts = [&halved, &bundle].map(|tree| tree.leaves_up_to(limit, tree.root().unwrap()));
                assert!(counts.iter().all(|&count| if limit < triangles { count > limit } else { count == triangles }));
            }
        }
    }

    #[test]
    fn leaves_of_several_triangles_are_among_single_ones() {
        let nodes = [Some(BinaryNode::inner(6, 2, 1.0)), BinaryNode::leaf(3), Some(BinaryNode::inner(3, 1, 1.0))];
        let binary = Binary::new(6, nodes.into_iter().chain([BinaryNode::leaf(2)]).flatten().collect());
        assert_eq!(leaves(&binary), [(0..3, true), (3..4, true), (4..6, true)]);
        assert_eq!(binary.depth(), 2);
        for limit in 0..4 {
            let leaves = binary.leaves_up_to(limit, binary.root().unwrap());
            assert!(if limit < 3 { leaves > limit } else { leaves == 3 }, "{leaves} up to {limit}");
        }
    }
}
