//! The visitor that finds pairs of intersecting triangles.

use std::ops::ControlFlow;

use super::descent::{LeafVisitor, PairQueue};
use super::posed::Posed;
use crate::simd::SimdLevel;

/// Hands on, by their leaf indices, the pairs of triangles that intersect.
pub(super) struct Intersecting<'a> {
    posed: Posed<'a>,
    level: SimdLevel,
    visit: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    pub(super) triangle_tests: u64,
}

impl<'a> Intersecting<'a> {
    pub(super) fn new(
        posed: Posed<'a>,
        level: SimdLevel,
        visit: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Self {
        Self { posed, level, visit, triangle_tests: 0 }
    }

    /// Tests the pairs that there are.
    pub(super) fn test(&mut self, pairs: &mut PairQueue) -> ControlFlow<()> {
        self.triangle_tests += pairs.len() as u64;
        let lanes = pairs.lanes();
        let verdicts = pairs.batch(self.posed.views).verdicts(self.level, self.posed.b_to_a);
        if (verdicts.hits | verdicts.undecided) & lanes == 0 {
            return ControlFlow::Continue(());
        }
        for (lane, a, b) in pairs.iter() {
            let bit = 1 << lane;
            if verdicts.hits & bit != 0 || verdicts.undecided & bit != 0 && self.intersect(a, b) {
                (self.visit)(a, b)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// A pair that was tested elsewhere and intersects.
    pub(super) fn found(&mut self, a: usize, b: usize) -> ControlFlow<()> {
        (self.visit)(a, b)
    }

    #[cold]
    fn intersect(&self, a: usize, b: usize) -> bool {
        let [a, b] = self.posed.pair(a, b);
        a.intersects(&b)
    }
}

impl LeafVisitor for Intersecting<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        self.test(pairs)?;
        ControlFlow::Continue(f32::INFINITY)
    }
}
