//! Rays, points, spheres, capsules and meshes against all bodies.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::body::{Slot, normal_to_world, posed};
use super::broad_phase::{Aabb32, LocalRay};
use super::pair_cache::margin_f32;
use super::shape_pairs::ShapePair;
use super::{BodyId, Geometry, Scene};
use crate::numeric::error_bounds::stretch;
use crate::pose::Pose;
use crate::probe::{CapsuleCastHit, CapsuleContact, CastOptions, ClosestOnMesh, Probe, Ray, RayHit};
use crate::query::{ClosestPair, DistanceOptions, FacePair, Query};
use crate::shape::{Aabb, Capsule, ConvexShape, NO_FACE, Proximity, Segment};
use crate::tree::BvTree;
use crate::triangle::Triangle;

/// A ray's hit of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyHit {
    /// The body.
    pub body: BodyId,
    /// The hit; its point and unit normal are in the world.
    pub hit: RayHit,
}

/// The point of a body nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyPoint {
    /// The body.
    pub body: BodyId,
    /// The distance from the given point.
    pub distance: f64,
    /// The nearest point, in the world.
    pub point: Point3<f64>,
    /// The triangle that contains it, by its index in the body's mesh; [`NO_FACE`] for a convex shape.
    pub face: u32,
}

impl Scene {
    /// The first hit of a ray, up to `max_time`, with the bodies in the mask's collision groups (`body.groups & mask !=
    /// 0`); ties go to the smallest id, then face. Within a body the result is that of [`Probe::closest_hit`] with the
    /// ray in the body's frame. A convex shape is hit where the ray enters it; a ray that starts in it hits it at time
    /// 0 with a normal of zero. Its face is [`NO_FACE`].
    ///
    /// Any number of threads may query at once, each with its own probe.
    pub fn closest_hit(&self, probe: &mut Probe, ray: &Ray, max_time: f64, mask: u32) -> Option<BodyHit> {
        let mut closest: Option<BodyHit> = None;
        self.along_ray(probe, ray, max_time, mask, |probe, body, slot, ray, limit| {
            let Some(hit) = closest_hit(probe, &slot.body.geometry, ray, limit) else { return limit };
            if closest.is_none_or(|known| (hit.time, body) < (known.hit.time, known.body)) {
                closest = Some(BodyHit { body, hit: hit_in_world(hit, slot) });
            }
            hit.time
        });
        closest
    }

    /// Whether a ray hits any body in the mask's collision groups up to `max_time`.
    pub fn any_hit(&self, probe: &mut Probe, ray: &Ray, max_time: f64, mask: u32) -> bool {
        let mut any = false;
        self.along_ray(probe, ray, max_time, mask, |probe, _, slot, ray, limit| {
            any = any
                || match &slot.body.geometry {
                    Geometry::Tree(tree) => probe.any_hit(tree, ray, max_time),
                    Geometry::Shape(shape) => shape_hit(shape, ray, max_time).is_some(),
                };
            if any { f64::NEG_INFINITY } else { limit }
        });
        any
    }

    /// All hits of a ray with bodies in the mask's collision groups up to `max_time`, ordered by time, then body, then
    /// face. A convex shape is hit once, where the ray enters it.
    pub fn hits(&self, probe: &mut Probe, ray: &Ray, max_time: f64, mask: u32) -> Vec<BodyHit> {
        let mut hits = Vec::new();
        self.along_ray(probe, ray, max_time, mask, |probe, body, slot, ray, limit| {
            let mut take = |hit| hits.push(BodyHit { body, hit: hit_in_world(hit, slot) });
            match &slot.body.geometry {
                Geometry::Tree(tree) => probe.for_each_hit(tree, ray, max_time, |hit| {
                    take(hit);
                    ControlFlow::Continue(())
                }),
                Geometry::Shape(shape) => shape_hit(shape, ray, max_time).into_iter().for_each(take),
            }
            limit
        });
        hits.sort_unstable_by(|p, q| {
            p.hit.time.total_cmp(&q.hit.time).then((p.body, p.hit.face).cmp(&(q.body, q.hit.face)))
        });
        hits
    }

