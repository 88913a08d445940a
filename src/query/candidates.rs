//! Pairs of triangles for a narrow phase of the caller's own.

use std::ops::ControlFlow;

use super::descent::{LeafVisitor, Overlap, Pace, PairQueue, PosedTrees};
use super::{FacePair, Query, QueryStats};
use crate::packed::ToFrame;
use crate::pose::Pose;
use crate::tree::BvTree;

impl Query {
    /// Calls `visit` for each pair of triangles whose leaf volumes overlap, in no particular order, until it breaks: the
    /// candidates for a test of the caller's own, as parry3d's `leaf_pairs` gives them.
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
        let [faces_a, faces_b] = [a, b].map(|tree| tree.view().faces);
        let to_frames = ToFrame::both(&a.meta().frame, &b.meta().frame, b_to_a);
        let mut candidates = Candidates {
            visit: &mut |leaf_a, leaf_b| visit(FacePair { face_a: faces_a[leaf_a], face_b: faces_b[leaf_b] }),
        };
        let trees = PosedTrees::new([a, b], &to_frames);
        let volume_tests = self.engine.descend(&trees, &Overlap, f32::INFINITY, &mut candidates, Pace::ALL);
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
