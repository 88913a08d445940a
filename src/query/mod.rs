//! Queries about two trees: intersection, distance, contacts, penetration, time of impact, and the relation as solids;
//! and self-intersections of one tree.
//!
//! | Query | Result and guarantee |
//! |---|---|
//! | [`Query::intersects`] | whether any triangles intersect, exactly |
//! | [`Query::for_each_intersecting_pair`] | the intersecting pairs of triangles, exactly |
//! | [`Query::for_each_candidate`] | pairs whose volumes overlap, for a narrow phase of your own |
//! | [`Query::for_each_self_pair`] | the self-intersections of one mesh, exactly |
//! | [`Query::distance`] | distance and closest points, up to rounding; 0 if and only if the meshes intersect |
//! | [`DistanceTracker`] | the same along a path of poses, in less time |
//! | [`Query::within`] | whether the distance is at most a tolerance; otherwise a proven lower bound |
//! | [`Query::for_each_pair_within`] | all pairs of triangles within a tolerance of each other (clearance) |
//! | [`Query::relation`] | separate, touching, crossing, or one inside the other, exactly |
//! | [`Query::contacts`] | the intersection of each pair: points, segments, polygons |
//! | [`Query::contact_patches`] | connected sets of contacts: a point, a normal and an estimated depth for each |
//! | [`Query::contact_manifolds`] | contact points, normals and depths for solvers for rigid bodies |
//! | [`Query::overlap_depth`] | the depth of the deepest point inside the other solid; a proven interval |
//! | [`Query::overlap_regions`] | the same for each region in which the solids overlap |
//! | [`Query::hausdorff_distance`] | the greatest distance from one surface to the other; a proven interval |
//! | [`Query::penetration_depth`] | the shortest translation that separates two solids; a proven interval |
//! | [`Query::penetration_along`] | the length along a direction beyond which nothing touches any more |
//! | [`Query::free_interval_along`] | the first interval of lengths along a direction without contact; proven |
//! | [`Query::penetration`] | an upper bound on the penetration depth, also for open meshes |
//! | [`Query::time_of_impact`] | the first contact in motion (continuous collision detection), or proof of none |
//!
//! [`Query::set_solids`] chooses whether what lies inside a mesh collides with it; by default meshes are surfaces.
//! [`many`] runs a query at many poses on all cores; its intersection and distance queries reuse results of
//! neighbouring poses. [`Query::interrupt_when`] ends queries early. [`Probe`](crate::Probe) answers queries about one
//! tree and a ray, a point, a box, a sphere, a capsule or another convex shape.
//!
//! `examples/` has a program for each family: `one_pair` (pairs), `clearance` (distance, within), `contact` (relation,
//! contacts), `motion` (penetration, time of impact), `self_intersections`, `sweep` (many poses) and `probe`.

mod clock;
mod contact_manifolds;
mod contacts;
mod distance;
mod distance_tracker;
mod free_interval;
pub mod many;
mod overlap_depth;
mod pairs;
mod penetration;
mod penetration_depth;
mod relation;
mod self_intersections;
mod solids;
mod time_of_impact;
mod within;

pub use crate::traversal::{FacePair, QueryStats};
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use clock::set_clock;
pub(crate) use contact_manifolds::{ChoosePoints, FindNeighbors, Neighbors as ManifoldNeighbors, spread};
pub use contact_manifolds::{ContactManifold, ManifoldPoint};
pub use contacts::{Contact, ContactPatch, DepthSource, Polyline, intersection_curves};
pub use distance::{ClosestPair, DistanceOptions};
pub use distance_tracker::DistanceTracker;
pub use free_interval::FreeInterval;
pub use overlap_depth::{
    DeepestPoint, DepthOptions, HausdorffDirection, HausdorffDistance, OverlapDepth, OverlapRegion,
};
pub use penetration::{DirectionalPenetration, Penetration};
pub use penetration_depth::PenetrationDepth;
pub use relation::Relation;
pub use solids::Solid;
pub use time_of_impact::{MotionContact, TimeOfImpact};
pub use within::Within;

use std::sync::Arc;

use thiserror::Error;

use crate::simd::SimdLevel;
use crate::traversal::PairTraversal;
use crate::tree::BvTree;

/// An error of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The motion is too long for f64 times to resolve what happens near the meshes.
    #[error("the motion is more than 1e12 times as long as the meshes are large")]
    MotionTooLong,
    /// A mesh is not closed, so nothing is inside it.
    #[error("mesh {mesh} is not closed, so that nothing is inside it")]
    OpenMesh {
        /// `'A'` or `'B'`.
        mesh: char,
    },
}

impl QueryError {
    /// Returns an error if a mesh that must be closed is open.
    fn require_closed(trees: [&BvTree; 2], may_be_open: [bool; 2]) -> Result<(), Self> {
        let open = (0..2).find(|&side| !may_be_open[side] && !trees[side].watertightness().is_closed());
        open.map_or(Ok(()), |side| Err(Self::OpenMesh { mesh: ['A', 'B'][side] }))
    }
}

