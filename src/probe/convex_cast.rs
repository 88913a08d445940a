//! Casts of convex shapes: when a shape that moves along a line first meets a mesh.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::swept_path::SweptPath;
use super::{CastOptions, Probe};
use crate::numeric::error_bounds::CAST_ROUNDING;
use crate::shape::{Aabb, Advance, ConvexShape, Sphere};
use crate::traversal::TriangleVisitor;
use crate::tree::BvTree;
use crate::triangle::Triangle;

/// The first contact of a moving convex shape with a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConvexCastHit {
    /// The time of contact, 0 to 1, as a fraction of the displacement. No triangle is touched earlier; zero if one is
    /// touched at the start.
    pub time: f64,
    /// The point of the mesh that is touched, up to rounding and the tolerance.
    pub point: Point3<f64>,
    /// The unit normal of the plane of contact, from the triangle to the shape. If they overlap at the start, it is the
    /// direction of a short way out.
    pub normal: Vector3<f64>,
    /// The index of the triangle in the mesh.
    pub face: u32,
}

impl Probe {
    /// The first contact of a convex shape, which is solid and in the mesh's frame, that moves along `displacement`
    /// without turning.
    ///
    /// `None` proves that there is no contact anywhere on the path. The time is never later than the true one by more
    /// than rounding, and at that time the gap is within the tolerance, or, for cylinders and cones, within the error
    /// that [`ConvexShape`] states. Triangles that come that near without touching may count. Of several triangles met
    /// at the same time, to the last bit, it returns the one with the lowest index. A displacement of zero finds a
    /// contact at the start. [`CastOptions::departing`] is about triangles that are touched there, not overlapped.
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
        self.stats = Default::default();
        let (start, obb) = (shape.aabb(), shape.obb());
        let around = Sphere { center: obb.center, radius: obb.half_extents.norm() };
        let (path, near) = SweptPath::new(tree, &start, &around, displacement, options.tolerance)?;
        let position = path.position_after(1.0);
        let mut sweep = ConvexSweep { shape, start, displacement, options, path, position, limit: 1.0, first: None };
        self.traverse_masked(tree, near, position, &mut sweep, Some(displacement));
        let (hit, triangle) = sweep.first?;
        if hit.time > 0.0 {
            return Some(hit);
        }
        // The way out is only sought for the triangle that is reported.
        let plane = shape.touching_plane(&triangle, shape.separating_plane(&triangle));
        Some(ConvexCastHit { point: plane.on_triangle, normal: -plane.axis, ..hit })
    }
}

/// Finds the first triangle that is met, and shortens the path accordingly.
struct ConvexSweep<'a> {
    shape: &'a ConvexShape,
    /// The box around the shape at the start.
    start: Aabb,
    displacement: &'a Vector3<f64>,
    options: &'a CastOptions,
    path: SweptPath,
    /// The position on the path after which hits don't matter.
    position: f32,
    /// The time after which hits don't matter.
    limit: f64,
    first: Option<(ConvexCastHit, Triangle)>,
}

impl TriangleVisitor for ConvexSweep<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        if let Some(hit) = self.contact(triangle, face)
            && self.first.is_none_or(|(first, _)| (hit.time, face) < (first.time, first.face))
        {
            self.limit = hit.time;
            self.first = Some((hit, *triangle));
            self.position = self.path.position_after(self.limit);
        }
        ControlFlow::Continue(self.position)
    }
}

impl ConvexSweep<'_> {
    fn contact(&self, triangle: &Triangle, face: u32) -> Option<ConvexCastHit> {
        let from = self.boxes_meet(triangle)?;
        let center = self.shape.center();
        let farthest = triangle.vertices.iter().map(|vertex| (vertex - center).amax()).fold(0.0, f64::max);
        let tolerance = self.options.tolerance.max(CAST_ROUNDING * (farthest + self.displacement.amax()));
        let (displacement, departing) = (self.displacement, self.options.departing);
        let advance = Advance { displacement, from, tolerance, limit: self.limit, departing };
        let (time, plane) = advance.first_contact(|back, is_start| {
            let moved = Triangle { vertices: triangle.vertices.map(|vertex| vertex - back) };
            let plane = self.shape.separating_plane(&moved);
            let is_near = plane.gap <= tolerance;
            if is_near && is_start && !departing { self.shape.touching_plane(&moved, plane) } else { plane }
        })?;
        Some(ConvexCastHit { time, point: plane.on_triangle + displacement * time, normal: -plane.axis, face })
    }

    /// A time from which on the boxes around the shape and the triangle overlap, not later than the first; `None` if
    /// there is none before the limit.
    fn boxes_meet(&self, triangle: &Triangle) -> Option<f64> {
        let (shape, triangle) = (&self.start, Aabb::from_points(&triangle.vertices));
        let corners = [shape.lower, shape.upper, triangle.lower, triangle.upper];
        let largest = corners.iter().map(|corner| corner.coords.amax()).sum::<f64>() + self.displacement.amax();
        let slack = self.options.tolerance.max(0.0) + CAST_ROUNDING * largest;
        let (mut enter, mut exit) = (0.0_f64, self.limit);
        for k in 0..3 {
            let way = self.displacement[k];
            let [first, last] =
                [triangle.lower[k] - shape.upper[k] - slack, triangle.upper[k] - shape.lower[k] + slack];
            if way == 0.0 {
                if first > 0.0 || last < 0.0 {
                    return None;
                }
            } else {
                let (first, last) = if way > 0.0 { (first / way, last / way) } else { (last / way, first / way) };
                (enter, exit) = (enter.max(first), exit.min(last));
            }
        }
        (enter <= exit).then_some(enter)
    }
}
