//! The distance between two meshes along a path of poses, warm-started from the previous result.

mod front;
mod plane_search;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::numeric::denormals::above;
use crate::pose::Pose;
use crate::query::distance::{ClosestPair, DistanceOptions, Nearest};
use crate::query::{Query, QueryStats};
use crate::traversal::{
    LowerBoundTest, NodePair, PairQueue, PairTraversal, PairVisitor, PosedTrees, Recorder, TraversalPolicy,
};
use crate::tree::BvTree;
use crate::triangle::Distances;
use front::Front;
use plane_search::PlaneSearch;

/// Finds the least distance of the same two meshes again and again, and starts each time from what it found last: the
/// nearest pair of triangles and, from the third question on, what kept all others apart (up to some 5 MB).
///
/// Nothing of that is trusted at another pose: the pair's distance is measured there and only bounds the answer, and
/// each plane is evaluated there with the margins of volume tests. What is kept from one question to the next is that
/// the pairs of volumes and triangles that the planes belong to have all pairs of triangles among them.
///
/// That saves work where poses follow each other closely. It never changes the answer, not by a bit, unless tolerances
/// leave a choice; poses may come in any order.
///
/// ```
/// # use std::sync::Arc;
/// # use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, query::DistanceTracker};
/// # use nalgebra::{Isometry3, Point3};
/// # let corners = vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
/// let tree = Arc::new(BvTree::build(&Mesh::from_arrays(corners, vec![[0, 1, 2]])?, &BuildOptions::default())?);
/// let (mut query, mut tracker) = (Query::new(), DistanceTracker::new(&tree, &tree));
/// for step in 1..10 {
///     let pose = Isometry3::translation(0.0, 0.0, 0.01 * f64::from(step)).into();
///     let closest = tracker.distance(&mut query, &pose);
///     assert_eq!(closest, query.distance(&tree, &tree, &pose));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[doc(alias = "warm start")]
#[doc(alias = "temporal coherence")]
#[doc(alias = "front")]
pub struct DistanceTracker {
    trees: [Arc<BvTree>; 2],
    /// Leaf indices of the triangles that the last distance was found at, and whether it was 0.
    previous: [usize; 2],
    touched: bool,
    front: Front,
    /// How many questions were answered.
    answered: u64,
}

/// One in so many answers is checked in builds with debug assertions.
const SAMPLED: u64 = 16;

impl DistanceTracker {
    /// Of two meshes, of which nothing is known yet.
    pub fn new(a: &Arc<BvTree>, b: &Arc<BvTree>) -> Self {
        let trees = [a.clone(), b.clone()];
        Self { trees, previous: [usize::MAX; 2], touched: false, front: Front::default(), answered: 0 }
    }

    /// As [`Query::distance`].
    pub fn distance(&mut self, query: &mut Query, b_to_a: &Pose) -> Option<ClosestPair> {
        self.distance_with(query, b_to_a, &DistanceOptions::default())
    }

    /// As [`Query::distance_with`].
    pub fn distance_with(
        &mut self,
        query: &mut Query,
        b_to_a: &Pose,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        let trees = PosedTrees::new(self.trees.each_ref().map(Arc::as_ref), b_to_a);
        let mut nearest = Nearest::new(&trees, query.traversal.level, options);
        let mut work = QueryStats::default();
        let starts_warm = !self.touched && nearest.bound_by_pair(self.previous);
        if !starts_warm {
            work += query.find_touching(&trees, &mut nearest);
        }
        nearest.bound(options.upper_bound.max(0.0));
        if !nearest.is_done() {
            let is_warm = starts_warm || nearest.bound_by_pair(self.previous);
            let (test, policy) = (LowerBoundTest::new(&nearest.radius), nearest.policy());
            // Planes know nothing of frames that were brought nearer.
            if is_warm && self.front.is_of_use() && trees.to_frames[0].beyond == 0.0 {
                let mut tracking = Tracking::new(nearest, &mut self.front, &trees);
                work.volume_tests += tracking.descend(&mut query.traversal, &test, policy);
                nearest = tracking.nearest;
            } else {
                let limit = nearest.limit;
                work.volume_tests += query.traversal.run(&trees, &test, limit, &mut nearest, policy);
            }
            if starts_warm && nearest.touches() {
                // Which of many intersecting pairs is the answer is for the query without a warm start to say.
                work.triangle_tests += nearest.triangle_tests;
                nearest = Nearest::new(&trees, query.traversal.level, options);
                work += query.find_touching(&trees, &mut nearest);
            }
        }
        // Where all is beyond the upper bound, the pair that was nearest before still is a good start.
        if nearest.best.is_some() {
            self.previous = nearest.leaves;
        }
        self.touched = nearest.touches();
        let answer = query.finish(nearest, work, options);
        debug_assert!(self.is_sound(query, b_to_a, options, answer), "{answer:?}");
        answer
    }

