//! The least distance of two meshes.
//!
//! The search is a branch and bound. First it looks for any intersecting pair of triangles, for which volumes that
//! overlap are enough. If there is none, it descends both trees by lower bounds: at first, with nothing known, to the
//! nearest leaves from wherever the least lower bound is, a few times over; then depth-first, nearer volumes before
//! farther ones, leaving out those whose lower bound is above the distance of the best pair so far ([`DescentPolicy`]
//! has the numbers).

use std::ops::ControlFlow;

use super::answer::{ClosestPair, DistanceOptions};
use super::nearest::Nearest;
use crate::pose::Pose;
use crate::query::descent::{DescentPolicy, LowerBound};
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryStats};
use crate::tree::BvTree;

impl Query {
    /// The least distance between the meshes, 0 exactly when they intersect; `None` if one of them is empty. Of several
    /// pairs of triangles at the same distance, as computed, the first by their faces is returned.
    #[doc(alias = "closest points")]
    #[doc(alias = "min_distance_other")]
    #[doc(alias = "minimum distance")]
    pub fn distance(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Option<ClosestPair> {
        self.distance_with(a, b, b_to_a, &DistanceOptions::default())
    }

    /// As [`Query::distance`], within tolerances, and `None` also where the distance exceeds the upper bound.
    pub fn distance_with(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        let trees = PosedTrees::new([a, b], b_to_a);
        let mut nearest = Nearest::new(&trees, self.engine.level, options);
        let mut work = self.find_touching(&trees, &mut nearest);
        nearest.bound(options.upper_bound.max(0.0));
        if !nearest.is_done() {
            let (test, limit, policy) = (LowerBound::new(&nearest.radius), nearest.limit, nearest.policy());
            work.volume_tests += self.engine.descend(&trees, &test, limit, &mut nearest, policy);
        }
        self.finish(nearest, work, options)
    }

    /// Keeps the statistics; gives the answer.
    pub(in crate::query) fn finish(
        &mut self,
        nearest: Nearest<'_>,
        mut work: QueryStats,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        work.triangle_tests += nearest.triangle_tests;
        self.stats = work;
        // NaN counts as 0, though nothing is less than NaN or equal to it.
        let upper_bound = if options.upper_bound.is_nan() { 0.0 } else { options.upper_bound };
        nearest.best.filter(|best| best.distance <= upper_bound)
    }

    /// Finds an intersecting pair if there is one: whether there is takes far less time than telling the closest of
    /// many.
    pub(in crate::query) fn find_touching(&mut self, trees: &PosedTrees<'_>, nearest: &mut Nearest<'_>) -> QueryStats {
        let work = self.for_each_leaf_pair(trees, DescentPolicy::FIRST, &mut |a, b| {
            nearest.test(a, b);
            ControlFlow::Break(())
        });
        if !nearest.touches() {
            nearest.exclude_contact();
        }
        work
    }
}
