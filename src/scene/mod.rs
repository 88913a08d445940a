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

mod against;
mod bodies;
mod body;
mod broad_phase;
mod capsule;
mod closest_pair;
mod coincident;
mod deform;
mod error;
mod impacts;
mod interrupt;
mod known;
mod narrow_phase;
mod neighbors;
mod pair_cache;
mod pairs;
mod probe;
mod proxy;
mod relations;
mod stats;
mod swept;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::simd::SimdLevel;
use body::Slot;
use broad_phase::BoxTree;
use interrupt::Interrupt;
use pair_cache::PairCache;
use proxy::Proxy;

pub use against::NearBody;
pub use body::{Body, BodyId};
pub use capsule::{BodyCastHit, BodyContact};
pub use error::SceneError;
pub use impacts::BodyImpact;
pub use neighbors::Neighbors;
pub use pairs::NearPair;
pub use probe::{BodyHit, BodyPoint};
pub use relations::{BodyRelation, RelatedPair};
pub use stats::SceneStats;

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
    tree: BoxTree,
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
            tree: BoxTree::new(level),
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
        slots.map(|((place, slot), number)| (BodyId { place: number, generation: place.generation }, &slot.body))
    }

    /// The work of the last question.
    pub fn stats(&self) -> SceneStats {
        self.stats
    }

    fn slot(&self, id: BodyId) -> Option<&Slot> {
        self.proxies.get(id.place as usize).filter(|proxy| proxy.generation == id.generation)?;
        self.slots.get(id.place as usize)
    }

    fn slot_mut(&mut self, id: BodyId) -> Option<&mut Slot> {
        self.proxies.get(id.place as usize).filter(|proxy| proxy.generation == id.generation)?;
        self.slots.get_mut(id.place as usize)
    }
}
