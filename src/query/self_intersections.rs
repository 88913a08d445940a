//! Self-intersections: the mesh's tree is traversed against itself, and each pair of triangles is visited once.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::pairs::Intersecting;
use super::{Query, QueryStats};
use crate::pose::Pose;
use crate::traversal::{FacePair, OverlapTest, PairQueue, PairVisitor, PosedTrees, TraversalPolicy};
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;

impl Query {
    /// Calls `visit` for each pair of triangles of one mesh that intersect beyond the vertices and edges they share,
    /// until it breaks.
    ///
    /// Each pair is visited once, with `face_a < face_b`, in no particular order. Vertices at equal coordinates are
    /// shared, whatever their indices; [`Triangle::intersects_beyond_shared`] defines which intersections of neighbours
    /// are reported.
    #[doc(alias = "self-intersection")]
    pub fn for_each_self_pair(&mut self, tree: &BvTree, mut visit: impl FnMut(FacePair) -> ControlFlow<()>) {
        self.visit_self_pairs(tree, &mut visit);
    }

    /// [`Query::for_each_self_pair`], compiled once and not for each caller.
    fn visit_self_pairs(&mut self, tree: &BvTree, visit: &mut dyn FnMut(FacePair) -> ControlFlow<()>) {
        let (view, unmoved) = (tree.view(), Pose::identity());
        let trees = PosedTrees::new([tree; 2], &unmoved);
        let mut visit = |a: usize, b: usize| {
            let (a, b) = (view.faces[a], view.faces[b]);
            visit(FacePair { face_a: a.min(b), face_b: a.max(b) })
        };
        let others = Intersecting::new(&trees, self.traversal.level, &mut visit);
        let mut visitor = SelfPairs { view, others, queue: PairQueue::default(), neighbour_tests: 0, is_over: false };
        let volume_tests = self.traversal.run(&trees, &OverlapTest, f32::INFINITY, &mut visitor, TraversalPolicy::SELF);
        visitor.finish();
        let triangle_tests = visitor.others.triangle_tests + visitor.neighbour_tests;
        self.stats = QueryStats { volume_tests, triangle_tests };
    }

    /// All self-intersecting pairs of triangles of a mesh, sorted; see [`Query::for_each_self_pair`].
    pub fn self_pairs(&mut self, tree: &BvTree) -> Vec<FacePair> {
        let mut pairs = Vec::new();
        self.for_each_self_pair(tree, |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs.sort_unstable();
        pairs
    }
}

/// Tests neighbours one by one, and queues other pairs, which are tested in groups of eight.
struct SelfPairs<'a> {
    view: View<'a>,
    others: Intersecting<'a>,
    /// Pairs of triangles without a shared vertex.
    queue: PairQueue,
    neighbour_tests: u64,
    is_over: bool,
}

impl SelfPairs<'_> {
    fn add(&mut self, a: usize, b: usize) -> ControlFlow<()> {
        // A volume may be tested against its own descendants, which finds pairs in both orders.
        if a >= b {
            return ControlFlow::Continue(());
        }
        let (corners_a, corners_b) = (self.view.triangle(a), self.view.triangle(b));
        if share_a_corner(&corners_a, &corners_b) {
            self.neighbour_tests += 1;
            // Duplicates always count. A mesh may have millions of such pairs, so they get a shortcut.
            if corners_a == corners_b || widened(corners_a).intersects_beyond_shared(&widened(corners_b)) {
                self.others.found(a, b)?;
            }
        } else {
            self.queue.push(a, b);
            if self.queue.len() == PairQueue::CAPACITY {
                self.test_queue()?;
            }
        }
        ControlFlow::Continue(())
    }

    fn test_queue(&mut self) -> ControlFlow<()> {
        self.others.test(&mut self.queue)?;
        self.queue.clear();
        ControlFlow::Continue(())
    }

    /// Tests the pairs that remain in the queue after the traversal, unless the caller ended it.
    fn finish(&mut self) {
        if !self.is_over && self.queue.len() > 0 {
            let _ = self.test_queue();
        }
    }
}

impl PairVisitor for SelfPairs<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            if self.add(a, b).is_break() {
                self.is_over = true;
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(f32::INFINITY)
    }
}

#[inline(always)]
fn share_a_corner(a: &[&Point3<f32>; 3], b: &[&Point3<f32>; 3]) -> bool {
    // Compare x first, without branches: almost no two vertices have the same.
    let same_x = a.iter().fold(false, |any, p| b.iter().fold(any, |any, q| any | (p.x == q.x)));
    same_x && a.iter().any(|p| b.contains(p))
}

#[inline(always)]
fn widened(corners: [&Point3<f32>; 3]) -> Triangle {
    Triangle { vertices: corners.map(|corner| corner.map(f64::from)) }
}
