//! Rays and points against all bodies.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::body::{Slot, normal_to_world, to_world};
use super::broad_phase::{LocalRay, distance};
use super::{BodyId, Scene};
use crate::probe::{Probe, Ray, RayHit};

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyHit {
    /// The body.
    pub body: BodyId,
    /// Point and unit normal are in the world.
    pub hit: RayHit,
}

/// A body's point that is nearest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyPoint {
    /// The body.
    pub body: BodyId,
    /// How far it is from the given point.
    pub distance: f64,
    /// In the world.
    pub point: Point3<f64>,
    /// The triangle it is on, by its index in the body's mesh.
    pub face: u32,
}

impl Scene {
    /// The first triangle of a body in the mask's collision groups (`body.groups & mask != 0`) that a ray meets until
    /// `max_time`; of several at the same time the one of the least body and face. Within each body it is what
    /// [`Probe::closest_hit`] says of the ray in the body's frame.
    ///
    /// Any number of threads may ask at once, each with a probe of its own.
    pub fn closest_hit(&self, probe: &mut Probe, ray: &Ray, max_time: f64, mask: u32) -> Option<BodyHit> {
        let mut closest: Option<BodyHit> = None;
        let local = LocalRay::new(ray, &self.origin);
        self.tree.nearest_first(
            max_time,
            |bounds| local.entry(bounds),
            |place, limit| {
                let Some((id, slot)) = self.in_groups(place, mask) else { return limit };
                let Some(hit) = probe.closest_hit(&slot.body.tree, &into_frame(ray, slot), limit) else { return limit };
                if closest.is_none_or(|known| (hit.time, id) < (known.hit.time, known.body)) {
                    closest = Some(BodyHit { body: id, hit: into_world(hit, slot) });
                }
                hit.time
            },
        );
        closest
    }

    /// Whether a ray meets any body in the mask's collision groups until `max_time`.
    pub fn any_hit(&self, probe: &mut Probe, ray: &Ray, max_time: f64, mask: u32) -> bool {
        let mut any = false;
        let local = LocalRay::new(ray, &self.origin);
        self.tree.nearest_first(
            max_time,
            |bounds| local.entry(bounds),
            |place, limit| {
                let Some((_, slot)) = self.in_groups(place, mask) else { return limit };
                any = any || probe.any_hit(&slot.body.tree, &into_frame(ray, slot), max_time);
                if any { f64::NEG_INFINITY } else { limit }
            },
        );
        any
    }

    /// All triangles of bodies in the mask's collision groups that a ray meets until `max_time`, by time, then body,
    /// then face.
    pub fn hits(&self, probe: &mut Probe, ray: &Ray, max_time: f64, mask: u32) -> Vec<BodyHit> {
        let mut hits = Vec::new();
        let local = LocalRay::new(ray, &self.origin);
        self.tree.nearest_first(
            max_time,
            |bounds| local.entry(bounds),
            |place, limit| {
                if let Some((body, slot)) = self.in_groups(place, mask) {
                    probe.for_each_hit(&slot.body.tree, &into_frame(ray, slot), max_time, |hit| {
                        hits.push(BodyHit { body, hit: into_world(hit, slot) });
                        ControlFlow::Continue(())
                    });
                }
                limit
            },
        );
        hits.sort_unstable_by(|p, q| {
            p.hit.time.total_cmp(&q.hit.time).then((p.body, p.hit.face).cmp(&(q.body, q.hit.face)))
        });
        hits
    }

    /// The point of the bodies in the mask's collision groups that is nearest to a point and no farther than
    /// `max_distance`; of several the one of the least body. Distances are measured in the bodies' frames.
    pub fn closest_point(
        &self,
        probe: &mut Probe,
        point: &Point3<f64>,
        max_distance: f64,
        mask: u32,
    ) -> Option<BodyPoint> {
        let mut closest: Option<BodyPoint> = None;
        let at: [f64; 3] = std::array::from_fn(|k| point[k] - self.origin[k]);
        let visit = |place, limit| {
            let Some((id, slot)) = self.in_groups(place, mask) else { return limit };
            let pose = &slot.body.pose;
            let local = pose.inverse_transform(&pose.inverse_rotation(), point);
            let Some(found) = probe.closest_point_within(&slot.body.tree, &local, limit) else { return limit };
            if closest.is_none_or(|known| (found.distance, id) < (known.distance, known.body)) {
                let point = to_world(pose, &found.point);
                closest = Some(BodyPoint { body: id, distance: found.distance, point, face: found.face });
            }
            found.distance
        };
        self.tree.nearest_first(max_distance, |bounds| Some(distance(bounds, &at)), visit);
        closest
    }

    pub(super) fn in_groups(&self, place: u32, mask: u32) -> Option<(BodyId, &Slot)> {
        let slot = Some(&self.slots[place as usize]).filter(|slot| slot.body.groups & mask != 0)?;
        Some((self.id(place), slot))
    }
}

/// The ray in a body's frame: times stay as they are.
fn into_frame(ray: &Ray, slot: &Slot) -> Ray {
    let pose = &slot.body.pose;
    let back = pose.inverse_rotation();
    Ray { origin: pose.inverse_transform(&back, &ray.origin), direction: back * ray.direction }
}

fn into_world(hit: RayHit, slot: &Slot) -> RayHit {
    let pose = &slot.body.pose;
    RayHit { point: to_world(pose, &hit.point), normal: normal_to_world(pose, &hit.normal), ..hit }
}
