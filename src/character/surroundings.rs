//! The scene in which a character walks, and those of its bodies that are near the character.

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::obstacle::Obstacle;
use crate::pose::Motion;
use crate::scene::{BodyId, Scene, SceneError, check_motion};
use crate::shape::{Aabb, Overlaps};

/// A scene in which a character walks, and what moves in it during a step.
///
/// ```
/// use bvtree::character::Surroundings;
/// use bvtree::scene::Scene;
///
/// let scene = Scene::new();
/// let surroundings = Surroundings { mask: 0b01, ..Surroundings::new(&scene) };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The bodies, which are trees, convex shapes and compounds of them, each at its pose. Whether a tree is static or
    /// solid makes no difference to a character; a shape is solid.
    pub scene: &'a Scene,
    /// The collision groups of the bodies that are obstacles (`body.groups & mask != 0`), as a bit set. All by default.
    /// Of a mesh with [layers](crate::tree::Layers), only triangles in the mask are obstacles, and one-sided ones only
    /// from the front.
    pub mask: u32,
    /// The bodies that move during the step, from one world pose to another: a platform, a lift, a door, another
    /// character's capsule. Their poses in the scene are ignored. None by default.
    ///
    /// A moving body pushes the character out of its way, and carries it if it stands on the body. Each point is
    /// assumed to move along the chord of its path: if the body turns by an angle `theta` (radians), a point at a
    /// distance `r` from the axis is off by up to `r theta^2 / 8`.
    pub motions: &'a [(BodyId, Motion)],
    /// The velocities of surfaces that move relative to their bodies, such as those of conveyor belts, in the world's
    /// frame: each carries the character standing on the body, besides the body's motion. A velocity that is not
    /// finite counts as zero. None by default.
    #[doc(alias = "conveyor")]
    pub surface_velocities: &'a [(BodyId, Vector3<f64>)],
    /// The meshes whose triangles are one-sided, such as platforms onto which one jumps from below: the character
    /// passes a triangle from behind, and the triangle stops it once it is in front and overlaps the triangle by at
    /// most a tenth of the radius. The front is the side from which the corners run counterclockwise. A convex shape
    /// has no back. None by default.
    #[doc(alias = "one-way platform")]
    pub one_sided: &'a [BodyId],
}

impl<'a> Surroundings<'a> {
    /// All bodies of a scene, none of them moving.
    pub fn new(scene: &'a Scene) -> Self {
        Self { scene, mask: u32::MAX, motions: &[], surface_velocities: &[], one_sided: &[] }
    }

    /// The bodies that move, sorted; an error if the surroundings are invalid.
    pub(super) fn moving(&self) -> Result<SmallVec<[BodyId; 8]>, SceneError> {
        let mut moving: SmallVec<[BodyId; 8]> = self.motions.iter().map(|(id, _)| *id).collect();
        let conveyors = self.surface_velocities.iter().map(|(id, _)| id);
        if let Some(id) =
            moving.iter().chain(conveyors).chain(self.one_sided).find(|id| self.scene.body(**id).is_none())
        {
            return Err(SceneError::NoSuchBody(*id));
        }
        self.motions.iter().try_for_each(|(_, motion)| check_motion(motion))?;
        moving.sort_unstable();
        match moving.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(SceneError::TwoMotions(pair[0])),
            None => Ok(moving),
        }
    }

    /// Whether any body moves.
    pub(super) fn any_moves(&self) -> bool {
        self.motions.iter().any(|(_, motion)| motion.start() != motion.end())
    }

    /// The bodies that a capsule may meet while it stays in a region of the world, and those with the `kept` ids, in
    /// the order of their ids. Without a region, all bodies.
    pub(super) fn near(
        &self,
        moving: &[BodyId],
        region: Option<&Aabb>,
        kept: &[BodyId],
    ) -> SmallVec<[Obstacle<'a>; 8]> {
        let scene = self.scene;
        let mut near: SmallVec<[Obstacle<'a>; 8]> = SmallVec::new();
        let mut add_still = |id: BodyId| {
            if let Some(body) = scene.body(id)
                && body.groups & self.mask != 0
                && moving.binary_search(&id).is_err()
            {
                near.push(Obstacle::fixed(id, &body.geometry, &body.pose));
            }
        };
        match region {
            Some(region) => scene.for_each_near(region, 0.0, &mut add_still),
            None => scene.bodies().for_each(|(id, _)| add_still(id)),
        }
        kept.iter().copied().for_each(add_still);
        for (id, motion) in self.motions {
            if let Some(body) = scene.body(*id)
                && body.groups & self.mask != 0
                && (kept.contains(id) || region.is_none_or(|region| may_meet(&body.geometry.bounds(), motion, region)))
            {
                near.push(Obstacle::moving(*id, &body.geometry, motion));
            }
        }
        near.sort_unstable_by_key(|obstacle| obstacle.id);
        near.dedup_by_key(|obstacle| obstacle.id);
        for (id, velocity) in self.surface_velocities {
            if let Ok(at) = near.binary_search_by_key(id, |obstacle| obstacle.id) {
                near[at].set_surface_velocity(*velocity);
            }
        }
        for id in self.one_sided {
            if let Ok(at) = near.binary_search_by_key(id, |obstacle| obstacle.id) {
                near[at].is_one_sided = true;
            }
        }
        near
    }
}

/// Whether geometry in a box may meet a capsule that stays in a region while the geometry moves from one pose to
/// another. In the geometry's frame, the capsule moves from its place at the start straight to its place at the end.
fn may_meet(bounds: &Aabb, motion: &Motion, region: &Aabb) -> bool {
    let [start, end] = [motion.start(), motion.end()].map(|pose| {
        let back = pose.inverse_rotation();
        region.transformed(&back, &-(back * pose.translation()))
    });
    start.union(&end).overlaps(bounds)
}
