//! Items in rows of eight, for all pairs of them: a tree of eight children a node without references, and one box against
//! eight at a time.

use super::box32::Box32;
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
    /// Blocks around boxes.
    fn of(boxes: &[Box32]) -> Self {
        let blocks = boxes.len().div_ceil(WIDTH);
        let mut words = vec![[f32::INFINITY.to_bits(); WORDS]; blocks];
        for (block, boxes) in words.iter_mut().zip(boxes.chunks(WIDTH)) {
            let (lower, upper) = block.split_at_mut(WORDS / 2);
            upper.fill(f32::NEG_INFINITY.to_bits());
            for (lane, bounds) in boxes.iter().enumerate() {
                for k in 0..3 {
                    lower[k * WIDTH + lane] = bounds.lower[k].to_bits();
                    upper[k * WIDTH + lane] = bounds.upper[k].to_bits();
                }
            }
        }
        Self { words }
    }

    /// The box of a child, whose block is `number / WIDTH`.
    #[inline(always)]
    fn child(&self, number: usize) -> Box32 {
        let (block, lane) = (&self.words[number / WIDTH], number % WIDTH);
        let at = |row: usize| f32::from_bits(block[row * WIDTH + lane]);
        Box32 { lower: [at(0), at(1), at(2)], upper: [at(3), at(4), at(5)] }
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
    /// Of items and their boxes, in an order in which near ones are near each other.
    pub(super) fn new(items: Vec<u32>, mut boxes: Vec<Box32>) -> Self {
        let mut levels = Vec::new();
        loop {
            levels.push(Level::of(&boxes));
            if boxes.len() <= WIDTH {
                return Self { items, levels };
            }
            let around = |block: &[Box32]| block.iter().fold(Box32::EMPTY, |around, bounds| around.union(bounds));
            boxes = boxes.chunks(WIDTH).map(around).collect();
        }
    }

    /// How many levels there are; the last one is one block.
    pub(super) fn height(&self) -> usize {
        self.levels.len()
    }

    /// How many blocks a level has.
    pub(super) fn count(&self, level: usize) -> usize {
        self.levels[level].words.len()
    }

    /// The item of a lane of the first level.
    #[inline(always)]
    pub(super) fn item(&self, number: usize) -> u32 {
        self.items[number]
    }

    /// The box around a block of a level, grown by a reach.
    pub(super) fn around(&self, level: usize, block: usize, reach: f32) -> Box32 {
        grown(self.levels[level + 1].child(block), reach)
    }

    /// The box of a child of a block of a level, grown by a reach.
    #[inline(always)]
    pub(super) fn child(&self, level: usize, number: usize, reach: f32) -> Box32 {
        grown(self.levels[level].child(number), reach)
    }

    /// Which of a block's children a box overlaps; bit by bit.
    #[inline(always)]
    pub(super) fn overlapping<S: Simd>(&self, s: S, level: usize, block: usize, bounds: &Box32) -> u8 {
        let rows: [S::F32x8; 6] = s.load_rows(&self.levels[level].words[block], WIDTH, WIDTH);
        let mut apart = s.gt(rows[0], s.splat(bounds.upper[0]));
        apart = s.or(apart, s.gt(rows[1], s.splat(bounds.upper[1])));
        apart = s.or(apart, s.gt(rows[2], s.splat(bounds.upper[2])));
        apart = s.or(apart, s.gt(s.splat(bounds.lower[0]), rows[3]));
        apart = s.or(apart, s.gt(s.splat(bounds.lower[1]), rows[4]));
        apart = s.or(apart, s.gt(s.splat(bounds.lower[2]), rows[5]));
        !s.bits(apart)
    }
}

#[inline(always)]
fn grown(bounds: Box32, reach: f32) -> Box32 {
    if reach > 0.0 { bounds.grown(reach) } else { bounds }
}
