//! Scenes: many posed bodies, queried together.
//!
//! ```text
//! bodies ── fat AABBs ──> broad phase: near pairs ── cache, spheres ──> narrow phase: trees, shapes ──> results
//! ```
//!
//! | Query | Result |
//! |---|---|
//! | [`Scene::intersecting_pairs`], [`Scene::for_each_intersecting_pair`] | contact |
//! | [`Scene::first_intersecting_pair`] | contact of the pair with the smallest ids |
//! | [`Scene::pairs_within`], [`Scene::for_each_pair_within`], [`Scene::closest_pair`] | clearance, closest points |
//! | [`Scene::relations`] | touching, crossing, one inside the other, coincident |
//! | [`Scene::overlap_depths`] | how far bodies reach into each other |
//! | [`Scene::penetration_depths`] | the shortest translations that separate pairs |
//! | [`Scene::contact_manifolds`] | points, depths and normals for a rigid-body solver |
//! | [`Scene::for_each_neighbor_pair`] | a custom query of pairs whose boxes are near |
//! | [`Scene::for_each_given_pair`] | a custom query of given pairs |
//! | [`Scene::impacts`], [`Scene::first_impact`] | when moving bodies meet |
//! | [`Scene::bodies_intersecting`], [`Scene::bodies_within`], [`Scene::bodies_near`] | a mesh against all bodies |
//! | [`Scene::closest_hit`], [`Scene::any_hit`], [`Scene::hits`], [`Scene::closest_point`] | rays and points |
//! | [`Scene::cast_capsule`], [`Scene::capsule_contacts`], [`Scene::closest_capsule_contact`] | spheres, capsules |
//!
//! Bodies may be added [one by one](Scene::add) or [many at once](Scene::add_all), removed, [moved](Scene::set_poses)
//! and [deformed](Scene::refit). Trees of all kinds may be mixed, with each other and with
//! [convex shapes](Geometry::Shape), and either may be parts of [compounds](Geometry::Compound).
//!
//! ```
//! use std::sync::Arc;
//!
//! use bvtree::scene::{Body, Scene};
//! use bvtree::shape::ConvexShape;
//! use bvtree::{BuildOptions, BvTree, Mesh, Pose};
//! use nalgebra::Vector3;
//!
//! let corners = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
//! let floor = BvTree::build(&Mesh::from_slices(&corners, &[[0, 1, 2]])?, &BuildOptions::default())?;
//! let drum = Arc::new(ConvexShape::cylinder(0.5, 0.25)?);
//! let mut scene = Scene::new();
//! let floor = scene.add(Body::fixed(Arc::new(floor), Pose::identity()))?;
//! let standing = scene.add(Body::moving(drum.clone(), Pose::from_translation(Vector3::new(0.0, 0.0, 0.5))?))?;
//! scene.add(Body::moving(drum, Pose::from_translation(Vector3::new(1.0, 0.0, 0.75))?))?;
//! assert_eq!(scene.intersecting_pairs(), [[floor, standing]]);
//! assert_eq!(scene.pairs_within(0.3).len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each pair of bodies is compared once, on all threads of the current rayon pool; results come in the order of the
//! bodies' ids, whatever the number of threads. They are those of [`Query`](crate::Query) for the two bodies' trees,
//! the one with the smaller id being A, at B's pose in A's frame; [`Geometry`] says in whose frame a shape is compared.
//! That pose is computed in f64 from the difference of both translations, so that bodies half a million units from the
//! origin keep their detail. Points in results are in the world.
//!
//! A scene remembers: bodies that stay within their fat AABBs cost the broad phase nothing; a pair is computed anew
//! only if its bodies have moved farther than they were apart; and distances of near pairs start from their previous
//! result, as in a [`DistanceTracker`](crate::query::DistanceTracker).

mod body;
mod broad_phase;
mod closest_pair;
mod compound;
mod depths;
mod impacts;
mod manifolds;
mod narrow_phase;
mod pair_cache;
mod pair_memory;
mod pairs;
mod part_probes;
mod probe;
mod relations;
mod seams;
mod shape_depths;
mod shape_pairs;
mod updates;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::ops::AddAssign;

use thiserror::Error;

use crate::query::QueryStats;
use crate::refit::RefitError;
use crate::simd::SimdLevel;
use body::{Proxy, Slot};
use broad_phase::DynamicTree;
use narrow_phase::Interrupt;
use pair_cache::PairCache;
use pairs::PairFilter;

pub use crate::shape::NO_FACE;
pub use body::{Body, BodyId, Geometry};
pub use compound::{Compound, CompoundError, Part};
pub use depths::{OverlappingPair, PenetratingPair};
pub use impacts::BodyImpact;
pub use manifolds::BodyManifold;
pub use pairs::{NearPair, Neighbors};
pub(crate) use part_probes::{capsule_into, contact_out_of};
pub use probe::{BodyCastHit, BodyContact, BodyConvexCastHit, BodyHit, BodyPoint, NearBody};
pub use relations::{BodyRelation, RelatedPair};
pub(crate) use updates::check_motion;

