//! Adding, removing, moving and deforming bodies.

use std::cmp::Reverse;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::body::{Body, Geometry, Proxy, Slot, posed};
use super::broad_phase::Aabb32;
use super::pair_cache::PairCache;
use super::pairs::Neighbors;
use super::{BodyId, Scene, SceneError};
use crate::pose::{Motion, Pose};
use crate::refit::{DeformingTree, Refitted};
use crate::shape::Aabb;
use crate::tree::BvTree;

/// The largest number of bodies to reserve memory for in advance.
const MAX_RESERVED: usize = 1 << 17;

/// Fat AABBs that the broad phase does not have yet. It gets them when this is dropped, which also happens if the
/// caller's iterator of bodies or poses panics.
struct Pending<'a> {
    scene: &'a mut Scene,
    fat_aabbs: Vec<(u32, Aabb32)>,
    finish: fn(&mut Scene, &mut Vec<(u32, Aabb32)>),
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        (self.finish)(self.scene, &mut self.fat_aabbs);
    }
}

impl Scene {
    /// Adds a body.
    ///
    /// # Errors
    /// If the body would exceed [`Scene::MAX_COORDINATE`], its pose is not a rotation, there already are
    /// [`Scene::MAX_BODIES`] bodies, or it is solid and its mesh is not closed.
    pub fn add(&mut self, body: Body) -> Result<BodyId, SceneError> {
        let id = self.insert(body)?;
        let slot = &self.slots[id.index as usize];
        if !slot.is_empty() {
            self.tree.insert(id.index, slot.fat_aabb);
        }
        Ok(id)
    }

    /// Adds bodies, faster than one by one if there are many. The ids are in the bodies' order.
    ///
    /// # Errors
    /// See [`Scene::add`]. Bodies before the first invalid one have been added.
    pub fn add_all(&mut self, bodies: impl IntoIterator<Item = Body>) -> Result<Vec<BodyId>, SceneError> {
        let mut bodies = bodies.into_iter();
        // An iterator's size hint may be wrong.
        let least = bodies.size_hint().0.min(MAX_RESERVED);
        let mut ids = Vec::with_capacity(least);
        self.proxies.reserve(least);
        self.slots.reserve(least);
        let insert_all = |scene: &mut Self, added: &mut Vec<_>| scene.tree.insert_all(added);
        let mut added = Pending { scene: self, fat_aabbs: Vec::with_capacity(least), finish: insert_all };
        let outcome = bodies.try_for_each(|body| {
            let id = added.scene.insert(body)?;
            let slot = &added.scene.slots[id.index as usize];
            if !slot.is_empty() {
                added.fat_aabbs.push((id.index, slot.fat_aabb));
            }
            ids.push(id);
            Ok(())
        });
        outcome.map(|()| ids)
    }

    /// Stores a body under a free index, without adding it to the broad phase's tree.
    fn insert(&mut self, body: Body) -> Result<BodyId, SceneError> {
        let mut slot = Slot::new(body);
        let (body, bounds) = (&slot.body, &slot.bounds);
        check_coordinates(bounds, &body.pose)?;
        check_solid(body.is_solid, &body.geometry)?;
        if self.count == Self::MAX_BODIES {
            return Err(SceneError::TooMany);
        }
        if self.is_empty() && !bounds.is_empty() {
            self.origin = bounds.center().into();
        }
        let index = self.free.pop().map_or(self.proxies.len() as u32, |Reverse(index)| index);
        if index as usize == self.proxies.len() {
            self.proxies.push(Proxy::new(0));
        }
        let proxy = &mut self.proxies[index as usize];
        proxy.is_taken = true;
        proxy.set_bounds(&slot, &self.origin);
        if !slot.is_empty() {
            slot.fat_aabb = slot.fat_aabb_around(&proxy.bounds);
            self.pair_cache.forget(index);
        }
        self.count_selective(&slot.body, 1);
        match self.slots.get_mut(index as usize) {
            Some(vacant) => *vacant = slot,
            None => self.slots.push(slot),
        }
        self.count += 1;
        Ok(self.id(index))
    }

    /// Removes a body.
    ///
    /// # Errors
    /// If the body does not exist.
    pub fn remove(&mut self, id: BodyId) -> Result<Body, SceneError> {
        self.slot(id).ok_or(SceneError::NoSuchBody(id))?;
        let slot = std::mem::replace(&mut self.slots[id.index as usize], Slot::vacant());
        self.proxies[id.index as usize] = Proxy::new(id.generation.wrapping_add(1));
        self.count_selective(&slot.body, -1);
        if !slot.is_empty() {
            self.tree.remove(id.index);
            self.pair_cache.forget(id.index);
        }
        self.ignored.retain(|pair| !pair.contains(&id.index));
        self.free.push(Reverse(id.index));
        self.count -= 1;
        Ok(slot.body)
    }

