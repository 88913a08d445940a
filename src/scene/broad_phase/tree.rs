//! A binary tree of boxes to which items are added, from which they are taken and in which they move: the broad phase.
//!
//! An item goes beside the node that grows the tree's area least (Bittner, Hapala and Havran 2013; Catto, "Dynamic
//! Bounding Volume Hierarchies", 2019). When as many have come and gone as there are, the tree is built anew, so that
//! it stays good and a change takes O(log n) in the mean. Where many have moved, boxes are refitted from the leaves up.

use smallvec::SmallVec;

use super::box32::Box32;
use super::build::build;
use super::node::{NONE, Node};
use crate::simd::SimdLevel;

/// Nodes that are still to be looked at. Trees are hardly deeper.
pub(crate) type Stack = SmallVec<[u32; 64]>;

/// If more than this part of the items change, all are looked at.
const MANY: usize = 32;
/// A tree is built anew when it costs so many times what it did, and after so many refits.
const WORSE: f64 = 1.3;
const MAX_REFITS: usize = 32;

/// Items are numbers from 0 on, which a caller keeps dense.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree {
    pub(super) nodes: Vec<Node>,
    pub(super) parents: Vec<u32>,
    pub(super) root: u32,
    /// Nodes that are not in use.
    pub(super) free: Vec<u32>,
    /// Whether nodes stand from left to right, each one before its children.
    pub(super) in_order: bool,
    /// The node of each item.
    leaf_of: Vec<u32>,
    count: usize,
    /// Since it was built: items that came or moved one by one, and how often all were refitted.
    changes: usize,
    refits: usize,
    /// Areas of the nodes over the root's, when it was built.
    built_cost: f64,
    level: SimdLevel,
}

impl BoxTree {
    /// A tree without items.
    pub(crate) fn new(level: SimdLevel) -> Self {
        Self {
            nodes: Vec::new(),
            parents: Vec::new(),
            root: NONE,
            free: Vec::new(),
            in_order: true,
            leaf_of: Vec::new(),
            count: 0,
            changes: 0,
            refits: 0,
            built_cost: 0.0,
            level,
        }
    }

    /// A tree of items with their boxes.
    pub(crate) fn build(items: &[(u32, Box32)], level: SimdLevel) -> Self {
        let leaves: Vec<Node> = items.iter().map(|&(item, bounds)| Node::leaf(bounds, item)).collect();
        let mut tree = Self::new(level);
        tree.build_of(&leaves);
        tree
    }

    fn build_of(&mut self, leaves: &[Node]) {
        self.count = leaves.len();
        (self.changes, self.refits) = (0, 0);
        let (nodes, parents) = build(leaves);
        self.set_nodes(nodes, parents);
        let inner = self.nodes.iter().filter(|node| !node.is_leaf());
        self.built_cost = self.cost_of(inner.map(|node| f64::from(node.bounds.half_area())).sum());
    }

    /// Takes other nodes, which are in order.
    fn set_nodes(&mut self, nodes: Vec<Node>, parents: Vec<u32>) {
        self.free.clear();
        (self.nodes, self.parents, self.in_order) = (nodes, parents, true);
        self.root = if self.nodes.is_empty() { NONE } else { 0 };
        self.leaf_of.fill(NONE);
        for (node, number) in self.nodes.iter().zip(0..) {
            if node.is_leaf() {
                let item = node.children[1] as usize;
                if item >= self.leaf_of.len() {
                    self.leaf_of.resize(item + 1, NONE);
                }
                self.leaf_of[item] = number;
            }
        }
    }

    /// Brings nodes into order, where some have come or gone.
    fn put_in_order(&mut self) {
        let mut nodes: Vec<Node> = Vec::with_capacity(2 * self.count);
        let mut parents = Vec::with_capacity(2 * self.count);
        // A node, and its parent's new number.
        let mut stack: SmallVec<[(u32, u32); 64]> = self.root_number().map(|root| (root, NONE)).into_iter().collect();
        while let Some((at, parent)) = stack.pop() {
            let (node, number) = (self.nodes[at as usize], nodes.len() as u32);
            if let Some(above) = nodes.get_mut(parent as usize) {
                // The left child comes first.
                above.children[usize::from(parent + 1 != number)] = number;
            }
            if !node.is_leaf() {
                stack.extend([(node.children[1], number), (node.children[0], number)]);
            }
            nodes.push(node);
            parents.push(parent);
        }
        self.set_nodes(nodes, parents);
    }

