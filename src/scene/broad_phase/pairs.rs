//! All pairs of items of a tree whose boxes are near each other.

use smallvec::SmallVec;

use super::node::Node;
use super::tree::BoxTree;
use crate::parallel;

/// Levels of the tree that are divided among threads.
const PARALLEL_LEVELS: u32 = 7;

/// Pairs of items, the lesser first.
pub(crate) type ItemPair = [u32; 2];

/// Gathers pairs for which `keep` holds, given as the lesser item and the greater one.
struct Search<'a, K> {
    tree: &'a BoxTree,
    /// Boxes are near each other if they overlap, one grown by this.
    reach: f32,
    keep: K,
    most: usize,
}

impl BoxTree {
    /// All pairs of items whose boxes overlap, one grown by `reach`, and for which `keep` holds; sorted. `None` if there are more
    /// than `most`.
    pub(crate) fn pairs(
        &self,
        reach: f32,
        most: usize,
        keep: impl Fn(u32, u32) -> bool + Sync,
    ) -> Option<Vec<ItemPair>> {
        let Some(root) = self.root() else { return Some(Vec::new()) };
        let mut pairs = Search { tree: self, reach, keep, most }.within(root, PARALLEL_LEVELS)?;
        parallel::sort_unstable(&mut pairs);
        Some(pairs)
    }
}

impl<K: Fn(u32, u32) -> bool + Sync> Search<'_, K> {
    /// Pairs below a node.
    fn within(&self, node: &Node, levels: u32) -> Option<Vec<ItemPair>> {
        if node.is_leaf() || levels == 0 {
            return self.within_here(node);
        }
        let [a, b] = node.children.map(|child| self.tree.node(child));
        let (inside, between) = parallel::join(
            || {
                let (of_a, of_b) = parallel::join(|| self.within(a, levels - 1), || self.within(b, levels - 1));
                Some([of_a?, of_b?])
            },
            || {
                let mut found = Vec::new();
                self.between(a, b, &mut found).then_some(found)
            },
        );
        let [mut pairs, of_b] = inside?;
        pairs.extend(of_b);
        pairs.extend(between?);
        (pairs.len() <= self.most).then_some(pairs)
    }

    fn within_here(&self, node: &Node) -> Option<Vec<ItemPair>> {
        let mut found = Vec::new();
        let mut stack: SmallVec<[&Node; 64]> = SmallVec::new();
        stack.push(node);
        while let Some(node) = stack.pop() {
            if node.is_leaf() {
                continue;
            }
            let [a, b] = node.children.map(|child| self.tree.node(child));
            if !self.between(a, b, &mut found) {
                return None;
            }
            stack.extend([a, b]);
        }
        Some(found)
    }

    /// Pairs of an item below each of two nodes; false if there are too many.
    fn between<'a>(&'a self, a: &'a Node, b: &'a Node, found: &mut Vec<ItemPair>) -> bool {
        let mut stack: SmallVec<[[&Node; 2]; 64]> = SmallVec::new();
        let near = |a: &Node, b: &Node| {
            if self.reach > 0.0 { a.bounds.grown(self.reach).overlaps(&b.bounds) } else { a.bounds.overlaps(&b.bounds) }
        };
        if near(a, b) {
            stack.push([a, b]);
        }
        while let Some([a, b]) = stack.pop() {
            let children = |node: &Node| node.children.map(|child| self.tree.node(child));
            match (a.is_leaf(), b.is_leaf()) {
                (true, true) => {
                    let [x, y] = [a.children[1], b.children[1]];
                    let pair = [x.min(y), x.max(y)];
                    if (self.keep)(pair[0], pair[1]) {
                        found.push(pair);
                    }
                    if found.len() > self.most {
                        return false;
                    }
                }
                (true, false) => stack.extend(children(b).into_iter().filter(|c| near(a, c)).map(|c| [a, c])),
                (false, true) => stack.extend(children(a).into_iter().filter(|c| near(c, b)).map(|c| [c, b])),
                (false, false) => {
                    let below = children(b);
                    for c in children(a) {
                        stack.extend(below.iter().filter(|d| near(c, d)).map(|d| [c, *d]));
                    }
                }
            }
        }
        true
    }
}