    /// Sets a body's pose.
    ///
    /// # Errors
    /// If the body does not exist, would exceed [`Scene::MAX_COORDINATE`], or the pose is not a rotation: then the body
    /// keeps its pose.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), SceneError> {
        self.set_poses([(id, pose)])
    }

    /// Sets bodies' poses, faster than one by one if many move far.
    ///
    /// # Errors
    /// See [`Scene::set_pose`]. Bodies before the first invalid one have moved.
    pub fn set_poses(&mut self, poses: impl IntoIterator<Item = (BodyId, Pose)>) -> Result<(), SceneError> {
        let mut poses = poses.into_iter();
        // A size hint may be wrong.
        let fat_aabbs = Vec::with_capacity(poses.size_hint().0.min(self.count));
        let mut escaped = Pending { scene: self, fat_aabbs, finish: Self::update_fat_aabbs };
        poses.try_for_each(|(id, pose)| escaped.scene.move_body(id, &pose, &mut escaped.fat_aabbs))
    }

    /// Updates the broad phase with the fat AABBs of bodies that left theirs, in the order of their moves.
    fn update_fat_aabbs(&mut self, escaped: &mut Vec<(u32, Aabb32)>) {
        // Each body once, with its last box.
        if !escaped.is_sorted_by(|a, b| a.0 < b.0) {
            escaped.sort_by_key(|&(index, _)| Reverse(index));
            escaped.reverse();
            escaped.dedup_by_key(|&mut (index, _)| index);
        }
        escaped.iter().for_each(|&(index, _)| self.pair_cache.moved(index));
        self.tree.update(escaped);
    }

    /// Sets a body's pose. If the body leaves its fat AABB, adds the new one to `escaped`, with which the broad phase
    /// must be updated.
    #[inline(always)]
    fn move_body(&mut self, id: BodyId, pose: &Pose, escaped: &mut Vec<(u32, Aabb32)>) -> Result<(), SceneError> {
        let no_such_body = SceneError::NoSuchBody(id);
        let index = id.index as usize;
        let proxy = self.proxies.get_mut(index).filter(|proxy| proxy.holds(id)).ok_or(no_such_body)?;
        let slot = self.slots.get_mut(index).ok_or(no_such_body)?;
        if slot.has_pose(pose) {
            return Ok(());
        }
        let (bounds, rounding) = slot.body.geometry.posed_and_rounding(pose);
        check_coordinates(&bounds, pose)?;
        let displacement = slot.move_to(pose, bounds, rounding);
        if !proxy.displacement.add(displacement) {
            self.pair_cache.forget(id.index);
        }
        proxy.set_bounds(slot, &self.origin);
        if slot.is_empty() || slot.fat_aabb.contains(&proxy.bounds) {
            return Ok(());
        }
        let fat_aabb = slot.fat_aabb_around(&proxy.bounds);
        escaped.push((id.index, fat_aabb));
        slot.fat_aabb = fat_aabb;
        Ok(())
    }

    /// Sets a body's collision groups and the groups that it is compared with, as bit sets; see [`Body::groups`] and
    /// [`Body::mask`].
    ///
    /// # Errors
    /// If the body does not exist.
    pub fn set_groups(&mut self, id: BodyId, groups: u32, mask: u32) -> Result<(), SceneError> {
        let slot = self.slot_mut(id).ok_or(SceneError::NoSuchBody(id))?;
        let before = slot.body.clone();
        (slot.body.groups, slot.body.mask) = (groups, mask);
        self.count_selective(&before, -1);
        self.count_selective(&Body { groups, mask, ..before }, 1);
        self.pair_cache.moved(id.index);
        Ok(())
    }

    /// Sets whether two bodies are excluded from comparison, like neighbouring links of a robot.
    ///
    /// # Errors
    /// If a body does not exist.
    pub fn set_ignored(&mut self, a: BodyId, b: BodyId, ignored: bool) -> Result<(), SceneError> {
        for id in [a, b] {
            self.slot(id).ok_or(SceneError::NoSuchBody(id))?;
        }
        let pair = [a.index.min(b.index), a.index.max(b.index)];
        if ignored {
            self.ignored.insert(pair);
        } else {
            self.ignored.remove(&pair);
        }
        self.pair_cache.moved(a.index);
        Ok(())
    }

    /// Sets whether pairs of static bodies are compared, as for a report on an assembly; false by default.
    pub fn include_static_pairs(&mut self, yes: bool) {
        if self.compares_static != yes {
            self.compares_static = yes;
            self.pair_cache = PairCache::default();
        }
    }

    /// Compares only the pairs of bodies for which `accepts` returns true, among those that groups, masks and
    /// [`Scene::set_ignored`] leave. A new scene accepts all of these, as with `|_| true`.
    ///
    /// `accepts` is called, on any thread, when two bodies come near each other, and the scene remembers the result
    /// until the bodies part or one is replaced: it must depend only on the ids and on what does not change about the
    /// bodies, such as [`Body::user`]. Set the filter again if its results change.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use bvtree::scene::{Body, Scene};
    /// use bvtree::shape::ConvexShape;
    /// use bvtree::Pose;
    ///
    /// let part = Arc::new(ConvexShape::sphere(1.0)?);
    /// let of = |owner| Body { user: owner, ..Body::moving(part.clone(), Pose::identity()) };
    /// let mut scene = Scene::new();
    /// let ids = scene.add_all([of(1), of(1), of(2)])?;
    /// scene.set_pair_filter(|pair| pair.bodies[0].user != pair.bodies[1].user);
    /// assert_eq!(scene.intersecting_pairs(), [[ids[0], ids[2]], [ids[1], ids[2]]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "filter callback")]
    #[doc(alias = "self-collision")]
    #[doc(alias = "PhysicsHooks")]
    pub fn set_pair_filter(&mut self, accepts: impl Fn(&Neighbors<'_>) -> bool + Send + Sync + 'static) {
        self.pair_filter.accepts = Some(Arc::new(accepts));
        self.pair_cache = PairCache::default();
    }

    /// Adds `by` to the count of static bodies if the body is static, and to that of bodies with selective groups if it
    /// is one of those.
    fn count_selective(&mut self, body: &Body, by: isize) {
        let count = |count: &mut usize, counts| *count = count.wrapping_add_signed(if counts { by } else { 0 });
        count(&mut self.fixed, body.is_static);
        count(&mut self.grouped, body.groups & 1 == 0 || body.mask != u32::MAX);
    }
}

