//! A binary tree of boxes to which items are added, from which they are taken and in which they move: the broad phase.
//!
//! An item goes beside the node that grows the tree's area least (Bittner, Hapala and Havran 2013; Catto, "Dynamic Bounding
//! Volume Hierarchies", 2019). When as many have come and gone as there are, the tree is built anew, so that it stays good and a change
//! takes O(log n) in the mean. Where many have moved, boxes are refitted from the leaves up.

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
const MOST_REFITS: usize = 32;

/// Items are numbers from 0 on, which a caller keeps dense.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree {
    nodes: Vec<Node>,
    parents: Vec<u32>,
    root: u32,
    /// Nodes that are not in use.
    free: Vec<u32>,
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
        self.free.clear();
        (self.nodes, self.parents) = build(leaves);
        self.root = if leaves.is_empty() { NONE } else { 0 };
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
        let inner = self.nodes.iter().filter(|node| !node.is_leaf());
        self.built_cost = self.cost_of(inner.map(|node| f64::from(node.bounds.half_area())).sum());
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
    pub(crate) fn update(&mut self, changes: &[(u32, Box32)]) {
        if changes.len() > self.count / MANY {
            for &(item, bounds) in changes {
                self.nodes[self.leaf_of[item as usize] as usize].bounds = bounds;
            }
            self.refit();
            return;
        }
        for &(item, bounds) in changes {
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

    /// Brings all nodes' boxes up to date with the leaves'; and builds the tree anew if it has become much worse than it was, or may have.
    fn refit(&mut self) {
        let mut inner = Vec::with_capacity(self.count);
        let mut stack = Stack::new();
        stack.extend(self.root_number());
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if !node.is_leaf() {
                inner.push(at);
                stack.extend(node.children);
            }
        }
        let mut areas = 0.0;
        for &at in inner.iter().rev() {
            let [a, b] = self.nodes[at as usize].children.map(|child| self.nodes[child as usize].bounds);
            let union = a.union(&b);
            areas += f64::from(union.half_area());
            self.nodes[at as usize].bounds = union;
        }
        self.refits += 1;
        if self.refits > MOST_REFITS || self.cost_of(areas) > WORSE * self.built_cost {
            self.rebuild();
        }
    }

    pub(crate) fn level(&self) -> SimdLevel {
        self.level
    }

    fn new_node(&mut self, node: Node) -> u32 {
        if let Some(free) = self.free.pop() {
            self.nodes[free as usize] = node;
            return free;
        }
        self.nodes.push(node);
        self.parents.push(NONE);
        self.nodes.len() as u32 - 1
    }

    /// Puts a leaf into the tree.
    fn attach(&mut self, leaf: u32) {
        if self.root == NONE {
            self.root = leaf;
            self.parents[leaf as usize] = NONE;
            return;
        }
        let bounds = self.nodes[leaf as usize].bounds;
        let sibling = self.best_sibling(&bounds);
        let above = self.parents[sibling as usize];
        let union = bounds.union(&self.nodes[sibling as usize].bounds);
        let parent = self.new_node(Node { bounds: union, children: [sibling, leaf] });
        self.parents[parent as usize] = above;
        self.parents[sibling as usize] = parent;
        self.parents[leaf as usize] = parent;
        self.replace_child(above, sibling, parent);
        self.refit_from(above);
    }

    /// Where a new box costs least, by descent to the better child as long as that may cost less.
    fn best_sibling(&self, bounds: &Box32) -> u32 {
        let mut at = self.root;
        let mut best = (f32::INFINITY, at);
        // What the nodes above grow by.
        let mut growth = 0.0;
        loop {
            let node = &self.nodes[at as usize];
            let union = node.bounds.union(bounds).half_area();
            if growth + union < best.0 {
                best = (growth + union, at);
            }
            growth += union - node.bounds.half_area();
            if node.is_leaf() {
                return best.1;
            }
            let costs = node.children.map(|child| {
                let child = &self.nodes[child as usize];
                let union = child.bounds.union(bounds).half_area();
                if child.is_leaf() { union } else { union - child.bounds.half_area() }
            });
            at = node.children[usize::from(costs[1] < costs[0])];
            if growth + bounds.half_area() >= best.0 {
                return best.1;
            }
        }
    }

    /// Takes a leaf out of the tree.
    fn detach(&mut self, leaf: u32) {
        let parent = self.parents[leaf as usize];
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let [a, b] = self.nodes[parent as usize].children;
        let sibling = if a == leaf { b } else { a };
        let above = self.parents[parent as usize];
        self.parents[sibling as usize] = above;
        self.replace_child(above, parent, sibling);
        self.free.push(parent);
        self.refit_from(above);
    }

    fn replace_child(&mut self, above: u32, from: u32, to: u32) {
        if above == NONE {
            self.root = to;
        } else {
            let children = &mut self.nodes[above as usize].children;
            children[usize::from(children[0] != from)] = to;
        }
    }

    fn refit_from(&mut self, mut at: u32) {
        while at != NONE {
            let [a, b] = self.nodes[at as usize].children.map(|child| self.nodes[child as usize].bounds);
            let union = a.union(&b);
            if union == self.nodes[at as usize].bounds {
                return;
            }
            self.nodes[at as usize].bounds = union;
            at = self.parents[at as usize];
        }
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
