//! Triangles of one mesh that intersect each other: the mesh's tree against itself, each pair once.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::pairs::Pairs;
use super::traverse::{Judged, Visitor};
use super::{FacePair, Query, QueryStats};
use crate::packed::{Node, NodeRef, ToFrame, Volume8};
use crate::pose::Pose;
use crate::simd::Simd;
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;

impl Query {
    /// Calls `visit` for each pair of triangles of the tree's mesh that intersect beyond what they share, until it breaks.
    ///
    /// Each pair comes once, with `face_a < face_b`, in no particular order. Corners at equal coordinates are shared,
    /// whatever their indices; [`Triangle::intersects_beyond_shared`] tells what counts between neighbours.
    pub fn for_each_self_pair(&mut self, tree: &BvTree, mut visit: impl FnMut(FacePair) -> ControlFlow<()>) {
        let (view, unmoved) = (tree.view(), Pose::identity());
        let to_frames = ToFrame::both(&tree.meta().frame, &tree.meta().frame, &unmoved);
        let pairs = Pairs::new([view; 2], &unmoved, false, &mut self.batch, |a, b| {
            let (a, b) = (view.faces[a], view.faces[b]);
            visit(FacePair { face_a: a.min(b), face_b: a.max(b) })
        });
        let mut visitor = SelfPairs { view, pairs, neighbour_tests: 0 };
        let volume_tests = self.engine.descend_kind(tree.kind(), [tree; 2], &to_frames, &mut visitor);
        let triangle_tests = visitor.pairs.triangle_tests() + visitor.neighbour_tests;
        self.stats = QueryStats { volume_tests, triangle_tests };
    }

    /// All pairs of triangles of the tree's mesh that intersect beyond what they share, sorted; see
    /// [`Query::for_each_self_pair`].
    pub fn collect_self_pairs(&mut self, tree: &BvTree) -> Vec<FacePair> {
        let mut pairs = Vec::new();
        self.for_each_self_pair(tree, |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs.sort_unstable();
        pairs
    }
}

/// Tells neighbours from the rest, which is for [`Pairs`] to test.
struct SelfPairs<'a, F> {
    view: View<'a>,
    pairs: Pairs<'a, F>,
    neighbour_tests: u64,
}

impl<F: FnMut(usize, usize) -> ControlFlow<()>> Visitor for SelfPairs<'_, F> {
    const NEAREST_FIRST: bool = false;

    /// Two children of a node meet only the first as A's and the second as B's, and so does all that is below them.
    #[inline(always)]
    fn lanes(&self, ones: NodeRef, lane: usize, eight: NodeRef, side: usize) -> u8 {
        match side {
            _ if ones != eight => 0xff,
            0 => 0xff << lane,
            _ => 0xff >> (7 - lane),
        }
    }

    #[inline(always)]
    fn judge<V: Volume8, S: Simd>(&self, simd: S, one: &V, eight: &Node<'_>, to: &ToFrame, target: usize) -> Judged {
        self.pairs.judge(simd, one, eight, to, target)
    }

    #[inline(always)]
    fn wants(&self, lower_bound: f32) -> bool {
        self.pairs.wants(lower_bound)
    }

    #[inline(always)]
    fn pair<S: Simd>(&mut self, simd: S, a: usize, b: usize) -> ControlFlow<()> {
        // A volume may be tested against those below it, which finds triangles in both orders.
        if a >= b {
            return ControlFlow::Continue(());
        }
        let (corners_a, corners_b) = (self.view.triangle(a), self.view.triangle(b));
        if !share_a_corner(&corners_a, &corners_b) {
            return self.pairs.add(simd, a, b);
        }
        self.neighbour_tests += 1;
        if widened(corners_a).intersects_beyond_shared(&widened(corners_b)) {
            self.pairs.found(a, b)?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn step<S: Simd>(&mut self, simd: S, last: bool) -> ControlFlow<()> {
        self.pairs.step(simd, last)
    }
}

#[inline(always)]
fn share_a_corner(a: &[&Point3<f32>; 3], b: &[&Point3<f32>; 3]) -> bool {
    // By x first, and without a branch for each: almost no other corner has the same.
    let same_x = a.iter().fold(false, |any, p| b.iter().fold(any, |any, q| any | (p.x == q.x)));
    same_x && a.iter().any(|p| b.contains(p))
}

#[inline(always)]
fn widened(corners: [&Point3<f32>; 3]) -> Triangle {
    Triangle { vertices: corners.map(|corner| corner.map(f64::from)) }
}
