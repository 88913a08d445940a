//! All pairs of items of a tree whose boxes are near each other.
//!
//! The tree's items, in its order, are packed into blocks of eight, and these into a tree of eight children a node, which is descended
//! against itself.

use super::blocks::{Blocks, WIDTH};
use super::node::Node;
use super::tree::{BoxTree, Stack};
use crate::parallel;
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Pairs of blocks that are worth dividing among threads.
const MANY: usize = 256;

/// Of a block's children and themselves: each pair once.
const EACH_ONCE: u64 = 0x0080_c0e0_f0f8_fcfe;

/// Pairs of items, the lesser first.
pub(crate) type ItemPair = [u32; 2];

impl BoxTree {
    /// All pairs of items whose boxes overlap, one grown by `reach`, and for which `keep` holds; sorted. `None` if there are more
    /// than `most`.
    pub(crate) fn pairs(
        &self,
        reach: f32,
        most: usize,
        keep: impl Fn(u32, u32) -> bool + Sync,
    ) -> Option<Vec<ItemPair>> {
        if self.len() == 0 {
            return Some(Vec::new());
        }
        // Missing items are farther than any number.
        let reach = reach.min(f32::MAX);
        let search = Search { blocks: self.blocks(), reach, level: self.level(), keep, most };
        let found = search.all()?;
        Some(sorted(&found, search.blocks.most_item() as usize + 1))
    }

    /// The leaves from left to right, packed.
    fn blocks(&self) -> Blocks {
        match self.in_order() {
            Some(nodes) => Blocks::new(nodes.iter().filter(|node| node.is_leaf()), self.len()),
            None => Blocks::new(self.leaves(), self.len()),
        }
    }

    /// The leaves from left to right.
    fn leaves(&self) -> impl Iterator<Item = &Node> {
        let mut stack = Stack::new();
        stack.extend(self.root_number());
        std::iter::from_fn(move || {
            loop {
                let node = self.node(stack.pop()?);
                if node.is_leaf() {
                    return Some(node);
                }
                stack.extend([node.children[1], node.children[0]]);
            }
        })
    }
}

/// Two blocks of one level, the lesser first, or one and itself.
type BlockPair = [usize; 2];

/// Gathers pairs for which `keep` holds, given as the lesser item and the greater one.
struct Search<K> {
    blocks: Blocks,
    /// Boxes are near each other if they overlap, one grown by this.
    reach: f32,
    level: SimdLevel,
    keep: K,
    most: usize,
}

impl<K: Fn(u32, u32) -> bool + Sync> Search<K> {
    /// From the root down, until there is work for all threads; and then each on its own.
    fn all(&self) -> Option<Vec<Vec<ItemPair>>> {
        let mut height = self.blocks.height() - 1;
        let mut work: Vec<BlockPair> = vec![[0, 0]];
        while height > 0 && work.len() < MANY {
            work = dispatch(self.level, Below { search: self, height, work: &work });
            height -= 1;
        }
        let length = work.len().div_ceil(4 * parallel::threads()).max(8);
        let parts =
            parallel::map_chunks(&work, length, |work| dispatch(self.level, Gather { search: self, height, work }));
        let parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
        (parts.iter().map(Vec::len).sum::<usize>() <= self.most).then_some(parts)
    }

    /// Calls `visit` with the pairs of children of two blocks that are near each other.
    #[inline(always)]
    fn children<S: Simd>(&self, s: S, height: usize, [a, b]: BlockPair, mut visit: impl FnMut(BlockPair)) {
        let mut near = self.blocks.near(s, height, [a, b], self.reach);
        if a == b {
            near &= EACH_ONCE;
        }
        while near != 0 {
            let bit = near.trailing_zeros() as usize;
            near &= near - 1;
            visit([a * WIDTH + bit / WIDTH, b * WIDTH + bit % WIDTH]);
        }
    }

    /// Calls `visit` with the pairs of blocks one level down, a child and itself included where the two are one.
    #[inline(always)]
    fn below<S: Simd>(&self, s: S, height: usize, pair: BlockPair, mut visit: impl FnMut(BlockPair)) {
        if pair[0] == pair[1] {
            let last = ((pair[0] + 1) * WIDTH).min(self.blocks.count(height - 1));
            (pair[0] * WIDTH..last).for_each(|child| visit([child, child]));
        }
        self.children(s, height, pair, visit);
    }
}

/// One level down.
struct Below<'a, K> {
    search: &'a Search<K>,
    height: usize,
    work: &'a [BlockPair],
}

impl<K: Fn(u32, u32) -> bool + Sync> Task for Below<'_, K> {
    type Output = Vec<BlockPair>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Vec<BlockPair> {
        let mut below = Vec::new();
        for &pair in self.work {
            self.search.below(s, self.height, pair, |pair| below.push(pair));
        }
        below
    }
}

/// All the way down, one pair after the other. None if there are too many.
struct Gather<'a, K> {
    search: &'a Search<K>,
    height: usize,
    work: &'a [BlockPair],
}

impl<K: Fn(u32, u32) -> bool + Sync> Task for Gather<'_, K> {
    type Output = Option<Vec<ItemPair>>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Option<Vec<ItemPair>> {
        let search = self.search;
        let mut found = Vec::new();
        let mut stack: Vec<(usize, BlockPair)> = Vec::new();
        for &pair in self.work {
            stack.push((self.height, pair));
            while let Some((height, pair)) = stack.pop() {
                if height > 0 {
                    search.below(s, height, pair, |pair| stack.push((height - 1, pair)));
                    continue;
                }
                search.children(s, 0, pair, |[a, b]| {
                    let [x, y] = [search.blocks.item(a), search.blocks.item(b)];
                    let pair = [x.min(y), x.max(y)];
                    if (search.keep)(pair[0], pair[1]) {
                        found.push(pair);
                    }
                });
                if found.len() > search.most {
                    return None;
                }
            }
        }
        Some(found)
    }
}

/// All pairs, sorted: in rows by the greater item, then, as they stand there, by the lesser one.
fn sorted(parts: &[Vec<ItemPair>], items: usize) -> Vec<ItemPair> {
    let parts = parts.iter().flatten();
    let by_greater = in_rows(parts.clone(), items, 1);
    in_rows(by_greater.iter(), items, 0)
}

/// Pairs by one of their items; those that have it in common as they came.
fn in_rows<'a>(pairs: impl Iterator<Item = &'a ItemPair> + Clone, items: usize, by: usize) -> Vec<ItemPair> {
    let mut next = vec![0_usize; items];
    let mut count = 0;
    pairs.clone().for_each(|pair| {
        next[pair[by] as usize] += 1;
        count += 1;
    });
    let mut first = 0;
    for next in &mut next {
        first += std::mem::replace(next, first);
    }
    let mut rows = vec![[0; 2]; count];
    for &pair in pairs {
        let next = &mut next[pair[by] as usize];
        rows[*next] = pair;
        *next += 1;
    }
    rows
}
