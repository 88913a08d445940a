//! Rays, points, capsules, moving convex shapes and meshes against all bodies.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::body::{Body, Slot, posed};
use super::broad_phase::{Aabb32, LocalRay};
use super::compound::Simple;
use super::pair_cache::margin_f32;
use super::pair_memory::Nearest;
use super::part_probes::{capsule_into, cast_out_of, contact_out_of, hit_out_of, ray_into};
use super::shape_pairs::ShapePair;
use super::{BodyId, Scene};
use crate::numeric::error_bounds::{POSE_STRETCH, body_rounding, stretch};
use crate::pose::Pose;
use crate::probe::{CapsuleCastHit, CapsuleContact, CastOptions, ConvexCastHit, Probe, Ray, RayHit};
use crate::query::{ClosestPair, DistanceOptions, FacePair, Query};
use crate::shape::{Aabb, Capsule, ConvexShape, Segment};
use crate::tree::BvTree;

/// A hit of a ray on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyHit {
    /// The body.
    pub body: BodyId,
    /// The hit; its point and normal are in the world.
    pub hit: RayHit,
    /// The index of the body's part; 0 for a body that is not a compound.
    pub part: u32,
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
    /// The index in the mesh of the triangle that contains the point; [`NO_FACE`](super::NO_FACE) for a convex shape.
    pub face: u32,
    /// The index of the body's part; 0 for a body that is not a compound.
    pub part: u32,
}

impl Scene {
    /// The first hit of a ray, up to `max_time`, with the bodies in the mask's collision groups (`body.groups & mask !=
    /// 0`); ties go to the smallest id, then part, then face. Within a body the result is that of
    /// [`Probe::closest_hit`] with the ray in the body's frame and with `mask` in place of the probe's
    /// ([`Probe::set_mask`]), as in all queries that take a probe and a mask. A convex shape is hit where the ray
    /// enters it; a ray that starts in it hits it at time 0 with a normal of zero. The face of a hit on a convex shape
    /// is [`NO_FACE`](super::NO_FACE).
    ///
    /// Any number of threads may query at once, each with its own probe.
    pub fn closest_hit(&self, probe: &mut Probe, ray: &Ray, max_time: f64, mask: u32) -> Option<BodyHit> {
        let mut closest: Option<BodyHit> = None;
        self.along_ray(probe, ray, max_time, mask, |probe, body, slot, ray, limit| {
            let Some((part, hit)) = slot.body.geometry.closest_hit(probe, ray, limit) else { return limit };
            if closest.is_none_or(|known| (hit.time, body) < (known.hit.time, known.body)) {
                closest = Some(BodyHit { body, hit: hit_out_of(&slot.body.pose, hit), part });
            }
            hit.time
        });
        closest
    }

    /// Whether a ray hits any body in the mask's collision groups up to `max_time`.
    pub fn any_hit(&self, probe: &mut Probe, ray: &Ray, max_time: f64, mask: u32) -> bool {
        let mut any = false;
        self.along_ray(probe, ray, max_time, mask, |probe, _, slot, ray, limit| {
            any = any || slot.body.geometry.any_hit(probe, ray, max_time);
            if any { f64::NEG_INFINITY } else { limit }
        });
        any
    }

    /// All hits of a ray with bodies in the mask's collision groups up to `max_time`, ordered by time, then body, part
    /// and face. A convex shape is hit once, where the ray enters it.
    pub fn hits(&self, probe: &mut Probe, ray: &Ray, max_time: f64, mask: u32) -> Vec<BodyHit> {
        let mut hits = Vec::new();
        self.along_ray(probe, ray, max_time, mask, |probe, body, slot, ray, limit| {
            let take = &mut |part, hit| hits.push(BodyHit { body, hit: hit_out_of(&slot.body.pose, hit), part });
            slot.body.geometry.for_each_hit(probe, ray, max_time, take);
            limit
        });
        hits.sort_unstable_by(|p, q| {
            p.hit.time.total_cmp(&q.hit.time).then((p.body, p.part, p.hit.face).cmp(&(q.body, q.part, q.hit.face)))
        });
        hits
    }