/// Answers queries about two trees; use one per thread.
///
/// A query object keeps scratch memory between queries. After warm-up, queries do not allocate, except
/// [`relation`](Query::relation), [`contacts`](Query::contacts), [`penetration`](Query::penetration),
/// [`penetration_depth`](Query::penetration_depth), [`overlap_depth`](Query::overlap_depth),
/// [`hausdorff_distance`](Query::hausdorff_distance), [`free_interval_along`](Query::free_interval_along), queries
/// about solids and queries that return lists.
#[derive(Debug)]
#[doc(alias = "collision detection")]
pub struct Query {
    traversal: PairTraversal,
    stats: QueryStats,
    solids: [Solid; 2],
    masks: [Option<u32>; 2],
    /// One minus the [`certainty`](Query::certainty).
    uncertainty: f64,
    /// Memory of searches for overlap depths: which points and triangles of A and of B are inside the other mesh, and
    /// which of its triangles is closest to a point.
    depth_marks: [overlap_depth::Marks; 2],
    /// Memory like `depth_marks`, for B moved out of A.
    moved_marks: [overlap_depth::Marks; 2],
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
    /// CPU lacks it. Results are the same for all levels, except for the lower bound of [`Within::No`].
    pub fn with_simd(level: SimdLevel) -> Self {
        Self {
            traversal: PairTraversal::new(level),
            stats: QueryStats::default(),
            solids: [Solid::No; 2],
            masks: [None; 2],
            uncertainty: 0.0,
            depth_marks: Default::default(),
            moved_marks: Default::default(),
        }
    }

    /// The work of the last query.
    pub fn stats(&self) -> QueryStats {
        self.stats
    }

    /// The work of the last query; none if it was taken before. So a sum of work counts each query once.
    pub(crate) fn take_stats(&mut self) -> QueryStats {
        std::mem::take(&mut self.stats)
    }

    /// Restricts later queries to those triangles of A and of B that have a layer in the mask of their mesh
    /// (`layers.bits & mask != 0`; see [`Layers`](crate::tree::Layers)). `None`, the default, admits all triangles.
    /// Without [layers](BvTree::set_layers), a tree is queried as a whole.
    ///
    /// The masks apply to whether surfaces intersect ([`intersects`](Query::intersects)), to pairs of triangles
    /// ([`for_each_intersecting_pair`](Query::for_each_intersecting_pair),
    /// [`intersecting_pairs`](Query::intersecting_pairs), [`count_pairs`](Query::count_pairs),
    /// [`for_each_pair_within`](Query::for_each_pair_within)), and to [`distance`](Query::distance),
    /// [`within`](Query::within), [`contacts`](Query::contacts), [`contact_patches`](Query::contact_patches),
    /// [`time_of_impact`](Query::time_of_impact), [`penetration_along`](Query::penetration_along) and
    /// [`free_interval_along`](Query::free_interval_along); also at many poses ([`many`]). Other queries use whole
    /// meshes, and so do tests for what is inside a solid ([`set_solids`](Query::set_solids)): a mesh may enter or
    /// leave a solid through triangles that are masked out. While a component crosses only such triangles, it counts as
    /// outside if a part of it is outside the solid's bounds; otherwise one of its vertices decides. Therefore
    /// `penetration_along` and `free_interval_along` use whole meshes if one is solid, and may find contact where
    /// `intersects` does not, while `time_of_impact` only tests what is inside at the start. If a mesh is inside a solid
    /// and all triangles of either are masked out, the closest points are those of the whole surfaces. Triangles that
    /// are one-sided by their [`Layers`](crate::tree::Layers) are treated as two-sided here.
    #[doc(alias = "filter")]
    #[doc(alias = "layer mask")]
    pub fn set_masks(&mut self, a: Option<u32>, b: Option<u32>) {
        self.masks = [a, b];
    }

    /// The masks of A and B, as set by [`Query::set_masks`].
    pub fn masks(&self) -> [Option<u32>; 2] {
        self.masks
    }

    /// Sets a check that can end queries early: it is called about every millisecond during a query, and once it
    /// returns true, the query returns immediately. All later queries do too, until
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
    /// let pairs = query.intersecting_pairs(&tree, &tree, &Pose::identity());
    /// let pairs = if query.take_interrupted() { None } else { Some(pairs) };
    /// assert_eq!(pairs.map(|pairs| pairs.len()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "cancel")]
    #[doc(alias = "abort")]
    #[doc(alias = "timeout")]
    #[doc(alias = "progress handler")]
    pub fn interrupt_when(&mut self, check: impl Fn() -> bool + Send + Sync + 'static) {
        self.traversal.interrupt.set_check(Arc::new(check));
    }

    /// Returns whether a query was interrupted since this method was last called, and clears the interruption, so that
    /// later queries are no longer cut short by it.
    pub fn take_interrupted(&mut self) -> bool {
        self.traversal.interrupt.take()
    }
}
