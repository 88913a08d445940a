//! The distance between two meshes along a path of poses, warm-started from the previous result.

mod front;
mod plane_search;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::numeric::denormals::above;
use crate::pose::Pose;
use crate::query::distance::{ClosestPair, DistanceOptions, Nearest};
use crate::query::solids::KnownInner;
use crate::query::{Query, QueryStats, Solid};
use crate::traversal::{
    LowerBoundTest, NodePair, PairQueue, PairTraversal, PairVisitor, PosedTrees, Recorder, TraversalPolicy,
};
use crate::tree::BvTree;
use crate::triangle::Distances;
use front::Front;
use plane_search::PlaneSearch;

/// Computes the distance between the same two meshes at many poses, each time warm-started from the previous result:
/// from the nearest pair of triangles and, from the third query on, from the planes that separate all other pairs
/// (which take up to about 5 MB).
///
/// This saves work if consecutive poses are close to each other. It never changes a bit of the result, unless
/// tolerances leave a choice. Poses may come in any order.
///
/// Nothing is trusted at a new pose: the distance of the previous pair is computed there and only bounds the result,
/// and each plane is evaluated there with the margins of volume tests. The only fact kept is that the pairs of volumes
/// and triangles that the planes belong to cover all pairs of triangles. For solids ([`Query::set_solids`]), it also
/// remembers which mesh is inside the other until their surfaces may have met.
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
    memory: TrackerMemory,
}

/// What is remembered about two meshes from one pose to the next.
#[derive(Debug)]
pub(super) struct TrackerMemory {
    /// Leaf indices of the nearest triangles of the previous query.
    previous: [usize; 2],
    /// Whether the previous distance was 0.
    touched: bool,
    front: Front,
    inner: Option<KnownInner>,
    /// The masks of the previous query.
    masks: [Option<u32>; 2],
    /// The number of results checked or skipped by [`is_sound`](Self::is_sound).
    result_count: u64,
}

/// Builds with debug assertions check one result in this many.
const CHECK_INTERVAL: u64 = 16;

impl DistanceTracker {
    /// A tracker of two meshes. Its first query has no warm start.
    pub fn new(a: &Arc<BvTree>, b: &Arc<BvTree>) -> Self {
        Self { trees: [a.clone(), b.clone()], memory: TrackerMemory::default() }
    }

    /// Returns the same result as [`Query::distance`].
    pub fn distance(&mut self, query: &mut Query, b_to_a: &Pose) -> Option<ClosestPair> {
        self.distance_with(query, b_to_a, &DistanceOptions::default())
    }

    /// Returns the same result as [`Query::distance_with`], unless tolerances leave a choice.
    pub fn distance_with(
        &mut self,
        query: &mut Query,
        b_to_a: &Pose,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        self.memory.distance_with(query, self.trees.each_ref().map(Arc::as_ref), b_to_a, options)
    }
}

impl Default for TrackerMemory {
    fn default() -> Self {
        Self {
            previous: [usize::MAX; 2],
            touched: false,
            front: Front::default(),
            inner: None,
            masks: [None; 2],
            result_count: 0,
        }
    }
}

impl TrackerMemory {
    /// Lets the next query run without a warm start.
    pub(super) fn forget_pair(&mut self) {
        self.previous = [usize::MAX; 2];
    }

    /// Returns the same result as [`Query::distance_with`], unless tolerances leave a choice. Precondition: the trees
    /// are the same in all calls.
    pub(super) fn distance_with(
        &mut self,
        query: &mut Query,
        trees: [&BvTree; 2],
        b_to_a: &Pose,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        if self.masks != query.masks {
            *self = Self { masks: query.masks, ..Self::default() };
        }
        let mut result = self.surface_distance(query, trees, b_to_a, options);
        if query.solids() != [Solid::No; 2] {
            result = self.solid_distance(query, trees, b_to_a, options, result);
        }
        debug_assert!(self.is_sound(query, trees, b_to_a, options, result), "{result:?}");
        result
    }

