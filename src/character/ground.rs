//! What counts as ground, and how it is found and followed.

use nalgebra::{Point3, Vector3};

use super::surroundings::Surroundings;
use crate::probe::CapsuleContact;
use crate::shape::ClosestPoint;

/// What a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ground {
    /// Unit normal of the surface that is walked on.
    pub normal: Vector3<f64>,
    /// Where it is touched, within the skin.
    pub point: Point3<f64>,
    /// The body, by its index among those of the step.
    pub body: usize,
    /// The triangle, by its index in the body's mesh.
    pub face: u32,
}

impl Surroundings<'_> {
    pub(super) fn is_walkable(&self, normal: &Vector3<f64>) -> bool {
        normal.dot(&self.options.up) >= self.options.least_cosine()
    }

    /// How high a point is above the lowest point that the feet touch.
    pub(super) fn height(&self, point: &Point3<f64>, feet: &Point3<f64>) -> f64 {
        (point - feet).dot(&self.options.up) + self.options.skin
    }

    /// The ground that a contact is: a surface that is not too steep; or an edge, low enough for a step from `feet`, of
    /// a face that is not.
    pub(super) fn ground(&mut self, body: usize, contact: &CapsuleContact, feet: &Point3<f64>) -> Option<Ground> {
        let ground = |normal| Ground { normal, point: contact.point, body, face: contact.face };
        if self.is_walkable(&contact.normal) {
            return Some(ground(contact.normal));
        }
        if contact.normal.dot(&self.options.up) <= 0.0 || self.height(&contact.point, feet) > self.highest_step() {
            return None;
        }
        // The flattest of the faces around the edge or corner.
        let (up, near) = (self.up(), 0.1 * self.options.skin);
        let reach = (self.capsule().segment.closest_point(&contact.point) - contact.point).norm() - self.options.radius;
        let mut flattest = (f64::NEG_INFINITY, u32::MAX, Vector3::zeros());
        self.for_each_contact(reach.max(0.0) + near, |_, other| {
            let normal = other.face_normal * 1f64.copysign(other.face_normal.dot(&contact.normal));
            let steepness = normal.dot(&up);
            let is_there = (other.point - contact.point).norm_squared() <= near * near;
            if is_there && (steepness > flattest.0 || (steepness == flattest.0 && other.face < flattest.1)) {
                flattest = (steepness, other.face, normal);
            }
        });
        self.is_walkable(&flattest.2).then(|| ground(flattest.2))
    }

    /// Looks for ground no farther below than `depth` and stands on it. The capsule stays where it is if there is none.
    pub(super) fn stand(&mut self, depth: f64) -> Option<Ground> {
        let (feet, up, skin) = (self.feet, self.up(), self.options.skin);
        let stop = self.advance(&(up * -(depth + skin)))?;
        let feet_there = self.feet;
        let found = self.ground(stop.body, &stop.contact, &feet_there).or_else(|| self.ground_beside());
        if found.is_none() {
            self.feet = feet;
        }
        found
    }

    /// Ground that is touched beside something steep.
    fn ground_beside(&mut self) -> Option<Ground> {
        let up = self.up();
        let mut flattest: Option<(f64, usize, CapsuleContact)> = None;
        self.for_each_contact(2.0 * self.options.skin, |body, contact| {
            let one = (contact.normal.dot(&up), body, contact);
            let order = |(flatness, body, contact): &(f64, usize, CapsuleContact)| (-flatness, *body, contact.face);
            if flattest.as_ref().is_none_or(|best| order(&one) < order(best)) {
                flattest = Some(one);
            }
        });
        let (_, body, CapsuleContact { normal, point, face, .. }) = flattest?;
        self.is_walkable(&normal).then_some(Ground { normal, point, body, face })
    }
}
