//! The triangles that touch a box, a sphere or a convex shape.

use std::ops::ControlFlow;

use super::Probe;
use crate::shape::{Aabb, ConvexShape, KnownPlanes, Obb, Overlaps, Sphere};
use crate::traversal::{NearBox, NearPoint, OverlapsBox, TriangleVisitor, traverse};
use crate::tree::BvTree;
use crate::triangle::Triangle;
use crate::volume::{LocalBox, LocalPoint, NodeRef};

impl Probe {
    /// Calls `visit` with the index of each triangle that touches the closed axis-aligned box, in no particular order,
    /// until it breaks. An empty box touches nothing.
    pub fn for_each_face_in_aabb(&mut self, tree: &BvTree, aabb: &Aabb, visit: impl FnMut(u32) -> ControlFlow<()>) {
        self.stats = Default::default();
        if let Some(common) = aabb.intersection(tree.bounds()) {
            self.visit_in_box(
                tree,
                &common.into(),
                &mut OverlapVisitor { overlaps: overlaps(aabb), visit, limit: f32::INFINITY },
            );
        }
    }

    /// Calls `visit` with the index of each triangle that touches the closed oriented box, in no particular order,
    /// until it breaks.
    pub fn for_each_face_in_obb(&mut self, tree: &BvTree, obb: &Obb, visit: impl FnMut(u32) -> ControlFlow<()>) {
        self.visit_in_box(tree, obb, &mut OverlapVisitor { overlaps: overlaps(obb), visit, limit: f32::INFINITY });
    }

    /// Calls `visit` with the index of each triangle that touches the convex shape, which is in the mesh's frame, in no
    /// particular order, until it breaks.
    pub fn for_each_face_in_convex(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        visit: impl FnMut(u32) -> ControlFlow<()>,
    ) {
        self.stats = Default::default();
        if shape.is_beyond(tree.bounds(), 0.0) {
            return;
        }
        if let Some(common) = shape.aabb().intersection(tree.bounds()) {
            let mut planes = KnownPlanes::new(shape, self.level);
            let overlaps = |triangle: &Triangle| planes.overlaps(triangle);
            if shape.rounding_radius() > 0.0 {
                let local = LocalBox::new(&tree.meta().frame, shape.core_obb());
                let limit = local.limit_sq(shape.rounding_radius());
                return self.visit_near_box(tree, local, limit, &mut OverlapVisitor { overlaps, visit, limit });
            }
            // The smaller of two boxes around all points that the shape and the tree can share.
            let (common, obb) = (Obb::from(common), shape.obb());
            let smaller = if common.surface_area() < obb.surface_area() { common } else { obb };
            self.visit_in_box(tree, &smaller, &mut OverlapVisitor { overlaps, visit, limit: f32::INFINITY });
        }
    }

    /// Whether the convex shape, which is solid and in the mesh's frame, shares a point with a triangle of the mesh.
    ///
    /// The answer is exact for the f64 coordinates of a cuboid or a hull; for a rounded shape, a cylinder or a cone,
    /// `false` is a proof. A shape wholly inside a closed mesh touches no triangle; [`Probe::contains`] of its
    /// [`center`](ConvexShape::center) detects that.
    ///
    /// ```
    /// use bvtree::shape::ConvexShape;
    /// use bvtree::{BuildOptions, BvTree, Mesh, Pose, Probe};
    /// use nalgebra::{Point3, Vector3};
    ///
    /// let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from).to_vec();
    /// let floor = BvTree::build(&Mesh::from_arrays(corners, vec![[0, 1, 2]])?, &BuildOptions::default())?;
    /// let crate_of_wood = ConvexShape::cuboid(Vector3::new(0.5, 0.25, 0.25))?;
    /// let mut probe = Probe::new();
    /// for (height, stands) in [(0.25, true), (0.3, false)] {
    ///     let pose = Pose::from_translation(Vector3::new(0.0, 0.0, height))?;
    ///     assert_eq!(probe.intersects_convex(&floor, &crate_of_wood.transformed(&pose)), stands);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "overlap test")]
    #[doc(alias = "collide")]
    #[doc(alias = "intersection_test")]
    pub fn intersects_convex(&mut self, tree: &BvTree, shape: &ConvexShape) -> bool {
        let mut intersects = false;
        self.for_each_face_in_convex(tree, shape, |_| {
            intersects = true;
            ControlFlow::Break(())
        });
        intersects
    }