/// Refuses a pose that stretches by more than the error bounds of scenes allow.
#[inline]
fn check_rotation(pose: &Pose) -> Result<(), SceneError> {
    let deviation = pose.deviation();
    if deviation <= Pose::MAX_DEVIATION { Ok(()) } else { Err(SceneError::NotARotation { deviation }) }
}

pub(super) fn check_solid(is_solid: bool, geometry: &Geometry) -> Result<(), SceneError> {
    if is_solid && !is_closed(geometry) { Err(SceneError::OpenSolid) } else { Ok(()) }
}

fn is_closed(geometry: &Geometry) -> bool {
    match geometry {
        Geometry::Tree(tree) => tree.watertightness().is_closed(),
        Geometry::Shape(_) => true,
        Geometry::Compound(compound) => compound.parts().iter().all(|part| is_closed(&part.geometry)),
    }
}

/// Refuses a pose that is not a rotation, and a body too far from the origin.
#[inline]
pub(super) fn check_coordinates(bounds: &Aabb, pose: &Pose) -> Result<(), SceneError> {
    check_rotation(pose)?;
    // An empty box extends from infinity to minus infinity.
    let is_near = are_near(&bounds.lower.coords) & are_near(&bounds.upper.coords) || bounds.is_empty();
    if is_near && are_near(pose.translation()) { Ok(()) } else { Err(SceneError::TooFar) }
}

/// Refuses a motion if its first or last pose is not a rotation or is too far from the origin.
pub(crate) fn check_motion(motion: &Motion) -> Result<(), SceneError> {
    [motion.start(), motion.end()].into_iter().try_for_each(|pose| check_coordinates(&Aabb::empty(), pose))
}

/// Whether all coordinates are numbers up to [`Scene::MAX_COORDINATE`] in magnitude.
#[inline]
pub(super) fn are_near(coordinates: &Vector3<f64>) -> bool {
    let is_near = |k: usize| coordinates[k].abs() <= Scene::MAX_COORDINATE;
    is_near(0) & is_near(1) & is_near(2)
}

