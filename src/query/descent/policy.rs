//! In what order a descent goes on.

/// In what order the descent goes on, and how soon it hands over triangles.
#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct DescentPolicy {
    /// Hands over pairs of triangles when there are so many.
    pub(super) pairs: usize,
    /// While the limit is infinite, hands over what there is after every step: a first pair is worth more than full
    /// queues.
    pub(super) is_eager: bool,
    /// So many times the descent goes on with the nearest volumes anywhere, for a good bound early, before the rest is
    /// done depth-first (`benches/NOTES.md` has figures).
    pub(super) best_first_pops: usize,
    /// Whether volumes found by one test wait for their turn together, and not each for itself in their order.
    pub(super) keeps_siblings_together: bool,
    /// Whether both trees are the same one, and each pair is to be found once: two children of a node meet only the
    /// first as A's and the second as B's, and so does all that is below them.
    pub(super) is_self: bool,
    /// Whether one of several equal triangles of a leaf, the first in the mesh, answers for all of them.
    pub(super) skips_duplicates: bool,
}

impl DescentPolicy {
    /// All pairs in any order.
    pub(in crate::query) const ALL: DescentPolicy = DescentPolicy {
        pairs: 8,
        is_eager: false,
        best_first_pops: 0,
        keeps_siblings_together: true,
        is_self: false,
        skips_duplicates: false,
    };

    /// All pairs of one tree with itself.
    pub(in crate::query) const SELF: DescentPolicy = DescentPolicy { is_self: true, ..Self::ALL };

    /// Any pair, as soon as possible.
    pub(in crate::query) const FIRST: DescentPolicy =
        DescentPolicy { is_eager: true, skips_duplicates: true, ..Self::ALL };

    /// The nearest pair, when nothing is known about how near it is.
    pub(in crate::query) const NEAREST: DescentPolicy =
        DescentPolicy { best_first_pops: 16, keeps_siblings_together: false, ..Self::FIRST };

    /// The nearest pair, when it is known nearly how near it is: then the order matters less.
    pub(in crate::query) const NEAREST_WITHIN: DescentPolicy =
        DescentPolicy { keeps_siblings_together: true, ..Self::NEAREST };

    /// The nearest pair, where every pair may lower the limit or be the last.
    pub(in crate::query) const ONE_BY_ONE: DescentPolicy = DescentPolicy { pairs: 1, ..Self::NEAREST };

    /// The same from entries that are known to be near enough to matter.
    pub(in crate::query) const fn without_greedy_descents(self) -> DescentPolicy {
        DescentPolicy { best_first_pops: 0, ..self }
    }
}