    /// The triangles below a node whose volumes overlap a box; `None` if there are more than `most`.
    pub(crate) fn triangles_in_box(
        &mut self,
        tree: &BvTree,
        node: NodeRef,
        obb: &Obb,
        most: usize,
    ) -> Option<Vec<Triangle>> {
        let test = OverlapsBox(LocalBox::new(&tree.meta().frame, obb));
        let mut collected = Collected { triangles: Vec::new(), most, limit: f32::INFINITY };
        traverse(self.level, tree, node, &mut self.stack, (&test, f32::INFINITY), &mut collected, &mut self.stats);
        (collected.triangles.len() <= most).then_some(collected.triangles)
    }

    /// Visits the triangles whose volumes overlap a box. Compiled once, not for each caller.
    pub(super) fn visit_in_box(&mut self, tree: &BvTree, obb: &Obb, visitor: &mut dyn TriangleVisitor) {
        let local = LocalBox::new(&tree.meta().frame, obb);
        self.traverse_masked(tree, &OverlapsBox(local), f32::INFINITY, visitor, None);
    }

    /// Calls `visit` with the index of each triangle that touches the sphere, which is closed and solid, in no
    /// particular order, until it breaks.
    pub fn for_each_face_in_sphere(
        &mut self,
        tree: &BvTree,
        sphere: &Sphere,
        visit: impl FnMut(u32) -> ControlFlow<()>,
    ) {
        let local = LocalPoint::new(&tree.meta().frame, &sphere.center);
        let limit = local.limit_sq(sphere.radius);
        self.visit_near_point(tree, local, limit, &mut OverlapVisitor { overlaps: overlaps(sphere), visit, limit });
    }

    /// The triangles that touch the closed sphere.
    pub(crate) fn triangles_in_sphere(&mut self, tree: &BvTree, sphere: &Sphere) -> Vec<Triangle> {
        let local = LocalPoint::new(&tree.meta().frame, &sphere.center);
        let limit = local.limit_sq(sphere.radius);
        let mut collected = Collected { triangles: Vec::new(), most: usize::MAX, limit };
        self.visit_near_point(tree, local, limit, &mut collected);
        collected.triangles.retain(|triangle| {
            (triangle.closest_point(&sphere.center) - sphere.center).norm_squared() <= sphere.radius * sphere.radius
        });
        collected.triangles
    }

    /// Visits the triangles whose volumes are near a box. Compiled once, not for each caller.
    pub(super) fn visit_near_box(
        &mut self,
        tree: &BvTree,
        near: LocalBox,
        limit: f32,
        visitor: &mut dyn TriangleVisitor,
    ) {
        self.traverse_masked(tree, &NearBox(near), limit, visitor, None);
    }

    /// Visits the triangles whose volumes are near a point. Compiled once, not for each caller.
    pub(super) fn visit_near_point(
        &mut self,
        tree: &BvTree,
        point: LocalPoint,
        limit: f32,
        visitor: &mut dyn TriangleVisitor,
    ) {
        self.traverse_masked(tree, &NearPoint(point), limit, visitor, None);
    }
}

/// Collects triangles, and stops once there are more than `most`.
struct Collected {
    triangles: Vec<Triangle>,
    most: usize,
    /// The distance limit, in the units of the volume test.
    limit: f32,
}

impl TriangleVisitor for Collected {
    fn visit(&mut self, triangle: &Triangle, _: u32) -> ControlFlow<(), f32> {
        self.triangles.push(*triangle);
        if self.triangles.len() > self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(self.limit) }
    }
}

/// Passes on the triangles that overlap a shape.
struct OverlapVisitor<O, F> {
    overlaps: O,
    visit: F,
    /// The limit of the volume test's distances, which never changes.
    limit: f32,
}

fn overlaps<B>(shape: &B) -> impl FnMut(&Triangle) -> bool
where
    Triangle: Overlaps<B>,
{
    |triangle| triangle.overlaps(shape)
}

impl<O: FnMut(&Triangle) -> bool, F: FnMut(u32) -> ControlFlow<()>> TriangleVisitor for OverlapVisitor<O, F> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        if (self.overlaps)(triangle) {
            (self.visit)(face)?;
        }
        ControlFlow::Continue(self.limit)
    }
}
