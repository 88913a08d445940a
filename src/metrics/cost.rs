//! What queries cost, measured.

use std::ops::ControlFlow;

use crate::pose::Pose;
use crate::query::{Query, QueryError};
use crate::tree::BvTree;

/// Work of a number of queries: the counts in T = Nv Cv + Np Cp (Gottschalk, Lin and Manocha 1996, section 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryCost {
    /// Poses asked about.
    pub queries: u64,
    /// Poses in which the meshes touch.
    pub hits: u64,
    /// Pairs of volumes tested, over all poses.
    pub volume_tests: u64,
    /// Pairs of triangles tested, over all poses.
    pub triangle_tests: u64,
}

impl QueryCost {
    /// Mean number of volume tests; `None` without queries.
    pub fn volume_tests_per_query(&self) -> Option<f64> {
        self.per_query(self.volume_tests)
    }

    /// Mean number of triangle tests; `None` without queries.
    pub fn triangle_tests_per_query(&self) -> Option<f64> {
        self.per_query(self.triangle_tests)
    }

    fn per_query(&self, count: u64) -> Option<f64> {
        (self.queries > 0).then(|| count as f64 / self.queries as f64)
    }
}

/// Asks for all pairs of touching triangles in each pose and counts the work. Stopping at the first pair would make the
/// count depend on luck.
///
/// # Errors
/// If the trees are of different kinds.
pub fn query_cost<'a>(
    query: &mut Query,
    a: &BvTree,
    b: &BvTree,
    poses: impl IntoIterator<Item = &'a Pose>,
) -> Result<QueryCost, QueryError> {
    let mut cost = QueryCost::default();
    for pose in poses {
        let mut hit = false;
        query.for_each_pair(a, b, pose, |_| {
            hit = true;
            ControlFlow::Continue(())
        })?;
        let stats = query.stats();
        cost.queries += 1;
        cost.hits += u64::from(hit);
        cost.volume_tests += stats.volume_tests;
        cost.triangle_tests += stats.triangle_tests;
    }
    Ok(cost)
}
