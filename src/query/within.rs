//! Distances within a tolerance: whether two meshes are that near, and all pairs of triangles that are.

use std::ops::ControlFlow;

use super::distance::{ClosestPair, distance_error};
use super::{Query, QueryStats};
use crate::numeric::error_bounds::tolerance_bound_sq;
use crate::pose::Pose;
use crate::traversal::{LowerBoundTest, PairQueue, PairVisitor, PosedTrees, SearchRadius, TraversalPolicy};
use crate::tree::BvTree;
use crate::triangle::ClosestPoints;

/// Whether two meshes are within a tolerance of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Within {
    /// The distance is at most the tolerance.
    Yes,
    /// The distance exceeds the tolerance.
    No {
        /// A proven lower bound on the distance, in A's units: the least of the bounds, of volumes or of triangles,
        /// that excluded all pairs. It is at least the tolerance; infinite if a mesh is empty. Other SIMD levels and
        /// CPUs may give another bound, as volumes are compared in f32.
        lower_bound: f64,
    },
}

impl Within {
    /// Whether the result is [`Within::Yes`].
    pub fn is_yes(self) -> bool {
        self == Within::Yes
    }
}

impl Query {
    /// Whether the distance between the meshes is at most `tolerance`, in A's units: the same as comparing
    /// [`Query::distance`] with the tolerance, in less time. A tolerance of 0 tests for intersection; nothing is within
    /// a negative tolerance, and NaN counts as negative.
    #[doc(alias = "tolerance verification")]
    #[doc(alias = "security margin")]
    #[doc(alias = "clearance")]
    pub fn within(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose, tolerance: f64) -> Within {
        let trees = PosedTrees::masked([a, b], b_to_a, self.masks);
        let radius = SearchRadius::new(&trees);
        let (limit, test) = (radius.limit(tolerance), LowerBoundTest::with_excluded(&radius));
        let mut near =
            AnyWithin { trees: &trees, limit, tolerance, found: false, lower_bound: f64::INFINITY, triangle_tests: 0 };
        let volume_tests = self.traversal.run(&trees, &test, limit, &mut near, TraversalPolicy::ONE_BY_ONE);
        self.stats = QueryStats { volume_tests, triangle_tests: near.triangle_tests };
        self.uncertainty = 0.0;
        if near.found {
            return Within::Yes;
        }
        let excluded = radius.distance(test.excluded());
        if tolerance >= 0.0 && self.inner_if_apart([a, b], b_to_a, None).is_some() {
            return Within::Yes;
        }
        // Rounding may push either bound below the tolerance, which is proven to be a lower bound, too.
        Within::No { lower_bound: near.lower_bound.min(excluded).max(tolerance).max(0.0) }
    }
}

/// Finds any pair of triangles within the tolerance.
struct AnyWithin<'a> {
    trees: &'a PosedTrees<'a>,
    limit: f32,
    tolerance: f64,
    found: bool,
    /// A lower bound on the distances of all pairs tested so far.
    lower_bound: f64,
    triangle_tests: u64,
}

impl PairVisitor for AnyWithin<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            self.triangle_tests += 1;
            let triangles = self.trees.pair(a, b);
            let bound_sq = (self.lower_bound * self.lower_bound).max(tolerance_bound_sq(self.tolerance));
            if let Some(closest) = triangles[0].closest_points_within(&triangles[1], bound_sq) {
                let distance = closest.distance_sq.sqrt();
                if distance <= self.tolerance {
                    self.found = true;
                    return ControlFlow::Break(());
                }
                self.lower_bound = self.lower_bound.min(distance - distance_error(&triangles, distance));
            }
        }
        ControlFlow::Continue(self.limit)
    }
}

impl Query {
    /// Calls `visit` for each pair of triangles whose distance is at most `tolerance`, in A's units, in no particular
    /// order, until it breaks. Intersecting pairs are included, at distance 0. Nothing is within a negative tolerance,
    /// and NaN counts as negative.
    #[doc(alias = "clearance")]
    #[doc(alias = "contact prediction")]
    pub fn for_each_pair_within(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        tolerance: f64,
        mut visit: impl FnMut(&ClosestPair) -> ControlFlow<()>,
    ) {
        let trees = PosedTrees::masked([a, b], b_to_a, self.masks);
        self.stats = self.for_each_leaf_pair_within(&trees, tolerance, &mut |[a, b], closest| {
            let ClosestPoints { distance_sq, on_a, on_b } = *closest;
            visit(&ClosestPair { distance: distance_sq.sqrt(), on_a, on_b, faces: trees.faces(a, b) })
        });
    }

    /// [`Query::for_each_pair_within`] by leaf indices, compiled once and not for each caller; returns the numbers of
    /// tests.
    pub(crate) fn for_each_leaf_pair_within(
        &mut self,
        trees: &PosedTrees<'_>,
        tolerance: f64,
        visit: &mut dyn FnMut([usize; 2], &ClosestPoints) -> ControlFlow<()>,
    ) -> QueryStats {
        let radius = SearchRadius::new(trees);
        let (limit, test) = (radius.limit(tolerance), LowerBoundTest::new(&radius));
        let mut near = AllWithin { trees, limit, tolerance, visit, triangle_tests: 0 };
        let volume_tests = self.traversal.run(trees, &test, limit, &mut near, TraversalPolicy::ALL);
        QueryStats { volume_tests, triangle_tests: near.triangle_tests }
    }

    /// All pairs of triangles whose distance is at most `tolerance`, sorted by distance, then by faces; see
    /// [`Query::for_each_pair_within`].
    pub fn pairs_within(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose, tolerance: f64) -> Vec<ClosestPair> {
        let mut pairs = Vec::new();
        self.for_each_pair_within(a, b, b_to_a, tolerance, |pair| {
            pairs.push(*pair);
            ControlFlow::Continue(())
        });
        pairs.sort_unstable_by(|p, q| p.distance.total_cmp(&q.distance).then(p.faces.cmp(&q.faces)));
        pairs
    }
}

/// Passes all pairs of triangles within the tolerance to `visit`, by leaf indices.
struct AllWithin<'a> {
    trees: &'a PosedTrees<'a>,
    limit: f32,
    tolerance: f64,
    visit: &'a mut dyn FnMut([usize; 2], &ClosestPoints) -> ControlFlow<()>,
    triangle_tests: u64,
}

impl PairVisitor for AllWithin<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        self.triangle_tests += pairs.len() as u64;
        for (_, a, b) in pairs.iter() {
            let [triangle_a, triangle_b] = self.trees.pair(a, b);
            let closest = triangle_a.closest_points_within(&triangle_b, tolerance_bound_sq(self.tolerance));
            if let Some(closest) = closest.filter(|closest| closest.distance_sq.sqrt() <= self.tolerance) {
                (self.visit)([a, b], &closest)?;
            }
        }
        ControlFlow::Continue(self.limit)
    }
}