/// Many posed bodies, and queries about all of them.
#[derive(Debug)]
#[doc(alias = "broad phase")]
#[doc(alias = "collision world")]
pub struct Scene {
    proxies: Vec<Proxy>,
    slots: Vec<Slot>,
    /// Free indices, smallest first.
    free: BinaryHeap<Reverse<u32>>,
    count: usize,
    ignored: HashSet<[u32; 2]>,
    compares_static: bool,
    pair_filter: PairFilter,
    /// The number of static bodies.
    fixed: usize,
    /// The number of bodies that are not in group 0 or not compared with all groups.
    grouped: usize,
    /// The point that the broad phase's boxes are relative to, since f32 is finest near 0.
    origin: [f64; 3],
    /// The broad phase: the bodies' fat AABBs.
    tree: DynamicTree,
    pair_cache: PairCache,
    level: SimdLevel,
    stats: SceneStats,
    interrupt: Interrupt,
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}

impl Scene {
    /// The largest allowed absolute value of a body's world coordinate.
    pub const MAX_COORDINATE: f64 = 1e30;
    /// The largest number of bodies.
    pub const MAX_BODIES: usize = 1 << 30;

    /// An empty scene that uses the best SIMD level of this CPU.
    pub fn new() -> Self {
        Self::with_simd(SimdLevel::detect())
    }

    /// An empty scene that uses the given SIMD level, or the baseline (SSE2, NEON, simd128 or portable code) if this
    /// CPU lacks it. Results are the same.
    pub fn with_simd(level: SimdLevel) -> Self {
        Self {
            proxies: Vec::new(),
            slots: Vec::new(),
            free: BinaryHeap::new(),
            count: 0,
            ignored: HashSet::new(),
            compares_static: false,
            pair_filter: PairFilter::default(),
            fixed: 0,
            grouped: 0,
            origin: [0.0; 3],
            tree: DynamicTree::new(level),
            pair_cache: PairCache::default(),
            level,
            stats: SceneStats::default(),
            interrupt: Interrupt::default(),
        }
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the scene has no bodies.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The body with an id; `None` if the scene has no such body.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.slot(id).map(|slot| &slot.body)
    }

    /// All bodies in the order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        let slots = self.proxies.iter().zip(&self.slots).zip(0..).filter(|((proxy, _), _)| proxy.is_taken);
        slots.map(|((proxy, slot), index)| (BodyId { index, generation: proxy.generation }, &slot.body))
    }

    /// The work of the last query about all pairs of bodies. Queries that borrow the scene immutably, such as those
    /// with rays, do not change it.
    pub fn stats(&self) -> SceneStats {
        self.stats
    }

    fn slot(&self, id: BodyId) -> Option<&Slot> {
        self.proxies.get(id.index as usize).filter(|proxy| proxy.holds(id))?;
        self.slots.get(id.index as usize)
    }

    fn slot_mut(&mut self, id: BodyId) -> Option<&mut Slot> {
        self.proxies.get(id.index as usize).filter(|proxy| proxy.holds(id))?;
        self.slots.get_mut(id.index as usize)
    }
}

/// An error of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The body was removed, or the id is another scene's.
    #[error("there is no body {} in the scene", .0.index)]
    NoSuchBody(BodyId),
    /// A coordinate of the body in the world exceeds [`Scene::MAX_COORDINATE`] or is NaN.
    #[error("a world coordinate of the body exceeds {:e}", Scene::MAX_COORDINATE)]
    TooFar,
    /// A pose, such as a product of many poses, deviates from a rotation by more than
    /// [`Pose::MAX_DEVIATION`](crate::Pose::MAX_DEVIATION).
    #[error("the pose's matrix is not a rotation: R^T R differs from the identity by {deviation:e}")]
    NotARotation {
        /// The largest entry of `|R^T R - I|`.
        deviation: f64,
    },
    /// A body's mesh cannot be refitted.
    #[error("the body's mesh cannot be refitted")]
    Refit(#[from] RefitError),
    /// The scene already has [`Scene::MAX_BODIES`] bodies.
    #[error("the scene is full: it has {} bodies", Scene::MAX_BODIES)]
    TooMany,
    /// A solid body's mesh is not closed ([`BvTree::watertightness`](crate::BvTree::watertightness)).
    #[error("a solid body's mesh must be closed")]
    OpenSolid,
    /// The body is a convex shape or a compound, which cannot be refitted.
    #[error("body {} is a convex shape or a compound, not a tree", .0.index)]
    NotATree(BodyId),
    /// One body is given two motions.
    #[error("body {} is given two motions", .0.index)]
    TwoMotions(BodyId),
    /// A motion is so long that the bodies pass each other in less time than f64 resolves.
    #[error("a motion is more than 1e12 times as long as the bodies are large")]
    MotionTooLong,
}

/// The work of a scene's query. `candidates` is the sum of `apart_by_bounds`, `cached` and the pairs computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneStats {
    /// Pairs of bodies that the broad phase did not rule out by their boxes.
    pub candidates: u64,
    /// Candidates separated by bounding spheres or boxes alone.
    pub apart_by_bounds: u64,
    /// Candidates answered from facts remembered from earlier queries.
    pub cached: u64,
    /// Queries between two trees, a tree and a shape, or two shapes, which may be parts of compounds.
    pub queried: u64,
    /// The work inside the trees.
    pub trees: QueryStats,
}

impl AddAssign for SceneStats {
    fn add_assign(&mut self, more: Self) {
        self.candidates += more.candidates;
        self.apart_by_bounds += more.apart_by_bounds;
        self.cached += more.cached;
        self.queried += more.queried;
        self.trees += more.trees;
    }
}
