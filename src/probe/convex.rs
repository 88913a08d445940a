//! The closest points of a convex shape and a mesh.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::Probe;
use super::near_shape::NearShape;
use crate::shape::{ConvexShape, Proximity};
use crate::traversal::{NearBox, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::Triangle;

/// The closest points of a convex shape and a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestToConvex {
    /// The distance, in the mesh's unit; zero if and only if [`Probe::intersects_convex`] is true.
    pub distance: f64,
    /// The closest point of the shape, up to rounding.
    pub on_shape: Point3<f64>,
    /// The closest point of the mesh, up to rounding. If the distance is zero, both points are the same common point.
    pub on_mesh: Point3<f64>,
    /// The index of the triangle that `on_mesh` is on.
    pub face: u32,
}

impl Probe {
    /// The closest points of a convex shape, which is solid and in the mesh's frame, and the mesh; `None` if the
    /// distance exceeds `upper_bound` or the mesh is empty. A smaller bound takes less work.
    ///
    /// The error of the distance is that of f64 rounding, relative to the largest coordinate of the triangle and the
    /// shape, measured from the shape's center. For cylinders and cones the distance may exceed the true one by up to a
    /// millionth of that coordinate, but it rarely does. Of several triangles at the same distance, the one with the
    /// lowest index is found, but of those that touch the shape any may be found.
    #[doc(alias = "distance")]
    #[doc(alias = "closest points")]
    #[doc(alias = "clearance")]
    pub fn closest_to_convex(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        upper_bound: f64,
    ) -> Option<ClosestToConvex> {
        self.stats = Default::default();
        let near = NearShape::new(tree, shape, upper_bound, self.level)?;
        let (test, limit) = (NearBox(near.local), near.limit_sq());
        let mut search = ConvexVisitor { near, closest: None };
        self.traverse_masked(tree, &test, limit, &mut search, None);
        search.closest
    }
}

struct ConvexVisitor<'a> {
    near: NearShape<'a>,
    closest: Option<ClosestToConvex>,
}

impl TriangleVisitor for ConvexVisitor<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        let limit = self.near.limit;
        match self.near.planes.proximity(triangle, limit) {
            Proximity::Overlap(point) => {
                self.closest = Some(ClosestToConvex { distance: 0.0, on_shape: point, on_mesh: point, face });
                return ControlFlow::Break(());
            }
            Proximity::Apart { distance, on_shape, on_triangle } => {
                let is_closer = match &self.closest {
                    Some(closest) => (distance, face) < (closest.distance, closest.face),
                    None => distance <= limit,
                };
                if is_closer {
                    self.closest = Some(ClosestToConvex { distance, on_shape, on_mesh: on_triangle, face });
                    self.near.limit = distance;
                }
            }
            Proximity::Beyond => {}
        }
        ControlFlow::Continue(self.near.limit_sq())
    }
}
