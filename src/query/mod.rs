//! Questions about two trees: whether they touch, which triangles do and where, how far apart they are, whether one is in
//! the other; and which triangles of one tree touch each other.
//!
//! | Question | Answer | Guarantee | Cost |
//! |---|---|---|---|
//! | [`intersects`](Query::intersects) | whether any triangles do | exact | until the first pair |
//! | [`for_each_pair`](Query::for_each_pair) | which triangles do | exact | all intersecting pairs |
//! | [`for_each_candidate`](Query::for_each_candidate) | which triangles' volumes overlap, for a narrow phase of your own | no intersecting pair is missing | volumes alone |
//! | [`distance`](Query::distance) | least distance, closest points, faces | 0 exactly when they intersect, else to rounding | as `intersects`, then the nearest first |
//! | [`DistanceTracker`] | the same, along a path of poses | the same | less, the nearer poses are to each other |
//! | [`within`](Query::within) | whether the distance is at most a tolerance | as `distance`; no comes with a proven lower bound | until the first near pair, or by volumes alone |
//! | [`for_each_within`](Query::for_each_within) | all pairs of triangles closer than a tolerance | as `distance` | all near pairs |
//! | [`relation`](Query::relation) | separate, touching, crossing, one in the other, undefined for what has holes | exact | until two triangles cross; else all pairs and microseconds for each triangle that touches; components once for each tree |
//! | [`contacts`](Query::contacts), [`contact_patches`](Query::contact_patches) | segments and polygons of contact; points, normals, depths | which pairs is exact, coordinates are rounded; depths are estimates | all intersecting pairs |
//! | [`penetration_along`](Query::penetration_along) | how far to move B along a direction until nothing touches | exact to rounding, errs to the long side | branch and bound |
//! | [`penetration`](Query::penetration) | how far to move B, and where to | an upper bound | some fifty directions |
//! | [`time_of_impact`](Query::time_of_impact) | when B, moving, first comes within a tolerance (continuous collision detection) | "free" is a proof; times err early only | a descent per eighth of a radian |
//! | [`for_each_self_pair`](Query::for_each_self_pair) | which triangles of one mesh intersect beyond what they share | exact | all neighbours and intersecting pairs |
//!
//! `examples/` has a program for each family: `one_pair` (pairs), `clearance` (distance, within), `contact` (relation, contacts),
//! `motion` (penetration, time of impact), `self_intersections`, `sweep` (many poses) and `probe`.
//!
//! [`many`] asks at many poses on all cores. Questions about one tree and a ray, a point or a box are in [`probe`](crate::probe).

mod advance;
mod candidates;
mod clearance;
mod contacts;
mod descent;
mod distance;
mod front;
mod impact;
pub mod many;
mod pairs;
mod penetration;
mod pieces;
mod posed;
mod relation;
mod self_pairs;
mod separation;
mod sides;
mod through_edges;
mod tracker;
mod within;

use std::ops::{AddAssign, ControlFlow};

use thiserror::Error;

use crate::packed::ToFrame;
use crate::pose::Pose;
use crate::simd::SimdLevel;
use crate::tree::BvTree;
pub use contacts::{Contact, ContactPatch, DepthSource, Polyline, polylines};
use descent::{Engine, Overlap, Pace, PosedTrees};
pub use distance::{ClosestPair, DistanceOptions};
pub use impact::{MotionContact, TimeOfImpact};
use pairs::Intersecting;
pub use penetration::Penetration;
use posed::Posed;
pub use relation::Relation;
pub use separation::DirectionalPenetration;
pub use tracker::DistanceTracker;
pub use within::Within;

/// Two triangles, one of each mesh, by their indices in the meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FacePair {
    /// Triangle of mesh A.
    pub face_a: u32,
    /// Triangle of mesh B.
    pub face_b: u32,
}

/// Why a query can't be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A motion is too long for its time to tell what happens near the meshes.
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
/// allocates nothing; use one per thread.
#[derive(Debug)]
pub struct Query {
    engine: Engine,
    stats: QueryStats,
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

    /// A query object that uses the given instructions, or portable code where the CPU lacks them. Answers are the same.
    pub fn with_simd(level: SimdLevel) -> Self {
        Self { engine: Engine::new(level), stats: QueryStats::default() }
    }

    /// The work of the last question.
    pub fn stats(&self) -> QueryStats {
        self.stats
    }

    /// Whether any triangle of A intersects any of B; touching counts.
    #[doc(alias = "collide")]
    #[doc(alias = "in_collision_other")]
    #[doc(alias = "intersection_test")]
    pub fn intersects(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> bool {
        let mut hit = false;
        self.stats = self.pairs([a, b], b_to_a, true, &mut |_, _| {
            hit = true;
            ControlFlow::Break(())
        });
        hit
    }

    /// Calls `visit` for each pair of intersecting triangles, in no particular order, until it breaks.
    #[doc(alias = "collision pairs")]
    #[doc(alias = "tri-tri")]
    pub fn for_each_pair(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        mut visit: impl FnMut(FacePair) -> ControlFlow<()>,
    ) {
        let [faces_a, faces_b] = [a, b].map(|tree| tree.view().faces);
        self.stats =
            self.pairs([a, b], b_to_a, false, &mut |a, b| visit(FacePair { face_a: faces_a[a], face_b: faces_b[b] }));
    }

    /// All pairs of intersecting triangles, sorted.
    pub fn collect_pairs(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Vec<FacePair> {
        let mut pairs = Vec::new();
        self.for_each_pair(a, b, b_to_a, |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs.sort_unstable();
        pairs
    }

    /// How many pairs of triangles intersect.
    pub fn count_pairs(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> u64 {
        let mut count = 0;
        self.for_each_pair(a, b, b_to_a, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Calls `visit` with the leaf indices of intersecting triangles.
    fn pairs(
        &mut self,
        trees: [&BvTree; 2],
        b_to_a: &Pose,
        eager: bool,
        visit: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> QueryStats {
        let [a, b] = trees;
        let to_frames = ToFrame::both(&a.meta().frame, &b.meta().frame, b_to_a);
        let mut intersecting = Intersecting::new(Posed::new(trees, b_to_a), self.engine.level, visit);
        let pace = if eager { Pace::FIRST } else { Pace::ALL };
        let trees = PosedTrees::new(trees, &to_frames);
        let volume_tests = self.engine.descend(&trees, &Overlap, f32::INFINITY, &mut intersecting, pace);
        QueryStats { volume_tests, triangle_tests: intersecting.triangle_tests }
    }
}