    /// The point of the bodies in the mask's collision groups nearest to a point, at most `max_distance` away; ties go
    /// to the smallest id. Distances are measured in the bodies' frames. A point in a convex shape is at distance 0.
    pub fn closest_point(
        &self,
        probe: &mut Probe,
        point: &Point3<f64>,
        max_distance: f64,
        mask: u32,
    ) -> Option<BodyPoint> {
        let mut closest: Option<BodyPoint> = None;
        let at: [f64; 3] = std::array::from_fn(|k| point[k] - self.origin[k]);
        let visit = |index, limit| {
            let Some((id, slot)) = self.in_groups(index, mask) else { return limit };
            let pose = &slot.body.pose;
            let local = pose.inverse_transform(&pose.inverse_rotation(), point);
            let found = probe.masked(Some(mask), |probe| closest_point(probe, &slot.body.geometry, &local, limit));
            let Some(found) = found else { return limit };
            if closest.is_none_or(|known| (found.distance, id) < (known.distance, known.body)) {
                let point = pose.transform_point(&found.point);
                closest = Some(BodyPoint { body: id, distance: found.distance, point, face: found.face });
            }
            found.distance
        };
        self.tree.nearest_first(max_distance, |bounds| Some(bounds.distance_lower_bound(&at)), visit);
        closest
    }

    /// Calls `visit` with the bodies in the mask's collision groups whose boxes the ray meets, with the ray in the
    /// body's frame, and with the limit of time; `visit` returns the new limit.
    fn along_ray(
        &self,
        probe: &mut Probe,
        ray: &Ray,
        max_time: f64,
        mask: u32,
        mut visit: impl FnMut(&mut Probe, BodyId, &Slot, &Ray, f64) -> f64,
    ) {
        let local = LocalRay::new(ray, &self.origin);
        probe.masked(Some(mask), |probe| {
            let visit = |index, limit| match self.in_groups(index, mask) {
                Some((id, slot)) => visit(probe, id, slot, &ray_in_body_frame(ray, slot), limit),
                None => limit,
            };
            self.tree.nearest_first(max_time, |bounds| local.entry(bounds), visit);
        });
    }

    pub(super) fn in_groups(&self, index: u32, mask: u32) -> Option<(BodyId, &Slot)> {
        let slot = Some(&self.slots[index as usize]).filter(|slot| slot.body.groups & mask != 0)?;
        Some((self.id(index), slot))
    }
}

fn closest_hit(probe: &mut Probe, geometry: &Geometry, ray: &Ray, max_time: f64) -> Option<RayHit> {
    match geometry {
        Geometry::Tree(tree) => probe.closest_hit(tree, ray, max_time),
        Geometry::Shape(shape) => shape_hit(shape, ray, max_time),
    }
}

fn shape_hit(shape: &ConvexShape, ray: &Ray, max_time: f64) -> Option<RayHit> {
    let (time, normal) = shape.ray_entry(&ray.origin, &ray.direction, max_time)?;
    Some(RayHit { time, point: ray.origin + ray.direction * time, normal, face: NO_FACE })
}

fn closest_point(probe: &mut Probe, geometry: &Geometry, point: &Point3<f64>, limit: f64) -> Option<ClosestOnMesh> {
    let shape = match geometry {
        Geometry::Tree(tree) => return probe.closest_point_within(tree, point, limit),
        Geometry::Shape(shape) => shape,
    };
    let found = match shape.proximity(&Triangle::new(*point, *point, *point), limit) {
        Proximity::Beyond => return None,
        Proximity::Apart { distance, on_shape, .. } => ClosestOnMesh { distance, point: on_shape, face: NO_FACE },
        Proximity::Overlap(_) => ClosestOnMesh { distance: 0.0, point: *point, face: NO_FACE },
    };
    (found.distance <= limit).then_some(found)
}

/// The ray in a body's frame, with the same times.
fn ray_in_body_frame(ray: &Ray, slot: &Slot) -> Ray {
    let pose = &slot.body.pose;
    let back = pose.inverse_rotation();
    Ray { origin: pose.inverse_transform(&back, &ray.origin), direction: back * ray.direction }
}

