//! The decisions of a traversal of two trees: which of two nodes is opened, in what order, and when triangles are
//! passed to the visitor.

/// Decides which node is opened next for each pair of volumes that passed the test.
///
/// The sides take turns: the single volume's node is opened, and the lane's volume is the single one of the next test,
/// unless the lane's volume is much larger (`MUCH_LARGER` in `src/volume/`): then the lane's node is opened. A leaf is
/// never opened. Returns the lanes that are opened, to be tested against the same single volume, and the lanes to be
/// tested against the single volume's children.
#[inline(always)]
pub(super) fn nodes_to_open(survivors: u8, larger: u8, wide_leaves: u8, is_single_leaf: bool) -> (u8, u8) {
    if is_single_leaf {
        (survivors & !wide_leaves, 0)
    } else {
        let open_wide = survivors & larger & !wide_leaves;
        (open_wide, survivors & !open_wide)
    }
}

/// If the margin of the volume tests is less than this, a leaf that is a parallelogram is tested by its OBB alone,
/// which fits it closely. The margin is in the unit of the other tree's frame and grows with the leaf's mesh; it
/// reaches this value if that mesh is about twenty times as large as the other.
pub(super) const FULL_LEAF_MARGIN: f32 = 2e-4;

/// Leaves of more triangles than this are never replaced by their triangles, which are duplicates or close together.
pub(super) const MAX_REPLACED: usize = 16;

/// A traversal that is recorded replaces a loose leaf by its triangles only if at least this many of the other tree's
/// volumes passed the test against the leaf, because the replacement ends the recording.
pub(super) const END_OF_RECORDING: u32 = 24;

/// The order of a traversal, and how soon it flushes the queue of triangles to the visitor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TraversalPolicy {
    /// Flushes the queue when it holds this many pairs.
    pub(super) queue_size: usize,
    /// Whether to flush after every step while the limit of lower bounds is infinite: finding a first pair is then
    /// worth more than filling the queue.
    pub(super) is_eager: bool,
    /// The number of times that the nearest of all pending node pairs is popped, to find a good bound soon, before the
    /// traversal goes on depth-first (`benches/NOTES.md` has figures).
    pub(super) best_first_pops: usize,
    /// Whether the lanes that are to be tested against the single volume's children are pushed as one node pair once
    /// the best-first pops are used up, and not each on its own in order. Unordered tests always push one node pair.
    pub(super) keeps_siblings_together: bool,
    /// Whether both trees are the same one, and each pair is visited once: children `i <= j` of the same node are
    /// tested only with `i` as A's and `j` as B's.
    pub(super) is_self: bool,
    /// Whether only the first of equal triangles of a leaf is tested, where two leaves have many pairs of triangles but
    /// few distinct triangles.
    pub(super) skips_duplicates: bool,
    /// Whether leaves are never replaced by their triangles' boxes, whose margins are not enlarged with those of the
    /// volume tests.
    pub(super) keeps_leaves: bool,
}

impl TraversalPolicy {
    /// All pairs in any order.
    pub(crate) const ALL: TraversalPolicy = TraversalPolicy {
        queue_size: 8,
        is_eager: false,
        best_first_pops: 0,
        keeps_siblings_together: true,
        is_self: false,
        skips_duplicates: false,
        keeps_leaves: false,
    };

    /// All pairs of one tree with itself.
    pub(crate) const SELF: TraversalPolicy = TraversalPolicy { is_self: true, ..Self::ALL };

    /// Any pair, as soon as possible.
    pub(crate) const FIRST: TraversalPolicy = TraversalPolicy { is_eager: true, skips_duplicates: true, ..Self::ALL };

    /// Any pair of leaves, by volumes whose margins were enlarged.
    pub(crate) const CLEARANCE: TraversalPolicy = TraversalPolicy { keeps_leaves: true, ..Self::FIRST };

    /// The nearest pair, when nothing is known about its distance.
    pub(crate) const NEAREST: TraversalPolicy =
        TraversalPolicy { best_first_pops: 16, keeps_siblings_together: false, ..Self::FIRST };

    /// The nearest pair, when its distance already has an upper bound: the order then matters less.
    pub(crate) const NEAREST_WITHIN: TraversalPolicy =
        TraversalPolicy { keeps_siblings_together: true, ..Self::NEAREST };

    /// The nearest pair, when every pair may lower the limit or be the last.
    pub(crate) const ONE_BY_ONE: TraversalPolicy = TraversalPolicy { queue_size: 1, ..Self::NEAREST };

    /// This policy without best-first pops, for node pairs that are already known to be near.
    pub(crate) const fn depth_first(self) -> TraversalPolicy {
        TraversalPolicy { best_first_pops: 0, ..self }
    }
}
