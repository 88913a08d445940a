//! All pairs of items of a tree whose boxes are near each other.
//!
//! The tree's items, in its order, are packed into blocks of eight, and these into a tree of eight children a node,
//! which is descended against itself, many pairs of blocks at a time: first all of their boxes are compared, and then
//! what was found is looked at, so that a wrong guess of a branch there does not hold up the comparisons.

use super::blocks::{Blocks, WIDTH};
use super::node::Node;
use super::tree::{BoxTree, Stack};
use crate::parallel;
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Pairs of blocks that are worth dividing among threads.
const MANY: usize = 256;

/// Pairs of blocks that are compared before what was found is looked at.
const BATCH: usize = 256;

/// Of a block's children and themselves: each pair once, and these with each child and itself.
const EACH_ONCE: u64 = 0x0080_c0e0_f0f8_fcfe;
const EACH_AND_ITSELF: u64 = 0x80c0_e0f0_f8fc_feff;

/// Pairs of items, the lesser first.
pub(crate) type ItemPair = [u32; 2];

impl BoxTree {
    /// All pairs of items whose boxes overlap, one grown by `reach`, and for which `keep` holds; sorted. `None` if
    /// there are more than `most`.
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
type BlockPair = [u32; 2];

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

    /// Calls `visit` with the pairs of children of pairs of blocks that are near each other; of a block and itself,
    /// above the first level, each child and itself included. No more pairs of blocks than a batch.
    #[inline(always)]
    fn below<S: Simd>(&self, s: S, height: usize, batch: &[BlockPair], mut visit: impl FnMut(BlockPair)) {
        let of_itself = if height == 0 { EACH_ONCE } else { EACH_AND_ITSELF };
        let mut found = [([0; 2], 0_u64); BATCH];
        let mut count = 0;
        for &[a, b] in batch {
            let mask = if a == b { of_itself } else { u64::MAX };
            let near = self.blocks.near(s, height, [a as usize, b as usize], self.reach) & mask;
            found[count] = ([a, b], near);
            count += usize::from(near != 0);
        }
        for &([a, b], mut near) in &found[..count] {
            while near != 0 {
                let bit = near.trailing_zeros();
                near &= near - 1;
                visit([a * WIDTH as u32 + bit / WIDTH as u32, b * WIDTH as u32 + bit % WIDTH as u32]);
            }
        }
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
        for batch in self.work.chunks(BATCH) {
            self.search.below(s, self.height, batch, |pair| below.push(pair));
        }
        below
    }
}

/// All the way down, one batch after the other. None if there are too many.
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
        // Of each level, what is still to be looked at: of all but the highest no more than is below one batch.
        let mut levels = vec![Vec::new(); self.height + 1];
        levels[self.height].extend_from_slice(self.work);
        let mut height = self.height;
        while height <= self.height {
            let (below, here) = levels.split_at_mut(height);
            let left = &mut here[0];
            let rest = left.len().saturating_sub(BATCH);
            let batch = &left[rest..];
            if batch.is_empty() {
                height += 1;
                continue;
            }
            if let Some(below) = below.last_mut() {
                search.below(s, height, batch, |pair| below.push(pair));
                height -= 1;
            } else {
                search.below(s, 0, batch, |pair| {
                    let [x, y] = pair.map(|number| search.blocks.item(number as usize));
                    let pair = [x.min(y), x.max(y)];
                    if (search.keep)(pair[0], pair[1]) {
                        found.push(pair);
                    }
                });
                if found.len() > search.most {
                    return None;
                }
            }
            left.truncate(rest);
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
