//! The bodies of a step: a slice of them, or those of a scene that are near the character.

use nalgebra::Vector3;

use super::body::Body;
use crate::pose::Motion;
use crate::scene::{BodyId, Scene, SceneError};
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
    /// The bodies, each where its pose says. Whether they are static or solid makes no difference to a character.
    /// Bodies that are convex shapes are no obstacles.
    pub scene: &'a Scene,
    /// The collision groups of the bodies that are obstacles (`body.groups & mask != 0`), as a bit set. All by default.
    pub mask: u32,
    /// The bodies that move during the step, from one world pose to another; their poses in the scene don't count. They
    /// push and carry the character as [`Body::moving`] says. None by default.
    pub motions: &'a [(BodyId, Motion)],
    /// The velocities of surfaces that move relative to their bodies, such as those of conveyor belts; see
    /// [`Body::with_surface_velocity`]. None by default.
    pub surface_velocities: &'a [(BodyId, Vector3<f64>)],
}

impl<'a> Surroundings<'a> {
    /// All bodies of a scene, none of them moving.
    pub fn new(scene: &'a Scene) -> Self {
        Self { scene, mask: u32::MAX, motions: &[], surface_velocities: &[] }
    }

    /// The bodies that move, sorted.
    pub(super) fn moving(&self) -> Result<Vec<BodyId>, SceneError> {
        let mut moving: Vec<BodyId> = self.motions.iter().map(|(id, _)| *id).collect();
        let conveyors = self.surface_velocities.iter().map(|(id, _)| id);
        if let Some(id) = moving.iter().chain(conveyors).find(|id| self.scene.body(**id).is_none()) {
            return Err(SceneError::NoSuchBody(*id));
        }
        moving.sort_unstable();
        match moving.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(SceneError::TwoMotions(pair[0])),
            None => Ok(moving),
        }
    }

    /// The bodies that a capsule may meet while it stays in a region of the world, and those with the `kept` indices.
    /// Without a region, all bodies.
    pub(super) fn near(&self, moving: &[BodyId], region: Option<&Aabb>, kept: &[usize]) -> Near<'a> {
        let scene = self.scene;
        let mut found: Vec<(usize, Body<'a>)> = Vec::new();
        let mut add_still = |id: BodyId| {
            if let Some(body) = scene.body(id)
                && let Some(tree) = body.geometry.tree()
                && body.groups & self.mask != 0
                && moving.binary_search(&id).is_err()
            {
                found.push((id.index(), Body::placed(tree, &body.pose)));
            }
        };
        match region {
            Some(region) => scene.for_each_near(region, 0.0, &mut add_still),
            None => scene.bodies().for_each(|(id, _)| add_still(id)),
        }
        kept.iter().filter_map(|&index| scene.id_at(index)).for_each(add_still);
        for (id, motion) in self.motions {
            if let Some(body) = scene.body(*id)
                && let Some(tree) = body.geometry.tree()
                && body.groups & self.mask != 0
                && (kept.contains(&id.index()) || region.is_none_or(|region| may_meet(tree.bounds(), motion, region)))
            {
                found.push((id.index(), Body::moving(tree, motion.start(), motion.end())));
            }
        }
        found.sort_by_key(|(index, _)| *index);
        found.dedup_by_key(|(index, _)| *index);
        let (indices, mut bodies): (Vec<usize>, Vec<Body<'a>>) = found.into_iter().unzip();
        for (id, velocity) in self.surface_velocities {
            if let Ok(at) = indices.binary_search(&id.index()) {
                bodies[at] = bodies[at].with_surface_velocity(*velocity);
            }
        }
        let any_moves = self.motions.iter().any(|(_, motion)| motion.start() != motion.end());
        Near { indices, bodies, any_moves }
    }
}

/// Whether a mesh in a box may meet a capsule that stays in a region while the mesh moves from one pose to another. In
/// the mesh's frame, the capsule moves from its place at the start straight to its place at the end.
fn may_meet(mesh: &Aabb, motion: &Motion, region: &Aabb) -> bool {
    let [start, end] = [motion.start(), motion.end()].map(|pose| {
        let back = pose.rotation().transpose();
        region.transformed(&back, &-(back * pose.translation()))
    });
    start.union(&end).overlaps(mesh)
}

/// The bodies of a scene that are near a character, in the order of their indices.
pub(super) struct Near<'a> {
    indices: Vec<usize>,
    bodies: Vec<Body<'a>>,
    any_moves: bool,
}

impl Near<'_> {
    pub(super) fn bodies(&self) -> Bodies<'_> {
        Bodies { bodies: &self.bodies, indices: Some(&self.indices), any_moves: self.any_moves }
    }
}

/// The bodies of a step, which a step refers to by their indices.
#[derive(Clone, Copy)]
pub(super) struct Bodies<'a> {
    bodies: &'a [Body<'a>],
    /// The bodies' indices in ascending order, if they differ from 0, 1, 2 and so on.
    indices: Option<&'a [usize]>,
    /// Whether any body moves, be it here or too far away to be here.
    pub(super) any_moves: bool,
}

impl<'a> Bodies<'a> {
    pub(super) fn all(bodies: &'a [Body<'a>]) -> Self {
        Self { bodies, indices: None, any_moves: bodies.iter().any(Body::moves) }
    }

    pub(super) fn get(&self, index: usize) -> Option<&'a Body<'a>> {
        let at = match self.indices {
            Some(indices) => indices.binary_search(&index).ok()?,
            None => index,
        };
        self.bodies.get(at)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &'a Body<'a>)> + use<'a> {
        let indices = self.indices;
        self.bodies.iter().enumerate().map(move |(at, body)| (indices.map_or(at, |indices| indices[at]), body))
    }
}
