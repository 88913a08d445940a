//! Capsules and spheres against convex shapes: contacts and casts, as against the triangles of a mesh.
//!
//! A shape with a polyhedral core, rounded or not, is treated as the triangles of its core's surface, and its rounding
//! radius is added to the capsule's, so that a cuboid has the contacts of its mesh. But shapes are solid: a capsule
//! whose axis reaches into the core has one contact, along the shortest way out. For cylinders and cones, GJK is used
//! (see [`crate::shape::ConvexShape`]).

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::capsule_cast::MovingCapsule;
use super::capsule_contacts::contact;
use super::{CapsuleCastHit, CapsuleContact, CastOptions};
use crate::numeric::error_bounds::CAST_ROUNDING;
use crate::shape::{Advance, Capsule, ConvexShape, CorePair, Segment, SeparatingPlane, thin_triangle};
use crate::triangle::Triangle;

impl ConvexShape {
    /// Calls `visit` with the contacts within `max_distance` of a capsule in the shape's frame, until it breaks: one
    /// for each facet that is near; for a cylinder or a cone those at its nearest point, one for each face there (none
    /// if the shape is rounded) and one whose face normal is the contact's normal. A contact's `face` is the index of
    /// one of the shape's own facets; 0 for cylinders, cones and a capsule whose axis is in the core.
    pub(crate) fn for_each_capsule_contact(
        &self,
        capsule: &Capsule,
        max_distance: f64,
        visit: &mut dyn FnMut(CapsuleContact) -> ControlFlow<()>,
    ) {
        let is_near = max_distance >= 0.0
            && self.near_from(&capsule.segment, &Vector3::zeros(), capsule.radius + max_distance, 1.0).is_some();
        if is_near {
            let _ = self.visit_contacts(capsule, max_distance, visit);
        }
    }

