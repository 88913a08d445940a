//! Casts of convex shapes along a line, and of rays: seen from a ray's origin, the shape moves towards it.
//!
//! Conservative advancement (Mirtich 1996) with planes that are proven to separate: along the plane's axis the gap
//! shrinks at a known speed, so there is no contact before the gap is used up, and none at all if it does not shrink
//! (van den Bergen, "Ray casting against general convex objects", 2004).

use nalgebra::{Point3, Vector3};

use super::convex_distance::SeparatingPlane;
use super::convex_pair::OtherCore;
use super::{ConvexShape, Obb, SweptBox, Touch};
use crate::numeric::error_bounds::CAST_ROUNDING;
use crate::pose::Pose;
use crate::triangle::{ExactRay, Triangle};

/// How a shape moves, and which contacts count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advance<'a> {
    pub(crate) displacement: &'a Vector3<f64>,
    /// A time before which there is no contact.
    pub(crate) from: f64,
    /// The greatest gap that counts as contact.
    pub(crate) tolerance: f64,
    /// The time after which contacts don't matter.
    pub(crate) limit: f64,
    /// Whether touching at the start, without overlap, counts as a contact if the motion departs from it or slides
    /// along it.
    pub(crate) departing: bool,
}

/// The number of steps after which a slow approach counts as a hit.
const MAX_STEPS: usize = 200;

impl Advance<'_> {
    /// The triangle as seen from the moving shape at a time: moved back along the displacement.
    pub(super) fn come_back(&self, triangle: &Triangle, time: f64) -> Triangle {
        Triangle { vertices: triangle.vertices.map(|vertex| vertex - self.displacement * time) }
    }

    /// The time at which a gap that closes at the speed `closing` has shrunk to half the tolerance; `None` if that
    /// never happens, or only after [`Advance::limit`].
    pub(super) fn next(&self, time: f64, gap: f64, closing: f64) -> Option<f64> {
        let next = time + (gap - 0.5 * self.tolerance) / closing;
        (closing > 0.0 && next <= self.limit).then_some(next)
    }

    /// The time of the first contact, and the plane of contact then. `plane` returns the plane between the shape and
    /// the other object when the latter is moved back by a vector; its second argument says whether this is the start.
    pub(crate) fn first_contact(
        &self,
        mut plane: impl FnMut(&Vector3<f64>, bool) -> SeparatingPlane,
    ) -> Option<(f64, SeparatingPlane)> {
        let mut time = self.from;
        for step in 0.. {
            let is_start = time == 0.0;
            let plane = plane(&(self.displacement * time), is_start);
            let closing = plane.axis.dot(self.displacement);
            if plane.gap <= self.tolerance {
                let touches = is_start && plane.gap >= -self.tolerance;
                return (self.departing || !touches || closing > 0.0).then_some((time, plane));
            }
            let next = self.next(time, plane.gap, closing)?;
            if next <= time || step > MAX_STEPS {
                return Some((time, plane));
            }
            time = next;
        }
        None
    }
}

impl ConvexShape {
    /// [`ConvexShape::cast_to`] for the shape placed by a pose.
    pub(crate) fn cast_from(&self, pose: &Pose, other: &ConvexShape, advance: &Advance<'_>) -> Option<Touch> {
        let Some(moved) = self.core_box_at(pose) else { return self.transformed(pose).cast_to(other, advance) };
        let (_, touch) = self.meets_box_of(&moved, other, advance)?;
        touch.or_else(|| self.transformed(pose).cast_to(other, advance))
    }

    /// The time from which the shape may meet another, judged by the boxes around both; `core` is the box around this
    /// shape's core at the start. If both shapes are boxes, also where they first touch, if that is known.
    fn meets_box_of(&self, core: &Obb, other: &ConvexShape, advance: &Advance<'_>) -> Option<(f64, Option<Touch>)> {
        let are_boxes = self.is_box() && other.is_box();
        let tolerance = if are_boxes { 0.0 } else { advance.tolerance.max(0.0) + self.radius + other.radius };
        let moving = SweptBox::new(core, advance.displacement, tolerance);
        let times = moving.meets_box(other.core_obb(), advance.limit)?;
        let touch = if are_boxes { moving.touch_of_box(other.core_obb(), &times) } else { None };
        Some((times.enter, touch))
    }

