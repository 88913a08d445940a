//! Bodies come, go and move.

use std::cmp::Reverse;

use super::body::{Body, BodyId, Slot, posed};
use super::pair_cache::PairCache;
use super::proxy::Proxy;
use super::{Scene, SceneError};
use crate::pose::Pose;
use crate::shape::Aabb;
use crate::tree::BvTree;

/// Room that is made for bodies before they come.
const MAX_RESERVED: usize = 1 << 17;

impl Scene {
    /// Adds a body.
    ///
    /// # Errors
    /// If it reaches farther than [`Scene::MAX_COORDINATE`], there are [`Scene::MAX_BODIES`], or it is solid and its mesh is not closed.
    pub fn add(&mut self, body: Body) -> Result<BodyId, SceneError> {
        let id = self.place(body)?;
        let slot = &self.slots[id.place as usize];
        if !slot.is_empty() {
            self.tree.insert(id.place, slot.room);
        }
        Ok(id)
    }

    /// Adds bodies: quicker than one by one where they are many. Their ids come in the bodies' order.
    ///
    /// # Errors
    /// As [`Scene::add`], for the first such body: those before it have been added then.
    pub fn add_all(&mut self, bodies: impl IntoIterator<Item = Body>) -> Result<Vec<BodyId>, SceneError> {
        let mut bodies = bodies.into_iter();
        // What an iterator says of its size need not be true.
        let least = bodies.size_hint().0.min(MAX_RESERVED);
        let mut ids = Vec::with_capacity(least);
        self.proxies.reserve(least);
        self.slots.reserve(least);
        let outcome = bodies.try_for_each(|body| self.place(body).map(|id| ids.push(id)));
        let slots = ids.iter().map(|id| (id.place, &self.slots[id.place as usize]));
        let rooms: Vec<_> =
            slots.filter(|(_, slot)| !slot.is_empty()).map(|(place, slot)| (place, slot.room)).collect();
        self.tree.insert_all(&rooms);
        outcome.map(|()| ids)
    }

    /// Gives a body a place. The broad phase has yet to know of it.
    fn place(&mut self, body: Body) -> Result<BodyId, SceneError> {
        let bounds = posed(body.tree.bounds(), &body.pose);
        check_reach(&bounds, &body.pose)?;
        check_solid(body.is_solid, &body.tree)?;
        if self.count == Self::MAX_BODIES {
            return Err(SceneError::TooMany);
        }
        if self.is_empty() && !bounds.is_empty() {
            self.origin = bounds.center().into();
        }
        let number = self.free.pop().map_or(self.proxies.len() as u32, |Reverse(place)| place);
        if number as usize == self.proxies.len() {
            self.proxies.push(Proxy::new(0));
        }
        let mut slot = Slot::new(body, bounds);
        let proxy = &mut self.proxies[number as usize];
        proxy.take(&slot, &self.origin);
        if !slot.is_empty() {
            slot.room = slot.room_about(&proxy.bounds);
            self.pair_cache.forget(number);
        }
        self.count_selective(&slot.body, 1);
        match self.slots.get_mut(number as usize) {
            Some(vacant) => *vacant = slot,
            None => self.slots.push(slot),
        }
        self.count += 1;
        Ok(self.id(number))
    }

    /// Takes a body out.
    ///
    /// # Errors
    /// If it is not there.
    pub fn remove(&mut self, id: BodyId) -> Result<Body, SceneError> {
        self.slot(id).ok_or(SceneError::NoSuchBody(id))?;
        let slot = std::mem::replace(&mut self.slots[id.place as usize], Slot::vacant());
        self.proxies[id.place as usize].leave();
        self.count_selective(&slot.body, -1);
        if !slot.is_empty() {
            self.tree.remove(id.place);
            self.pair_cache.forget(id.place);
        }
        self.ignored.retain(|pair| !pair.contains(&id.place));
        self.free.push(Reverse(id.place));
        self.count -= 1;
        Ok(slot.body)
    }

