//! The closest point of a mesh to a given point.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::Probe;
use crate::traversal::{NearPoint, TriangleVisitor, traverse};
use crate::tree::BvTree;
use crate::triangle::Triangle;
use crate::volume::{LocalPoint, NodeRef};

/// The point of a mesh that is closest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestOnMesh {
    /// The distance from the given point, in the mesh's unit.
    pub distance: f64,
    /// The closest point of the mesh, up to rounding.
    pub point: Point3<f64>,
    /// The index of the triangle that `point` is on.
    pub face: u32,
}

impl Probe {
    /// The point of the mesh that is closest to `point`; `None` if the mesh is empty or the point is not finite. Of
    /// several triangles at the same distance, the one with the lowest index decides.
    #[doc(alias = "project_point")]
    #[doc(alias = "point query")]
    #[doc(alias = "nearest point")]
    #[doc(alias = "closest points")]
    #[doc(alias = "rtcPointQuery")]
    pub fn closest_point(&mut self, tree: &BvTree, point: &Point3<f64>) -> Option<ClosestOnMesh> {
        self.closest_point_within(tree, point, f64::INFINITY)
    }

    /// The point of the mesh that is closest to `point`; `None` if none is within `max_distance`. A smaller maximum
    /// takes less work.
    pub fn closest_point_within(
        &mut self,
        tree: &BvTree,
        point: &Point3<f64>,
        max_distance: f64,
    ) -> Option<ClosestOnMesh> {
        let local = LocalPoint::new(&tree.meta().frame, point);
        let nearest = ClosestOnMesh { distance: max_distance, point: Point3::origin(), face: u32::MAX };
        let mut search = ClosestPointVisitor { local, point: *point, nearest };
        self.traverse_masked(tree, &NearPoint(local), local.limit_sq(max_distance), &mut search, None);
        (search.nearest.face != u32::MAX).then_some(search.nearest)
    }
}

impl Probe {
    /// Of the triangles below a node, the one that is closest to a point, and its distance; or the first one found at a
    /// distance of at most `enough`. `known` is a triangle below the node, which is returned unless another is closer.
    pub(crate) fn closest_triangle(
        &mut self,
        tree: &BvTree,
        node: NodeRef,
        point: &Point3<f64>,
        known: Triangle,
        enough: f64,
    ) -> (Triangle, f64) {
        let local = LocalPoint::new(&tree.meta().frame, point);
        let distance = known.distance_to(point);
        let mut search = ClosestTriangleVisitor { point: *point, local, enough, nearest: (known, distance) };
        if distance <= enough {
            return search.nearest;
        }
        let (test, limit) = (NearPoint(local), local.limit_sq(distance));
        traverse(self.level, tree, node, &mut self.stack, (&test, limit), &mut search, &mut self.stats);
        search.nearest
    }
}

struct ClosestTriangleVisitor {
    point: Point3<f64>,
    local: LocalPoint,
    /// A triangle at this distance or less ends the search.
    enough: f64,
    nearest: (Triangle, f64),
}

impl TriangleVisitor for ClosestTriangleVisitor {
    #[inline]
    fn visit(&mut self, triangle: &Triangle, _: u32) -> ControlFlow<(), f32> {
        let distance = triangle.distance_to(&self.point);
        if distance < self.nearest.1 {
            self.nearest = (*triangle, distance);
            if distance <= self.enough {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(self.local.limit_sq(self.nearest.1))
    }
}

struct ClosestPointVisitor {
    point: Point3<f64>,
    local: LocalPoint,
    /// The closest point so far; its face is `u32::MAX`, which no triangle has, until a triangle is near enough.
    nearest: ClosestOnMesh,
}

impl TriangleVisitor for ClosestPointVisitor {
    #[inline]
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        let point = triangle.closest_point(&self.point);
        let distance = (point - self.point).norm();
        if distance.is_finite() && (distance, face) < (self.nearest.distance, self.nearest.face) {
            self.nearest = ClosestOnMesh { distance, point, face };
        }
        ControlFlow::Continue(self.local.limit_sq(self.nearest.distance))
    }
}
