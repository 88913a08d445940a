//! The work of a scene's question.

use std::ops::AddAssign;

use crate::query::QueryStats;

/// How much work a scene's question did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneStats {
    /// Pairs of bodies, or bodies, whose boxes are near enough.
    pub candidates: u64,
    /// Of these, how many were found to be apart by their bounding spheres and boxes alone.
    pub apart_by_bounds: u64,
    /// How many were answered by what was known from an earlier question.
    pub known: u64,
    /// How many times the trees were asked.
    pub asked: u64,
    /// The trees' work.
    pub trees: QueryStats,
}

impl AddAssign for SceneStats {
    fn add_assign(&mut self, more: Self) {
        self.candidates += more.candidates;
        self.apart_by_bounds += more.apart_by_bounds;
        self.known += more.known;
        self.asked += more.asked;
        self.trees += more.trees;
    }
}
