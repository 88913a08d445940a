//! Rays, points, capsules and moving convex shapes in the frame of one body's geometry, whose parts are queried in
//! their own frames.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::body::{Geometry, normal_to_world};
use super::compound::{Part, Simple};
use crate::numeric::error_bounds::{BOUNDS_ROUNDING, POSE_STRETCH};
use crate::pose::Pose;
use crate::probe::{CapsuleCastHit, CapsuleContact, CastOptions, ClosestOnMesh, ConvexCastHit, Probe, Ray, RayHit};
use crate::shape::{Aabb, Advance, Capsule, ConvexShape, NO_FACE, Proximity, Segment, Touch};
use crate::triangle::Triangle;

/// Rays and points in the frame of a geometry. Parts of compounds are queried in their own frames.
impl Geometry {
    pub(super) fn closest_hit(&self, probe: &mut Probe, ray: &Ray, max_time: f64) -> Option<(u32, RayHit)> {
        let compound = match self {
            Self::Tree(tree) => return Some((0, probe.closest_hit(tree, ray, max_time)?)),
            Self::Shape(shape) => return Some((0, shape_hit(shape, ray, max_time)?)),
            Self::Compound(compound) => compound,
        };
        let mut closest: Option<(u32, RayHit)> = None;
        compound.along_ray(ray, max_time, |index, limit| {
            let Part { geometry, pose } = &compound.parts()[index as usize];
            let Some((_, hit)) = geometry.closest_hit(probe, &ray_into(pose, ray), limit) else { return limit };
            if closest.is_none_or(|(part, known)| (hit.time, index) < (known.time, part)) {
                closest = Some((index, hit_out_of(pose, hit)));
            }
            hit.time
        });
        closest
    }

    pub(super) fn for_each_hit(&self, probe: &mut Probe, ray: &Ray, max_time: f64, take: &mut dyn FnMut(u32, RayHit)) {
        match self {
            Self::Tree(tree) => probe.for_each_hit(tree, ray, max_time, |hit| {
                take(0, hit);
                ControlFlow::Continue(())
            }),
            Self::Shape(shape) => shape_hit(shape, ray, max_time).into_iter().for_each(|hit| take(0, hit)),
            Self::Compound(compound) => compound.along_ray(ray, max_time, |index, limit| {
                let Part { geometry, pose } = &compound.parts()[index as usize];
                let take = &mut |_, hit| take(index, hit_out_of(pose, hit));
                geometry.for_each_hit(probe, &ray_into(pose, ray), max_time, take);
                limit
            }),
        }
    }

    pub(super) fn any_hit(&self, probe: &mut Probe, ray: &Ray, max_time: f64) -> bool {
        match self {
            Self::Tree(tree) => probe.any_hit(tree, ray, max_time),
            _ => self.closest_hit(probe, ray, max_time).is_some(),
        }
    }

    pub(super) fn closest_point(
        &self,
        probe: &mut Probe,
        point: &Point3<f64>,
        limit: f64,
    ) -> Option<(u32, ClosestOnMesh)> {
        let compound = match self {
            Self::Tree(tree) => return Some((0, probe.closest_point_within(tree, point, limit)?)),
            Self::Shape(shape) => return Some((0, point_of_shape(shape, point, limit)?)),
            Self::Compound(compound) => compound,
        };
        let mut closest: Option<(u32, ClosestOnMesh)> = None;
        let at = Aabb { lower: *point, upper: *point }.grown(compound.rounding(&Pose::identity()));
        compound.near(&at, limit, |index, limit| {
            let Part { geometry, pose } = &compound.parts()[index as usize];
            let local = pose.inverse_transform(&pose.inverse_rotation(), point);
            let Some((_, found)) = geometry.closest_point(probe, &local, limit) else { return limit };
            if closest.is_none_or(|(part, known)| (found.distance, index) < (known.distance, part)) {
                closest = Some((index, ClosestOnMesh { point: pose.transform_point(&found.point), ..found }));
            }
            found.distance
        });
        closest
    }
}

fn shape_hit(shape: &ConvexShape, ray: &Ray, max_time: f64) -> Option<RayHit> {
    let (time, normal) = shape.ray_entry(&ray.origin, &ray.direction, max_time)?;
    Some(RayHit { time, point: ray.origin + ray.direction * time, normal, face: NO_FACE })
}

