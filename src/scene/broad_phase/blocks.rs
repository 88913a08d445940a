//! Items in rows of eight, for all pairs of them: a tree of eight children a node without references, and one box
//! against eight at a time.

use super::box32::Box32;
use super::node::Node;
use crate::simd::Simd;

/// Children of a node, items of a block.
pub(super) const WIDTH: usize = 8;
/// Least corner and greatest, by coordinate, of eight.
const WORDS: usize = 6 * WIDTH;

/// A level of the tree: the boxes of its blocks' eight children each. Missing ones contain nothing.
#[derive(Clone, Debug, Default)]
struct Level {
    /// The bits of the blocks' coordinates.
    words: Vec<[u32; WORDS]>,
}

impl Level {
    /// Blocks around so many boxes.
    fn of(boxes: impl Iterator<Item = Box32>, count: usize) -> Self {
        let mut nothing = [f32::INFINITY.to_bits(); WORDS];
        nothing[WORDS / 2..].fill(f32::NEG_INFINITY.to_bits());
        let mut words = Vec::with_capacity(count.div_ceil(WIDTH));
        let mut block = nothing;
        let mut lane = 0;
        for bounds in boxes {
            for k in 0..3 {
                block[k * WIDTH + lane] = bounds.lower[k].to_bits();
                block[(k + 3) * WIDTH + lane] = bounds.upper[k].to_bits();
            }
            lane += 1;
            if lane == WIDTH {
                words.push(std::mem::replace(&mut block, nothing));
                lane = 0;
            }
        }
        if lane > 0 {
            words.push(block);
        }
        Self { words }
    }

    /// The box around each block.
    fn around(&self) -> impl Iterator<Item = Box32> {
        self.words.iter().map(|block| {
            let row = |row: usize| block[row * WIDTH..(row + 1) * WIDTH].iter().map(|&bits| f32::from_bits(bits));
            let least = |k: usize| row(k).fold(f32::INFINITY, |a, b| if a < b { a } else { b });
            let greatest = |k: usize| row(k + 3).fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b });
            Box32 { lower: [least(0), least(1), least(2)], upper: [greatest(0), greatest(1), greatest(2)] }
        })
    }
}

/// Items near each other in space are near each other here, as they came.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    items: Vec<u32>,
    /// From the items on up to one block.
    levels: Vec<Level>,
}

impl Blocks {
    /// Of leaves in an order in which near ones are near each other, so many of them.
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

    /// How many levels there are; the last one is one block.
    pub(super) fn height(&self) -> usize {
        self.levels.len()
    }

    /// The item of a lane of the first level.
    #[inline(always)]
    pub(super) fn item(&self, number: usize) -> u32 {
        self.items[number]
    }

    /// The greatest item; 0 if there is none.
    pub(super) fn most_item(&self) -> u32 {
        self.items.iter().fold(0, |most, &item| most.max(item))
    }

    /// Which children of a block of a level are within a reach of which of another one: bit `8 i + j` for child `i` of
    /// the first and `j` of the second. Never too few, for differences round monotonically.
    #[inline(always)]
    pub(super) fn near<S: Simd>(&self, s: S, level: usize, [a, b]: [usize; 2], reach: f32) -> u64 {
        let words = &self.levels[level].words;
        let (ones, [lower_x, lower_y, lower_z, upper_x, upper_y, upper_z]) =
            (&words[a], s.load_rows::<6>(&words[b], WIDTH, WIDTH));
        let reach = s.splat(reach);
        let mut near = 0;
        // From the last one on, by shifts by the same, which the compiler does not make a slower sum of vectors of.
        for i in (0..WIDTH).rev() {
            let at = |row: usize| s.splat(f32::from_bits(ones[row * WIDTH + i]));
            // The largest gap along an axis. Missing children are infinitely far.
            let x = s.max(s.sub(lower_x, at(3)), s.sub(at(0), upper_x));
            let y = s.max(s.sub(lower_y, at(4)), s.sub(at(1), upper_y));
            let z = s.max(s.sub(lower_z, at(5)), s.sub(at(2), upper_z));
            let apart = s.gt(s.max(s.max(x, y), z), reach);
            near = near << WIDTH | u64::from(!s.bits(apart));
        }
        near
    }
}
