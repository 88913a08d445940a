//! Spheres and capsules against all bodies: where they stand, and on their way.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::body::{Slot, normal_to_world, to_world};
use super::broad_phase::LocalRay;
use super::pair_cache::reach32;
use super::{BodyId, Scene};
use crate::probe::{CapsuleCastHit, CapsuleContact, CastOptions, Probe, Ray};
use crate::shape::{Capsule, Segment};

/// Where a sphere or capsule touches a body, or nearly does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyContact {
    /// The body.
    pub body: BodyId,
    /// Point and normals are in the world.
    pub contact: CapsuleContact,
}

/// Where a moving sphere or capsule first meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyCastHit {
    /// The body.
    pub body: BodyId,
    /// The contact's point and normals are in the world.
    pub hit: CapsuleCastHit,
}

impl Scene {
    /// When a capsule (or a sphere: `&sphere.into()`) on its way along `displacement` first meets a body in a collision
    /// group of the mask, all of which stand still; of several at the same time the one of the least body. Within each
    /// body it is what [`Probe::cast_capsule`] says in the body's frame, so that a result of `None` proves that there is no
    /// contact on the way.
    pub fn cast(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        options: &CastOptions,
        mask: u32,
    ) -> Option<BodyCastHit> {
        let mut first: Option<BodyCastHit> = None;
        self.along(capsule, displacement, options.tolerance, |place, limit| {
            let Some((body, slot)) = self.in_groups(place, mask) else { return limit };
            let back = slot.body.pose.inverse_rotation();
            let Some(hit) =
                probe.cast_capsule(&slot.body.tree, &into_frame(capsule, slot), &(back * displacement), options)
            else {
                return limit;
            };
            if first.is_none_or(|known| (hit.time, body) < (known.hit.time, known.body)) {
                first =
                    Some(BodyCastHit { body, hit: CapsuleCastHit { contact: into_world(hit.contact, slot), ..hit } });
            }
            hit.time.min(limit)
        });
        first
    }

    /// The contacts of all triangles of bodies in the mask's collision groups that are no farther than `max_distance`
    /// from a capsule (or sphere), by body, then face; see [`Probe::for_each_capsule_contact`].
    pub fn contacts(&self, probe: &mut Probe, capsule: &Capsule, max_distance: f64, mask: u32) -> Vec<BodyContact> {
        let mut contacts = Vec::new();
        self.along(capsule, &Vector3::zeros(), max_distance, |place, limit| {
            if let Some((body, slot)) = self.in_groups(place, mask) {
                probe.for_each_capsule_contact(&slot.body.tree, &into_frame(capsule, slot), max_distance, |contact| {
                    contacts.push(BodyContact { body, contact: into_world(contact, slot) });
                    ControlFlow::Continue(())
                });
            }
            limit
        });
        contacts.sort_unstable_by_key(|found| (found.body, found.contact.face));
        contacts
    }

    /// The contact of least distance, of the bodies in the mask's collision groups: of the triangle that is nearest to
    /// the capsule (or sphere) or overlaps it most deeply. None if none is as near as `max_distance`. Of equal ones
    /// that of the least body and face.
    pub fn closest_contact(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        max_distance: f64,
        mask: u32,
    ) -> Option<BodyContact> {
        let mut closest: Option<BodyContact> = None;
        self.along(capsule, &Vector3::zeros(), max_distance, |place, limit| {
            if let Some((body, slot)) = self.in_groups(place, mask)
                && let Some(found) =
                    probe.closest_capsule_contact(&slot.body.tree, &into_frame(capsule, slot), max_distance)
                && closest.is_none_or(|known| (found.distance, body) < (known.contact.distance, known.body))
            {
                closest = Some(BodyContact { body, contact: into_world(found, slot) });
            }
            limit
        });
        closest
    }

    /// Calls `visit` with the bodies whose boxes a capsule comes within a distance of on its way, with the part of the
    /// way that is still of interest; it gives that part's new end.
    fn along(&self, capsule: &Capsule, displacement: &Vector3<f64>, distance: f64, visit: impl FnMut(u32, f64) -> f64) {
        let Segment { start, end } = &capsule.segment;
        let reach = reach32(capsule.radius + 0.5 * (end - start).norm() + distance.max(0.0));
        let ray = Ray { origin: nalgebra::center(start, end), direction: *displacement };
        let local = LocalRay::new(&ray, &self.origin);
        self.tree.nearest_first(1.0, |bounds| local.entry(&bounds.grown(reach)), visit);
    }
}

fn into_frame(capsule: &Capsule, slot: &Slot) -> Capsule {
    let pose = &slot.body.pose;
    let back = pose.inverse_rotation();
    let [start, end] = [capsule.segment.start, capsule.segment.end].map(|point| pose.inverse_transform(&back, &point));
    Capsule { segment: Segment { start, end }, radius: capsule.radius }
}

fn into_world(contact: CapsuleContact, slot: &Slot) -> CapsuleContact {
    let pose = &slot.body.pose;
    CapsuleContact {
        point: to_world(pose, &contact.point),
        normal: normal_to_world(pose, &contact.normal),
        face_normal: normal_to_world(pose, &contact.face_normal),
        ..contact
    }
}
