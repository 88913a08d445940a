//! The query object, and what its questions have in common.

use std::ops::AddAssign;

use thiserror::Error;

use super::descent::Engine;
use crate::simd::SimdLevel;

/// Why a query can't be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A motion is too long for f64's steps of time to resolve what happens near the meshes.
    #[error("the motion is more than 1e12 times as long as the meshes are large")]
    MotionTooLong,
}

/// How much work a query did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueryStats {
    /// Pairs of volumes tested.
    pub volume_tests: u64,
    /// Pairs of triangles tested.
    pub triangle_tests: u64,
}

impl AddAssign for QueryStats {
    fn add_assign(&mut self, more: Self) {
        self.volume_tests += more.volume_tests;
        self.triangle_tests += more.triangle_tests;
    }
}

/// Answers questions about two trees. Keeps its scratch memory from one question to the next, so that a warmed-up query
/// allocates nothing, but for [`relation`](Query::relation), [`contacts`](Query::contacts),
/// [`penetration`](Query::penetration) and answers that are lists; use one per thread.
#[derive(Debug)]
pub struct Query {
    pub(super) engine: Engine,
    pub(super) stats: QueryStats,
}

impl Default for Query {
    fn default() -> Self {
        Self::new()
    }
}

impl Query {
    /// A query object that uses the best instructions of this CPU.
    pub fn new() -> Self {
        Self::with_simd(SimdLevel::detect())
    }

    /// A query object that uses the given SIMD level, or the baseline (SSE2, NEON, simd128 or portable code) if this
    /// CPU lacks it. Answers are the same.
    pub fn with_simd(level: SimdLevel) -> Self {
        Self { engine: Engine::new(level), stats: QueryStats::default() }
    }

    /// The work of the last question.
    pub fn stats(&self) -> QueryStats {
        self.stats
    }
}