    /// The distance between solids, given the distance between their surfaces.
    #[cold]
    fn solid_distance(
        &mut self,
        query: &mut Query,
        trees: [&BvTree; 2],
        b_to_a: &Pose,
        options: &DistanceOptions,
        surfaces: Option<ClosestPair>,
    ) -> Option<ClosestPair> {
        let solids = query.solids();
        let known = self.inner.take().filter(|_| !query.has_masked_solids(trees));
        let known = known.and_then(|known| known.at(solids, b_to_a, trees));
        // What is known was certain.
        query.uncertainty = 0.0;
        let inner = known.unwrap_or_else(|| query.inner_if_apart(trees, b_to_a, surfaces.as_ref()));
        if !query.traversal.interrupt.is_set() {
            self.inner = Some(KnownInner::new(solids, b_to_a, options, surfaces.as_ref(), inner));
        }
        query.solid_distance(trees, b_to_a, options, surfaces, inner)
    }

    fn surface_distance(
        &mut self,
        query: &mut Query,
        trees: [&BvTree; 2],
        b_to_a: &Pose,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        let trees = PosedTrees::masked(trees, b_to_a, query.masks);
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
            // Planes are not valid for frames with a far offset.
            if is_warm && self.front.is_worthwhile() && trees.to_frames[0].far_offset == 0.0 {
                let mut visitor = FrontVisitor { nearest, front: &mut self.front, trees: &trees };
                work.volume_tests += visitor.run(&mut query.traversal, &test, policy);
                nearest = visitor.nearest;
            } else {
                let limit = nearest.limit;
                work.volume_tests += query.traversal.run(&trees, &test, limit, &mut nearest, policy);
            }
            if starts_warm && nearest.touches() {
                // Of several intersecting pairs, return the one that a query without warm start returns.
                work.triangle_tests += nearest.triangle_tests;
                nearest = Nearest::new(&trees, query.traversal.level, options);
                work += query.find_touching(&trees, &mut nearest);
            }
        }
        // If nothing is within the upper bound, the previous pair is still a good start.
        if nearest.best.is_some() {
            self.previous = nearest.leaves;
        }
        self.touched = nearest.touches();
        query.finish(nearest, work, options)
    }

    /// Whether a result equals that of a query without warm start or, with tolerances, agrees with it on whether the
    /// meshes touch. Checks one result in [`CHECK_INTERVAL`]; true for the others. Does not change the query's
    /// statistics.
    fn is_sound(
        &mut self,
        query: &mut Query,
        [a, b]: [&BvTree; 2],
        b_to_a: &Pose,
        options: &DistanceOptions,
        result: Option<ClosestPair>,
    ) -> bool {
        self.result_count += 1;
        if !self.result_count.is_multiple_of(CHECK_INTERVAL) || query.traversal.interrupt.is_set() {
            return true;
        }
        let (stats, interrupt) = (query.stats, std::mem::take(&mut query.traversal.interrupt));
        let cold = query.distance_with(a, b, b_to_a, options);
        (query.stats, query.traversal.interrupt) = (stats, interrupt);
        // With tolerances, only whether the meshes touch is unique.
        let touch = |result: Option<ClosestPair>| result.is_some_and(|closest| closest.distance == 0.0);
        if options.is_exact() { cold == result } else { touch(cold) == touch(result) }
    }
}

/// Finds the nearest pair of triangles, starting from a front, and records where the traversal ends for the next query.
struct FrontVisitor<'a, 'f> {
    nearest: Nearest<'a>,
    front: &'f mut Front,
    trees: &'f PosedTrees<'f>,
}

impl<'a, 'f> FrontVisitor<'a, 'f> {
    fn search(&self) -> PlaneSearch<'f> {
        let distance = above(self.nearest.bound_sq.sqrt() / self.trees.frames[0].unit);
        PlaneSearch { level: self.nearest.level, trees: self.trees, distance }
    }

    /// Traverses the trees from the front if it is worthwhile, otherwise from the roots; returns the number of volume
    /// tests.
    fn run(&mut self, engine: &mut PairTraversal, test: &LowerBoundTest, policy: TraversalPolicy) -> u64 {
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
        // The traversal ended early if nothing can be nearer.
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

impl PairVisitor for FrontVisitor<'_, '_> {
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

impl Recorder for FrontVisitor<'_, '_> {
    fn on_separated(&mut self, nodes: &NodePair) {
        let search = self.search();
        self.front.add_separated(&search, *nodes);
    }

    fn on_culled(&mut self, nodes: &NodePair) {
        self.front.add_volumes_without_plane(*nodes);
    }

    fn give_up(&mut self) {
        self.front.give_up();
    }
}
