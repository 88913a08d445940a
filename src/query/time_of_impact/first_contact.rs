//! The visitor that finds the pair of triangles that touches first, in one window of time after the other.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use super::advance::{Advance, Approach};
use super::motion_bounds::Windows;
use super::touching::{Rank, Touching, near};
use crate::numeric::denormals::above;
use crate::query::descent::{LeafVisitor, PairQueue};
use crate::query::posed_trees::PosedTrees;

/// Finds the pair of triangles that touches first.
pub(super) struct FirstContact<'a> {
    /// At the start of the motion.
    trees: &'a PosedTrees<'a>,
    advance: Advance<'a>,
    /// Times that differ by no more are the same, and heights that are no greater are none.
    same_time: f64,
    near: f64,
    window: [f64; 2],
    /// Of pairs that touch at the same time as the first, with their times, those for which no other is both sooner and
    /// of lower rank.
    first: SmallVec<[(f64, Touching); 8]>,
    /// Nothing after this time matters; and in parts of the window, rounded up.
    until: f64,
    limit: f32,
    pub(super) triangle_tests: u64,
}

impl<'a> FirstContact<'a> {
    pub(super) fn new(trees: &'a PosedTrees<'a>, advance: Advance<'a>, windows: &Windows<'_>) -> Self {
        let (same_time, near) = (windows.same_time(), near(windows.floor));
        let (window, first) = ([0.0; 2], SmallVec::new());
        Self { trees, advance, same_time, near, window, first, until: 1.0, limit: 1.0, triangle_tests: 0 }
    }

    /// Takes on a window of time.
    pub(super) fn enter(&mut self, window: [f64; 2]) {
        self.window = window;
        [_, self.until] = window;
        self.limit = 1.0;
    }

    /// When the first pair touches, and which one to tell of those that then do, in whatever order they came.
    pub(super) fn found(&mut self) -> Option<(f64, Touching)> {
        let time = self.first.iter().map(|(time, _)| *time).reduce(f64::min)?;
        let touching = self.first.drain(..).map(|(_, touching)| touching).min_by_key(Touching::rank)?;
        Some((time, touching))
    }

    fn test(&mut self, a: usize, b: usize) {
        self.triangle_tests += 1;
        let faces = self.trees.faces(a, b);
        // If it is no sooner than these it is not told, whichever way it touches.
        let best = Rank { is_boundary: false, faces };
        let sooner = self.first.iter().filter(|(_, other)| other.rank() <= best).map(|(time, _)| *time);
        let sooner = sooner.fold(f64::INFINITY, f64::min);
        let (triangle_a, vertices_b) = (self.trees.triangle(0, a), self.trees.views[1].triangle(b));
        let until = self.until.min(sooner);
        let Some(approach) = self.advance.contact(&triangle_a, vertices_b, self.window[0], until) else { return };
        let Approach { time, closest, b: triangle_b } = approach;
        if time >= sooner {
            return;
        }
        let touching = Touching::new([a, b], faces, [triangle_a, triangle_b], closest, self.near);
        if self.first.iter().any(|(sooner, other)| *sooner <= time && other.rank() <= touching.rank()) {
            return;
        }
        let [start, end] = self.window;
        self.until = self.until.min(time + self.same_time);
        self.limit = above((self.until - start) / (end - start));
        let until = self.until;
        self.first.retain(|(later, other)| *later <= until && (*later < time || other.rank() < touching.rank()));
        self.first.push((time, touching));
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
