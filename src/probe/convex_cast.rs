//! Casts of convex shapes: when a shape that moves along a line first meets a mesh.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::swept_path::SweptPath;
use super::{CastOptions, Probe};
use crate::numeric::error_bounds::{CAST_ROUNDING, SHAPE_BOX_ROUNDING};
use crate::shape::{Advance, ConvexShape, SweptBox, Times, Touch};
use crate::traversal::TriangleVisitor;
use crate::tree::BvTree;
use crate::triangle::Triangle;
use crate::volume::SweptBody;

/// The first contact of a moving convex shape with a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConvexCastHit {
    /// The time of contact, 0 to 1, as a fraction of the displacement. Apart from triangles that are left out because
    /// [`CastOptions::departing`] is false, none is touched earlier.
    pub time: f64,
    /// The point of the mesh that is touched, up to rounding and the tolerance.
    pub point: Point3<f64>,
    /// The unit normal of the plane of contact, from the triangle to the shape. If the two overlap at the start, it is
    /// the direction of a short translation that separates them.
    pub normal: Vector3<f64>,
    /// The index of the triangle in the mesh.
    pub face: u32,
}

impl Probe {
    /// The first contact of a convex shape, which is solid and in the mesh's frame, that moves along `displacement`
    /// without turning.
    ///
    /// `None` proves that there is no contact anywhere on the path, except at the start if [`CastOptions::departing`]
    /// is false. The time is never later than the true one by more than rounding, and at that time the gap is within
    /// the tolerance, or, for cylinders and cones, within the error that [`ConvexShape`] states. Triangles that come
    /// that near without touching may be reported. Of several triangles met at exactly the same computed time, the one
    /// with the lowest index is returned. A displacement of zero finds a contact at the start.
    /// [`CastOptions::departing`] concerns triangles that are touched at the start, not those overlapped.
    #[doc(alias = "shape cast")]
    #[doc(alias = "sweep")]
    #[doc(alias = "cast_shapes")]
    #[doc(alias = "time of impact")]
    #[doc(alias = "continuous collision detection")]
    pub fn cast_convex(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        displacement: &Vector3<f64>,
        options: &CastOptions,
    ) -> Option<ConvexCastHit> {
        self.cast_convex_up_to(tree, shape, displacement, 1.0, options)
    }

    /// [`Probe::cast_convex`] up to a time of `limit`.
    pub(crate) fn cast_convex_up_to(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        displacement: &Vector3<f64>,
        limit: f64,
        options: &CastOptions,
    ) -> Option<ConvexCastHit> {
        self.stats = Default::default();
        let core = shape.core_obb();
        let half_edges = [0, 1, 2].map(|k| core.axes.column(k) * core.half_extents[k]);
        let radius = shape.rounding_radius() * (1.0 + SHAPE_BOX_ROUNDING);
        let body = SweptBody { center: core.center, half_edges, radius };
        let (path, near) = SweptPath::new(tree, &shape.aabb(), &body, displacement, options.tolerance)?;
        let position = path.position_after(limit);
        let is_box = shape.is_box();
        // A box need not be within a tolerance: where it touches is known.
        let moving = SweptBox::new(&shape.obb(), displacement, if is_box { 0.0 } else { options.tolerance });
        let first = None;
        let mut sweep =
            ConvexSweep { shape, is_box, moving, displacement, options, path, position, limit, first, plane: None };
        self.traverse_masked(tree, &near, position, &mut sweep, Some(displacement));
        let (hit, triangle) = sweep.first?;
        if hit.time > 0.0 {
            return Some(hit);
        }
        // The direction out is only computed for the triangle that is reported.
        let contact = shape.contact_with(&triangle, f64::INFINITY);
        Some(contact.map_or(hit, |contact| ConvexCastHit { point: contact.on_b, normal: -contact.normal, ..hit }))
    }
}

/// Finds the first triangle that is met, and shortens the path accordingly.
struct ConvexSweep<'a> {
    shape: &'a ConvexShape,
    /// Whether the shape is a box, not rounded.
    is_box: bool,
    /// The box around the shape.
    moving: SweptBox,
    displacement: &'a Vector3<f64>,
    options: &'a CastOptions,
    path: SweptPath,
    /// The position on the path after which hits don't matter.
    position: f32,
    /// The time after which hits don't matter.
    limit: f64,
    first: Option<(ConvexCastHit, Triangle)>,
    /// The plane of the first contact.
    plane: Option<ContactPlane>,
}

