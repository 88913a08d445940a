//! The bodies that a character runs into, so that a game can push them.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::collision_world::{CollisionWorld, Stop};
use crate::scene::BodyId;

/// The contact with a body in the way of a character, so that a game can push that body. The body's own motion is
/// ignored.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Push {
    /// The body.
    pub body: BodyId,
    /// The contact point on the body, in the world.
    pub point: Point3<f64>,
    /// The unit normal of the contact, from the body to the character.
    pub normal: Vector3<f64>,
    /// The speed, in length units per second, at which the character would have kept moving into the body, opposite to
    /// `normal`.
    pub speed: f64,
}

impl Push {
    /// The impulse that the body receives at [`Push::point`] when it stops a character of this mass: the momentum that
    /// the character loses along the normal. Apply only a part of it to a body that gives way, or that the character
    /// should not throw.
    pub fn impulse(&self, mass: f64) -> Vector3<f64> {
        self.normal * (-mass * self.speed)
    }
}

/// For each body, the contact that has the greatest [`Push::speed`].
pub(super) type Pushes = SmallVec<[Push; 4]>;

impl CollisionWorld<'_> {
    /// Notes the body that ended a move. The move would have covered `displacement` in `time`.
    pub(super) fn note_push(&mut self, stop: &Stop, displacement: &Vector3<f64>, time: f64) {
        let (body, normal) = (stop.body, stop.contact.normal);
        let speed = -displacement.dot(&normal) / time;
        // Also false for NaN.
        if !(speed > 0.0 && speed < f64::INFINITY) {
            return;
        }
        let push = Push { body, point: stop.contact.point, normal, speed };
        match self.pushes.iter_mut().find(|known| known.body == body) {
            Some(known) if known.speed < speed => *known = push,
            Some(_) => {}
            None => self.pushes.push(push),
        }
    }
}