    /// The point that is nearest to a given point, on the bodies in the mask's collision groups and at most
    /// `max_distance` away; ties go to the smallest id. Distances are measured in the bodies' frames. A point in a
    /// convex shape is at distance 0.
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
            let found = probe.masked(Some(mask), |probe| slot.body.geometry.closest_point(probe, &local, limit));
            let Some((part, found)) = found else { return limit };
            if closest.is_none_or(|known| (found.distance, id) < (known.distance, known.body)) {
                let point = pose.transform_point(&found.point);
                closest = Some(BodyPoint { body: id, distance: found.distance, point, face: found.face, part });
            }
            found.distance
        };
        self.tree.nearest_first(max_distance, |bounds| bounds.distance_lower_bound(&at), visit);
        closest
    }

    /// Calls `visit` with the bodies in the mask's collision groups whose boxes the ray meets, with the ray in the
    /// body's frame, and with the time limit; `visit` returns the new limit.
    fn along_ray(
        &self,
        probe: &mut Probe,
        ray: &Ray,
        max_time: f64,
        mask: u32,
        mut visit: impl FnMut(&mut Probe, BodyId, &Slot, &Ray, f64) -> f64,
    ) {
        let Some(local) = self.tree.root().and_then(|root| LocalRay::new(ray, &self.origin, &root.bounds)) else {
            return;
        };
        probe.masked(Some(mask), |probe| {
            let visit = |index, limit| match self.in_groups(index, mask) {
                Some((id, slot)) => visit(probe, id, slot, &ray_into(&slot.body.pose, ray), limit),
                None => limit,
            };
            self.tree.along_ray(&local, max_time, visit);
        });
    }

    pub(super) fn in_groups(&self, index: u32, mask: u32) -> Option<(BodyId, &Slot)> {
        let slot = Some(&self.slots[index as usize]).filter(|slot| slot.body.groups & mask != 0)?;
        Some((self.id(index), slot))
    }
}

/// A contact of a sphere or capsule with a body; the two may be at a distance from each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyContact {
    /// The body.
    pub body: BodyId,
    /// The contact; its point and normals are in the world.
    pub contact: CapsuleContact,
    /// The index of the body's part; 0 for a body that is not a compound.
    pub part: u32,
}

/// The first contact of a moving sphere or capsule with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyCastHit {
    /// The body.
    pub body: BodyId,
    /// The hit; its point and normals are in the world.
    pub hit: CapsuleCastHit,
    /// The index of the body's part; 0 for a body that is not a compound.
    pub part: u32,
}

/// The first contact of a moving convex shape with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyConvexCastHit {
    /// The body.
    pub body: BodyId,
    /// The hit; its point and normal are in the world.
    pub hit: ConvexCastHit,
    /// The index of the body's part; 0 for a body that is not a compound.
    pub part: u32,
}

impl Scene {
    /// Casts a convex shape, which is solid and does not turn, from a world pose along `displacement` against the
    /// bodies in the mask's collision groups, and returns the first hit; ties go to the smallest id, then part. The
    /// bodies count as stationary. Within a body the result is that of [`Probe::cast_convex`] in the body's frame:
    /// `None` proves that there is no contact on the way. Convex shapes that are bodies are solid, with
    /// [`NO_FACE`](super::NO_FACE) as their face.
    ///
    /// Any number of threads may query at once, each with its own probe.
    ///
    /// ```
    /// use bvtree::probe::CastOptions;
    /// use bvtree::scene::{Body, Scene};
    /// use bvtree::shape::ConvexShape;
    /// use bvtree::{Pose, Probe};
    /// use nalgebra::Vector3;
    ///
    /// let mut scene = Scene::new();
    /// let pillar = scene.add(Body::fixed(ConvexShape::cylinder(2.0, 0.5)?, Pose::identity()))?;
    /// let crate_of_1_m = ConvexShape::cuboid(Vector3::repeat(0.5))?;
    /// let start = Pose::from_translation(Vector3::new(-5.0, 0.0, 0.0))?;
    /// let ahead = Vector3::new(10.0, 0.0, 0.0);
    /// let options = CastOptions::default();
    /// let hit = scene.cast_convex(&mut Probe::new(), &crate_of_1_m, &start, &ahead, &options, u32::MAX);
    /// let hit = hit.ok_or("no hit")?;
    /// assert!(hit.body == pillar && (hit.hit.time - 0.4).abs() < 1e-6, "{hit:?}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "shape cast")]
    #[doc(alias = "box cast")]
    #[doc(alias = "sweep")]
    #[doc(alias = "cast_shape")]
    #[doc(alias = "continuous collision detection")]
    pub fn cast_convex(
        &self,
        probe: &mut Probe,
        shape: &ConvexShape,
        pose: &Pose,
        displacement: &Vector3<f64>,
        options: &CastOptions,
        mask: u32,
    ) -> Option<BodyConvexCastHit> {
        let mut first: Option<BodyConvexCastHit> = None;
        let around = Simple::Shape(shape).posed(pose);
        self.along_path(probe, &around, displacement, options.tolerance, mask, |probe, body, slot, limit| {
            let Body { geometry, pose: at, .. } = &slot.body;
            let displacement = at.inverse_rotation() * displacement;
            let hit = geometry.cast_convex(probe, shape, &Pose::relative(at, pose), &displacement, limit, options);
            let Some((part, hit)) = hit else { return limit };
            if first.is_none_or(|known| (hit.time, body) < (known.hit.time, known.body)) {
                first = Some(BodyConvexCastHit { body, hit: cast_out_of(at, hit), part });
            }
            hit.time.min(limit)
        });
        first
    }

