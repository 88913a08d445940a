//! Bodies whose meshes deform.

use std::sync::Arc;

use nalgebra::Point3;

use super::bodies::{check_reach, check_solid};
use super::body::posed;
use super::{BodyId, Scene, SceneError};
use crate::refit::{DeformingTree, Refitted};
use crate::shape::Aabb;
use crate::tree::BvTree;

impl Scene {
    /// Gives a body another tree, as one of the same mesh that has deformed, and returns the one it had.
    ///
    /// # Errors
    /// If it is not there, would reach farther than [`Scene::MAX_COORDINATE`], or is solid and the tree's mesh is not closed: then it keeps its tree.
    pub fn set_tree(&mut self, id: BodyId, tree: Arc<BvTree>) -> Result<Arc<BvTree>, SceneError> {
        let slot = self.slot(id).ok_or(SceneError::NoSuchBody(id))?;
        check_reach(&posed(tree.bounds(), &slot.body.pose), &slot.body.pose)?;
        check_solid(slot.body.is_solid, &tree)?;
        Ok(self.exchange(id.place, tree))
    }

    /// Deforms a body, to which the deforming tree is given: puts all vertices of its mesh elsewhere; see
    /// [`DeformingTree::refit`]. The tree is not copied, if only the body and the deforming tree hold it.
    ///
    /// # Errors
    /// If the body is not there, or would reach farther than [`Scene::MAX_COORDINATE`], or the positions are not in order: then nothing has
    /// changed. If the tree is to be built anew and can't be, it is refitted. If the body is solid and the mesh is no longer closed, for vertices that
    /// shared a place have parted, the body has deformed and is not solid any more.
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

    /// As [`Scene::refit`], of some vertices; see [`DeformingTree::refit_moved`].
    ///
    /// # Errors
    /// As [`Scene::refit`].
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

    /// `bounds` are those that the mesh will have, or larger.
    fn deform(
        &mut self,
        id: BodyId,
        deforming: &mut DeformingTree,
        bounds: &Aabb,
        refit: impl FnOnce(&mut DeformingTree) -> Result<Refitted, SceneError>,
    ) -> Result<Refitted, SceneError> {
        let slot = self.slot_mut(id).ok_or(SceneError::NoSuchBody(id))?;
        check_reach(&posed(bounds, &slot.body.pose), &slot.body.pose)?;
        // What nobody else holds need not be copied.
        slot.body.tree = Arc::default();
        let refitted = refit(deforming);
        self.exchange(id.place, deforming.tree().clone());
        let body = &mut self.slots[id.place as usize].body;
        let is_sound = check_solid(body.is_solid, &body.tree);
        body.is_solid &= is_sound.is_ok();
        let refitted = refitted?;
        is_sound.map(|()| refitted)
    }

    /// Gives the body at a place another tree.
    fn exchange(&mut self, place: u32, tree: Arc<BvTree>) -> Arc<BvTree> {
        let slot = &mut self.slots[place as usize];
        let was_empty = slot.is_empty();
        let before = slot.set_tree(tree);
        let stands = &mut self.proxies[place as usize];
        stands.set_bounds(slot, &self.origin);
        let room = slot.room_about(&stands.bounds);
        let stays = slot.room.contains(&stands.bounds);
        match (was_empty, stands.is_empty()) {
            (true, true) => return before,
            (false, true) => self.tree.remove(place),
            (true, false) => self.tree.insert(place, room),
            (false, false) if !stays => self.tree.update(std::iter::once((place, room))),
            (false, false) => {}
        }
        if was_empty || !stays {
            self.slots[place as usize].room = room;
        }
        self.pair_cache.forget(place);
        before
    }
}
