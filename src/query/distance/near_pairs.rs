//! All pairs of triangles within a tolerance.

use std::ops::ControlFlow;

use super::answer::ClosestPair;
use super::rounding::bound_sq;
use crate::pose::Pose;
use crate::query::descent::{DescentPolicy, LeafVisitor, LowerBound, PairQueue, SearchRadius};
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryStats};
use crate::tree::BvTree;

impl Query {
    /// Calls `visit` for each pair of triangles whose distance is at most `tolerance`, in A's units, in no particular
    /// order, until it breaks. Intersecting pairs are among them, at distance 0. Nothing is within a negative
    /// tolerance, and NaN counts as negative.
    #[doc(alias = "clearance")]
    #[doc(alias = "contact prediction")]
    pub fn for_each_within(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        tolerance: f64,
        mut visit: impl FnMut(&ClosestPair) -> ControlFlow<()>,
    ) {
        self.descend_within(&PosedTrees::new([a, b], b_to_a), tolerance, &mut visit);
    }

    /// Compiled once, not for each caller.
    fn descend_within(
        &mut self,
        trees: &PosedTrees<'_>,
        tolerance: f64,
        visit: &mut dyn FnMut(&ClosestPair) -> ControlFlow<()>,
    ) {
        let radius = SearchRadius::new(trees);
        let (limit, test) = (radius.limit(tolerance), LowerBound::new(&radius));
        let mut near = AllWithin { trees, limit, tolerance, visit, triangle_tests: 0 };
        let volume_tests = self.engine.descend(trees, &test, limit, &mut near, DescentPolicy::ALL);
        self.stats = QueryStats { volume_tests, triangle_tests: near.triangle_tests };
    }

    /// All pairs of triangles whose distance is at most `tolerance`, the nearest first, then by faces; see
    /// [`Query::for_each_within`].
    pub fn collect_within(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose, tolerance: f64) -> Vec<ClosestPair> {
        let mut pairs = Vec::new();
        self.for_each_within(a, b, b_to_a, tolerance, |pair| {
            pairs.push(*pair);
            ControlFlow::Continue(())
        });
        pairs.sort_unstable_by(|p, q| p.distance.total_cmp(&q.distance).then(p.faces.cmp(&q.faces)));
        pairs
    }
}

/// Hands on all pairs of triangles within the tolerance.
struct AllWithin<'a> {
    trees: &'a PosedTrees<'a>,
    limit: f32,
    tolerance: f64,
    visit: &'a mut dyn FnMut(&ClosestPair) -> ControlFlow<()>,
    triangle_tests: u64,
}

impl LeafVisitor for AllWithin<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        self.triangle_tests += pairs.len() as u64;
        for (_, a, b) in pairs.iter() {
            let [triangle_a, triangle_b] = self.trees.pair(a, b);
            if let Some(closest) = triangle_a.closest_points_within(&triangle_b, bound_sq(self.tolerance)) {
                let distance = closest.distance_sq.sqrt();
                if distance <= self.tolerance {
                    let (on_a, on_b) = (closest.on_a, closest.on_b);
                    (self.visit)(&ClosestPair { distance, on_a, on_b, faces: self.trees.faces(a, b) })?;
                }
            }
        }
        ControlFlow::Continue(self.limit)
    }
}