    /// Casts a capsule (or a sphere: `&sphere.into()`) along `displacement` against the bodies in the mask's collision
    /// groups, and returns the first hit; ties go to the smallest id. The bodies count as stationary. Within a body the
    /// result is that of [`Probe::cast_capsule`] in the body's frame: `None` proves that there is no contact on the
    /// way. A convex shape is met like the mesh of its surface, with [`NO_FACE`](super::NO_FACE) as its face, but it is
    /// solid: a capsule that starts in it has a contact at time 0, whose normal leads out of the shape.
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
                let hit = geometry.cast_capsule(probe, capsule, &displacement, limit, options, false);
                let Some((part, hit)) = hit else { return limit };
                if first.is_none_or(|known| (hit.time, body) < (known.hit.time, known.body)) {
                    first = Some(BodyCastHit {
                        body,
                        hit: CapsuleCastHit { contact: contact_out_of(&slot.body.pose, hit.contact), ..hit },
                        part,
                    });
                }
                hit.time.min(limit)
            },
        );
        first
    }

    /// The contacts of a capsule (or sphere) with all triangles of bodies in the mask's collision groups at most
    /// `max_distance` away, ordered by body, part and face; see [`Probe::for_each_capsule_contact`]. A convex shape has
    /// a contact with each near triangle of its surface, or with each near face of a cylinder or cone, all with
    /// [`NO_FACE`](super::NO_FACE); if the capsule's axis reaches into the shape, there is only one contact, whose
    /// normal points along a short way out of the shape.
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
                slot.body.geometry.for_each_capsule_contact(probe, capsule, max_distance, &mut |part, contact| {
                    let contact = contact_out_of(&slot.body.pose, contact);
                    contacts.push(BodyContact { body, contact, part });
                    ControlFlow::Continue(())
                });
                limit
            },
        );
        contacts.sort_by_key(|found| (found.body, found.part, found.contact.face));
        contacts
    }

    /// The contact of a capsule (or sphere) whose distance is smallest: with the nearest or most deeply penetrated
    /// triangle or convex shape of the bodies in the mask's collision groups. `None` if none is within `max_distance`.
    /// Ties go to the smallest id, then part, then face.
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
                if let Some((part, found)) = slot.body.geometry.closest_capsule_contact(probe, capsule, max_distance)
                    && closest.is_none_or(|known| (found.distance, body) < (known.contact.distance, known.body))
                {
                    closest = Some(BodyContact { body, contact: contact_out_of(&slot.body.pose, found), part });
                }
                limit
            },
        );
        closest
    }

    /// [`Scene::along_path`] of a capsule, which `visit` gets in the body's frame.
    fn along_capsule(
        &self,
        probe: &mut Probe,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        distance: f64,
        mask: u32,
        mut visit: impl FnMut(&mut Probe, BodyId, &Slot, &Capsule, f64) -> f64,
    ) {
        let Segment { start, end } = capsule.segment;
        let around = Aabb::from_points(&[start, end]).grown(capsule.radius);
        self.along_path(probe, &around, displacement, distance, mask, |probe, id, slot, limit| {
            visit(probe, id, slot, &capsule_into(&slot.body.pose, capsule), limit)
        });
    }

    /// Calls `visit` with the bodies in the mask's collision groups whose boxes come within a distance of a moving box,
    /// and with the time limit, as a fraction of the displacement; `visit` returns the new limit.
    fn along_path(
        &self,
        probe: &mut Probe,
        around: &Aabb,
        displacement: &Vector3<f64>,
        distance: f64,
        mask: u32,
        mut visit: impl FnMut(&mut Probe, BodyId, &Slot, f64) -> f64,
    ) {
        let half_extents = around.half_extents().add_scalar(distance.max(0.0)) * POSE_STRETCH;
        let ray = Ray { origin: around.center(), direction: *displacement };
        let path = |all: &Aabb32| LocalRay::of_box(&ray, half_extents.into(), &self.origin, all);
        let Some(local) = self.tree.root().and_then(|root| path(&root.bounds)) else { return };
        probe.masked(Some(mask), |probe| {
            let visit = |index, limit| match self.in_groups(index, mask) {
                Some((id, slot)) => visit(probe, id, slot, limit),
                None => limit,
            };
            self.tree.along_ray(&local, 1.0, visit);
        });
    }
}

