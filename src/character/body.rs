//! The meshes that a character walks on and against: trees with poses, some of them moving.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::pose::Pose;
use crate::probe::{CapsuleCastHit, CapsuleContact, CastOptions, Probe};
use crate::shape::{Capsule, Segment};
use crate::tree::BvTree;

/// A mesh in the world that stands still or moves during a step.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    tree: &'a BvTree,
    /// The mesh's world poses at the start and at the end of the step.
    start: Pose,
    end: Pose,
    moves: bool,
    /// The velocity of the surface relative to the body, in the world's frame.
    surface_velocity: Vector3<f64>,
}

impl<'a> Body<'a> {
    /// A mesh that stands still in the world's frame.
    pub fn fixed(tree: &'a BvTree) -> Self {
        Self::placed(tree, &Pose::identity())
    }

    /// A mesh that stands still at a world pose.
    pub fn placed(tree: &'a BvTree, pose: &Pose) -> Self {
        Self { tree, start: *pose, end: *pose, moves: false, surface_velocity: Vector3::zeros() }
    }

    /// A mesh that moves from one world pose to another during the step: a platform, a lift, a door.
    ///
    /// It pushes the character out of its way and carries it if it stands on the mesh. Each point is taken to move
    /// along the chord: if the body turns by an angle `theta` (radians), a point at a distance `r` from the axis is off
    /// by up to `r theta^2 / 8`.
    pub fn moving(tree: &'a BvTree, start: &Pose, end: &Pose) -> Self {
        Self { end: *end, moves: start != end, ..Self::placed(tree, start) }
    }

    /// The same body with a surface that moves, such as a conveyor belt: it carries the character standing on it at a
    /// velocity in the world's frame, besides the motion of the body. A velocity that is not finite counts as zero.
    #[doc(alias = "conveyor")]
    #[must_use]
    pub fn with_surface_velocity(self, velocity: Vector3<f64>) -> Self {
        let is_finite = velocity.iter().all(|x| x.is_finite());
        Self { surface_velocity: if is_finite { velocity } else { Vector3::zeros() }, ..self }
    }

    /// The mesh.
    pub fn tree(&self) -> &'a BvTree {
        self.tree
    }

    pub(super) fn moves(&self) -> bool {
        self.moves
    }

    pub(super) fn carries(&self) -> bool {
        self.moves || self.surface_velocity != Vector3::zeros()
    }

    /// The position at the end of a step of a point that the body carries.
    pub(super) fn carry(&self, point: &Point3<f64>, time: f64) -> Point3<f64> {
        let carried = if self.moves { self.end.transform_point(&to_local(&self.start, point)) } else { *point };
        carried + self.surface_velocity * time
    }

    /// A world point in the mesh's frame at the start of the step.
    pub(super) fn in_start_frame(&self, point: &Point3<f64>) -> Point3<f64> {
        to_local(&self.start, point)
    }

    pub(super) fn in_end_frame(&self, point: &Point3<f64>) -> Point3<f64> {
        to_local(&self.end, point)
    }

    pub(super) fn in_world(&self, point: &Point3<f64>) -> Point3<f64> {
        self.end.transform_point(point)
    }

    /// A world direction in the mesh's frame at the end of the step.
    pub(super) fn direction_in_end_frame(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        self.end.rotation().tr_mul(direction)
    }

    /// [`Probe::cast_capsule`] against the mesh where it is at the end of the step.
    pub(super) fn cast(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        options: &CastOptions,
    ) -> Option<CapsuleCastHit> {
        let displacement = self.direction_in_end_frame(displacement);
        let hit = probe.cast_capsule(self.tree, &self.local(capsule), &displacement, options)?;
        Some(CapsuleCastHit { contact: self.contact_in_world(hit.contact), ..hit })
    }

    pub(super) fn for_each_contact(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        margin: f64,
        mut visit: impl FnMut(CapsuleContact),
    ) {
        probe.for_each_capsule_contact(self.tree, &self.local(capsule), margin, |contact| {
            visit(self.contact_in_world(contact));
            std::ops::ControlFlow::Continue(())
        });
    }

    fn local(&self, capsule: &Capsule) -> Capsule {
        let Segment { start, end } = capsule.segment;
        Capsule { segment: Segment { start: self.in_end_frame(&start), end: self.in_end_frame(&end) }, ..*capsule }
    }

    fn contact_in_world(&self, contact: CapsuleContact) -> CapsuleContact {
        let rotation: &Matrix3<f64> = self.end.rotation();
        CapsuleContact {
            point: self.in_world(&contact.point),
            normal: rotation * contact.normal,
            face_normal: rotation * contact.face_normal,
            ..contact
        }
    }
}

fn to_local(pose: &Pose, point: &Point3<f64>) -> Point3<f64> {
    Point3::from(pose.rotation().tr_mul(&(point.coords - pose.translation())))
}
