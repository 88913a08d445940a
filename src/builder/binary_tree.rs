//! Binary trees over the triangles, without volumes: [`BinaryTree`] in preorder, which builders return, and
//! [`LinkedTree`], linked by index, which bottom-up building and rotations change.
//!
//! Neither tree stores volumes: recomputing them from the triangles takes less time than reading them from memory.

use std::ops::Range;

use bytemuck::Zeroable;

use super::leaf_rule::LeafRule;
use super::sah::SahBounds;
use super::triangle_bounds::TriangleBounds;
use crate::volume::Frame;

/// A node in preorder: the left child follows its parent. Leaves of one triangle are not stored, because they would be
/// most of the nodes and their parents determine them.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(super) struct BinaryNode {
    /// Number of triangles below the node; they are consecutive in the builder's order.
    triangles: u32,
    /// Number of nodes from this one to its right child's subtree; [`LEAF`] or [`UNEXPANDED`] for nodes without
    /// children.
    right: u32,
    /// Half the surface area of the volume that was split, up to a constant factor and in the frame's unit squared, so
    /// that it is in the range of f32; 0 for a leaf.
    area: f32,
}

const LEAF: u32 = 0;
const UNEXPANDED: u32 = u32::MAX;

impl BinaryNode {
    /// Reserves the slot of an inner node until its subtree is built.
    pub(super) const PENDING: Self = Self { triangles: 0, right: LEAF, area: 0.0 };

    /// A leaf; `None` for a single triangle, which needs no node.
    pub(super) fn leaf(triangles: usize) -> Option<Self> {
        (triangles > 1).then_some(Self { triangles: triangles as u32, right: LEAF, area: 0.0 })
    }

    /// An inner node. `right` is the number of nodes from this one to its right child's subtree.
    pub(super) fn inner(triangles: usize, right: usize, area: f32) -> Self {
        Self { triangles: triangles as u32, right: right as u32, area }
    }

    /// A node that stands for a subtree halved down to single triangles, which become siblings however they are
    /// divided.
    pub(super) fn unexpanded(triangles: usize, area: f32) -> Self {
        Self { triangles: triangles as u32, right: UNEXPANDED, area }
    }
}

/// A binary tree over the builder's order of triangles. Empty for an empty mesh.
pub(super) struct BinaryTree {
    triangles: usize,
    nodes: Vec<BinaryNode>,
    /// Number of triangles in the fullest leaf.
    fullest: usize,
    /// The number of splits between the root and the deepest leaf.
    pub(super) depth: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Subtree {
    /// Index of the subtree's first node. A leaf of one triangle has no node.
    pub(super) node: usize,
    pub(super) first: usize,
    pub(super) triangles: usize,
    pub(super) kind: NodeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    Inner,
    Unexpanded,
    Leaf,
}

impl Subtree {
    pub(super) fn is_leaf(self) -> bool {
        self.kind == NodeKind::Leaf
    }

    pub(super) fn range(self) -> Range<usize> {
        self.first..self.first + self.triangles
    }
}

impl BinaryTree {
    pub(super) fn new(triangles: usize, nodes: Vec<BinaryNode>, depth: u32) -> Self {
        let leaves = nodes.iter().filter(|node| node.right == LEAF);
        let fullest = leaves.map(|leaf| leaf.triangles as usize).max().unwrap_or(1);
        Self { triangles, nodes, fullest, depth }
    }

    /// Whether every leaf is a single triangle.
    pub(super) fn is_single(&self) -> bool {
        self.fullest == 1
    }

    /// The number of nodes, except for leaves of one triangle.
    pub(super) fn stored_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn root(&self) -> Option<Subtree> {
        (self.triangles > 0).then(|| self.subtree(0, 0..self.triangles))
    }

    #[inline]
    fn subtree(&self, node: usize, triangles: Range<usize>) -> Subtree {
        let right = if triangles.len() == 1 { LEAF } else { self.nodes[node].right };
        let kind = match right {
            LEAF => NodeKind::Leaf,
            UNEXPANDED => NodeKind::Unexpanded,
            _ => NodeKind::Inner,
        };
        Subtree { node, first: triangles.start, triangles: triangles.len(), kind }
    }

    /// The two children, or none for a leaf or an unexpanded node.
    #[inline]
    pub(super) fn children(&self, subtree: Subtree) -> Option<[Subtree; 2]> {
        (subtree.kind == NodeKind::Inner).then(|| {
            let Range { start, end } = subtree.range();
            let right = self.nodes[subtree.node].right as usize;
            let left_triangles = if right == 1 { 1 } else { self.nodes[subtree.node + 1].triangles as usize };
            let middle = start + left_triangles;
            [self.subtree(subtree.node + 1, start..middle), self.subtree(subtree.node + right, middle..end)]
        })
    }

