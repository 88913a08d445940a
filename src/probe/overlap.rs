//! The triangles that touch a box or a sphere.

use std::ops::ControlFlow;

use super::Probe;
use crate::shape::{Aabb, Obb, Overlaps, Sphere};
use crate::traversal::{NearPoint, OverlapsBox, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::Triangle;
use crate::volume::{LocalBox, LocalPoint};

/// The caller's closure as a trait object, so that each traversal is compiled once.
type Visit<'a> = &'a mut dyn FnMut(u32) -> ControlFlow<()>;

impl Probe {
    /// Calls `visit` with the index of each triangle that touches the closed axis-aligned box, in no particular order,
    /// until it breaks. An empty box touches nothing.
    pub fn for_each_in_aabb(&mut self, tree: &BvTree, aabb: &Aabb, mut visit: impl FnMut(u32) -> ControlFlow<()>) {
        self.in_aabb(tree, aabb, &mut visit);
    }

    fn in_aabb(&mut self, tree: &BvTree, aabb: &Aabb, visit: Visit<'_>) {
        self.stats = Default::default();
        if let Some(common) = aabb.intersection(tree.bounds()) {
            let local = LocalBox::new(&tree.meta().frame, &common.into());
            self.traverse(tree, OverlapsBox(local), &mut OverlapVisitor { shape: aabb, visit, limit: f32::INFINITY });
        }
    }

    /// Calls `visit` with the index of each triangle that touches the closed oriented box, in no particular order, until
    /// it breaks.
    pub fn for_each_in_obb(&mut self, tree: &BvTree, obb: &Obb, mut visit: impl FnMut(u32) -> ControlFlow<()>) {
        self.in_obb(tree, obb, &mut visit);
    }

    fn in_obb(&mut self, tree: &BvTree, obb: &Obb, visit: Visit<'_>) {
        let local = LocalBox::new(&tree.meta().frame, obb);
        self.traverse(tree, OverlapsBox(local), &mut OverlapVisitor { shape: obb, visit, limit: f32::INFINITY });
    }

    /// Calls `visit` with the index of each triangle that touches the closed sphere (its ball), in no particular order,
    /// until it breaks.
    pub fn for_each_in_sphere(
        &mut self,
        tree: &BvTree,
        sphere: &Sphere,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) {
        self.in_sphere(tree, sphere, &mut visit);
    }

    fn in_sphere(&mut self, tree: &BvTree, sphere: &Sphere, visit: Visit<'_>) {
        let local = LocalPoint::new(&tree.meta().frame, &sphere.center);
        let limit = local.limit_sq(sphere.radius);
        self.traverse(tree, NearPoint { point: local, limit }, &mut OverlapVisitor { shape: sphere, visit, limit });
    }
}

/// Passes on the triangles that overlap a shape.
struct OverlapVisitor<'a, B> {
    shape: &'a B,
    visit: Visit<'a>,
    /// The constant limit of the volume test.
    limit: f32,
}

impl<B> TriangleVisitor for OverlapVisitor<'_, B>
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
