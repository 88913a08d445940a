//! Scenes: many posed bodies, asked about all at once.
//!
//! ```text
//! bodies ── boxes in the world ──> broad phase: pairs whose boxes are near ── balls ──> the trees' own descent ──> answers
//! ```
//!
//! | Question | Answer |
//! |---|---|
//! | [`touching_pairs`](Scene::touching_pairs), [`for_each_touching`](Scene::for_each_touching), [`first_touching`](Scene::first_touching) | which bodies touch |
//! | [`pairs_within`](Scene::pairs_within), [`for_each_within`](Scene::for_each_within) | which are nearer than a clearance, with distance and points |
//! | [`closest_pair`](Scene::closest_pair) | the least distance in the scene |
//! | [`relations`](Scene::relations) | touching, crossing, one in the other, coincident |
//! | [`for_each_neighbor`](Scene::for_each_neighbor) | a question of one's own about pairs whose boxes are near |
//! | [`impacts`](Scene::impacts), [`first_impact`](Scene::first_impact) | when moving bodies meet |
//! | [`touching_tree`](Scene::touching_tree), [`within_of_tree`](Scene::within_of_tree), [`neighbors_of_tree`](Scene::neighbors_of_tree) | which bodies another mesh touches, comes near, or has boxes near its own |
//! | [`closest_hit`](Scene::closest_hit), [`any_hit`](Scene::any_hit), [`hits`](Scene::hits), [`closest_point`](Scene::closest_point) | rays and points |
//!
//! Bodies may be added, taken out and [moved](Scene::set_pose), and they may [deform](Scene::refit).
//!
//! Trees of all kinds may be in one scene. Every pair of bodies is compared once, on all threads of the rayon pool it is asked in, and answers come in the order of the bodies'
//! ids, whatever the number of threads. They are what [`Query`](crate::Query) says of the two bodies' trees, of which the one of lesser id is A, at
//! B's pose in A's frame. That is computed in f64 from the difference of both translations: bodies half a million units from the
//! origin keep their detail. Points in answers are in the world.
//!
//! A scene remembers: bodies that stay within their boxes' margin cost the broad phase nothing, pairs of which neither body moved are not
//! asked again, nor are those that were farther apart than both have moved since; and distances of near pairs start from what they were, as
//! [`DistanceTracker`](crate::query::DistanceTracker)s do.

mod against;
mod body;
mod broad_phase;
mod candidates;
mod capsule;
mod closest_pair;
mod coincident;
mod deform;
mod error;
mod impacts;
mod narrow;
mod neighbors;
mod pairs;
mod probe;
mod relations;
mod stats;
mod swept;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::pose::Pose;
use crate::shape::Aabb;
use crate::simd::SimdLevel;
use body::{Place, Slot, grown, posed};
use broad_phase::{Box32, BoxTree};
use candidates::Candidates;

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
    places: Vec<Place>,
    /// Places without a body, the least first.
    free: BinaryHeap<Reverse<u32>>,
    count: usize,
    /// Places of pairs that are not compared.
    ignored: HashSet<[u32; 2]>,
    compares_static: bool,
    /// The broad phase's boxes are about this point, where f32 is finest.
    origin: [f64; 3],
    /// Of the places' boxes, which have room to move in.
    tree: BoxTree,
    candidates: Candidates,
    level: SimdLevel,
    stats: SceneStats,
}

/// A moving body's box has room to all sides for this part of its size.
const ROOM: f64 = 0.05;

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}

impl Scene {
    /// The largest coordinate that a body may reach in the world.
    pub const FARTHEST: f64 = 1e30;
    /// More bodies have no numbers.
    pub const MOST_BODIES: usize = 1 << 30;

    /// A scene without bodies, which uses the best instructions of this CPU.
    pub fn new() -> Self {
        Self::with_simd(SimdLevel::detect())
    }