    /// Whether an answer is that of a query without a warm start; looks at one answer in [`SAMPLED`]. Leaves the
    /// query's statistics as they are.
    fn is_sound(
        &mut self,
        query: &mut Query,
        b_to_a: &Pose,
        options: &DistanceOptions,
        answer: Option<ClosestPair>,
    ) -> bool {
        self.answered += 1;
        if !self.answered.is_multiple_of(SAMPLED) || query.traversal.interrupt.is_set() {
            return true;
        }
        let (stats, interrupt) = (query.stats, std::mem::take(&mut query.traversal.interrupt));
        let [a, b] = &self.trees;
        let cold = query.distance_with(a, b, b_to_a, options);
        (query.stats, query.traversal.interrupt) = (stats, interrupt);
        // Tolerances leave a choice, but for whether the meshes touch.
        let touch = |answer: Option<ClosestPair>| answer.is_some_and(|closest| closest.distance == 0.0);
        let is_exact = options.relative_tolerance.max(options.absolute_tolerance).max(0.0) == 0.0;
        if is_exact { cold == answer } else { touch(cold) == touch(answer) }
    }
}

/// Finds the nearest pair of triangles, starting from a front, and records where the descent ends for the next.
struct Tracking<'a, 'f> {
    nearest: Nearest<'a>,
    front: &'f mut Front,
    trees: &'f PosedTrees<'f>,
}

impl<'a, 'f> Tracking<'a, 'f> {
    fn new(nearest: Nearest<'a>, front: &'f mut Front, trees: &'f PosedTrees<'f>) -> Self {
        Self { nearest, front, trees }
    }

    fn search(&self) -> PlaneSearch<'f> {
        let distance = above(self.nearest.bound_sq.sqrt() / self.trees.frames[0].unit);
        PlaneSearch { level: self.nearest.level, trees: self.trees, distance }
    }

    /// Descends from the front where that is of use, else from the roots; returns the number of volume tests.
    fn descend(&mut self, engine: &mut PairTraversal, test: &LowerBoundTest, policy: TraversalPolicy) -> u64 {
        let search = self.search();
        engine.stack.clear();
        let follows = self.front.reactivate(&search, &mut engine.stack);
        let trees = self.trees;
        let volume_tests = if self.test_reactivated().is_break() {
            0
        } else if follows {
            let limit = self.nearest.limit;
            engine.resume(trees, test, limit, self, policy.depth_first())
        } else {
            engine.run(trees, test, self.nearest.limit, self, policy)
        };
        // The descent was broken off if nothing can be nearer.
        self.front.finish(!self.nearest.is_done() && !engine.interrupt.is_set());
        volume_tests
    }

    fn test_reactivated(&mut self) -> ControlFlow<()> {
        let mut pairs = PairQueue::default();
        while let Some([a, b]) = self.front.reactivated.pop() {
            pairs.push(a as usize, b as usize);
            if pairs.len() == PairQueue::CAPACITY || self.front.reactivated.is_empty() {
                if let ControlFlow::Break(()) = self.visit(&mut pairs) {
                    return ControlFlow::Break(());
                }
                pairs.clear();
            }
        }
        ControlFlow::Continue(())
    }
}

impl PairVisitor for Tracking<'_, '_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        let is_recorded = self.front.is_recording();
        let (Distances { separations, .. }, far) = self.nearest.test_pairs(pairs, is_recorded);
        if is_recorded {
            let search = self.search();
            self.front.add_pairs(&search, pairs, far, &separations);
        }
        if self.nearest.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(self.nearest.limit) }
    }

    fn recorder(&mut self) -> Option<&mut dyn Recorder> {
        if self.front.is_recording() { Some(self) } else { None }
    }
}

impl Recorder for Tracking<'_, '_> {
    fn on_separated(&mut self, entry: &NodePair) {
        let search = self.search();
        self.front.add_separated(&search, *entry);
    }

    fn on_culled(&mut self, entry: &NodePair) {
        self.front.add_volumes_without_plane(*entry);
    }
}
