//! The volume test of questions about contact: may the two touch?

use super::volume_test::{TestResult, VolumeTest};
use crate::simd::Simd;
use crate::volume::{Node, PairTests, RelativeFrame};

/// Goes on with volumes that may overlap, in any order.
pub(in crate::query) struct Overlap;

impl VolumeTest for Overlap {
    const ORDERED: bool = false;

    #[inline(always)]
    fn test<V: PairTests, S: Simd>(
        &self,
        simd: S,
        single: &V,
        wide: &Node<'_>,
        to: &RelativeFrame,
        _: usize,
        _: f32,
    ) -> TestResult {
        let (survivors, larger) = single.overlaps(simd, wide, to.margin);
        TestResult { survivors, larger, lower_bounds: [0.0; 8] }
    }
}
