//! Bodies whose meshes deform.

use std::sync::Arc;

use nalgebra::Point3;

use super::broad_phase::Box32;
use super::{BodyId, Scene, SceneError, check_reach};
use crate::refit::{DeformingTree, Refitted};
use crate::shape::Aabb;
use crate::tree::BvTree;

impl Scene {
    /// Gives a body another tree, as one of the same mesh that has deformed, and returns the one it had.
    ///
    /// # Errors
    /// If it is not there, or would reach farther than [`Scene::FARTHEST`]: then it keeps its tree.
    pub fn set_tree(&mut self, id: BodyId, tree: Arc<BvTree>) -> Result<Arc<BvTree>, SceneError> {
        let slot = self.slot(id).ok_or(SceneError::NoSuchBody(id))?;
        check_reach(tree.bounds(), &slot.body.pose)?;
        Ok(self.exchange(id.place, tree))
    }

    /// Deforms a body, to which the deforming tree is given: puts all vertices of its mesh elsewhere; see [`DeformingTree::refit`].
    /// The tree is not copied, if only the body and the deforming tree hold it.
    ///
    /// # Errors
    /// If the body is not there, or would reach farther than [`Scene::FARTHEST`], or the positions are not in order: then nothing has
    /// changed. If the tree is to be built anew and can't be, it is refitted.
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
        check_reach(bounds, &slot.body.pose)?;
        // What nobody else holds need not be copied.
        slot.body.tree = Arc::default();
        let refitted = refit(deforming);
        self.exchange(id.place, deforming.tree().clone());
        refitted
    }

    /// Gives the body at a place another tree.
    fn exchange(&mut self, place: u32, tree: Arc<BvTree>) -> Arc<BvTree> {
        let Some(slot) = &mut self.places[place as usize].slot else { return tree };
        let was_empty = slot.is_empty();
        let before = slot.set_tree(tree);
        let Some(slot) = &self.places[place as usize].slot else { return before };
        match (was_empty, slot.is_empty()) {
            (true, true) => return before,
            (true, false) => self.tree.insert(place, self.room_for(slot)),
            (false, true) => self.tree.remove(place),
            (false, false) => {
                if !self.tree.bounds(place).contains(&Box32::around(&slot.bounds, &self.origin)) {
                    let changes = [(place, self.room_for(slot))];
                    self.tree.update(&changes);
                }
            }
        }
        self.candidates.came(place);
        before
    }
}