fn hit_in_world(hit: RayHit, slot: &Slot) -> RayHit {
    let pose = &slot.body.pose;
    RayHit { point: pose.transform_point(&hit.point), normal: normal_to_world(pose, &hit.normal), ..hit }
}

/// A contact of a sphere or capsule with a body, or a near one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyContact {
    /// The body.
    pub body: BodyId,
    /// The contact; its point and normals are in the world.
    pub contact: CapsuleContact,
}

/// The first contact of a moving sphere or capsule with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyCastHit {
    /// The body.
    pub body: BodyId,
    /// The hit; its point and normals are in the world.
    pub hit: CapsuleCastHit,
}

impl Scene {
    /// Casts a capsule (or a sphere: `&sphere.into()`) along `displacement` against the bodies in the mask's collision
    /// groups, which stand still, and returns the first hit; ties go to the smallest id. Within a body the result is
    /// that of [`Probe::cast_capsule`] in the body's frame: `None` proves that there is no contact on the way. A convex
    /// shape is met like the mesh of its surface, with [`NO_FACE`] as its face, but it is solid: a capsule that starts
    /// in it has a contact at time 0, along a way out.
    pub fn cast_capsule(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        options: &CastOptions,
        mask: u32,
    ) -> Option<BodyCastHit> {
        let mut first: Option<BodyCastHit> = None;
        self.along_capsule(
            probe,
            capsule,
            displacement,
            options.tolerance,
            mask,
            |probe, body, slot, capsule, limit| {
                let displacement = slot.body.pose.inverse_rotation() * displacement;
                let geometry = &slot.body.geometry;
                let Some(hit) = geometry.cast_capsule(probe, capsule, &displacement, options) else { return limit };
                if first.is_none_or(|known| (hit.time, body) < (known.hit.time, known.body)) {
                    first = Some(BodyCastHit {
                        body,
                        hit: CapsuleCastHit { contact: contact_in_world(hit.contact, slot), ..hit },
                    });
                }
                hit.time.min(limit)
            },
        );
        first
    }

    /// The contacts of a capsule (or sphere) with all triangles of bodies in the mask's collision groups at most
    /// `max_distance` away, by body, then face; see [`Probe::for_each_capsule_contact`]. A convex shape has a contact
    /// with each near triangle of its surface, or with each near face of a cylinder or cone, all with [`NO_FACE`]; and
    /// only one, along a short way out, if the capsule's axis reaches into it.
    pub fn capsule_contacts(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        max_distance: f64,
        mask: u32,
    ) -> Vec<BodyContact> {
        let mut contacts = Vec::new();
        self.along_capsule(
            probe,
            capsule,
            &Vector3::zeros(),
            max_distance,
            mask,
            |probe, body, slot, capsule, limit| {
                slot.body.geometry.for_each_capsule_contact(probe, capsule, max_distance, &mut |contact| {
                    contacts.push(BodyContact { body, contact: contact_in_world(contact, slot) });
                    ControlFlow::Continue(())
                });
                limit
            },
        );
        contacts.sort_by_key(|found| (found.body, found.contact.face));
        contacts
    }

    /// The contact of a capsule (or sphere) of smallest distance: with the nearest or most deeply penetrated triangle
    /// or convex shape of the bodies in the mask's collision groups. `None` if none is within `max_distance`. Ties go
    /// to the smallest id, then face.
    pub fn closest_capsule_contact(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        max_distance: f64,
        mask: u32,
    ) -> Option<BodyContact> {
        let mut closest: Option<BodyContact> = None;
        self.along_capsule(
            probe,
            capsule,
            &Vector3::zeros(),
            max_distance,
            mask,
            |probe, body, slot, capsule, limit| {
                if let Some(found) = slot.body.geometry.closest_capsule_contact(probe, capsule, max_distance)
                    && closest.is_none_or(|known| (found.distance, body) < (known.contact.distance, known.body))
                {
                    closest = Some(BodyContact { body, contact: contact_in_world(found, slot) });
                }
                limit
            },
        );
        closest
    }