    /// A scene without bodies that uses the given instructions, or such as every CPU has where this one lacks them. Answers are the same.
    pub fn with_simd(level: SimdLevel) -> Self {
        Self {
            places: Vec::new(),
            free: BinaryHeap::new(),
            count: 0,
            ignored: HashSet::new(),
            compares_static: false,
            origin: [0.0; 3],
            tree: BoxTree::default(),
            candidates: Candidates::default(),
            level,
            stats: SceneStats::default(),
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
        let slots = self.places.iter().zip(0..).filter_map(|(place, number)| Some((number, place.slot.as_ref()?)));
        slots.map(|(place, slot)| (BodyId { place, generation: slot.generation }, &slot.body))
    }

    /// The work of the last question.
    pub fn stats(&self) -> SceneStats {
        self.stats
    }

    /// Adds a body.
    ///
    /// # Errors
    /// If it reaches farther than [`Scene::FARTHEST`], or there are [`Scene::MOST_BODIES`].
    pub fn add(&mut self, body: Body) -> Result<BodyId, SceneError> {
        check_reach(body.tree.bounds(), &body.pose)?;
        if self.count == Self::MOST_BODIES {
            return Err(SceneError::TooMany);
        }
        if self.is_empty() && !body.tree.bounds().is_empty() {
            self.origin = body.bounds().center().into();
        }
        let place = self.free.pop().map_or(self.places.len() as u32, |Reverse(place)| place);
        if place as usize == self.places.len() {
            self.places.push(Place::default());
        }
        let generation = self.places[place as usize].generation;
        let slot = Slot::new(body, generation);
        if !slot.is_empty() {
            self.tree.insert(place, self.room_for(&slot));
            self.candidates.came(place);
        }
        self.places[place as usize].slot = Some(slot);
        self.count += 1;
        Ok(BodyId { place, generation })
    }

    /// Takes a body out.
    ///
    /// # Errors
    /// If it is not there.
    pub fn remove(&mut self, id: BodyId) -> Result<Body, SceneError> {
        self.slot(id).ok_or(SceneError::NoSuchBody(id))?;
        let place = &mut self.places[id.place as usize];
        let slot = place.slot.take().ok_or(SceneError::NoSuchBody(id))?;
        place.generation = place.generation.wrapping_add(1);
        if !slot.is_empty() {
            self.tree.remove(id.place);
            self.candidates.came(id.place);
        }
        self.ignored.retain(|pair| !pair.contains(&id.place));
        self.free.push(Reverse(id.place));
        self.count -= 1;
        Ok(slot.body)
    }

    /// Puts a body elsewhere.
    ///
    /// # Errors
    /// If it is not there, or would reach farther than [`Scene::FARTHEST`]: then it stays.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), SceneError> {
        self.set_poses([(id, pose)])
    }

    /// Puts bodies elsewhere: quicker than one by one where many of them go far.
    ///
    /// # Errors
    /// As [`Scene::set_pose`], for the first such body: those before it have moved then.
    pub fn set_poses(&mut self, poses: impl IntoIterator<Item = (BodyId, Pose)>) -> Result<(), SceneError> {
        let mut moved = Vec::new();
        let outcome = poses.into_iter().try_for_each(|(id, pose)| {
            let slot = self.slot_mut(id).ok_or(SceneError::NoSuchBody(id))?;
            if slot.body.pose != pose {
                check_reach(slot.body.tree.bounds(), &pose)?;
                slot.move_to(pose);
                moved.push(id.place);
            }
            Ok(())
        });
        // One body may have moved several times.
        moved.sort_unstable();
        moved.dedup();
        let mut changes = Vec::new();
        for place in moved {
            let Some(slot) = self.places[place as usize].slot.as_ref().filter(|slot| !slot.is_empty()) else {
                continue;
            };
            if !self.tree.bounds(place).contains(&Box32::around(&slot.bounds, &self.origin)) {
                changes.push((place, self.room_for(slot)));
                self.candidates.moved(place);
            }
        }
        self.tree.update(&changes);
        outcome
    }

    /// Changes which groups a body is in and which it is compared with.
    ///
    /// # Errors
    /// If it is not there.
    pub fn set_groups(&mut self, id: BodyId, groups: u32, mask: u32) -> Result<(), SceneError> {
        let slot = self.slot_mut(id).ok_or(SceneError::NoSuchBody(id))?;
        (slot.body.groups, slot.body.mask) = (groups, mask);
        self.candidates.moved(id.place);
        Ok(())
    }

    /// Whether two bodies are to be left out of comparison, like a robot's neighbouring links.
    ///
    /// # Errors
    /// If one of them is not there.
    pub fn set_ignored(&mut self, a: BodyId, b: BodyId, ignored: bool) -> Result<(), SceneError> {
        for id in [a, b] {
            self.slot(id).ok_or(SceneError::NoSuchBody(id))?;
        }
        let pair = [a.place.min(b.place), a.place.max(b.place)];
        if ignored {
            self.ignored.insert(pair);
        } else {
            self.ignored.remove(&pair);
        }
        self.candidates.moved(a.place);
        Ok(())
    }

    /// Whether two static bodies are compared: for a report about an assembly, of which nothing moves. False at first.
    pub fn compare_static(&mut self, yes: bool) {
        if self.compares_static != yes {
            self.compares_static = yes;
            self.candidates = Candidates::default();
        }
    }

    fn slot(&self, id: BodyId) -> Option<&Slot> {
        self.places.get(id.place as usize)?.slot.as_ref().filter(|slot| slot.generation == id.generation)
    }

    fn slot_mut(&mut self, id: BodyId) -> Option<&mut Slot> {
        self.places.get_mut(id.place as usize)?.slot.as_mut().filter(|slot| slot.generation == id.generation)
    }

    /// The box that a body may move in until the broad phase has to know.
    fn room_for(&self, slot: &Slot) -> Box32 {
        let room = if slot.body.is_static { 0.0 } else { ROOM * slot.bounds.size().max() };
        Box32::around(&grown(&slot.bounds, room), &self.origin)
    }
}

fn check_reach(bounds: &Aabb, pose: &Pose) -> Result<(), SceneError> {
    let bounds = posed(bounds, pose);
    let reach = bounds.lower.coords.amax().max(bounds.upper.coords.amax());
    let is_near = bounds.is_empty() || reach <= Scene::FARTHEST;
    if is_near && pose.translation().amax() <= Scene::FARTHEST { Ok(()) } else { Err(SceneError::TooFar) }
}
