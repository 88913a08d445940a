//! A binary tree whose nodes are linked by index: what bottom-up building and optimising work on.

use super::binary::{Binary, BinaryNode};
use super::items::Item;
use super::options::BuildOptions;
use super::side::Side;

/// A node and the triangles below it as far as their area is concerned.
#[derive(Clone, Copy)]
pub(super) struct LinkedNode<S> {
    /// Indices of the two children; `None` for a leaf.
    pub(super) children: Option<[u32; 2]>,
    pub(super) side: S,
    /// Of a leaf: its first triangle.
    pub(super) first: u32,
}

/// A binary tree over the items. Empty for an empty mesh.
pub(super) struct Linked<S> {
    pub(super) nodes: Vec<LinkedNode<S>>,
    pub(super) root: usize,
}

impl<S: Side> Linked<S> {
    pub(super) fn new(binary: &Binary, items: &[Item], middle: &[f64; 3]) -> Self {
        let mut nodes: Vec<LinkedNode<S>> = Vec::with_capacity(binary.nodes.len());
        for ((i, node), first) in (0..).zip(&binary.nodes).zip(binary.first_triangles()) {
            let children = (node.right != 0).then(|| [i + 1, i + node.right]);
            nodes.push(LinkedNode { children, side: S::EMPTY, first });
        }
        // Children come after their parents.
        for node in (0..nodes.len()).rev() {
            nodes[node].side = match nodes[node].children {
                Some([left, right]) => nodes[left as usize].side.joined(&nodes[right as usize].side),
                None => {
                    let first = nodes[node].first as usize;
                    let items = &items[first..first + binary.nodes[node].triangles as usize];
                    items.iter().fold(S::EMPTY, |side, item| side.joined(&S::of_item(item, middle)))
                }
            };
        }
        Self { nodes, root: 0 }
    }

    pub(super) fn leaf(items: &[Item], first: usize, middle: &[f64; 3]) -> LinkedNode<S> {
        LinkedNode { children: None, side: S::of_item(&items[first], middle), first: first as u32 }
    }

    /// The node above two others.
    pub(super) fn parent(&self, children: [u32; 2]) -> LinkedNode<S> {
        let [left, right] = children.map(|child| self.nodes[child as usize].side);
        LinkedNode { children: Some(children), side: left.joined(&right), first: 0 }
    }

    /// Splits between the root and the deepest leaf.
    pub(super) fn depth(&self) -> u32 {
        let mut deepest = 0;
        self.in_preorder(|_, depth| {
            deepest = deepest.max(depth);
            true
        });
        deepest
    }

    /// Visits nodes and their depths, the left subtree before the right one; `enter` tells whether to go on below.
    pub(super) fn in_preorder(&self, mut enter: impl FnMut(usize, u32) -> bool) {
        let mut stack: Vec<(usize, u32)> = if self.nodes.is_empty() { vec![] } else { vec![(self.root, 0)] };
        while let Some((node, depth)) = stack.pop() {
            if enter(node, depth)
                && let Some([left, right]) = self.nodes[node].children
            {
                stack.extend([(right as usize, depth + 1), (left as usize, depth + 1)]);
            }
        }
    }

    /// The tree in preorder, and the items in its order. Nodes of few triangles become leaves, and so do those at the
    /// greatest depth.
    pub(super) fn flatten(&self, items: &mut [Item], options: &BuildOptions) -> Binary {
        let mut nodes: Vec<BinaryNode> = Vec::with_capacity(self.nodes.len());
        let mut ordered = Vec::with_capacity(items.len());
        // The depth of the leaf that takes in the nodes below it, while those are visited.
        let mut open_leaf: Option<u32> = None;
        let mut path: Vec<usize> = Vec::new();
        self.in_preorder(|node, depth| {
            let LinkedNode { children, side, first } = self.nodes[node];
            if children.is_none() {
                let first = first as usize;
                ordered.extend_from_slice(&items[first..first + side.triangles()]);
            }
            if open_leaf.is_some_and(|leaf| depth > leaf) {
                return true;
            }
            let triangles = side.triangles() as u32;
            let is_leaf = children.is_none() || triangles <= options.max_leaf_triangles || depth >= options.max_depth;
            open_leaf = is_leaf.then_some(depth);
            // A node at a depth that was reached before is the right child of the one above it.
            let is_right = path.len() > depth as usize;
            path.truncate(depth as usize);
            if is_right && let Some(&parent) = path.last() {
                nodes[parent].right = (nodes.len() - parent) as u32;
            }
            path.push(nodes.len());
            nodes.push(if is_leaf {
                BinaryNode::leaf(triangles)
            } else {
                BinaryNode::inner(triangles, side.area() as f32)
            });
            true
        });
        items.copy_from_slice(&ordered);
        Binary::new(nodes)
    }
}
