//! The closest points of a convex shape and a mesh.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::Probe;
use crate::shape::{ConvexShape, KnownPlanes, Proximity};
use crate::traversal::{NearBox, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::Triangle;
use crate::volume::LocalBox;

/// The closest points of a convex shape and a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestToConvex {
    /// The distance, in the mesh's unit; zero if and only if [`Probe::intersects_convex`].
    pub distance: f64,
    /// The closest point of the shape, up to rounding.
    pub on_shape: Point3<f64>,
    /// The closest point of the mesh, up to rounding. If the distance is zero, both are a common point.
    pub on_mesh: Point3<f64>,
    /// The index of its triangle in the mesh.
    pub face: u32,
}

impl Probe {
    /// The closest points of a convex shape, which is solid and in the mesh's frame, and the mesh; `None` if the
    /// distance exceeds `upper_bound` or the mesh is empty. A smaller bound takes less work.
    ///
    /// The distance is off by a few roundings of the largest coordinate of the triangle relative to the shape. For
    /// cylinders and cones it may exceed the true one by a millionth of that coordinate, but it is nearly
    /// always off by a few roundings only. Of several triangles at the same distance, the one with the lowest index is
    /// found, but of those that touch the shape any may be found.
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
        if upper_bound.is_nan() || upper_bound < 0.0 || shape.is_beyond(tree.bounds(), upper_bound) {
            return None;
        }
        let local = LocalBox::new(&tree.meta().frame, shape.core_obb());
        let mut search = ConvexVisitor { planes: KnownPlanes::new(shape), local, upper_bound, closest: None };
        let limit = search.limit_sq();
        self.traverse_masked(tree, NearBox(local), limit, &mut search, None);
        search.closest
    }
}

struct ConvexVisitor<'a> {
    planes: KnownPlanes<'a>,
    local: LocalBox,
    upper_bound: f64,
    closest: Option<ClosestToConvex>,
}

impl ConvexVisitor<'_> {
    /// The distance within which triangles matter.
    fn limit(&self) -> f64 {
        self.closest.map_or(self.upper_bound, |closest| closest.distance)
    }

    fn limit_sq(&self) -> f32 {
        self.local.limit_sq(self.limit() + self.planes.shape.rounding_radius())
    }
}

impl TriangleVisitor for ConvexVisitor<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        let limit = self.limit();
        match self.planes.proximity(triangle, limit) {
            Proximity::Overlap(point) => {
                self.closest = Some(ClosestToConvex { distance: 0.0, on_shape: point, on_mesh: point, face });
                return ControlFlow::Break(());
            }
            Proximity::Apart { distance, on_shape, on_triangle } => {
                let is_closer = match &self.closest {
                    Some(closest) => (distance, face) < (closest.distance, closest.face),
                    None => distance <= self.upper_bound,
                };
                if is_closer {
                    self.closest = Some(ClosestToConvex { distance, on_shape, on_mesh: on_triangle, face });
                }
            }
            Proximity::Beyond => {}
        }
        ControlFlow::Continue(self.limit_sq())
    }
}
