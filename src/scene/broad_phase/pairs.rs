//! All pairs of items of a tree whose boxes are near each other.
//!
//! The tree's items, in its order, are packed into blocks of eight, and these into a tree of eight children a node, which is descended
//! against itself.

use super::blocks::{Blocks, WIDTH};
use super::box32::Box32;
use super::tree::{BoxTree, Stack};
use crate::parallel;
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Pairs of blocks that are worth dividing among threads.
const MANY: usize = 256;

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
        let (items, boxes): (Vec<u32>, Vec<Box32>) = self.leaves().unzip();
        if items.is_empty() {
            return Some(Vec::new());
        }
        let most_item = items.iter().fold(0, |most, &item| most.max(item));
        let search = Search { blocks: Blocks::new(items, boxes), reach, level: self.level(), keep, most };
        Some(sorted(&search.all()?, most_item as usize))
    }

    /// The items and their boxes, from left to right.
    fn leaves(&self) -> impl Iterator<Item = (u32, Box32)> {
        let mut stack = Stack::new();
        stack.extend(self.root_number());
        std::iter::from_fn(move || {
            loop {
                let node = self.node(stack.pop()?);
                if node.is_leaf() {
                    return Some((node.children[1], node.bounds));
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
        let blocks = &self.blocks;
        let is_same = a == b;
        // The children of A that are near anything of B.
        let mut left =
            if is_same { 0xff } else { blocks.overlapping(s, height, a, &blocks.around(height, b, self.reach)) };
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let child = a * WIDTH + lane;
            let mut near = blocks.overlapping(s, height, b, &blocks.child(height, child, self.reach));
            if is_same {
                // Each pair once.
                near &= !((2_u32 << lane) - 1) as u8;
            }
            while near != 0 {
                visit([child, b * WIDTH + near.trailing_zeros() as usize]);
                near &= near - 1;
            }
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

/// All pairs, sorted: first in as many rows as there are items.
fn sorted(parts: &[Vec<ItemPair>], most_item: usize) -> Vec<ItemPair> {
    let mut ends = vec![0; most_item + 2];
    let all = || parts.iter().flatten();
    all().for_each(|[a, _]| ends[*a as usize + 1] += 1);
    for row in 0..=most_item {
        ends[row + 1] += ends[row];
    }
    let mut pairs = vec![[0; 2]; parts.iter().map(Vec::len).sum()];
    let mut next = ends.clone();
    for &pair in all() {
        let next = &mut next[pair[0] as usize];
        pairs[*next] = pair;
        *next += 1;
    }
    for row in ends.windows(2) {
        pairs[row[0]..row[1]].sort_unstable_by_key(|pair| pair[1]);
    }
    pairs
}
