//! Whether two meshes are as near as a tolerance: yes at the first pair of triangles, no by volumes alone where they
//! can.

use std::ops::ControlFlow;

use super::rounding::{bound_sq, distance_error};
use crate::pose::Pose;
use crate::query::descent::{DescentPolicy, LeafVisitor, LowerBound, PairQueue, SearchRadius};
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryStats};
use crate::tree::BvTree;

/// Whether two meshes are within a tolerance of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Within {
    /// Some pair of triangles is at most the tolerance apart.
    Yes,
    /// All are farther apart than the tolerance.
    No {
        /// The distance is proven to be at least this, in A's units: the least of what excluded each pair of triangles,
        /// by their volumes or themselves, and never less than the tolerance. Infinite if a mesh is empty.
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
    /// [`Query::distance`], in less time. A tolerance of 0 asks whether they intersect; nothing is within a negative
    /// one, and NaN counts as negative.
    #[doc(alias = "tolerance verification")]
    #[doc(alias = "security margin")]
    pub fn within(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose, tolerance: f64) -> Within {
        let trees = PosedTrees::new([a, b], b_to_a);
        let radius = SearchRadius::new(&trees);
        let (limit, test) = (radius.limit(tolerance), LowerBound::with_excluded(&radius));
        let mut near =
            AnyWithin { trees: &trees, limit, tolerance, found: false, lower_bound: f64::INFINITY, triangle_tests: 0 };
        let volume_tests = self.engine.descend(&trees, &test, limit, &mut near, DescentPolicy::ONE_BY_ONE);
        self.stats = QueryStats { volume_tests, triangle_tests: near.triangle_tests };
        if near.found {
            return Within::Yes;
        }
        let excluded = radius.distance(test.excluded());
        // Rounding may take either below the tolerance, which is a bound too.
        Within::No { lower_bound: near.lower_bound.min(excluded).max(tolerance).max(0.0) }
    }
}

/// Looks for any pair of triangles within the tolerance.
struct AnyWithin<'a> {
    trees: &'a PosedTrees<'a>,
    limit: f32,
    tolerance: f64,
    found: bool,
    /// What the triangles tested so far are apart at least.
    lower_bound: f64,
    triangle_tests: u64,
}

impl AnyWithin<'_> {
    fn test(&mut self, a: usize, b: usize) -> ControlFlow<()> {
        self.triangle_tests += 1;
        let triangles = self.trees.pair(a, b);
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

impl LeafVisitor for AnyWithin<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            self.test(a, b)?;
        }
        ControlFlow::Continue(self.limit)
    }
}