impl Scene {
    /// Replaces a body's tree, shape or compound, for instance by the tree of the same mesh after deformation, and
    /// returns the old one.
    ///
    /// # Errors
    /// If the body does not exist, would exceed [`Scene::MAX_COORDINATE`], or is solid and the new mesh is not closed:
    /// the body keeps its geometry.
    pub fn set_geometry(&mut self, id: BodyId, geometry: impl Into<Geometry>) -> Result<Geometry, SceneError> {
        let geometry = geometry.into();
        let slot = self.slot(id).ok_or(SceneError::NoSuchBody(id))?;
        check_coordinates(&geometry.posed(&slot.body.pose), &slot.body.pose)?;
        check_solid(slot.body.is_solid, &geometry)?;
        Ok(self.exchange(id.index, geometry))
    }

    /// Moves all vertices of a body's mesh and gives the refitted tree to the body; see [`DeformingTree::refit`]. The
    /// tree is not copied if only the body and `deforming` hold it.
    ///
    /// # Errors
    /// If the body does not exist, is a convex shape or a compound, or would exceed [`Scene::MAX_COORDINATE`], or
    /// positions are invalid: then nothing has changed. If a rebuild fails, the tree is refitted instead. If a solid
    /// body's mesh is no longer closed because vertices that shared a position have parted, the body has deformed and
    /// is no longer solid.
    pub fn refit(
        &mut self,
        id: BodyId,
        deforming: &mut DeformingTree,
        positions: &[Point3<f32>],
    ) -> Result<Refitted, SceneError> {
        deforming.check(positions)?;
        let mut bounds = Aabb::empty();
        positions.iter().for_each(|position| bounds.grow(&position.map(f64::from)));
        self.deform(id, deforming, &bounds, |deforming| Ok(deforming.refit(positions)?))
    }

    /// Moves some vertices of a body's mesh; see [`Scene::refit`] and [`DeformingTree::refit_moved`].
    ///
    /// # Errors
    /// See [`Scene::refit`].
    pub fn refit_moved(
        &mut self,
        id: BodyId,
        deforming: &mut DeformingTree,
        moved: &[(u32, Point3<f32>)],
    ) -> Result<Refitted, SceneError> {
        deforming.check_moved(moved)?;
        let mut bounds = *deforming.tree().bounds();
        moved.iter().for_each(|(_, position)| bounds.grow(&position.map(f64::from)));
        self.deform(id, deforming, &bounds, |deforming| Ok(deforming.refit_moved(moved)?))
    }

    /// Refits a body; `bounds` contain the deformed mesh.
    fn deform(
        &mut self,
        id: BodyId,
        deforming: &mut DeformingTree,
        bounds: &Aabb,
        refit: impl FnOnce(&mut DeformingTree) -> Result<Refitted, SceneError>,
    ) -> Result<Refitted, SceneError> {
        let slot = self.slot_mut(id).ok_or(SceneError::NoSuchBody(id))?;
        check_coordinates(&posed(bounds, &slot.body.pose), &slot.body.pose)?;
        if slot.body.geometry.tree().is_none() {
            return Err(SceneError::NotATree(id));
        }
        // A tree that nobody else holds need not be copied.
        slot.body.geometry = Arc::<BvTree>::default().into();
        let refitted = refit(deforming);
        self.exchange(id.index, deforming.tree().clone().into());
        let body = &mut self.slots[id.index as usize].body;
        let is_sound = check_solid(body.is_solid, &body.geometry);
        body.is_solid &= is_sound.is_ok();
        let refitted = refitted?;
        is_sound.map(|()| refitted)
    }

    fn exchange(&mut self, index: u32, geometry: Geometry) -> Geometry {
        let slot = &mut self.slots[index as usize];
        let was_empty = slot.is_empty();
        let before = slot.set_geometry(geometry);
        let proxy = &mut self.proxies[index as usize];
        proxy.set_bounds(slot, &self.origin);
        let fat_aabb = slot.fat_aabb_around(&proxy.bounds);
        let stays = slot.fat_aabb.contains(&proxy.bounds);
        match (was_empty, proxy.is_empty()) {
            (true, true) => return before,
            (false, true) => self.tree.remove(index),
            (true, false) => self.tree.insert(index, fat_aabb),
            (false, false) if !stays => self.tree.update(&[(index, fat_aabb)]),
            (false, false) => {}
        }
        if was_empty || !stays {
            self.slots[index as usize].fat_aabb = fat_aabb;
        }
        self.pair_cache.forget(index);
        before
    }
}
