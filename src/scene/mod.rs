//! Scenes: many posed bodies, asked about all at once.
//!
//! ```text
//! bodies ── boxes in the world ──> broad phase: pairs whose boxes are near ── balls ──> the trees' own descent ──> answers
//! ```
//!
//! Boxes are axis-aligned ones in the world, with room to move in; balls are the bodies' bounding spheres, which part
//! many of the pairs whose boxes are near.
//!
//! | Question | Answer |
//! |---|---|
//! | [`intersecting_pairs`](Scene::intersecting_pairs), [`for_each_intersecting`](Scene::for_each_intersecting), [`first_intersecting`](Scene::first_intersecting) | which bodies touch |
//! | [`pairs_within`](Scene::pairs_within), [`for_each_within`](Scene::for_each_within) | which are nearer than a clearance, with distance and points |
//! | [`closest_pair`](Scene::closest_pair) | the least distance in the scene |
//! | [`relations`](Scene::relations) | touching, crossing, one in the other, coincident |
//! | [`for_each_neighbor`](Scene::for_each_neighbor) | a question of one's own about pairs whose boxes are near |
//! | [`impacts`](Scene::impacts), [`first_impact`](Scene::first_impact) | when moving bodies meet |
//! | [`bodies_intersecting`](Scene::bodies_intersecting), [`bodies_within`](Scene::bodies_within), [`bodies_near`](Scene::bodies_near) | which bodies another mesh touches, comes near, or has boxes near its own |
//! | [`closest_hit`](Scene::closest_hit), [`any_hit`](Scene::any_hit), [`hits`](Scene::hits), [`closest_point`](Scene::closest_point) | rays and points |
//!
//! Bodies may be added [one by one](Scene::add) or [many at once](Scene::add_all), taken out and
//! [moved](Scene::set_poses), and they may [deform](Scene::refit).
//!
//! Trees of all kinds may be in one scene. Every pair of bodies is compared once, on all threads of the rayon pool it
//! is asked in, and answers come in the order of the bodies' ids, whatever the number of threads. They are what
//! [`Query`](crate::Query) says of the two bodies' trees, of which the one of lesser id is A, at B's pose in A's frame.
//! That is computed in f64 from the difference of both translations: bodies half a million units from the origin keep
//! their detail. Points in answers are in the world.
//!
//! A scene remembers: bodies that stay within their boxes' margin cost the broad phase nothing, pairs of which neither
//! body moved are not asked again, nor are those that were farther apart than both have moved since; and distances of
//! near pairs start from what they were, as [`DistanceTracker`](crate::query::DistanceTracker)s do.

mod body;
mod broad_phase;
mod closest_pair;
mod impacts;
mod narrow_phase;
mod pair_cache;
mod pair_memory;
mod pairs;
mod probe;
mod relations;
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

pub use body::{Body, BodyId};
pub use impacts::BodyImpact;
pub use pairs::{NearPair, Neighbors};
pub use probe::{BodyCastHit, BodyContact, BodyHit, BodyPoint, NearBody};
pub use relations::{BodyRelation, RelatedPair};

/// Many bodies, and questions about all of them.
#[derive(Debug)]
pub struct Scene {
    proxies: Vec<Proxy>,
    /// The bodies in their places.
    slots: Vec<Slot>,
    /// Places without a body, the least first.
    free: BinaryHeap<Reverse<u32>>,
    count: usize,
    /// Places of pairs that are not compared.
    ignored: HashSet<[u32; 2]>,
    compares_static: bool,
    /// How many bodies stand still, and how many are in other groups than the first or not compared with all groups.
    fixed: usize,
    grouped: usize,
    /// The broad phase's boxes are about this point, where f32 is finest.
    origin: [f64; 3],
    /// Of the places' boxes, which have room to move in.
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
    /// The largest coordinate that a body may reach in the world.
    pub const MAX_COORDINATE: f64 = 1e30;
    /// More bodies have no numbers.
    pub const MAX_BODIES: usize = 1 << 30;

    /// A scene without bodies, which uses the best instructions of this CPU.
    pub fn new() -> Self {
        Self::with_simd(SimdLevel::detect())
    }

    /// A scene without bodies that uses the given SIMD level, or the baseline (SSE2, NEON, simd128 or portable code) if
    /// this CPU lacks it. Answers are the same.
    pub fn with_simd(level: SimdLevel) -> Self {
        Self {
            proxies: Vec::new(),
            slots: Vec::new(),
            free: BinaryHeap::new(),
            count: 0,
            ignored: HashSet::new(),
            compares_static: false,
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

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A body that is in the scene.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.slot(id).map(|slot| &slot.body)
    }

    /// All bodies, in the order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        let slots = self.proxies.iter().zip(&self.slots).zip(0..).filter(|((proxy, _), _)| proxy.is_taken);
        slots.map(|((proxy, slot), index)| (BodyId { index, generation: proxy.generation }, &slot.body))
    }

    /// The work of the last question.
    pub fn stats(&self) -> SceneStats {
        self.stats
    }

    fn slot(&self, id: BodyId) -> Option<&Slot> {
        self.proxies.get(id.index as usize).filter(|proxy| proxy.generation == id.generation)?;
        self.slots.get(id.index as usize)
    }

    fn slot_mut(&mut self, id: BodyId) -> Option<&mut Slot> {
        self.proxies.get(id.index as usize).filter(|proxy| proxy.generation == id.generation)?;
        self.slots.get_mut(id.index as usize)
    }
}

/// Why a scene can't do what it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The body was removed, or is of another scene.
    #[error("there is no body {} in the scene", .0.index)]
    NoSuchBody(BodyId),
    /// A coordinate of the body in the world exceeds [`Scene::MAX_COORDINATE`](Scene::MAX_COORDINATE).
    #[error("a body reaches farther than {:e} from the world's origin", Scene::MAX_COORDINATE)]
    TooFar,
    /// A body's mesh can't deform as it should.
    #[error("a body can't deform")]
    Refit(#[from] RefitError),
    /// There is no number for another body.
    #[error("more than {} bodies", Scene::MAX_BODIES)]
    TooMany,
    /// A solid body's mesh is not closed, so that it has no inside
    /// ([`BvTree::watertightness`](crate::BvTree::watertightness)).
    #[error("a solid body's mesh is not closed: it has no inside")]
    OpenSolid,
    /// A body is to take two motions at once.
    #[error("body {} has two motions", .0.index)]
    TwoMotions(BodyId),
    /// BodyPair bodies pass each other in less time than f64 can resolve.
    #[error("a motion is more than 1e12 times as long as the bodies are large")]
    MotionTooLong,
}

/// How much work a scene's question did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneStats {
    /// Pairs of bodies, or bodies, whose boxes are near enough.
    pub candidates: u64,
    /// Of these, how many were found to be apart by their bounding spheres and boxes alone.
    pub apart_by_bounds: u64,
    /// How many were answered by what was known from an earlier question.
    pub cached: u64,
    /// How many times the trees were asked.
    pub queried: u64,
    /// The trees' work.
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