/// A body within a distance of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearBody {
    /// The body.
    pub body: BodyId,
    /// The distance; 0 if and only if the mesh and the body touch
    /// ([`ClosestPair::distance`](crate::query::ClosestPair::distance)).
    pub distance: f64,
    /// The closest points of the mesh and of the body, in the world.
    pub points: [Point3<f64>; 2],
    /// The triangles that contain the points; A is the mesh. [`NO_FACE`](super::NO_FACE) for a convex shape.
    pub faces: FacePair,
    /// The index of the body's part; 0 for a body that is not a compound.
    pub part: u32,
}

impl Scene {
    /// The bodies in the mask's collision groups (`body.groups & mask != 0`; the bodies' own masks are ignored) that a
    /// mesh with a world pose touches, in the order of their ids. A body of the scene with this very mesh and pose is
    /// among them. A mesh inside a solid body touches it, and a body inside the mesh touches the mesh if
    /// [`Query::set_solids`] makes A solid.
    ///
    /// Any number of threads may query at once, each with its own query object.
    pub fn bodies_intersecting(&self, query: &mut Query, tree: &BvTree, pose: &Pose, mask: u32) -> Vec<BodyId> {
        let mut found = Vec::new();
        self.for_each_body_intersecting(query, tree, pose, mask, |id| {
            found.push(id);
            ControlFlow::Continue(())
        });
        found
    }

    /// Calls `visit` with each body that [`Scene::bodies_intersecting`] returns, in the order of their ids, until it
    /// breaks.
    pub fn for_each_body_intersecting(
        &self,
        query: &mut Query,
        tree: &BvTree,
        pose: &Pose,
        mask: u32,
        mut visit: impl FnMut(BodyId) -> ControlFlow<()>,
    ) {
        let mut probe = Probe::with_simd(self.level);
        for id in self.bodies_near(tree, pose, 0.0, mask) {
            let Some(body) = self.body(id) else { continue };
            let mut touches = false;
            near_mesh(body, tree, pose, 0.0, |_, simple, part_pose, limit| {
                let b_to_a = Pose::relative(pose, part_pose);
                touches = match simple {
                    Simple::Tree(other) => {
                        query.intersecting_leaves([tree, other], &b_to_a, None).is_some()
                            || query.inner([tree, other], &b_to_a, [query.solids()[0], body.solid()]).is_some()
                    }
                    Simple::Shape(shape) => {
                        let pair = ShapePair::of_tree(tree, shape, &b_to_a);
                        pair.distance(&mut probe, 0.0).is_some() || pair.inner(&mut probe, query.solids()).is_some()
                    }
                };
                if touches { f64::NEG_INFINITY } else { limit }
            });
            if touches && visit(id).is_break() {
                return;
            }
        }
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
        let mut probe = Probe::with_simd(self.level);
        let near = self.bodies_near(tree, pose, clearance * stretch(pose.deviation()), mask);
        near.into_iter().filter_map(|id| self.near_body(query, &mut probe, (tree, pose), id, clearance)).collect()
    }

    /// The body in the mask's collision groups that is nearest to a mesh with a world pose, at most `max_distance`
    /// away; ties go to the smallest id. The body `ignored` is left out, such as the mesh's own. See
    /// [`Scene::bodies_within`].
    pub fn closest_body(
        &self,
        query: &mut Query,
        tree: &BvTree,
        pose: &Pose,
        max_distance: f64,
        mask: u32,
        ignored: Option<BodyId>,
    ) -> Option<NearBody> {
        let bounds = posed(tree.bounds(), pose);
        if bounds.is_empty() || max_distance.is_nan() || max_distance < 0.0 {
            return None;
        }
        let around = Aabb32::around(&bounds, &self.origin);
        // A distance is measured in the frame of the mesh, whose pose may be a product of many.
        let stretch = POSE_STRETCH * stretch(pose.deviation());
        let distance = |bounds: &Aabb32| bounds.distance_sq(&around).sqrt() / stretch;
        let mut probe = Probe::with_simd(self.level);
        let mut closest: Option<NearBody> = None;
        self.tree.nearest_first(max_distance, distance, |index, limit| {
            let Some((id, _)) = self.in_groups(index, mask).filter(|(id, _)| ignored != Some(*id)) else {
                return limit;
            };
            let Some(found) = self.near_body(query, &mut probe, (tree, pose), id, limit) else { return limit };
            if closest.is_none_or(|known| (found.distance, id) < (known.distance, known.body)) {
                closest = Some(found);
            }
            found.distance.min(limit)
        });
        closest
    }