    /// Half the surface area of the volume of an inner or unexpanded node, up to a constant factor and in the frame's
    /// unit squared.
    pub(super) fn area(&self, subtree: Subtree) -> f32 {
        self.nodes[subtree.node].area
    }

    /// The number of leaves of a subtree if it is at most `limit`; otherwise some number greater than `limit`.
    pub(super) fn leaves_up_to(&self, limit: usize, subtree: Subtree) -> usize {
        // A lower bound on the number of leaves: it exceeds the limit, or is exact because every leaf is a single
        // triangle.
        if self.is_single() {
            return subtree.triangles;
        }
        if subtree.triangles > limit * self.fullest {
            return limit + 1;
        }
        match self.children(subtree) {
            None if subtree.is_leaf() => 1,
            None => subtree.triangles,
            Some([left, right]) => {
                let leaves = self.leaves_up_to(limit, left);
                if leaves > limit { leaves } else { leaves + self.leaves_up_to(limit - leaves, right) }
            }
        }
    }

    pub(super) fn push_leaves(&self, subtree: Subtree, leaves: &mut impl Extend<Subtree>) {
        // If all leaves are single triangles, they are the subtree's triangles one by one.
        let children = if self.is_single() { None } else { self.children(subtree) };
        match children {
            Some(children) => children.into_iter().for_each(|child| self.push_leaves(child, leaves)),
            None if subtree.is_leaf() => leaves.extend([subtree]),
            None => leaves.extend(subtree.range().map(|first| Subtree {
                first,
                triangles: 1,
                kind: NodeKind::Leaf,
                ..subtree
            })),
        }
    }
}

/// A link to an inner node or to a leaf, by its number among nodes of that type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link(u32);

impl Link {
    /// The bit that is set for a leaf.
    const LEAF: u32 = 1 << 31;

    pub(super) fn leaf(number: usize) -> Self {
        Self(number as u32 | Self::LEAF)
    }

    pub(super) fn inner(number: usize) -> Self {
        Self(number as u32)
    }
}

/// The target of a [`Link`]: a leaf's primitives or an inner node's number.
pub(super) enum End {
    Leaf(Range<usize>),
    Inner(usize),
}

pub(super) struct LinkedTree {
    pub(super) root: Link,
    /// Links to the children of inner node `i` at `2 * i` and `2 * i + 1`.
    links: Vec<Link>,
    /// The first primitive of each leaf; at the end, the number of all primitives.
    leaves: Vec<u32>,
}

impl LinkedTree {
    /// A tree of leaves with one primitive each, before any inner node is added.
    pub(super) fn of_leaves(primitives: usize) -> Self {
        Self {
            root: Link::leaf(0),
            links: Vec::with_capacity(2 * primitives),
            leaves: (0..=primitives as u32).collect(),
        }
    }

    /// Converts a binary tree without unexpanded nodes.
    pub(super) fn new(binary: &BinaryTree) -> Self {
        let mut tree = Self { root: Link::leaf(0), links: Vec::new(), leaves: Vec::new() };
        if let Some(root) = binary.root() {
            // There are at most as many leaves as triangles; reserved memory that is not used is not touched.
            tree.links.reserve_exact(2 * root.triangles);
            tree.leaves.reserve_exact(root.triangles + 1);
            tree.root = tree.copy(binary, root);
            tree.leaves.push(root.triangles as u32);
        }
        tree
    }

    fn copy(&mut self, binary: &BinaryTree, subtree: Subtree) -> Link {
        let Some([left, right]) = binary.children(subtree) else {
            self.leaves.push(subtree.first as u32);
            return Link::leaf(self.leaves.len() - 1);
        };
        let node = self.add([self.root; 2]);
        for (child, subtree) in (2 * node..).zip([left, right]) {
            self.links[child] = self.copy(binary, subtree);
        }
        Link::inner(node)
    }

    pub(super) fn add(&mut self, children: [Link; 2]) -> usize {
        self.links.extend(children);
        self.links.len() / 2 - 1
    }

    pub(super) fn end(&self, link: Link) -> End {
        let number = (link.0 & !Link::LEAF) as usize;
        if link.0 & Link::LEAF == 0 {
            End::Inner(number)
        } else {
            End::Leaf(self.leaves[number] as usize..self.leaves[number + 1] as usize)
        }
    }

    pub(super) fn children(&self, node: usize) -> [Link; 2] {
        [self.links[2 * node], self.links[2 * node + 1]]
    }

    /// Swaps two nodes, each given as `2 * parent`, plus one for a right child.
    pub(super) fn swap(&mut self, [a, b]: [u32; 2]) {
        self.links.swap(a as usize, b as usize);
    }

