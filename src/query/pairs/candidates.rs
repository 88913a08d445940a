//! Pairs of triangles for a narrow phase of the caller's own.

use std::ops::ControlFlow;

use crate::pose::Pose;
use crate::query::descent::{DescentPolicy, LeafVisitor, Overlap, PairQueue};
use crate::query::face_pair::FacePair;
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryStats};
use crate::tree::BvTree;

impl Query {
    /// Calls `visit` for each pair of triangles whose leaf volumes overlap, in no particular order, until it breaks:
    /// the candidates for a test of the caller's own, as parry3d's `leaf_pairs` gives them.
    ///
    /// Every intersecting pair is among them; which others are depends on the kind of tree and on how it was built, and
    /// rounding may let a few more through on another CPU.
    #[doc(alias = "leaf_pairs")]
    #[doc(alias = "narrow phase")]
    pub fn for_each_candidate(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        mut visit: impl FnMut(FacePair) -> ControlFlow<()>,
    ) {
        let trees = PosedTrees::new([a, b], b_to_a);
        self.descend_to_candidates(&trees, Candidates { visit: &mut |a, b| visit(trees.faces(a, b)) });
    }

    /// Compiled once, not for each caller.
    fn descend_to_candidates(&mut self, trees: &PosedTrees<'_>, mut candidates: Candidates<'_>) {
        let volume_tests = self.engine.descend(trees, &Overlap, f32::INFINITY, &mut candidates, DescentPolicy::ALL);
        self.stats = QueryStats { volume_tests, triangle_tests: 0 };
    }
}

/// Hands on, by their leaf indices, all pairs that the descent arrives at.
struct Candidates<'a> {
    visit: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
}

impl LeafVisitor for Candidates<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            (self.visit)(a, b)?;
        }
        ControlFlow::Continue(f32::INFINITY)
    }
}
