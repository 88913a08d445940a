//! What decides which volumes a descent goes on with.

use crate::simd::Simd;
use crate::volume::{Node, PairTests, RelativeFrame};

/// Tests a volume against eight of the other tree.
pub(in crate::query) trait VolumeTest {
    /// Whether the order matters: volumes and leaves are then visited by rising lower bound where they are siblings,
    /// and are left out if their lower bound is above the limit by the time it is their turn.
    const ORDERED: bool;

    /// Tests `single`, one volume, against the children of `wide`, in whose frame it has been brought by `to`. `target`
    /// is the tree of the wide node (0 for A, 1 for B); lower bounds above `limit` exclude.
    fn test<V: PairTests, S: Simd>(
        &self,
        simd: S,
        single: &V,
        wide: &Node<'_>,
        to: &RelativeFrame,
        target: usize,
        limit: f32,
    ) -> TestResult;
}

/// What a test of one volume against eight found.
pub(in crate::query) struct TestResult {
    /// A bit for each lane to go on with: its volume may matter.
    pub(in crate::query) survivors: u8,
    /// A bit for each lane that should be opened before the single volume.
    pub(in crate::query) larger: u8,
    /// Of the survivors, by the measure of the test; for a test without order unspecified.
    pub(in crate::query) lower_bounds: [f32; 8],
}
