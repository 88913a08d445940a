//! The visitor that finds the pair of triangles that touches first, in one window of time after the other.

use std::ops::ControlFlow;

use super::advance::{Advance, Approach};
use crate::denormals::above;
use crate::query::descent::{LeafVisitor, PairQueue};
use crate::query::posed_trees::PosedTrees;

/// Finds the pair of triangles that touches first.
pub(super) struct FirstContact<'a> {
    /// At the start of the motion.
    trees: &'a PosedTrees<'a>,
    advance: Advance<'a>,
    window: [f64; 2],
    /// The leaf indices of the pair that does, so far.
    pub(super) best: Option<([usize; 2], Approach)>,
    /// Nothing after this time matters; and in parts of the window, rounded up.
    until: f64,
    limit: f32,
    pub(super) triangle_tests: u64,
}

impl<'a> FirstContact<'a> {
    pub(super) fn new(trees: &'a PosedTrees<'a>, advance: Advance<'a>) -> Self {
        Self { trees, advance, window: [0.0; 2], best: None, until: 1.0, limit: 1.0, triangle_tests: 0 }
    }

    /// Takes on a window of time.
    pub(super) fn enter(&mut self, window: [f64; 2]) {
        self.window = window;
        [_, self.until] = window;
        self.limit = 1.0;
    }

    fn test(&mut self, a: usize, b: usize) {
        self.triangle_tests += 1;
        let (triangle_a, vertices_b) = (self.trees.triangle(0, a), self.trees.views[1].triangle(b));
        if let Some(approach) = self.advance.contact(&triangle_a, vertices_b, self.window[0], self.until) {
            let faces = |a: usize, b: usize| self.trees.faces(a, b);
            // Of pairs at the same time the first in the meshes, in whatever order they come.
            let is_tie = approach.time == self.until;
            if is_tie && self.best.as_ref().is_some_and(|&([x, y], _)| faces(x, y) <= faces(a, b)) {
                return;
            }
            self.until = approach.time;
            let [start, end] = self.window;
            self.limit = above((approach.time - start) / (end - start));
            self.best = Some(([a, b], approach));
        }
    }
}

impl LeafVisitor for FirstContact<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            self.test(a, b);
        }
        ControlFlow::Continue(self.limit)
    }
}
