//! Questions about two trees: whether they touch, which triangles do and where, how far apart they are, whether one is
//! in the other; and which triangles of one tree touch each other.
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
//! | [`penetration_along`](Query::penetration_along) | the last contact as B is moved along a direction: beyond that length nothing touches | exact to rounding, errs to the long side | branch and bound |
//! | [`penetration`](Query::penetration) | a translation that frees B, as short as was found | an upper bound of the penetration depth | some fifty directions |
//! | [`time_of_impact`](Query::time_of_impact) | when B, moving straight and turning evenly, first touches A (continuous collision detection) | "free" is proven for that motion; times err early only | a descent per eighth of a radian |
//! | [`for_each_self_pair`](Query::for_each_self_pair) | which triangles of one mesh intersect beyond what they share | exact | all neighbours and intersecting pairs |
//!
//! `examples/` has a program for each family: `one_pair` (pairs), `clearance` (distance, within), `contact` (relation,
//! contacts), `motion` (penetration, time of impact), `self_intersections`, `sweep` (many poses) and `probe`.
//!
//! [`many`] asks at many poses on all cores. [`Query::interrupt_when`] ends questions early. Questions about one tree
//! and a ray, a point or a box are in [`probe`](crate::probe).

mod contacts;
mod distance;
mod distance_tracker;
pub mod many;
mod pairs;
mod penetration;
mod relation;
mod self_intersections;
mod time_of_impact;
mod within;

pub use crate::traversal::FacePair;
pub use contacts::{Contact, ContactPatch, DepthSource, Polyline, polylines};
pub use distance::{ClosestPair, DistanceOptions};
pub use distance_tracker::DistanceTracker;
pub use penetration::{DirectionalPenetration, Penetration};
pub use relation::Relation;
pub use time_of_impact::{MotionContact, TimeOfImpact};
pub use within::Within;

use std::ops::AddAssign;

use thiserror::Error;

use crate::simd::SimdLevel;
use crate::traversal::PairTraversal;

/// An error of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The motion is too long for f64 times to resolve what happens near the meshes.
    #[error("the motion is more than 1e12 times as long as the meshes are large")]
    MotionTooLong,
}

/// The work of one query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueryStats {
    /// The number of pairs of volumes tested.
    pub volume_tests: u64,
    /// The number of pairs of triangles tested.
    pub triangle_tests: u64,
}

impl AddAssign for QueryStats {
    fn add_assign(&mut self, more: Self) {
        self.volume_tests += more.volume_tests;
        self.triangle_tests += more.triangle_tests;
    }
}

/// Answers queries about two trees; use one per thread.
///
/// It keeps scratch memory between queries. After warm-up, queries do not allocate, except
/// [`relation`](Query::relation), [`contacts`](Query::contacts), [`penetration`](Query::penetration) and those that
/// return lists.
#[derive(Debug)]
#[doc(alias = "collision detection")]
pub struct Query {
    traversal: PairTraversal,
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

    /// A query object that uses the given SIMD level, or the baseline (SSE2, NEON, simd128 or portable code) if this
    /// CPU lacks it. Results are the same for all levels.
    pub fn with_simd(level: SimdLevel) -> Self {
        Self { traversal: PairTraversal::new(level), stats: QueryStats::default() }
    }

    /// The work of the last query.
    pub fn stats(&self) -> QueryStats {
        self.stats
    }

    /// Sets a check that can end queries early: it is called about every millisecond during a query, and once it
    /// returns true, the query returns at once. All later queries do too, until
    /// [`take_interrupted`](Query::take_interrupted) is called.
    ///
    /// The result of an interrupted query is meaningless: call `take_interrupted` before using it. The check must not
    /// panic; after a caught panic, the query object and its [`DistanceTracker`]s are in an unspecified state.
    ///
    /// ```
    /// # use std::time::{Duration, Instant};
    /// # use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
    /// # use nalgebra::Point3;
    /// # let corners = vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
    /// # let tree = BvTree::build(&Mesh::from_arrays(corners, vec![[0, 1, 2]])?, &BuildOptions::default())?;
    /// let mut query = Query::new();
    /// let deadline = Instant::now() + Duration::from_secs(60);
    /// query.interrupt_when(move || Instant::now() > deadline);
    /// let pairs = query.collect_pairs(&tree, &tree, &Pose::identity());
    /// let pairs = if query.take_interrupted() { None } else { Some(pairs) };
    /// assert_eq!(pairs.map(|pairs| pairs.len()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "cancel")]
    #[doc(alias = "abort")]
    #[doc(alias = "timeout")]
    #[doc(alias = "progress handler")]
    pub fn interrupt_when(&mut self, check: impl Fn() -> bool + Send + Sync + 'static) {
        self.traversal.interrupt.set_check(Box::new(check));
    }

    /// Whether a query was interrupted since the last call of this method; allows queries again.
    pub fn take_interrupted(&mut self) -> bool {
        self.traversal.interrupt.take()
    }
}
