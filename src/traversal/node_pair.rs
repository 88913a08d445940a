//! The work items of a traversal of two trees, and iteration over lanes (children of a wide node) by bit masks.

use crate::volume::NodeRef;

/// Children of a node of one tree that are still to be tested against children of a node of the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodePair {
    /// The node whose children are tested one by one; a leaf stands for its first triangle alone.
    pub(crate) single: NodeRef,
    /// The node of the other tree, whose children are tested together in SIMD lanes.
    pub(crate) wide: NodeRef,
    /// Packed fields, from the lowest bit: a bit for each child of the single node to be tested, one for each child of
    /// the wide node, the tree of the single node, and the number that [`NodePair::leaf_survivors`] returns. If they
    /// were separate bytes, LLVM would write them one by one and read them as a word, which stalls.
    pub(crate) packed: u32,
    /// The lower bound for all pairs of triangles below the two nodes, as the volume test defines it (a squared
    /// distance, or a time, which is negated for the last contact).
    pub(crate) lower_bound: f32,
}

impl NodePair {
    /// Both roots. Each is stored as the only child of a node.
    pub(crate) const ROOTS: NodePair = NodePair {
        single: NodeRef::ROOT,
        wide: NodeRef::ROOT,
        packed: 1 << Self::SIDE | 0xff << Self::WIDE | 1,
        lower_bound: 0.0,
    };

    /// All children of a node of A against all children of a node of B.
    pub(crate) fn all(a: NodeRef, b: NodeRef) -> NodePair {
        let packed = 0xff << Self::WIDE | u32::from(a.lanes());
        NodePair { single: a, wide: b, packed, lower_bound: 0.0 }
    }

    const WIDE: u32 = 8;
    const SIDE: u32 = 16;
    const SURVIVORS: u32 = 17;

    /// A bit for each child of the single node to be tested.
    #[inline(always)]
    pub(crate) fn single_lanes(&self) -> u8 {
        self.packed as u8
    }

    /// A bit for each child of the wide node to be tested.
    #[inline(always)]
    pub(crate) fn wide_lanes(&self) -> u8 {
        (self.packed >> Self::WIDE) as u8
    }

    /// The tree of the single node: 0 for A, 1 for B.
    #[inline(always)]
    pub(crate) fn side(&self) -> usize {
        (self.packed >> Self::SIDE & 1) as usize
    }

    /// The number of the other tree's volumes, on the traversal's path to this pair, that passed the test against the
    /// same leaf. Counting stops once the number is 64 or more.
    #[inline(always)]
    pub(super) fn leaf_survivors(&self) -> u32 {
        self.packed >> Self::SURVIVORS
    }

    /// Adds up to eight to [`NodePair::leaf_survivors`], unless that is 64 or more.
    #[inline(always)]
    pub(super) fn add_leaf_survivors(&mut self, count: u32) {
        if self.leaf_survivors() < 64 {
            self.packed += count << Self::SURVIVORS;
        }
    }

    #[inline(always)]
    pub(crate) fn with_wide_lanes(self, lanes: u8) -> Self {
        Self { packed: self.packed & !(0xff << Self::WIDE) | u32::from(lanes) << Self::WIDE, ..self }
    }

    /// One lane of the single node against lanes of the wide one.
    #[inline(always)]
    pub(super) fn with_lanes(self, lane: usize, wide_lanes: u8) -> Self {
        let lanes = 1 << lane | u32::from(wide_lanes) << Self::WIDE;
        Self { packed: self.packed & !0xffff | lanes, ..self }
    }

    /// Lanes of the wide node, tested one by one against the node `wide` of the other tree.
    #[inline(always)]
    pub(super) fn swapped(self, wide: NodeRef, lanes: u8, lower_bound: f32) -> Self {
        let packed = (self.packed ^ 1 << Self::SIDE) & 1 << Self::SIDE | 0xff << Self::WIDE | u32::from(lanes);
        Self { single: self.wide, wide, packed, lower_bound }
    }
}

/// The least lower bound among the lanes of a mask; NaN counts as 0.
#[inline(always)]
pub(super) fn least_lower_bound(mask: u8, lower_bounds: &[f32; 8]) -> f32 {
    let mut least = f32::INFINITY;
    for (lane, &lower_bound) in lower_bounds.iter().enumerate() {
        let lower_bound = if lower_bound.is_nan() { 0.0 } else { lower_bound };
        let is_less = mask >> lane & 1 != 0 && lower_bound < least;
        least = if is_less { lower_bound } else { least };
    }
    least
}

/// The lanes of a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes(mask: u8) -> impl Iterator<Item = usize> {
    let mut remaining = u32::from(mask);
    std::iter::from_fn(move || {
        (remaining != 0).then(|| {
            let lane = remaining.trailing_zeros() as usize;
            remaining &= remaining - 1;
            lane
        })
    })
}

/// The lanes of a mask, lowest first; with `nearest_first`, the lane of least lower bound comes before the others.
#[inline(always)]
pub(super) fn ordered_lanes(
    mask: u8,
    lower_bounds: &[f32; 8],
    nearest_first: bool,
) -> impl Iterator<Item = usize> + use<> {
    let mut first = mask.trailing_zeros() as usize & 7;
    if nearest_first {
        for lane in lanes(mask) {
            first = if lower_bounds[lane] < lower_bounds[first] { lane } else { first };
        }
    }
    let nearest = mask & 1 << first;
    lanes(nearest).chain(lanes(mask & !nearest))
}