fn point_of_shape(shape: &ConvexShape, point: &Point3<f64>, limit: f64) -> Option<ClosestOnMesh> {
    let found = match shape.proximity(&Triangle::new(*point, *point, *point), limit) {
        Proximity::Beyond => return None,
        Proximity::Apart { distance, on_shape, .. } => ClosestOnMesh { distance, point: on_shape, face: NO_FACE },
        Proximity::Overlap(_) => ClosestOnMesh { distance: 0.0, point: *point, face: NO_FACE },
    };
    (found.distance <= limit).then_some(found)
}

/// The ray in the frame of a pose, with the same times.
pub(super) fn ray_into(pose: &Pose, ray: &Ray) -> Ray {
    let back = pose.inverse_rotation();
    Ray { origin: pose.inverse_transform(&back, &ray.origin), direction: back * ray.direction }
}

pub(super) fn hit_out_of(pose: &Pose, hit: RayHit) -> RayHit {
    RayHit { point: pose.transform_point(&hit.point), normal: normal_to_world(pose, &hit.normal), ..hit }
}

/// Capsules and moving convex shapes in the frame of a geometry, with the part that they meet. Contacts with a shape
/// have [`NO_FACE`].
impl Geometry {
    /// The first contact of a moving capsule, with the part that it meets; a contact after the time `limit` may be left
    /// out. If `is_one_sided`, triangles are hit only from their front.
    pub(crate) fn cast_capsule(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        limit: f64,
        options: &CastOptions,
        is_one_sided: bool,
    ) -> Option<(u32, CapsuleCastHit)> {
        let compound = match self {
            Self::Tree(tree) => {
                return Some((0, probe.sweep_capsule(tree, capsule, displacement, limit, options, is_one_sided)?));
            }
            Self::Shape(shape) => {
                let hit = shape.cast_of_capsule(capsule, displacement, limit, options)?;
                return Some((0, CapsuleCastHit { contact: CapsuleContact { face: NO_FACE, ..hit.contact }, ..hit }));
            }
            Self::Compound(compound) => compound,
        };
        let mut first: Option<(u32, CapsuleCastHit)> = None;
        let reach = options.tolerance.max(0.0);
        compound.near(&around_capsule(capsule, displacement), reach, |index, near| {
            let Part { geometry, pose } = &compound.parts()[index as usize];
            let (capsule, displacement) = (capsule_into(pose, capsule), pose.inverse_rotation() * displacement);
            let limit = first.map_or(limit, |(_, known)| known.time);
            let hit = geometry.cast_capsule(probe, &capsule, &displacement, limit, options, is_one_sided);
            if let Some((_, hit)) = hit
                && first.is_none_or(|(part, known)| (hit.time, index) < (known.time, part))
            {
                first = Some((index, CapsuleCastHit { contact: contact_out_of(pose, hit.contact), ..hit }));
            }
            near
        });
        first
    }

    /// The first contact of a moving convex shape, whose pose maps it into the geometry's frame, with the part that it
    /// meets; a contact after the time `limit` may be left out.
    pub(super) fn cast_convex(
        &self,
        probe: &mut Probe,
        shape: &ConvexShape,
        pose: &Pose,
        displacement: &Vector3<f64>,
        limit: f64,
        options: &CastOptions,
    ) -> Option<(u32, ConvexCastHit)> {
        let compound = match self {
            Self::Tree(tree) => {
                let shape = shape.transformed(pose);
                return Some((0, probe.cast_convex_up_to(tree, &shape, displacement, limit, options)?));
            }
            Self::Shape(other) => {
                let CastOptions { tolerance, departing } = *options;
                let advance = Advance { displacement, from: 0.0, tolerance, limit, departing };
                let Touch { time, point, normal } = shape.cast_from(pose, other, &advance)?;
                return Some((0, ConvexCastHit { time, point, normal, face: NO_FACE }));
            }
            Self::Compound(compound) => compound,
        };
        let mut first: Option<(u32, ConvexCastHit)> = None;
        let start = Simple::Shape(shape).posed(pose);
        let swept = start.union(&Aabb { lower: start.lower + displacement, upper: start.upper + displacement });
        let largest = swept.lower.coords.amax().max(swept.upper.coords.amax());
        let swept = swept.grown(compound.rounding(&Pose::identity()) + BOUNDS_ROUNDING * largest);
        compound.near(&swept, options.tolerance.max(0.0), |index, near| {
            let part = &compound.parts()[index as usize];
            let displacement = part.pose.inverse_rotation() * displacement;
            let limit = first.map_or(limit, |(_, known)| known.time);
            let pose = Pose::relative(&part.pose, pose);
            if let Some((_, hit)) = part.geometry.cast_convex(probe, shape, &pose, &displacement, limit, options)
                && first.is_none_or(|(part, known)| (hit.time, index) < (known.time, part))
            {
                first = Some((index, cast_out_of(&part.pose, hit)));
            }
            near
        });
        first
    }

