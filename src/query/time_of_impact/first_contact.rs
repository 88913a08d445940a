//! The first pair of triangles in contact: during a time window, and at the start of the motion.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use super::conservative_advancement::{Advance, Approach};
use super::motion_bounds::{Windows, floor};
use super::touching::{Rank, Touching};
use crate::numeric::denormals::above;
use crate::numeric::error_bounds::touching_distance;
use crate::query::{Query, QueryStats};
use crate::traversal::{Interrupt, PairQueue, PairVisitor, PosedTrees, TraversalPolicy};
use crate::tree::BvTree;
use crate::triangle::ClosestPoints;

/// Finds the pair of triangles that touches first.
pub(super) struct FirstContact<'a> {
    /// The trees at the start of the motion.
    trees: &'a PosedTrees<'a>,
    advance: Advance<'a>,
    /// Times that differ by at most this count as equal.
    same_time: f64,
    /// Heights up to this count as 0.
    near: f64,
    /// The start and end of the current time window.
    window: [f64; 2],
    /// The pairs that touch at the same time as the first, with their times. A pair is dropped if another one is no
    /// later and of no higher rank.
    first: SmallVec<[(f64, Touching); 8]>,
    /// Contacts after this time don't matter.
    until: f64,
    /// `until` as a fraction of the window, rounded up.
    limit: f32,
    pub(super) triangle_tests: u64,
    /// The traversal's interrupt, for pairs that take many steps.
    pub(super) interrupt: Interrupt,
}

impl<'a> FirstContact<'a> {
    pub(super) fn new(
        trees: &'a PosedTrees<'a>,
        advance: Advance<'a>,
        windows: &Windows<'_>,
        interrupt: Interrupt,
    ) -> Self {
        let (same_time, near) = (windows.same_time(), touching_distance(windows.floor));
        let (window, first) = ([0.0; 2], SmallVec::new());
        Self { trees, advance, same_time, near, window, first, until: 1.0, limit: 1.0, triangle_tests: 0, interrupt }
    }

    /// Starts a time window.
    pub(super) fn enter(&mut self, window: [f64; 2]) {
        self.window = window;
        [_, self.until] = window;
        self.limit = 1.0;
    }

    /// The time of the first contact, and the pair of lowest rank that touches then.
    pub(super) fn found(&mut self) -> Option<(f64, Touching)> {
        let time = self.first.iter().map(|(time, _)| *time).reduce(f64::min)?;
        let touching = self.first.drain(..).map(|(_, touching)| touching).min_by_key(Touching::rank)?;
        Some((time, touching))
    }

    fn test(&mut self, a: usize, b: usize) {
        self.triangle_tests += 1;
        let faces = self.trees.faces(a, b);
        // A pair that is no sooner than these cannot be the result, whichever way it touches.
        let best = Rank { is_boundary: false, faces };
        let sooner = self.first.iter().filter(|(_, other)| other.rank() <= best).map(|(time, _)| *time);
        let sooner = sooner.fold(f64::INFINITY, f64::min);
        let (triangle_a, vertices_b) = (self.trees.triangle(0, a), self.trees.views[1].triangle(b));
        let until = self.until.min(sooner);
        let found = self.advance.contact(&triangle_a, vertices_b, [self.window[0], until], &mut self.interrupt);
        let Some(Approach { time, closest, b: triangle_b }) = found else { return };
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

impl PairVisitor for FirstContact<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            self.test(a, b);
        }
        if self.interrupt.is_set() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(self.limit)
    }
}

impl Query {
    /// The pair to report if the meshes touch at the start: the first found that touches inside a face or crosses. Any
    /// such pair will do: there may be very many, which all have the same normal where two faces rest on each other. If
    /// there is none, it is the touching pair of lowest rank.
    pub(super) fn touching_at_start(
        &mut self,
        [a, b]: [&BvTree; 2],
        trees: &PosedTrees<'_>,
    ) -> (Option<Touching>, QueryStats) {
        let touching = |[a, b]: [usize; 2], closest: Option<&ClosestPoints>, near: f64| {
            let triangles = trees.pair(a, b);
            let closest = closest.copied().unwrap_or_else(|| triangles[0].closest_points(&triangles[1]));
            Touching::new([a, b], trees.faces(a, b), triangles, closest, near)
        };
        let mut first = None;
        let mut work = self.for_each_leaf_pair(trees, TraversalPolicy::FIRST, &mut |leaf_a, leaf_b| {
            first = Some(touching([leaf_a, leaf_b], None, touching_distance(floor([a, b]))));
            ControlFlow::Break(())
        });
        if let Some(first) = first.as_mut().filter(|first| !first.is_inside_or_crosses()) {
            // A face that rests on another may be slightly off it, by rounding, where their edges meet.
            let near = first.near;
            work += self.for_each_leaf_pair_within(trees, near, &mut |leaves, closest| {
                let other = touching(leaves, Some(closest), near);
                let is_last = other.is_inside_or_crosses();
                if is_last || closest.distance_sq == 0.0 && other.rank() < first.rank() {
                    *first = other;
                }
                if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        (first, work)
    }
}