    /// Calls `visit` with the bodies in the mask's collision groups whose boxes a moving capsule comes within a
    /// distance of, the capsule in the body's frame, and the part of the displacement that is still of interest;
    /// `visit` returns the new end of that part.
    fn along_capsule(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        distance: f64,
        mask: u32,
        mut visit: impl FnMut(&mut Probe, BodyId, &Slot, &Capsule, f64) -> f64,
    ) {
        let Segment { start, end } = &capsule.segment;
        let margin = margin_f32(capsule.radius + 0.5 * (end - start).norm() + distance.max(0.0));
        let ray = Ray { origin: nalgebra::center(start, end), direction: *displacement };
        let local = LocalRay::new(&ray, &self.origin);
        probe.masked(Some(mask), |probe| {
            let visit = |index, limit| match self.in_groups(index, mask) {
                Some((id, slot)) => visit(probe, id, slot, &capsule_in_body_frame(capsule, slot), limit),
                None => limit,
            };
            self.tree.nearest_first(1.0, |bounds| local.entry(&bounds.grown(margin)), visit);
        });
    }
}

/// Capsules in the frame of a tree or a shape. Contacts with a shape have [`NO_FACE`].
impl Geometry {
    pub(crate) fn cast_capsule(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        options: &CastOptions,
    ) -> Option<CapsuleCastHit> {
        match self {
            Self::Tree(tree) => probe.cast_capsule(tree, capsule, displacement, options),
            Self::Shape(shape) => {
                let hit = shape.cast_of_capsule(capsule, displacement, options)?;
                Some(CapsuleCastHit { contact: CapsuleContact { face: NO_FACE, ..hit.contact }, ..hit })
            }
        }
    }

    pub(crate) fn for_each_capsule_contact(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        max_distance: f64,
        visit: &mut dyn FnMut(CapsuleContact) -> ControlFlow<()>,
    ) {
        match self {
            Self::Tree(tree) => probe.for_each_capsule_contact(tree, capsule, max_distance, visit),
            Self::Shape(shape) => shape.for_each_capsule_contact(capsule, max_distance, &mut |contact| {
                visit(CapsuleContact { face: NO_FACE, ..contact })
            }),
        }
    }

    fn closest_capsule_contact(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        max_distance: f64,
    ) -> Option<CapsuleContact> {
        if let Self::Tree(tree) = self {
            return probe.closest_capsule_contact(tree, capsule, max_distance);
        }
        let mut closest: Option<CapsuleContact> = None;
        self.for_each_capsule_contact(probe, capsule, max_distance, &mut |contact| {
            if closest.is_none_or(|known| contact.distance < known.distance) {
                closest = Some(contact);
            }
            ControlFlow::Continue(())
        });
        closest
    }
}

fn capsule_in_body_frame(capsule: &Capsule, slot: &Slot) -> Capsule {
    let pose = &slot.body.pose;
    let back = pose.inverse_rotation();
    let [start, end] = [capsule.segment.start, capsule.segment.end].map(|point| pose.inverse_transform(&back, &point));
    Capsule { segment: Segment { start, end }, radius: capsule.radius }
}

fn contact_in_world(contact: CapsuleContact, slot: &Slot) -> CapsuleContact {
    let pose = &slot.body.pose;
    CapsuleContact {
        point: pose.transform_point(&contact.point),
        normal: normal_to_world(pose, &contact.normal),
        face_normal: normal_to_world(pose, &contact.face_normal),
        ..contact
    }
}

/// A body within a distance of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearBody {
    /// The body.
    pub body: BodyId,
    /// The distance; 0 exactly if they touch ([`ClosestPair::distance`](crate::query::ClosestPair::distance)).
    pub distance: f64,
    /// The closest points of the mesh and of the body, in the world.
    pub points: [Point3<f64>; 2],
    /// The triangles that contain the points; A is the mesh. [`NO_FACE`] for a convex shape.
    pub faces: FacePair,
}