    pub(crate) fn for_each_capsule_contact(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        max_distance: f64,
        visit: &mut dyn FnMut(u32, CapsuleContact) -> ControlFlow<()>,
    ) {
        match self {
            Self::Tree(tree) => {
                probe.for_each_capsule_contact(tree, capsule, max_distance, |contact| visit(0, contact));
            }
            Self::Shape(shape) => shape.for_each_capsule_contact(capsule, max_distance, &mut |contact| {
                visit(0, CapsuleContact { face: NO_FACE, ..contact })
            }),
            Self::Compound(compound) => {
                let around = around_capsule(capsule, &Vector3::zeros());
                compound.near(&around, max_distance.max(0.0), |index, limit| {
                    let Part { geometry, pose } = &compound.parts()[index as usize];
                    let mut flow = ControlFlow::Continue(());
                    geometry.for_each_capsule_contact(
                        probe,
                        &capsule_into(pose, capsule),
                        max_distance,
                        &mut |_, contact| {
                            flow = visit(index, contact_out_of(pose, contact));
                            flow
                        },
                    );
                    if flow.is_break() { f64::NEG_INFINITY } else { limit }
                });
            }
        }
    }

    pub(super) fn closest_capsule_contact(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        max_distance: f64,
    ) -> Option<(u32, CapsuleContact)> {
        if let Self::Tree(tree) = self {
            return Some((0, probe.closest_capsule_contact(tree, capsule, max_distance)?));
        }
        let mut closest: Option<(u32, CapsuleContact)> = None;
        let key = |part: u32, contact: &CapsuleContact| (contact.distance, part, contact.face);
        self.for_each_capsule_contact(probe, capsule, max_distance, &mut |part, contact| {
            if closest.is_none_or(|(known, best)| key(part, &contact) < key(known, &best)) {
                closest = Some((part, contact));
            }
            ControlFlow::Continue(())
        });
        closest
    }
}

/// A box around a moving capsule.
fn around_capsule(capsule: &Capsule, displacement: &Vector3<f64>) -> Aabb {
    let mut around = Aabb::empty();
    for end in [capsule.segment.start, capsule.segment.end] {
        around.grow(&end);
        around.grow(&(end + displacement));
    }
    let largest = around.lower.coords.amax().max(around.upper.coords.amax());
    around.grown(capsule.radius * POSE_STRETCH + BOUNDS_ROUNDING * largest)
}

pub(crate) fn capsule_into(pose: &Pose, capsule: &Capsule) -> Capsule {
    let back = pose.inverse_rotation();
    let [start, end] = [capsule.segment.start, capsule.segment.end].map(|point| pose.inverse_transform(&back, &point));
    Capsule { segment: Segment { start, end }, radius: capsule.radius }
}

pub(super) fn cast_out_of(pose: &Pose, hit: ConvexCastHit) -> ConvexCastHit {
    ConvexCastHit { point: pose.transform_point(&hit.point), normal: normal_to_world(pose, &hit.normal), ..hit }
}

pub(crate) fn contact_out_of(pose: &Pose, contact: CapsuleContact) -> CapsuleContact {
    CapsuleContact {
        point: pose.transform_point(&contact.point),
        normal: normal_to_world(pose, &contact.normal),
        face_normal: normal_to_world(pose, &contact.face_normal),
        ..contact
    }
}
