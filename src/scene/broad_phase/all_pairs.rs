//! All pairs of items whose boxes are near each other, by a simultaneous traversal of the tree with itself.
//!
//! The items, in tree order, are packed into blocks of eight, and the blocks into an implicit tree with eight children
//! per node. The traversal compares many pairs of blocks before it looks at the results, so that a mispredicted branch
//! does not stall the comparisons.

use super::build::Node;
use super::dynamic_tree::{DynamicTree, Stack};
use super::fat_aabb::Aabb32;
use crate::parallel;
use crate::simd::{Simd, SimdLevel, dispatched};

/// The work is divided among threads at the first level with at least this many block pairs, or at the last level.
const MIN_PARALLEL_PAIRS: usize = 256;

/// The number of block pairs compared before the results are read.
const BATCH: usize = 256;

/// The child pairs of a block paired with itself, as a mask like that of [`Blocks::near`]: those with `i < j`, so that
/// each occurs once.
const EACH_ONCE: u64 = 0x0080_c0e0_f0f8_fcfe;
/// [`EACH_ONCE`], and each child paired with itself.
const EACH_AND_ITSELF: u64 = 0x80c0_e0f0_f8fc_feff;

/// A pair of items, the smaller first.
pub(crate) type ItemPair = [u32; 2];

impl DynamicTree {
    /// All pairs of items whose boxes are at most `margin` apart along each axis and for which `keep` holds; sorted.
    /// `None` if there are more than `max_pairs`.
    pub(crate) fn pairs(
        &self,
        margin: f32,
        max_pairs: usize,
        keep: impl Fn(u32, u32) -> bool + Sync,
    ) -> Option<Vec<ItemPair>> {
        if self.count == 0 {
            return Some(Vec::new());
        }
        // Missing items are farther away than any finite margin.
        let margin = margin.min(f32::MAX);
        // Sorted pairs are counted in 32 bits.
        let max_pairs = max_pairs.min(u32::MAX as usize);
        let search = PairSearch { blocks: self.blocks(), margin, level: self.level, keep, max_pairs };
        let found = search.all()?;
        Some(sorted(&found, search.blocks.largest_item() as usize + 1))
    }

    fn blocks(&self) -> Blocks {
        if self.is_depth_first {
            Blocks::new(self.nodes.iter().filter(|node| node.is_leaf()), self.count)
        } else {
            Blocks::new(self.leaves(), self.count)
        }
    }

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

/// Two blocks of one level, the smaller index first, or a block and itself.
type BlockPair = [u32; 2];

struct PairSearch<K> {
    blocks: Blocks,
    /// Boxes at most this far apart along each axis are near each other.
    margin: f32,
    level: SimdLevel,
    keep: K,
    max_pairs: usize,
}

impl<K: Fn(u32, u32) -> bool + Sync> PairSearch<K> {
    /// All near pairs of items, or `None` if there are too many. Traverses level by level until there is work for all
    /// threads, which then finish independently.
    fn all(&self) -> Option<Vec<Vec<ItemPair>>> {
        let mut height = self.blocks.height() - 1;
        let mut work: Vec<BlockPair> = vec![[0, 0]];
        while height > 0 && work.len() < MIN_PARALLEL_PAIRS {
            work = descend_one_level(self.level, self, height, &work);
            height -= 1;
        }
        let length = work.len().div_ceil(4 * parallel::threads()).max(8);
        let parts = parallel::map_runs(work.chunks(length), |work| descend_to_items(self.level, self, height, work));
        let parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
        (parts.iter().map(Vec::len).sum::<usize>() <= self.max_pairs).then_some(parts)
    }