    /// The number of splits between a node and the deepest leaf below it.
    pub(super) fn depth_below(&self, link: Link) -> u32 {
        match self.end(link) {
            End::Leaf(_) => 0,
            End::Inner(node) => {
                let [left, right] = self.children(node).map(|child| self.depth_below(child));
                1 + left.max(right)
            }
        }
    }

    /// Converts to a tree in preorder with the leaves that the rule requires; also returns the primitives' order in it.
    pub(super) fn flatten<S: SahBounds>(
        self,
        primitives: &[TriangleBounds],
        frame: &Frame,
        rule: LeafRule,
    ) -> (BinaryTree, Vec<u32>) {
        let (order, nodes) = (Vec::with_capacity(primitives.len()), Vec::with_capacity(self.links.len() / 2));
        let mut flat = Flat { tree: &self, primitives, frame, rule, order, nodes };
        let (_, depth) = flat.subtree::<S>(self.root, 0);
        let Flat { order, nodes, .. } = flat;
        (BinaryTree::new(primitives.len(), nodes, depth), order)
    }
}

/// A tree in preorder under construction.
struct Flat<'a> {
    tree: &'a LinkedTree,
    primitives: &'a [TriangleBounds],
    frame: &'a Frame,
    rule: LeafRule,
    order: Vec<u32>,
    nodes: Vec<BinaryNode>,
}

impl Flat<'_> {
    /// Appends a subtree; returns the bounds of its triangles and the number of splits down to its deepest leaf.
    fn subtree<S: SahBounds>(&mut self, link: Link, depth: u32) -> (S, u32) {
        let node = self.nodes.len();
        let side = match self.tree.end(link) {
            End::Leaf(range) => {
                self.order.extend(range.start as u32..range.end as u32);
                S::of_triangles(&self.primitives[range])
            }
            End::Inner(number) => {
                let [left, right] = self.tree.children(number);
                self.nodes.push(BinaryNode::PENDING);
                let (left, left_depth): (S, u32) = self.subtree(left, depth + 1);
                let right_begins = self.nodes.len();
                let (right, right_depth) = self.subtree(right, depth + 1);
                let side = left.joined(&right);
                let triangles = side.triangles();
                if !self.rule.is_leaf(triangles, depth) {
                    let area = self.frame.area(side.area());
                    self.nodes[node] = BinaryNode::inner(triangles, right_begins - node, area);
                    return (side, 1 + left_depth.max(right_depth));
                }
                side
            }
        };
        self.nodes.truncate(node);
        self.nodes.extend(BinaryNode::leaf(side.triangles()));
        (side, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appends the nodes of a subtree that is halved down to single triangles.
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

    fn leaves(binary: &BinaryTree) -> Vec<(Range<usize>, bool)> {
        let mut leaves: Vec<Subtree> = Vec::new();
        binary.push_leaves(binary.root().unwrap(), &mut leaves);
        leaves.iter().map(|leaf| (leaf.range(), leaf.is_leaf())).collect()
    }

    #[test]
    fn an_unexpanded_node_is_what_it_stands_for() {
        for triangles in 1..=20 {
            let mut nodes = Vec::new();
            halved(triangles, &mut nodes);
            let unexpanded = (triangles > 1).then(|| BinaryNode::unexpanded(triangles, 1.0));
            let [halved, unexpanded] =
                [nodes, Vec::from_iter(unexpanded)].map(|nodes| BinaryTree::new(triangles, nodes, 0));
            assert_eq!(leaves(&halved), leaves(&unexpanded));
            assert_eq!(leaves(&halved), Vec::from_iter((0..triangles).map(|i| (i..i + 1, true))));
            for limit in 0..=triangles {
                let counts = [&halved, &unexpanded].map(|tree| tree.leaves_up_to(limit, tree.root().unwrap()));
                assert!(counts.iter().all(|&count| if limit < triangles { count > limit } else { count == triangles }));
            }
        }
    }

    #[test]
    fn leaves_of_several_triangles_are_among_single_ones() {
        let nodes = [Some(BinaryNode::inner(6, 2, 1.0)), BinaryNode::leaf(3), Some(BinaryNode::inner(3, 1, 1.0))];
        let binary = BinaryTree::new(6, nodes.into_iter().chain([BinaryNode::leaf(2)]).flatten().collect(), 2);
        assert_eq!(leaves(&binary), [(0..3, true), (3..4, true), (4..6, true)]);
        for limit in 0..4 {
            let leaves = binary.leaves_up_to(limit, binary.root().unwrap());
            assert!(if limit < 3 { leaves > limit } else { leaves == 3 }, "{leaves} up to {limit}");
        }
    }
}
