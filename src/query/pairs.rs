//! Pairs of intersecting triangles of two meshes, and candidate pairs for a narrow phase of the caller's own.

use std::ops::ControlFlow;

use super::{Query, QueryStats};
use crate::pose::Pose;
use crate::simd::SimdLevel;
use crate::traversal::{FacePair, OverlapTest, PairQueue, PairVisitor, PosedTrees, TraversalPolicy};
use crate::tree::BvTree;

impl Query {
    /// Whether any triangle of A intersects any triangle of B; touching counts as intersecting. A mesh is a surface:
    /// one that is wholly inside another does not intersect it, unless [`Query::set_solids`] makes the outer one solid.
    #[doc(alias = "collide")]
    #[doc(alias = "collision detection")]
    #[doc(alias = "in_collision_other")]
    #[doc(alias = "intersection_test")]
    pub fn intersects(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> bool {
        let touch = self.intersecting_leaves([a, b], b_to_a, None).is_some();
        self.uncertainty = 0.0;
        touch || self.inner_if_apart([a, b], b_to_a, None).is_some()
    }

    /// The leaf indices of any triangle of A and any of B that intersect; `None` if none do. Returns `last` if that
    /// pair still intersects.
    pub(crate) fn intersecting_leaves(
        &mut self,
        [a, b]: [&BvTree; 2],
        b_to_a: &Pose,
        last: Option<[u32; 2]>,
    ) -> Option<[u32; 2]> {
        let trees = PosedTrees::masked([a, b], b_to_a, self.masks);
        let exist = |&[p, q]: &[u32; 2]| (p as usize) < a.triangle_count() && (q as usize) < b.triangle_count();
        let mut work = QueryStats::default();
        if let Some([p, q]) = last.filter(exist).filter(|leaves| trees.passes(*leaves)) {
            let [of_a, of_b] = trees.pair(p as usize, q as usize);
            work.triangle_tests += 1;
            if of_a.intersects(&of_b) {
                self.stats = work;
                return last;
            }
        }
        let mut found = None;
        work += self.for_each_leaf_pair(&trees, TraversalPolicy::FIRST, &mut |p, q| {
            found = Some([p as u32, q as u32]);
            ControlFlow::Break(())
        });
        self.stats = work;
        found
    }

    /// Calls `visit` for each pair of intersecting triangles, in no particular order, until it breaks.
    #[doc(alias = "collision pairs")]
    pub fn for_each_intersecting_pair(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        mut visit: impl FnMut(FacePair) -> ControlFlow<()>,
    ) {
        let trees = PosedTrees::masked([a, b], b_to_a, self.masks);
        self.stats = self.for_each_leaf_pair(&trees, TraversalPolicy::ALL, &mut |a, b| visit(trees.faces(a, b)));
    }

    /// Like [`Query::for_each_intersecting_pair`], but without masks, and ended after about `max_tests` tests of pairs
    /// of triangles. `visit` does not get the pair.
    pub(crate) fn for_each_pair_in_tests(
        &mut self,
        [a, b]: [&BvTree; 2],
        b_to_a: &Pose,
        max_tests: u64,
        visit: &mut dyn FnMut() -> ControlFlow<()>,
    ) {
        let trees = PosedTrees::new([a, b], b_to_a);
        let mut visit = |_, _| visit();
        let mut bounded =
            TestLimit { intersecting: Intersecting::new(&trees, self.traversal.level, &mut visit), max_tests };
        let volume_tests = self.traversal.run(&trees, &OverlapTest, f32::INFINITY, &mut bounded, TraversalPolicy::ALL);
        self.stats = QueryStats { volume_tests, triangle_tests: bounded.intersecting.triangle_tests };
    }

    /// All pairs of intersecting triangles, sorted.
    pub fn intersecting_pairs(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Vec<FacePair> {
        let mut pairs = Vec::new();
        self.for_each_intersecting_pair(a, b, b_to_a, |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs.sort_unstable();
        pairs
    }

    /// The number of intersecting pairs of triangles.
    pub fn count_pairs(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> u64 {
        let mut count = 0;
        self.for_each_intersecting_pair(a, b, b_to_a, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Calls `visit` with the leaf indices of each pair of intersecting triangles, until it breaks; returns the work.
    pub(crate) fn for_each_leaf_pair(
        &mut self,
        trees: &PosedTrees<'_>,
        policy: TraversalPolicy,
        visit: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> QueryStats {
        let mut intersecting = Intersecting::new(trees, self.traversal.level, visit);
        let volume_tests = self.traversal.run(trees, &OverlapTest, f32::INFINITY, &mut intersecting, policy);
        QueryStats { volume_tests, triangle_tests: intersecting.triangle_tests }
    }
}

/// Passes to `visit` the leaf indices of the pairs of triangles that intersect.
pub(super) struct Intersecting<'a> {
    trees: &'a PosedTrees<'a>,
    level: SimdLevel,
    visit: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    pub(super) triangle_tests: u64,
}

impl<'a> Intersecting<'a> {
    pub(super) fn new(
        trees: &'a PosedTrees<'a>,
        level: SimdLevel,
        visit: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Self {
        Self { trees, level, visit, triangle_tests: 0 }
    }

    /// Tests the queued pairs.
    pub(super) fn test(&mut self, pairs: &mut PairQueue) -> ControlFlow<()> {
        self.triangle_tests += pairs.len() as u64;
        let lanes = pairs.lanes();
        let verdicts = pairs.batch(&self.trees.views).verdicts(self.level, self.trees.b_to_a);
        if (verdicts.hits | verdicts.undecided) & lanes == 0 {
            return ControlFlow::Continue(());
        }
        for (lane, a, b) in pairs.iter() {
            let bit = 1 << lane;
            if verdicts.hits & bit != 0 || verdicts.undecided & bit != 0 && self.intersect(a, b) {
                (self.visit)(a, b)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Passes to `visit` a pair that is known to intersect.
    pub(super) fn found(&mut self, a: usize, b: usize) -> ControlFlow<()> {
        (self.visit)(a, b)
    }

    #[cold]
    fn intersect(&self, a: usize, b: usize) -> bool {
        let [a, b] = self.trees.pair(a, b);
        a.intersects(&b)
    }
}

impl PairVisitor for Intersecting<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        self.test(pairs)?;
        ControlFlow::Continue(f32::INFINITY)
    }
}

/// Ends the traversal after about `max_tests` tests of pairs of triangles.
struct TestLimit<'a> {
    intersecting: Intersecting<'a>,
    max_tests: u64,
}

impl PairVisitor for TestLimit<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        let limit = self.intersecting.visit(pairs)?;
        if self.intersecting.triangle_tests < self.max_tests {
            ControlFlow::Continue(limit)
        } else {
            ControlFlow::Break(())
        }
    }
}

impl Query {
    /// Calls `visit` for each pair of triangles whose leaf volumes overlap, in no particular order, until it breaks:
    /// candidates for a narrow phase of the caller's own.
    ///
    /// Every intersecting pair is included. The other pairs depend on the volume kind and the build options, and
    /// rounding may add a few on another CPU.
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
        self.visit_candidates(&trees, Candidates { visit: &mut |a, b| visit(trees.faces(a, b)) });
    }

    /// [`Query::for_each_candidate`], compiled once and not for each caller.
    fn visit_candidates(&mut self, trees: &PosedTrees<'_>, mut candidates: Candidates<'_>) {
        let volume_tests =
            self.traversal.run(trees, &OverlapTest, f32::INFINITY, &mut candidates, TraversalPolicy::ALL);
        self.stats = QueryStats { volume_tests, triangle_tests: 0 };
    }
}

/// Passes to `visit` the leaf indices of all pairs that the traversal finds.
struct Candidates<'a> {
    visit: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
}

impl PairVisitor for Candidates<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            (self.visit)(a, b)?;
        }
        ControlFlow::Continue(f32::INFINITY)
    }
}