    /// The distance of a body from a mesh with a world pose, if it is at most a clearance.
    fn near_body(
        &self,
        query: &mut Query,
        probe: &mut Probe,
        (tree, pose): (&BvTree, &Pose),
        id: BodyId,
        clearance: f64,
    ) -> Option<NearBody> {
        let body = self.body(id)?;
        let mut nearest: Option<Nearest> = None;
        near_mesh(body, tree, pose, clearance, |part, simple, part_pose, limit| {
            let b_to_a = Pose::relative(pose, part_pose);
            let found = distance_of_part(query, probe, tree, body, simple, &b_to_a, clearance);
            let Some(closest) = found else { return limit };
            let key = |distance: f64, parts: [u32; 2]| (distance, parts);
            let parts = [0, part];
            if nearest.is_none_or(|known| key(closest.distance, parts) < key(known.closest.distance, known.parts)) {
                nearest = Some(Nearest { closest, parts });
            }
            limit.min(closest.distance)
        });
        let Nearest { closest: found, parts: [_, part] } = nearest?;
        let points = [found.on_a, found.on_b].map(|point| pose.transform_point(&point));
        Some(NearBody { body: id, distance: found.distance, points, faces: found.faces, part })
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

    /// Calls `visit` with the bodies whose fat AABBs are at most `margin` from a box along each axis.
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

/// The distance between a mesh and a part of a body, if it is at most a clearance; 0 if one is inside the other, which
/// is solid. `b_to_a` is the part's pose in the mesh's frame.
fn distance_of_part(
    query: &mut Query,
    probe: &mut Probe,
    tree: &BvTree,
    body: &Body,
    part: Simple<'_>,
    b_to_a: &Pose,
    clearance: f64,
) -> Option<ClosestPair> {
    let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
    let solids = [query.solids()[0], body.solid()];
    let is_apart = |found: &Option<ClosestPair>| found.is_none_or(|found| found.distance > 0.0);
    match part {
        Simple::Tree(other) => {
            let trees = [tree, &**other];
            let found = query.surface_distance(trees, b_to_a, &options);
            let inner = if is_apart(&found) { query.inner(trees, b_to_a, solids) } else { None };
            match inner {
                Some(inner) => Some(query.surface_distance(trees, b_to_a, &DistanceOptions::default())?.inside(inner)),
                None => found,
            }
        }
        Simple::Shape(shape) => {
            let pair = ShapePair::of_tree(tree, shape, b_to_a);
            let found = pair.distance(probe, clearance);
            let inner = if is_apart(&found) { pair.inner(probe, solids) } else { None };
            match inner {
                Some(inner) => Some(pair.distance(probe, f64::INFINITY)?.inside(inner)),
                None => found,
            }
        }
    }
}

/// Calls `visit` with the parts of a body that may be within the distance `limit` of a mesh, in the mesh's frame, and
/// with their poses in the world; `visit` returns the new limit.
fn near_mesh(
    body: &Body,
    tree: &BvTree,
    pose: &Pose,
    mut limit: f64,
    mut visit: impl FnMut(u32, Simple<'_>, &Pose, f64) -> f64,
) {
    let Body { geometry, pose: body_pose, .. } = body;
    let bounds = posed(tree.bounds(), &Pose::relative(body_pose, pose));
    let bounds = if bounds.is_empty() {
        bounds
    } else {
        bounds.grown(geometry.rounding(body_pose) + body_rounding(pose, tree.bounds()))
    };
    let stretch = stretch(pose.deviation());
    geometry.near_parts(&bounds, limit * stretch, |part, _| {
        let (simple, part_pose) = geometry.part(part, body_pose);
        limit = visit(part, simple, &part_pose, limit);
        limit * stretch
    });
}
