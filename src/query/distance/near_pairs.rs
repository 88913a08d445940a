//! All pairs of triangles within a tolerance.

use std::ops::ControlFlow;

use super::answer::ClosestPair;
use super::rounding::bound_sq;
use crate::pose::Pose;
use crate::query::descent::{DescentPolicy, LeafVisitor, LowerBound, PairQueue, SearchRadius};
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryStats};
use crate::tree::BvTree;
use crate::triangle::ClosestPoints;

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
        let trees = PosedTrees::new([a, b], b_to_a);
        self.stats = self.for_each_leaf_pair_within(&trees, tolerance, &mut |[a, b], closest| {
            let ClosestPoints { distance_sq, on_a, on_b } = *closest;
            visit(&ClosestPair { distance: distance_sq.sqrt(), on_a, on_b, faces: trees.faces(a, b) })
        });
    }

    /// Compiled once, not for each caller. Calls `visit` with leaf indices; gives the work.
    pub(in crate::query) fn for_each_leaf_pair_within(
        &mut self,
        trees: &PosedTrees<'_>,
        tolerance: f64,
        visit: &mut dyn FnMut([usize; 2], &ClosestPoints) -> ControlFlow<()>,
    ) -> QueryStats {
        let radius = SearchRadius::new(trees);
        let (limit, test) = (radius.limit(tolerance), LowerBound::new(&radius));
        let mut near = AllWithin { trees, limit, tolerance, visit, triangle_tests: 0 };
        let volume_tests = self.engine.descend(trees, &test, limit, &mut near, DescentPolicy::ALL);
        QueryStats { volume_tests, triangle_tests: near.triangle_tests }
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

/// Hands on, by their leaf indices, all pairs of triangles within the tolerance.
struct AllWithin<'a> {
    trees: &'a PosedTrees<'a>,
    limit: f32,
    tolerance: f64,
    visit: &'a mut dyn FnMut([usize; 2], &ClosestPoints) -> ControlFlow<()>,
    triangle_tests: u64,
}

impl LeafVisitor for AllWithin<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        self.triangle_tests += pairs.len() as u64;
        for (_, a, b) in pairs.iter() {
            let [triangle_a, triangle_b] = self.trees.pair(a, b);
            let closest = triangle_a.closest_points_within(&triangle_b, bound_sq(self.tolerance));
            if let Some(closest) = closest.filter(|closest| closest.distance_sq.sqrt() <= self.tolerance) {
                (self.visit)([a, b], &closest)?;
            }
        }
        ControlFlow::Continue(self.limit)
    }
}