    /// When and where the shape, moving along a displacement, first meets another. `None` proves that there is no
    /// contact that counts; see [`Advance`]. At the returned time the gap is within the tolerance, unless the approach
    /// took more than [`MAX_STEPS`] steps. See [`Probe::cast_convex`](crate::Probe::cast_convex).
    pub(crate) fn cast_to(&self, other: &ConvexShape, advance: &Advance<'_>) -> Option<Touch> {
        let (from, touch) = self.meets_box_of(self.core_obb(), other, advance)?;
        if touch.is_some() {
            return touch;
        }
        let displacement = advance.displacement;
        let extent = (other.center() - self.center()).amax() + other.extent + other.radius;
        let tolerance = advance.tolerance.max(CAST_ROUNDING * (extent + displacement.amax()));
        let advance = Advance { from, tolerance, ..*advance };
        let (time, plane) = advance.first_contact(|back, is_start| {
            let plane = self.plane_to(&OtherCore::new(self, other, &-back));
            let plane = SeparatingPlane {
                gap: plane.gap - other.radius,
                on_triangle: plane.on_triangle - plane.axis * other.radius,
                ..plane
            };
            let touching = if is_start && plane.gap <= tolerance { self.contact(other, tolerance) } else { None };
            touching.map_or(plane, |contact| SeparatingPlane {
                axis: contact.normal,
                gap: contact.distance,
                on_triangle: contact.on_b,
            })
        })?;
        Some(Touch { time, point: plane.on_triangle + displacement * time, normal: -plane.axis })
    }

    /// When a ray enters the shape, at a time of at most `max_time`, and the unit normal of its surface there; time and
    /// normal are zero if the ray starts in the shape.
    ///
    /// Exact for a shape with only flat faces, as [`Probe::closest_hit`](crate::Probe::closest_hit); for others `None`
    /// is a proof up to a few roundings of the coordinates.
    pub(crate) fn ray_entry(
        &self,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        max_time: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        let ray = ExactRay::new(origin, direction).filter(|_| max_time >= 0.0)?;
        // Seen from the ray, the shape comes to its origin.
        let times = SweptBox::new(&self.obb(), &-direction, 0.0).meets_point(origin, max_time)?;
        if times.enter == 0.0 && self.contains(origin) {
            return Some((0.0, Vector3::zeros()));
        }
        if !self.has_discs() && self.radius == 0.0 {
            let times = self.facets_before(*direction).filter_map(|(_, facet)| Some((ray.contact(facet)?.time, facet)));
            let (time, facet) = times.min_by(|p, q| p.0.total_cmp(&q.0)).filter(|(time, _)| *time <= max_time)?;
            let normal = facet.unit_normal();
            // Triangles that cover a flat polytope have two sides.
            return Some((time, if normal.dot(direction) > 0.0 { -normal } else { normal }));
        }
        // The part of the ray that is in a sphere around the shape, in units of the ray's time.
        let sphere = self.bounding_sphere();
        let length = direction.norm();
        let middle = (sphere.center - origin).dot(&(direction / length)) / length;
        let half = sphere.radius / length * (1.0 + 1e-9);
        // The part in the whole sphere, even beyond `max_time`, so that the last bits of the result do not depend on
        // `max_time`.
        let [start, end] = [middle - half, middle + half].map(|time| time.max(0.0));
        if start > max_time {
            return None;
        }
        let point = origin + direction * start;
        let displacement = direction * (start - end);
        let extent = (point - self.center()).amax() + displacement.amax() + origin.coords.amax();
        let tolerance = CAST_ROUNDING * extent;
        let advance = Advance { displacement: &displacement, from: 0.0, tolerance, limit: 1.0, departing: true };
        let (time, plane) = advance.first_contact(|back, _| {
            let moved = point - back;
            self.separating_plane(&Triangle::new(moved, moved, moved))
        })?;
        Some((start + time * (end - start), plane.axis)).filter(|(time, _)| *time <= max_time)
    }
}
