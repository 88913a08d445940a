//! The bodies that a character may meet in a step: those of the scene near it, some of them moving.

use nalgebra::{Point3, Vector3};

use crate::pose::{Motion, Pose};
use crate::probe::{CapsuleCastHit, CapsuleContact, CastOptions, Probe, is_from_behind};
use crate::scene::{BodyId, Geometry, capsule_into, contact_out_of};
use crate::shape::Capsule;

/// A body of the scene, stationary or moving during the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Obstacle<'a> {
    pub(super) id: BodyId,
    pub(super) geometry: &'a Geometry,
    /// The world poses at the start and at the end of the step.
    start: Pose,
    end: Pose,
    moves: bool,
    /// The velocity of the surface relative to the body, in the world's frame.
    surface_velocity: Vector3<f64>,
    /// Whether the capsule passes the body's triangles from behind.
    pub(super) is_one_sided: bool,
}

impl<'a> Obstacle<'a> {
    pub(super) fn fixed(id: BodyId, geometry: &'a Geometry, pose: &Pose) -> Self {
        let (start, end, surface_velocity) = (*pose, *pose, Vector3::zeros());
        Self { id, geometry, start, end, moves: false, surface_velocity, is_one_sided: false }
    }

    pub(super) fn moving(id: BodyId, geometry: &'a Geometry, motion: &Motion) -> Self {
        let (start, end) = (motion.start(), motion.end());
        Self { end: *end, moves: start != end, ..Self::fixed(id, geometry, start) }
    }

    /// Sets the velocity of the surface; one that is not finite counts as zero.
    pub(super) fn set_surface_velocity(&mut self, velocity: Vector3<f64>) {
        self.surface_velocity = finite_or_zero(velocity);
    }

    pub(super) fn moves(&self) -> bool {
        self.moves
    }

    pub(super) fn carries(&self) -> bool {
        self.moves || self.surface_velocity != Vector3::zeros()
    }

    /// The position that a point which the body carries has at the end of the step.
    pub(super) fn carry(&self, point: &Point3<f64>, time: f64) -> Point3<f64> {
        let carried = if self.moves { self.end.transform_point(&to_local(&self.start, point)) } else { *point };
        carried + self.surface_velocity * time
    }

    /// A world point in the body's frame at the start of the step.
    pub(super) fn in_start_frame(&self, point: &Point3<f64>) -> Point3<f64> {
        to_local(&self.start, point)
    }

    pub(super) fn in_end_frame(&self, point: &Point3<f64>) -> Point3<f64> {
        to_local(&self.end, point)
    }

    pub(super) fn in_world(&self, point: &Point3<f64>) -> Point3<f64> {
        self.end.transform_point(point)
    }

    /// A world direction in the body's frame at the end of the step.
    pub(super) fn direction_in_end_frame(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        self.end.inverse_rotation() * direction
    }

    /// Casts a capsule against the body where it is at the end of the step.
    pub(super) fn cast(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        options: &CastOptions,
    ) -> Option<CapsuleCastHit> {
        let displacement = self.direction_in_end_frame(displacement);
        let hit = self.cast_local(probe, &capsule_into(&self.end, capsule), &displacement, options)?;
        Some(CapsuleCastHit { contact: contact_out_of(&self.end, hit.contact), ..hit })
    }

    /// Casts a capsule in the body's frame.
    pub(super) fn cast_local(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        options: &CastOptions,
    ) -> Option<CapsuleCastHit> {
        let hit = self.geometry.cast_capsule(probe, capsule, displacement, 1.0, options, self.is_one_sided);
        hit.map(|(_, hit)| hit)
    }

    pub(super) fn for_each_contact(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        margin: f64,
        mut visit: impl FnMut(CapsuleContact),
    ) {
        let local = capsule_into(&self.end, capsule);
        self.geometry.for_each_capsule_contact(probe, &local, margin, &mut |part, contact| {
            let passes = self.is_one_sided_at(part, contact.face) && is_from_behind(&contact, capsule.radius);
            if !passes {
                visit(contact_out_of(&self.end, contact));
            }
            std::ops::ControlFlow::Continue(())
        });
    }

    /// Whether a triangle is one-sided, so that the capsule passes it from behind.
    fn is_one_sided_at(&self, part: u32, face: u32) -> bool {
        let geometry = self.geometry.compound().map_or(self.geometry, |all| &all.parts()[part as usize].geometry);
        geometry.tree().is_some_and(|tree| self.is_one_sided || tree.layers_of(face).is_one_sided)
    }
}

/// The velocity; zero if it is not finite.
pub(super) fn finite_or_zero(velocity: Vector3<f64>) -> Vector3<f64> {
    if velocity.iter().all(|x| x.is_finite()) { velocity } else { Vector3::zeros() }
}

fn to_local(pose: &Pose, point: &Point3<f64>) -> Point3<f64> {
    pose.inverse_transform(&pose.inverse_rotation(), point)
}

/// The obstacle with a body's id, if any; the obstacles must be sorted by id.
pub(super) fn find<'a, 'b>(obstacles: &'a [Obstacle<'b>], id: BodyId) -> Option<&'a Obstacle<'b>> {
    Some(&obstacles[obstacles.binary_search_by_key(&id, |obstacle| obstacle.id).ok()?])
}
