//! A binary tree whose nodes are linked by index: what bottom-up building and optimising work on.
//!
//! It holds no volumes: whoever goes over it makes them anew from the triangles, which takes less time than memory.

use std::ops::Range;

use super::binary::{Binary, BinaryNode, Place};
use super::sah_bounds::SahBounds;
use crate::options::BuildOptions;
use crate::volume::fit::{Primitive, permute};

/// Leads to an inner node or a leaf, by its number among those.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link(u32);

impl Link {
    /// Set for a leaf.
    const LEAF: u32 = 1 << 31;

    pub(super) fn leaf(number: usize) -> Self {
        Self(number as u32 | Self::LEAF)
    }

    pub(super) fn inner(number: usize) -> Self {
        Self(number as u32)
    }
}

/// What a [`Link`] leads to: a leaf's primitives or an inner node's number.
pub(super) enum End {
    Leaf(Range<usize>),
    Inner(usize),
}

/// A binary tree over the primitives.
pub(super) struct Linked {
    pub(super) root: Link,
    /// To the children of inner node `i` at `2 * i` and `2 * i + 1`.
    links: Vec<Link>,
    /// Where each leaf's primitives begin; those of the last one end with the last entry.
    leaves: Vec<u32>,
}

impl Linked {
    /// A tree without inner nodes yet over leaves of one primitive each.
    pub(super) fn of_leaves(primitives: usize) -> Self {
        Self {
            root: Link::leaf(0),
            links: Vec::with_capacity(2 * primitives),
            leaves: (0..=primitives as u32).collect(),
        }
    }

    /// The same tree as a binary one without bundles.
    pub(super) fn new(binary: &Binary) -> Self {
        let mut tree = Self { root: Link::leaf(0), links: Vec::new(), leaves: Vec::new() };
        if let Some(root) = binary.root() {
            // No more leaves than triangles; room that is not used is not touched.
            tree.links.reserve_exact(2 * root.triangles);
            tree.leaves.reserve_exact(root.triangles + 1);
            tree.root = tree.copy(binary, root);
            tree.leaves.push(root.triangles as u32);
        }
        tree
    }

    fn copy(&mut self, binary: &Binary, place: Place) -> Link {
        let Some([left, right]) = binary.children(place) else {
            self.leaves.push(place.first as u32);
            return Link::leaf(self.leaves.len() - 1);
        };
        let node = self.add([self.root; 2]);
        for (child, place) in (2 * node..).zip([left, right]) {
            self.links[child] = self.copy(binary, place);
        }
        Link::inner(node)
    }

    /// Adds an inner node and returns its number.
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

    /// Has two nodes change places, each given as `2 * parent`, one more for a right child.
    pub(super) fn swap(&mut self, [a, b]: [u32; 2]) {
        self.links.swap(a as usize, b as usize);
    }

    /// Splits between a node and the deepest leaf below it.
    pub(super) fn depth_below(&self, link: Link) -> u32 {
        match self.end(link) {
            End::Leaf(_) => 0,
            End::Inner(node) => {
                let [left, right] = self.children(node).map(|child| self.depth_below(child));
                1 + left.max(right)
            }
        }
    }

    /// The tree in preorder; brings the primitives into its order. Nodes of few triangles become leaves, and so do those at
    /// the greatest depth.
    pub(super) fn flatten<S: SahBounds>(self, primitives: &mut [Primitive], options: &BuildOptions) -> Binary {
        let (order, nodes) = (Vec::with_capacity(primitives.len()), Vec::with_capacity(self.links.len() / 2));
        let mut flat = Flat { tree: &self, primitives, options, order, nodes };
        flat.subtree::<S>(self.root, 0);
        let Flat { order, nodes, .. } = flat;
        drop(self);
        permute(primitives, order);
        Binary::new(primitives.len(), nodes)
    }
}

/// A tree on its way into preorder.
struct Flat<'a> {
    tree: &'a Linked,
    primitives: &'a [Primitive],
    options: &'a BuildOptions,
    /// The primitives in the tree's order.
    order: Vec<u32>,
    nodes: Vec<BinaryNode>,
}

impl Flat<'_> {
    /// Appends a subtree; returns its triangles.
    fn subtree<S: SahBounds>(&mut self, link: Link, depth: u32) -> S {
        let node = self.nodes.len();
        let side = match self.tree.end(link) {
            End::Leaf(range) => {
                self.order.extend(range.start as u32..range.end as u32);
                S::of_primitives(&self.primitives[range])
            }
            End::Inner(number) => {
                let [left, right] = self.tree.children(number);
                self.nodes.push(BinaryNode::PENDING);
                let left: S = self.subtree(left, depth + 1);
                let right_begins = self.nodes.len();
                let side = left.joined(&self.subtree(right, depth + 1));
                let triangles = side.triangles();
                if triangles > self.options.max_leaf_triangles as usize && depth < self.options.max_depth {
                    self.nodes[node] = BinaryNode::inner(triangles, right_begins - node, side.area() as f32);
                    return side;
                }
                side
            }
        };
        self.nodes.truncate(node);
        self.nodes.extend(BinaryNode::leaf(side.triangles()));
        side
    }
}
