//! The point of a mesh that is farthest along a direction, which decides where the mesh is relative to a half-space.

use std::ops::ControlFlow;

use nalgebra::{Matrix3, Point3, Vector3};

use super::Probe;
use crate::numeric::any_perpendicular;
use crate::numeric::error_bounds::SHAPE_BOX_ROUNDING;
use crate::shape::Obb;
use crate::traversal::{NearBox, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::Triangle;
use crate::volume::LocalBox;

/// The vertex of a mesh that is farthest along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SupportPoint {
    /// The vertex.
    pub point: Point3<f64>,
    /// The index of a triangle with this vertex.
    pub face: u32,
}

impl Probe {
    /// The vertex of the mesh that is farthest along a direction of any length; `None` for an empty mesh, or a
    /// direction that is zero or not finite. Of several triangles that reach equally far, the one with the lowest index
    /// decides.
    ///
    /// This gives the height of the mesh above a half-space, or its depth below the surface: for the half-space of all
    /// points with `normal . x <= d`, where `normal` has unit length, the height is `normal . x - d` for the point `x`
    /// that is farthest along `-normal`; a negative height is a depth.
    ///
    /// ```
    /// use bvtree::{BuildOptions, BvTree, Mesh, Probe};
    /// use nalgebra::{Point3, Vector3};
    ///
    /// let corners = [[0.0, 0.0, -0.25], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]];
    /// let tree = BvTree::build(&Mesh::from_slices(&corners, &[[0, 1, 2]])?, &BuildOptions::default())?;
    /// let lowest = Probe::new().support_point(&tree, &-Vector3::z()).unwrap();
    /// assert_eq!(lowest.point, Point3::new(0.0, 0.0, -0.25), "a quarter below the ground");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "half-space")]
    #[doc(alias = "plane")]
    #[doc(alias = "extreme vertex")]
    #[doc(alias = "supporting vertex")]
    pub fn support_point(&mut self, tree: &BvTree, direction: &Vector3<f64>) -> Option<SupportPoint> {
        self.stats = Default::default();
        let largest = direction.abs().max();
        if largest == 0.0 || !direction.iter().all(|x| x.is_finite()) {
            return None;
        }
        let direction = (direction / largest).normalize();
        let bounds = tree.bounds();
        let center = bounds.center();
        let radius = bounds.half_extents().norm() + SHAPE_BOX_ROUNDING * (1.0 + center.coords.amax());
        // The distance from a plate above the mesh that is wider than the mesh is measured along the direction.
        let across = any_perpendicular(&direction);
        let axes = Matrix3::from_columns(&[across, direction.cross(&across), direction]);
        let plate = Obb { center: center + direction * radius, axes, half_extents: Vector3::new(radius, radius, 0.0) };
        let local = LocalBox::new(&tree.meta().frame, &plate);
        let mut search = SupportVisitor { center, direction, radius, local, farthest: None };
        let limit = search.limit_sq();
        self.traverse_masked(tree, &NearBox(local), limit, &mut search, None);
        search.farthest.map(|(_, found)| found)
    }
}

struct SupportVisitor {
    center: Point3<f64>,
    direction: Vector3<f64>,
    radius: f64,
    local: LocalBox,
    /// The greatest height above the center so far, and the vertex there.
    farthest: Option<(f64, SupportPoint)>,
}

impl SupportVisitor {
    fn limit_sq(&self) -> f32 {
        let height = self.farthest.map_or(-self.radius, |(height, _)| height);
        self.local.limit_sq((self.radius - height).max(0.0))
    }
}

impl TriangleVisitor for SupportVisitor {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        for point in triangle.vertices {
            let height = (point - self.center).dot(&self.direction);
            if self.farthest.is_none_or(|(known, found)| height > known || height == known && face < found.face) {
                self.farthest = Some((height, SupportPoint { point, face }));
            }
        }
        ControlFlow::Continue(self.limit_sq())
    }
}
