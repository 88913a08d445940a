//! What the descent still has to do, piece by piece.

use crate::volume::NodeRef;

/// Volumes of one tree still to be tested against those of a wide node of the other.
#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Entry {
    /// The node whose children are tested one by one...
    pub(in crate::query) single: NodeRef,
    /// ...and the node of the other tree whose children are tested all at once.
    pub(in crate::query) wide: NodeRef,
    /// A bit for each of the single node's children that counts...
    pub(in crate::query) single_lanes: u8,
    /// ...and for each of the wide node's.
    pub(in crate::query) wide_lanes: u8,
    /// The tree of the single node: 0 for A, 1 for B.
    pub(in crate::query) side: u8,
    pub(in crate::query) lower_bound: f32,
}

impl Entry {
    /// The roots of both trees, of which each is the only child of its node.
    pub(in crate::query) const ROOTS: Entry = Entry {
        single: NodeRef::ROOT,
        wide: NodeRef::ROOT,
        single_lanes: 1,
        wide_lanes: 0xff,
        side: 1,
        lower_bound: 0.0,
    };
}