/// A plane that the shape reaches at the time of a contact.
struct ContactPlane {
    /// The unit normal, pointing away from the shape.
    axis: Vector3<f64>,
    /// The height of the plane along the normal, relative to the shape's center.
    height: f64,
}

impl TriangleVisitor for ConvexSweep<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        let is_later = self.first.is_some_and(|(first, _)| (0.0, face) >= (first.time, first.face));
        if !is_later
            && !self.is_behind_plane(triangle)
            && let Some(hit) = self.contact(triangle, face)
            && self.first.is_none_or(|(first, _)| (hit.time, face) < (first.time, first.face))
        {
            self.limit = hit.time;
            self.first = Some((hit, *triangle));
            self.plane = Some(self.plane_of(&hit));
            self.position = self.path.position_after(self.limit);
        }
        ControlFlow::Continue(self.position)
    }
}

impl ConvexSweep<'_> {
    /// A triangle's vertices relative to the shape's center, and their largest coordinate.
    fn corners(&self, triangle: &Triangle) -> ([Vector3<f64>; 3], f64) {
        let corners = triangle.vertices.map(|vertex| vertex - self.shape.center());
        (corners, corners.iter().map(Vector3::amax).fold(0.0, f64::max))
    }

    fn plane_of(&self, hit: &ConvexCastHit) -> ContactPlane {
        let axis = -hit.normal;
        let at_start = self.shape.core_height(&axis) + self.shape.rounding_radius();
        ContactPlane { axis, height: at_start + self.displacement.dot(&axis).max(0.0) * hit.time }
    }

    /// Whether a triangle is so far behind the plane of the earliest contact found so far that its own contact is
    /// later, whatever the margins of the two contacts. Without the margins, the order of triangles would decide which
    /// of them are compared.
    fn is_behind_plane(&self, triangle: &Triangle) -> bool {
        let Some(ContactPlane { axis, height }) = &self.plane else { return false };
        let (corners, largest) = self.corners(triangle);
        let slack = self.options.tolerance.max(0.0) + self.moving.slack(largest);
        let [a, b, c] = corners.map(|corner| corner.dot(axis));
        a.min(b).min(c) > height + 2.0 * slack * axis.abs().sum()
    }

    fn contact(&self, triangle: &Triangle, face: u32) -> Option<ConvexCastHit> {
        let times = if self.is_box {
            let times = self.moving.meets_triangle(triangle, self.limit)?;
            if let Some(Touch { time, point, normal }) = self.moving.touch_of_triangle(triangle, &times) {
                return Some(ConvexCastHit { time, point, normal, face });
            }
            times
        } else {
            self.plane_met(triangle, self.moving.faces_meet_triangle(triangle, self.limit)?)?
        };
        let from = times.enter;
        let (_, farthest) = self.corners(triangle);
        let tolerance = self.options.tolerance.max(CAST_ROUNDING * (farthest + self.displacement.amax()));
        let (displacement, departing) = (self.displacement, self.options.departing);
        let advance = Advance { displacement, from, tolerance, limit: self.limit, departing };
        let approach = self.shape.approach(triangle, &advance)?;
        if let Some(Touch { time, point, normal }) = approach.touch {
            return Some(ConvexCastHit { time, point, normal, face });
        }
        let advance = Advance { from: approach.time, ..advance };
        let (time, plane) = advance.first_contact(|back, is_start| {
            let moved = Triangle { vertices: triangle.vertices.map(|vertex| vertex - back) };
            let plane = self.shape.separating_plane(&moved);
            let is_near = plane.gap <= tolerance;
            if is_near && is_start && !departing { self.shape.touching_plane(&moved, plane) } else { plane }
        })?;
        Some(ConvexCastHit { time, point: plane.on_triangle + displacement * time, normal: -plane.axis, face })
    }

    /// The part of the given times at which the shape may reach the triangle's plane.
    fn plane_met(&self, triangle: &Triangle, times: Times) -> Option<Times> {
        let axis = triangle.scaled_normal();
        let (corners, largest) = self.corners(triangle);
        let slack = self.shape.rounding_radius() * axis.norm() + self.moving.slack(largest) * axis.abs().sum();
        let [lowest, highest] = self.shape.core_reach(&axis);
        let [a, b, c] = corners.map(|corner| corner.dot(&axis));
        let way = self.displacement.dot(&axis);
        times.within(a.min(b).min(c) - highest - slack, a.max(b).max(c) - lowest + slack, way, &axis)
    }
}