    /// Puts a body elsewhere.
    ///
    /// # Errors
    /// If it is not there, or would reach farther than [`Scene::MAX_COORDINATE`]: then it stays.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), SceneError> {
        self.set_poses([(id, pose)])
    }

    /// Puts bodies elsewhere: quicker than one by one where many of them go far.
    ///
    /// # Errors
    /// As [`Scene::set_pose`], for the first such body: those before it have moved then.
    pub fn set_poses(&mut self, poses: impl IntoIterator<Item = (BodyId, Pose)>) -> Result<(), SceneError> {
        let mut poses = poses.into_iter();
        // What an iterator says of its size need not be true.
        let mut left_room = Vec::with_capacity(poses.size_hint().0.min(self.count));
        let outcome = poses.try_for_each(|(id, pose)| {
            if self.move_body(id, &pose)? {
                left_room.push(id.place);
            }
            Ok(())
        });
        // In the places' order, each once.
        if !left_room.is_sorted() {
            left_room.sort_unstable();
        }
        left_room.dedup();
        left_room.iter().for_each(|&place| self.pair_cache.moved(place));
        self.tree.update(left_room.iter().map(|&place| (place, self.slots[place as usize].room)));
        outcome
    }

    /// Puts a body elsewhere. Whether it has left its room and has another one, of which the broad phase has to know.
    fn move_body(&mut self, id: BodyId, pose: &Pose) -> Result<bool, SceneError> {
        let no_such_body = SceneError::NoSuchBody(id);
        let place = id.place as usize;
        let proxy =
            self.proxies.get_mut(place).filter(|proxy| proxy.generation == id.generation).ok_or(no_such_body)?;
        let slot = self.slots.get_mut(place).ok_or(no_such_body)?;
        if slot.stands_at(pose) {
            return Ok(false);
        }
        let bounds = posed(slot.body.tree.bounds(), pose);
        check_reach(&bounds, pose)?;
        let displacement = slot.move_to(pose, bounds);
        if !proxy.displacement.add(displacement) {
            self.pair_cache.forget(id.place);
        }
        proxy.set_bounds(slot, &self.origin);
        if slot.is_empty() || slot.room.contains(&proxy.bounds) {
            return Ok(false);
        }
        slot.room = slot.room_about(&proxy.bounds);
        Ok(true)
    }

    /// Changes which collision groups a body is in and which it is compared with: bit sets. Bodies `a` and `b` are
    /// compared if `a.groups & b.mask != 0` and `b.groups & a.mask != 0`; see [`Body::groups`].
    ///
    /// # Errors
    /// If it is not there.
    pub fn set_groups(&mut self, id: BodyId, groups: u32, mask: u32) -> Result<(), SceneError> {
        let slot = self.slot_mut(id).ok_or(SceneError::NoSuchBody(id))?;
        let before = slot.body.clone();
        (slot.body.groups, slot.body.mask) = (groups, mask);
        self.count_selective(&before, -1);
        self.count_selective(&Body { groups, mask, ..before }, 1);
        self.pair_cache.moved(id.place);
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
        self.pair_cache.moved(a.place);
        Ok(())
    }

    /// Whether two static bodies are compared: for a report about an assembly, of which nothing moves. False at first.
    pub fn include_static_pairs(&mut self, yes: bool) {
        if self.compares_static != yes {
            self.compares_static = yes;
            self.pair_cache = PairCache::default();
        }
    }

    /// Counts bodies that are not compared with all others.
    fn count_selective(&mut self, body: &Body, by: isize) {
        let count = |count: &mut usize, counts| *count = count.wrapping_add_signed(if counts { by } else { 0 });
        count(&mut self.fixed, body.is_static);
        count(&mut self.grouped, body.groups & 1 == 0 || body.mask != u32::MAX);
    }
}

/// Whether a body, if it is solid, has an inside.
pub(super) fn check_solid(is_solid: bool, tree: &BvTree) -> Result<(), SceneError> {
    if is_solid && !tree.watertightness().is_closed() { Err(SceneError::OpenSolid) } else { Ok(()) }
}

/// Whether a body with these bounds is not too far away.
#[inline]
pub(super) fn check_reach(bounds: &Aabb, pose: &Pose) -> Result<(), SceneError> {
    let is_near = |x: f64| x.abs() <= Scene::MAX_COORDINATE;
    let are_near = |k: usize| is_near(bounds.lower[k]) & is_near(bounds.upper[k]) & is_near(pose.translation()[k]);
    // An empty box reaches from infinity to infinity.
    if are_near(0) & are_near(1) & are_near(2)
        || bounds.is_empty() && pose.translation().amax() <= Scene::MAX_COORDINATE
    {
        Ok(())
    } else {
        Err(SceneError::TooFar)
    }
}