    /// Calls `visit` with the near pairs of children of the block pairs in `batch`, which has at most [`BATCH`] of
    /// them. Above the items' level, a block paired with itself includes each child paired with itself.
    #[inline(always)]
    fn below<S: Simd>(&self, s: S, height: usize, batch: &[BlockPair], mut visit: impl FnMut(BlockPair)) {
        let of_itself = if height == 0 { EACH_ONCE } else { EACH_AND_ITSELF };
        let mut found = [([0; 2], 0_u64); BATCH];
        let mut count = 0;
        for &[a, b] in batch {
            let mask = if a == b { of_itself } else { u64::MAX };
            let near = self.blocks.near(s, height, [a as usize, b as usize], self.margin) & mask;
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

dispatched! {
    fn descend_one_level[K: Fn(u32, u32) -> bool + Sync](
        search: &PairSearch<K>,
        height: usize,
        work: &[BlockPair],
    ) -> Vec<BlockPair> = |s| one_level(s, search, height, work);
    fn descend_to_items[K: Fn(u32, u32) -> bool + Sync](
        search: &PairSearch<K>,
        height: usize,
        work: &[BlockPair],
    ) -> Option<Vec<ItemPair>> = |s| to_items(s, search, height, work);
}

#[inline(always)]
fn one_level<S: Simd>(
    s: S,
    search: &PairSearch<impl Fn(u32, u32) -> bool + Sync>,
    height: usize,
    work: &[BlockPair],
) -> Vec<BlockPair> {
    let mut below = Vec::new();
    for batch in work.chunks(BATCH) {
        search.below(s, height, batch, |pair| below.push(pair));
    }
    below
}

/// Traverses down to the items, batch by batch, and returns their near pairs; `None` if there are too many.
#[inline(always)]
fn to_items<S: Simd>(
    s: S,
    search: &PairSearch<impl Fn(u32, u32) -> bool + Sync>,
    highest: usize,
    work: &[BlockPair],
) -> Option<Vec<ItemPair>> {
    let mut found = Vec::new();
    // The pending pairs per level: below the highest, at most what one batch adds.
    let mut levels = vec![Vec::new(); highest + 1];
    levels[highest].extend_from_slice(work);
    let mut height = highest;
    while height <= highest {
        let (below, here) = levels.split_at_mut(height);
        let pending = &mut here[0];
        let rest = pending.len().saturating_sub(BATCH);
        let batch = &pending[rest..];
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
            if found.len() > search.max_pairs {
                return None;
            }
        }
        pending.truncate(rest);
    }
    Some(found)
}

/// All pairs in order: a stable counting sort by the greater item, then by the smaller.
fn sorted(parts: &[Vec<ItemPair>], items: usize) -> Vec<ItemPair> {
    // The number of pairs of each item as the smaller and as the greater; then the positions of its next ones in the
    // sorted lists.
    let mut next = vec![[0_u32; 2]; items];
    for pair in parts.iter().flatten() {
        next[pair[0] as usize][0] += 1;
        next[pair[1] as usize][1] += 1;
    }
    let mut first = [0; 2];
    for next in &mut next {
        let counts = std::mem::replace(next, first);
        first = [first[0] + counts[0], first[1] + counts[1]];
    }
    let count = first[0] as usize;
    let (mut by_greater, mut rows) = (vec![[0; 2]; count], vec![[0; 2]; count]);
    let mut put = |rows: &mut [ItemPair], pair: &ItemPair, by: usize| {
        let next = &mut next[pair[by] as usize][by];
        rows[*next as usize] = *pair;
        *next += 1;
    };
    parts.iter().flatten().for_each(|pair| put(&mut by_greater, pair, 1));
    by_greater.iter().for_each(|pair| put(&mut rows, pair, 0));
    rows
}

/// The number of children of a node and of items in a block.
pub(super) const WIDTH: usize = 8;
/// The number of `u32` words that eight boxes take: the lower and upper corners, coordinate by coordinate.
const WORDS: usize = 6 * WIDTH;

/// A level of the tree: the boxes of eight children per block. Missing children have empty boxes.
#[derive(Clone, Debug, Default)]
struct Level {
    /// The f32 bits of the boxes' coordinates, one array per block.
    words: Vec<[u32; WORDS]>,
}

impl Level {
    fn of(boxes: impl Iterator<Item = Aabb32>, count: usize) -> Self {
        let mut nothing = [f32::INFINITY.to_bits(); WORDS];
        nothing[WORDS / 2..].fill(f32::NEG_INFINITY.to_bits());
        let mut words = vec![nothing; count.div_ceil(WIDTH)];
        for (number, bounds) in boxes.enumerate() {
            let (block, lane) = (&mut words[number / WIDTH], number % WIDTH);
            for k in 0..3 {
                block[k * WIDTH + lane] = bounds.lower[k].to_bits();
                block[(k + 3) * WIDTH + lane] = bounds.upper[k].to_bits();
            }
        }
        Self { words }
    }

    /// The AABB of each block.
    fn around(&self) -> impl Iterator<Item = Aabb32> {
        self.words.iter().map(|block| {
            let row = |row: usize| block[row * WIDTH..(row + 1) * WIDTH].iter().map(|&bits| f32::from_bits(bits));
            let least = |k: usize| row(k).fold(f32::INFINITY, |a, b| if a < b { a } else { b });
            let greatest = |k: usize| row(k + 3).fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b });
            Aabb32 { lower: [least(0), least(1), least(2)], upper: [greatest(0), greatest(1), greatest(2)] }
        })
    }
}

/// Items in blocks, in an order that keeps near items together.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    items: Vec<u32>,
    /// The levels from the items up to a single block.
    levels: Vec<Level>,
}

