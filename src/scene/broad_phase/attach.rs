//! Where a leaf goes into a tree, and what becomes of the tree when it leaves.

use super::box32::Box32;
use super::node::{NONE, Node};
use super::tree::BoxTree;

impl BoxTree {
    pub(super) fn new_node(&mut self, node: Node) -> u32 {
        self.in_order = false;
        if let Some(free) = self.free.pop() {
            self.nodes[free as usize] = node;
            return free;
        }
        self.nodes.push(node);
        self.parents.push(NONE);
        self.nodes.len() as u32 - 1
    }

    /// Puts a leaf into the tree.
    pub(super) fn attach(&mut self, leaf: u32) {
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
    pub(super) fn detach(&mut self, leaf: u32) {
        self.in_order = false;
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
}
