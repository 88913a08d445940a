//! The triangles that touch a box or a sphere.

use std::ops::ControlFlow;

use super::Probe;
use crate::shape::{Aabb, Obb, Overlaps, Sphere};
use crate::traversal::{NearPoint, OverlapsBox, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::Triangle;
use crate::volume::{LocalBox, LocalPoint};

impl Probe {
    /// Calls `visit` with the index of each triangle that touches the closed axis-aligned box, in no particular order,
    /// until it breaks. An empty box touches nothing.
    pub fn for_each_face_in_aabb(&mut self, tree: &BvTree, aabb: &Aabb, visit: impl FnMut(u32) -> ControlFlow<()>) {
        self.stats = Default::default();
        if let Some(common) = aabb.intersection(tree.bounds()) {
            self.visit_in_box(tree, &common.into(), &mut OverlapVisitor { shape: aabb, visit, limit: f32::INFINITY });
        }
    }

    /// Calls `visit` with the index of each triangle that touches the closed oriented box, in no particular order,
    /// until it breaks.
    pub fn for_each_face_in_obb(&mut self, tree: &BvTree, obb: &Obb, visit: impl FnMut(u32) -> ControlFlow<()>) {
        self.visit_in_box(tree, obb, &mut OverlapVisitor { shape: obb, visit, limit: f32::INFINITY });
    }

    /// Visits the triangles whose volumes overlap a box. Compiled once, not for each caller.
    fn visit_in_box(&mut self, tree: &BvTree, obb: &Obb, visitor: &mut dyn TriangleVisitor) {
        let local = LocalBox::new(&tree.meta().frame, obb);
        self.traverse(tree, OverlapsBox(local), f32::INFINITY, visitor);
    }

    /// Calls `visit` with the index of each triangle that touches the closed sphere (its ball), in no particular order,
    /// until it breaks.
    pub fn for_each_face_in_sphere(
        &mut self,
        tree: &BvTree,
        sphere: &Sphere,
        visit: impl FnMut(u32) -> ControlFlow<()>,
    ) {
        let local = LocalPoint::new(&tree.meta().frame, &sphere.center);
        let limit = local.limit_sq(sphere.radius);
        self.visit_near_point(tree, local, limit, &mut OverlapVisitor { shape: sphere, visit, limit });
    }

    /// Visits the triangles whose volumes are near a point. Compiled once, not for each caller.
    fn visit_near_point(&mut self, tree: &BvTree, point: LocalPoint, limit: f32, visitor: &mut dyn TriangleVisitor) {
        self.traverse(tree, NearPoint(point), limit, visitor);
    }
}

/// Passes on the triangles that overlap a shape.
struct OverlapVisitor<'a, B, F> {
    shape: &'a B,
    visit: F,
    /// The limit of the volume test, which never changes.
    limit: f32,
}

impl<B, F: FnMut(u32) -> ControlFlow<()>> TriangleVisitor for OverlapVisitor<'_, B, F>
where
    Triangle: Overlaps<B>,
{
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        if triangle.overlaps(self.shape) {
            (self.visit)(face)?;
        }
        ControlFlow::Continue(self.limit)
    }
}