    /// The inner nodes' areas over the root's.
    fn cost_of(&self, areas: f64) -> f64 {
        self.root().map_or(0.0, |root| areas / f64::from(root.bounds.half_area()).max(f64::MIN_POSITIVE))
    }

    pub(crate) fn insert(&mut self, item: u32, bounds: Box32) {
        let leaf = self.new_node(Node::leaf(bounds, item));
        if self.leaf_of.len() <= item as usize {
            self.leaf_of.resize(item as usize + 1, NONE);
        }
        self.leaf_of[item as usize] = leaf;
        self.count += 1;
        self.attach(leaf);
        self.changed();
    }

    /// As [`BoxTree::insert`], of many.
    pub(crate) fn insert_all(&mut self, items: &[(u32, Box32)]) {
        if items.len() <= self.count / MANY {
            items.iter().for_each(|&(item, bounds)| self.insert(item, bounds));
            return;
        }
        let mut leaves = self.all_leaves();
        leaves.extend(items.iter().map(|&(item, bounds)| Node::leaf(bounds, item)));
        self.build_of(&leaves);
    }

    pub(crate) fn remove(&mut self, item: u32) {
        let leaf = std::mem::replace(&mut self.leaf_of[item as usize], NONE);
        self.detach(leaf);
        self.free.push(leaf);
        self.count -= 1;
    }

    /// Gives items other boxes.
    pub(crate) fn update(&mut self, changes: impl ExactSizeIterator<Item = (u32, Box32)>) {
        if changes.len() > self.count / MANY {
            for (item, bounds) in changes {
                self.nodes[self.leaf_of[item as usize] as usize].bounds = bounds;
            }
            self.refit();
            return;
        }
        for (item, bounds) in changes {
            let leaf = self.leaf_of[item as usize];
            self.detach(leaf);
            self.nodes[leaf as usize].bounds = bounds;
            self.attach(leaf);
            self.changed();
        }
    }

    fn changed(&mut self) {
        self.changes += 1;
        if self.changes > self.count.max(32) {
            self.rebuild();
        }
    }

    fn rebuild(&mut self) {
        let leaves = self.all_leaves();
        self.build_of(&leaves);
    }

    fn all_leaves(&self) -> Vec<Node> {
        self.leaf_of.iter().filter(|&&leaf| leaf != NONE).map(|&leaf| self.nodes[leaf as usize]).collect()
    }

    /// Brings all nodes' boxes up to date with the leaves'; and builds the tree anew if it has become much worse than
    /// it was, or may have.
    fn refit(&mut self) {
        if !self.in_order {
            self.put_in_order();
        }
        let mut areas = 0.0;
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            if node.is_leaf() {
                continue;
            }
            let [a, b] = node.children.map(|child| &self.nodes[child as usize].bounds);
            let union = a.union(b);
            areas += f64::from(union.half_area());
            self.nodes[at].bounds = union;
        }
        self.refits += 1;
        if self.refits > MAX_REFITS || self.cost_of(areas) > WORSE * self.built_cost {
            self.rebuild();
        }
    }

    pub(crate) fn level(&self) -> SimdLevel {
        self.level
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The nodes from left to right, if they stand like that.
    pub(super) fn in_order(&self) -> Option<&[Node]> {
        self.in_order.then_some(&self.nodes)
    }

    pub(crate) fn root_number(&self) -> Option<u32> {
        (self.root != NONE).then_some(self.root)
    }

    /// The root, if there is one.
    pub(crate) fn root(&self) -> Option<&Node> {
        self.nodes.get(self.root as usize)
    }

    #[inline(always)]
    pub(crate) fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