impl Blocks {
    /// Packs `count` leaves, given in tree order.
    pub(super) fn new<'a>(leaves: impl Iterator<Item = &'a Node>, count: usize) -> Self {
        let mut items = Vec::with_capacity(count);
        let boxes = leaves.map(|leaf| {
            items.push(leaf.children[1]);
            leaf.bounds
        });
        let mut levels = vec![Level::of(boxes, count)];
        while let Some(below) = levels.last().filter(|level| level.words.len() > 1) {
            levels.push(Level::of(below.around(), below.words.len()));
        }
        Self { items, levels }
    }

    /// The number of levels; the last one is a single block.
    pub(super) fn height(&self) -> usize {
        self.levels.len()
    }

    /// The item with a number in tree order; the number is eight times its block plus its lane.
    #[inline(always)]
    pub(super) fn item(&self, number: usize) -> u32 {
        self.items[number]
    }

    pub(super) fn largest_item(&self) -> u32 {
        self.items.iter().fold(0, |max_pairs, &item| max_pairs.max(item))
    }

    /// The near pairs of children of two blocks of a level, as a mask: bit `8 i + j` for child `i` of the first block
    /// and `j` of the second. No near pair is missing, because rounding of differences is monotonic.
    #[inline(always)]
    pub(super) fn near<S: Simd>(&self, s: S, level: usize, [a, b]: [usize; 2], margin: f32) -> u64 {
        let words = &self.levels[level].words;
        let (ones, [lower_x, lower_y, lower_z, upper_x, upper_y, upper_z]) =
            (&words[a], s.load_rows::<6>(&words[b], WIDTH, WIDTH));
        let margin = s.splat(margin);
        let mut near = 0;
        // Shifting by a constant from the last row on keeps the compiler from a slower vector sum.
        for i in (0..WIDTH).rev() {
            let at = |row: usize| s.splat(f32::from_bits(ones[row * WIDTH + i]));
            // The largest gap along an axis. Missing children are infinitely far away.
            let x = s.max(s.sub(lower_x, at(3)), s.sub(at(0), upper_x));
            let y = s.max(s.sub(lower_y, at(4)), s.sub(at(1), upper_y));
            let z = s.max(s.sub(lower_z, at(5)), s.sub(at(2), upper_z));
            let apart = s.gt(s.max(s.max(x, y), z), margin);
            near = near << WIDTH | u64::from(!s.bits(apart));
        }
        near
    }
}
