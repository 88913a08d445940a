//! Traversal of one tree and of two: the only loops over nodes that queries run.
//!
//! * [`pair`] traverses two trees, one [`NodePair`] after another. Its three volume tests are in `pair_volume_tests`:
//!   overlap, lower bound on the distance, and sweep. `policy` decides which of two nodes is opened, and in what order.
//! * [`single`] traverses one tree, with volume tests for a box (near or overlapping), a point, a ray and a swept body.
//!
//! Each loop is compiled for every volume kind, SIMD level and volume test. Everything else about a query is in its
//! visitor ([`PairVisitor`] or [`TriangleVisitor`]), a trait object that gets the leaf triangles.

mod distinct_triangles;
mod interrupt;
mod masked_pairs;
mod node_pair;
mod pair;
mod pair_visitor;
mod pair_volume_tests;
mod policy;
mod posed_trees;
mod single;
mod triangle_boxes;

pub(crate) use interrupt::Interrupt;
pub(crate) use node_pair::{NodePair, lanes};
pub(crate) use pair::PairTraversal;
pub(crate) use pair_visitor::{PairQueue, PairVisitor, Recorder};
pub(crate) use pair_volume_tests::{
    Affine, LowerBoundTest, MotionBound, OverlapTest, SearchRadius, SweepEnd, SweepTest,
};
pub(crate) use policy::TraversalPolicy;
pub use posed_trees::FacePair;
pub(crate) use posed_trees::PosedTrees;
pub(crate) use single::{
    NearBox, NearPath, NearPoint, NodeStack, NodeVolumeTest, OnRay, OverlapsBox, TriangleVisitor, traverse,
};

use std::ops::AddAssign;

/// The work that a query did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueryStats {
    /// The number of volume tests: of pairs of volumes, or of volumes of one tree for a [`Probe`](crate::Probe).
    pub volume_tests: u64,
    /// The number of triangle tests: of pairs of triangles, or of triangles of one tree.
    pub triangle_tests: u64,
}

impl AddAssign for QueryStats {
    fn add_assign(&mut self, more: Self) {
        self.volume_tests += more.volume_tests;
        self.triangle_tests += more.triangle_tests;
    }
}
