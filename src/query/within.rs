//! Whether two meshes are as near as a tolerance: yes at the first pair of triangles, no by volumes alone where they can.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::posed::{Posed, distance_error};
use super::reach::Reach;
use super::traverse::{Judged, Visitor};
use super::{Query, QueryError, QueryStats};
use crate::packed::{Node, ToFrame, Volume8};
use crate::pose::Pose;
use crate::simd::Simd;
use crate::tree::BvTree;

/// Whether two meshes are within a tolerance of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Within {
    /// Some pair of triangles is at most the tolerance apart.
    Yes,
    /// All are farther apart than the tolerance.
    No {
        /// The distance is proven to be at least this, in A's units: the least of what excluded each pair of triangles, by
        /// their volumes or themselves, and never less than the tolerance. Infinite if a mesh is empty.
        lower_bound: f64,
    },
}

impl Within {
    /// Whether it is [`Within::Yes`].
    pub fn is_yes(self) -> bool {
        self == Within::Yes
    }
}

impl Query {
    /// Whether the distance of the meshes is at most `tolerance`, in A's units: the same as comparing
    /// [`Query::distance`], in less time. A tolerance of 0 asks whether they intersect; nothing is within a negative one,
    /// and NaN counts as negative.
    ///
    /// # Errors
    /// If the trees are of different kinds.
    pub fn within(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose, tolerance: f64) -> Result<Within, QueryError> {
        let to_frames = ToFrame::both(&a.meta().frame, &b.meta().frame, b_to_a);
        let mut near = Near::new([a, b], &to_frames, b_to_a, tolerance);
        let volume_tests = self.engine.descend([a, b], &to_frames, &mut near)?;
        self.stats = QueryStats { volume_tests, triangle_tests: near.triangle_tests };
        Ok(near.finish())
    }
}

/// The bound below which pairs of triangles must be to be within the tolerance: some more than its square, since the
/// distance itself is compared.
pub(super) fn bound_sq(tolerance: f64) -> f64 {
    (tolerance * tolerance * (1.0 + 1e-12)).max(2.0 * f64::MIN_POSITIVE)
}

struct Near<'a> {
    posed: Posed<'a>,
    reach: Reach,
    tolerance: f64,
    found: bool,
    /// What the triangles tested so far are apart at least.
    lower_bound: f64,
    /// The least squared lower bound of a volume that was excluded.
    excluded: Cell<f32>,
    triangle_tests: u64,
}

impl<'a> Near<'a> {
    fn new(trees: [&'a BvTree; 2], to_frames: &[ToFrame; 2], b_to_a: &'a Pose, tolerance: f64) -> Self {
        let mut reach = Reach::unlimited(trees, to_frames);
        reach.limit(tolerance);
        Self {
            posed: Posed::new(trees, b_to_a),
            reach,
            tolerance,
            found: false,
            lower_bound: f64::INFINITY,
            excluded: Cell::new(f32::INFINITY),
            triangle_tests: 0,
        }
    }

    fn finish(self) -> Within {
        if self.found {
            return Within::Yes;
        }
        let excluded = self.reach.distance(self.excluded.get());
        // Rounding may take either below the tolerance, which is a bound too.
        Within::No { lower_bound: self.lower_bound.min(excluded).max(self.tolerance).max(0.0) }
    }

    fn test(&mut self, a: usize, b: usize) -> ControlFlow<()> {
        self.triangle_tests += 1;
        let triangles = self.posed.pair(a, b);
        let bound_sq = (self.lower_bound * self.lower_bound).max(bound_sq(self.tolerance));
        if let Some(closest) = triangles[0].closest_points_within(&triangles[1], bound_sq) {
            let distance = closest.distance_sq.sqrt();
            if distance <= self.tolerance {
                self.found = true;
                return ControlFlow::Break(());
            }
            self.lower_bound = self.lower_bound.min(distance - distance_error(&triangles, distance));
        }
        ControlFlow::Continue(())
    }
}

impl Visitor for Near<'_> {
    const NEAREST_FIRST: bool = true;

    #[inline(always)]
    fn judge<V: Volume8, S: Simd>(&self, simd: S, one: &V, eight: &Node<'_>, to: &ToFrame, target: usize) -> Judged {
        let judged = self.reach.judge(simd, one, eight, to, target);
        for (lane, &lower_bound) in judged.lower_bounds.iter().enumerate() {
            if eight.lanes() & !judged.survivors & 1 << lane != 0 {
                self.excluded.set(self.excluded.get().min(lower_bound));
            }
        }
        judged
    }

    #[inline(always)]
    fn wants(&self, lower_bound: f32) -> bool {
        self.reach.includes(lower_bound)
    }

    #[inline(always)]
    fn pair<S: Simd>(&mut self, _: S, a: usize, b: usize) -> ControlFlow<()> {
        self.test(a, b)
    }
}
