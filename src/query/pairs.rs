//! The visitor that finds pairs of intersecting triangles.

use std::ops::ControlFlow;

use super::traverse::{Judged, Visitor};
use super::waiting::Waiting;
use crate::packed::{Node, ToFrame, Volume8};
use crate::pose::Pose;
use crate::simd::Simd;
use crate::tree::View;
use crate::triangle::{Batch, Triangle};

/// Gathers pairs of triangles and tests eight at a time.
pub(super) struct Pairs<'a, F> {
    views: [View<'a>; 2],
    b_to_a: &'a Pose,
    visit: F,
    /// Whether to test what there is after every step of the descent, because one hit may be enough.
    eager: bool,
    waiting: Waiting<'a>,
    triangle_tests: u64,
}

impl<'a, F: FnMut(usize, usize) -> ControlFlow<()>> Pairs<'a, F> {
    pub(super) fn new(views: [View<'a>; 2], b_to_a: &'a Pose, eager: bool, batch: &'a mut Batch, visit: F) -> Self {
        Self { views, b_to_a, visit, eager, waiting: Waiting::new(batch), triangle_tests: 0 }
    }

    pub(super) fn triangle_tests(&self) -> u64 {
        self.triangle_tests
    }

    /// Two triangles to be tested, by their places.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, simd: S, a: usize, b: usize) -> ControlFlow<()> {
        if self.waiting.add(self.views, a, b) { self.test_waiting(simd) } else { ControlFlow::Continue(()) }
    }

    /// A pair that was tested elsewhere and intersects.
    pub(super) fn found(&mut self, a: usize, b: usize) -> ControlFlow<()> {
        (self.visit)(a, b)
    }

    #[inline(always)]
    fn test_waiting<S: Simd>(&mut self, simd: S) -> ControlFlow<()> {
        if self.waiting.count() == 0 {
            return ControlFlow::Continue(());
        }
        self.triangle_tests += self.waiting.count() as u64;
        let verdicts = self.waiting.batch().verdicts(simd, self.b_to_a);
        for (lane, a, b) in self.waiting.take() {
            let bit = 1 << lane;
            if verdicts.hits & bit != 0 || verdicts.undecided & bit != 0 && self.intersect(a, b) {
                (self.visit)(a, b)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[cold]
    fn intersect(&self, a: usize, b: usize) -> bool {
        let [views_a, views_b] = self.views;
        let a = Triangle { vertices: views_a.triangle(a).map(|vertex| vertex.map(f64::from)) };
        let b = Triangle { vertices: views_b.triangle(b).map(|vertex| self.b_to_a.transform(vertex)) };
        a.intersects(&b)
    }
}

impl<F: FnMut(usize, usize) -> ControlFlow<()>> Visitor for Pairs<'_, F> {
    const NEAREST_FIRST: bool = false;

    #[inline(always)]
    fn judge<V: Volume8, S: Simd>(&self, simd: S, one: &V, eight: &Node<'_>, to: &ToFrame, _: usize) -> Judged {
        let (survivors, larger) = one.overlaps(simd, eight, to.margin);
        Judged { survivors, larger, lower_bounds: [0.0; 8] }
    }

    #[inline(always)]
    fn wants(&self, _: f32) -> bool {
        true
    }

    #[inline(always)]
    fn pair<S: Simd>(&mut self, simd: S, a: usize, b: usize) -> ControlFlow<()> {
        self.add(simd, a, b)
    }

    #[inline(always)]
    fn step<S: Simd>(&mut self, simd: S, last: bool) -> ControlFlow<()> {
        if self.eager || last { self.test_waiting(simd) } else { ControlFlow::Continue(()) }
    }
}