    fn visit_contacts(
        &self,
        capsule: &Capsule,
        max_distance: f64,
        visit: &mut dyn FnMut(CapsuleContact) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(facets) = self.facets() else { return self.visit_round_contacts(capsule, max_distance, visit) };
        if self.is_core_reached(&capsule.segment) {
            return self.deepest_contact(capsule).map_or(ControlFlow::Continue(()), visit);
        }
        let grown = self.grown(capsule);
        for (facet, face) in facets.iter().zip(0..) {
            let contact = contact(&grown, facet, face);
            if contact.distance <= max_distance {
                visit(self.on_surface(contact))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_round_contacts(
        &self,
        capsule: &Capsule,
        max_distance: f64,
        visit: &mut dyn FnMut(CapsuleContact) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(contact) = self.round_contact(capsule, max_distance) else { return ControlFlow::Continue(()) };
        if self.rounding_radius() == 0.0 {
            for face_normal in self.disc_and_side_normals(&contact.point) {
                visit(CapsuleContact { face_normal, ..contact })?;
            }
        }
        visit(contact)
    }

    /// The first contact of a capsule in the shape's frame that moves along `displacement`, up to a time of `limit`;
    /// see [`Probe::cast_capsule`](super::Probe::cast_capsule). The contact's `face` is not the index of a mesh's
    /// triangle.
    pub(crate) fn cast_of_capsule(
        &self,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        limit: f64,
        options: &CastOptions,
    ) -> Option<CapsuleCastHit> {
        let reach = capsule.radius + options.tolerance.max(0.0);
        let from = self.near_from(&capsule.segment, displacement, reach, limit)?;
        if from > 0.0 && self.is_cuboid() {
            return self.cast_to_box(capsule, displacement, [from, limit], options.tolerance);
        }
        let at_start = |contact: CapsuleContact| {
            let leaves = contact.normal.dot(displacement) >= 0.0;
            (options.departing || !leaves).then_some(CapsuleCastHit { time: 0.0, contact })
        };
        let Some(facets) = self.facets() else {
            return self.cast_to_round(capsule, displacement, (from, limit), options, at_start);
        };
        let grown = self.grown(capsule);
        let mut moving = MovingCapsule::new(&grown, displacement, [from, limit], options);
        if from > 0.0 {
            self.facets_before(*displacement).for_each(|(face, facet)| {
                moving.offer(facet, face);
            });
        } else if self.is_core_reached(&capsule.segment) {
            return self.deepest_contact(capsule).and_then(at_start);
        } else {
            facets.iter().zip(0..).for_each(|(facet, face)| {
                moving.offer(facet, face);
            });
        }
        moving.first.map(|hit| CapsuleCastHit { contact: self.on_surface(hit.contact), ..hit })
    }

    /// The first contact of a capsule with a cuboid between two times. Precondition: there is none before the first
    /// time.
    fn cast_to_box(
        &self,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        [from, limit]: [f64; 2],
        tolerance: f64,
    ) -> Option<CapsuleCastHit> {
        let Segment { start, end } = capsule.segment;
        let extent = self.core_obb().half_extents.amax() + (start - self.center()).amax() + (end - start).amax();
        let tolerance = tolerance.max(CAST_ROUNDING * (extent + displacement.amax()));
        let back = -displacement;
        let advance = Advance { displacement: &back, from, tolerance, limit, departing: true };
        let radius = self.grown(capsule).radius;
        let (time, plane) = self.segment_beside_box(&capsule.segment, radius, &advance)?;
        let SeparatingPlane { axis: normal, gap: distance, on_triangle: point } = plane;
        let contact = CapsuleContact { distance, point, normal, face_normal: self.face_normal_along(&normal), face: 0 };
        Some(CapsuleCastHit { time, contact: self.on_surface(contact) })
    }

    fn cast_to_round(
        &self,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        (from, limit): (f64, f64),
        options: &CastOptions,
        at_start: impl Fn(CapsuleContact) -> Option<CapsuleCastHit>,
    ) -> Option<CapsuleCastHit> {
        let axis = thin_triangle(&capsule.segment);
        let plane_at = |moved: &Vector3<f64>| {
            let plane = self.separating_plane(&Triangle { vertices: axis.vertices.map(|vertex| vertex + moved) });
            SeparatingPlane { gap: plane.gap - capsule.radius, ..plane }
        };
        let [start, end, _] = axis.vertices;
        let extent = self.obb().half_extents.norm() + (start - self.center()).amax() + (end - start).amax();
        let tolerance = options.tolerance.max(CAST_ROUNDING * (extent + displacement.amax()));
        if from == 0.0 && plane_at(&Vector3::zeros()).gap <= tolerance {
            return at_start(self.round_contact(capsule, f64::INFINITY)?);
        }
        // Seen from the capsule, the shape moves.
        let back = -displacement;
        let advance = Advance { displacement: &back, from, tolerance, limit, departing: true };
        let (time, _) = advance.first_contact(|back, _| plane_at(&-back))?;
        let Segment { start, end } = capsule.segment;
        let segment = Segment { start: start + displacement * time, end: end + displacement * time };
        let there = Capsule { segment, ..*capsule };
        Some(CapsuleCastHit { time, contact: self.round_contact(&there, f64::INFINITY)? })
    }

    /// The contact at the nearest point of a shape whose core is a cylinder, a cone or a disc; `None` if the capsule is
    /// farther away than `max_distance`.
    fn round_contact(&self, capsule: &Capsule, max_distance: f64) -> Option<CapsuleContact> {
        let radius = self.rounding_radius();
        let CorePair { on_core, on_segment, distance } =
            self.core_pair(&capsule.segment, max_distance + radius + capsule.radius)?;
        if distance == 0.0 {
            return self.deepest_contact(capsule);
        }
        let normal = (on_segment - on_core) / distance;
        let contact = CapsuleContact {
            distance: distance - radius - capsule.radius,
            point: on_core + normal * radius,
            normal,
            face_normal: normal,
            face: 0,
        };
        (contact.distance <= max_distance).then_some(contact)
    }

    /// The contact of a capsule whose axis reaches into the core.
    fn deepest_contact(&self, capsule: &Capsule) -> Option<CapsuleContact> {
        let contact = self.contact_with(&thin_triangle(&capsule.segment), f64::INFINITY)?;
        Some(CapsuleContact {
            distance: contact.distance - capsule.radius,
            point: contact.on_a,
            normal: contact.normal,
            face_normal: contact.normal,
            face: 0,
        })
    }

    /// The capsule enlarged by the rounding radius, to be compared with the core.
    fn grown(&self, capsule: &Capsule) -> Capsule {
        Capsule { radius: capsule.radius + self.rounding_radius(), ..*capsule }
    }

    /// Converts a contact with the core to one with the shape's surface: its point moves out by the rounding radius.
    fn on_surface(&self, contact: CapsuleContact) -> CapsuleContact {
        let (normal, radius) = (contact.normal, self.rounding_radius());
        if radius == 0.0 {
            return contact;
        }
        CapsuleContact { point: contact.point + normal * radius, face_normal: normal, ..contact }
    }
}