impl Scene {
    /// The bodies in the mask's collision groups (`body.groups & mask != 0`; the bodies' own masks are ignored) that a
    /// mesh with a world pose touches, in the order of their ids. A mesh of a body in the scene touches that body
    /// itself. What lies inside a solid body touches it, and a body inside the mesh does if
    /// [`Query::set_solids`] makes A solid.
    ///
    /// Any number of threads may query at once, each with its own query object.
    pub fn bodies_intersecting(&self, query: &mut Query, tree: &BvTree, pose: &Pose, mask: u32) -> Vec<BodyId> {
        let mut found = self.bodies_near(tree, pose, 0.0, mask);
        let mut probe = Probe::with_simd(self.level);
        found.retain(|&id| {
            self.body(id).is_some_and(|body| {
                let b_to_a = Pose::relative(pose, &body.pose);
                match &body.geometry {
                    Geometry::Tree(other) => {
                        query.intersecting_leaves([tree, other], &b_to_a, None).is_some()
                            || query.inner([tree, other], &b_to_a, [query.solids()[0], body.solid()]).is_some()
                    }
                    Geometry::Shape(shape) => {
                        let pair = ShapePair::of_tree(tree, shape, &b_to_a);
                        pair.distance(&mut probe, 0.0).is_some() || pair.inner(&mut probe, query.solids()).is_some()
                    }
                }
            })
        });
        found
    }

    /// The bodies in the mask's collision groups whose distance from a mesh with a world pose is at most a clearance,
    /// in the order of their ids; see [`Scene::bodies_intersecting`].
    pub fn bodies_within(
        &self,
        query: &mut Query,
        tree: &BvTree,
        pose: &Pose,
        clearance: f64,
        mask: u32,
    ) -> Vec<NearBody> {
        if clearance.is_nan() || clearance < 0.0 {
            return Vec::new();
        }
        let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
        let mut probe = Probe::with_simd(self.level);
        let distance = |id: BodyId| {
            let body = self.body(id)?;
            let b_to_a = Pose::relative(pose, &body.pose);
            let solids = [query.solids()[0], body.solid()];
            let is_apart = |found: &Option<ClosestPair>| found.is_none_or(|found| found.distance > 0.0);
            let found = match &body.geometry {
                Geometry::Tree(other) => {
                    let trees = [tree, &**other];
                    let found = query.surface_distance(trees, &b_to_a, &options);
                    let inner = if is_apart(&found) { query.inner(trees, &b_to_a, solids) } else { None };
                    match inner {
                        Some(inner) => {
                            Some(query.surface_distance(trees, &b_to_a, &DistanceOptions::default())?.inside(inner))
                        }
                        None => found,
                    }
                }
                Geometry::Shape(shape) => {
                    let pair = ShapePair::of_tree(tree, shape, &b_to_a);
                    let found = pair.distance(&mut probe, clearance);
                    let inner = if is_apart(&found) { pair.inner(&mut probe, solids) } else { None };
                    match inner {
                        Some(inner) => Some(pair.distance(&mut probe, f64::INFINITY)?.inside(inner)),
                        None => found,
                    }
                }
            }?;
            let points = [found.on_a, found.on_b].map(|point| pose.transform_point(&point));
            Some(NearBody { body: id, distance: found.distance, points, faces: found.faces })
        };
        self.bodies_near(tree, pose, clearance * stretch(pose.deviation()), mask)
            .into_iter()
            .filter_map(distance)
            .collect()
    }

    /// The bodies in the mask's collision groups whose world AABBs are at most `margin` (in the world's unit, along
    /// each axis) from that of a mesh with a world pose, in the order of their ids, for custom queries. Slightly
    /// farther bodies may be included, because the broad phase keeps fat AABBs. An empty mesh has no bodies near it.
    pub fn bodies_near(&self, tree: &BvTree, pose: &Pose, margin: f64, mask: u32) -> Vec<BodyId> {
        let mut found = Vec::new();
        self.for_each_near(&posed(tree.bounds(), pose), margin, |id| found.push(id));
        found.retain(|&id| self.body(id).is_some_and(|body| body.groups & mask != 0));
        found.sort_unstable();
        found
    }

    /// Calls `visit` with the bodies whose fat AABBs are at most `margin` from a box.
    pub(crate) fn for_each_near(&self, bounds: &Aabb, margin: f64, mut visit: impl FnMut(BodyId)) {
        if bounds.is_empty() {
            return;
        }
        let near = Aabb32::around(bounds, &self.origin).grown(margin_f32(margin));
        let _ = self.tree.for_each_overlap(&near, |index| {
            visit(self.id(index));
            ControlFlow::Continue(())
        });
    }
}
