//! The triangles that touch a box or a sphere.

use std::ops::ControlFlow;

use super::Probe;
use super::descend::Visitor;
use crate::packed::{LocalBox, LocalPoint, Node, Probed8};
use crate::shape::{Aabb, Obb, Overlaps, Sphere};
use crate::simd::Simd;
use crate::tree::BvTree;
use crate::triangle::Triangle;

impl Probe {
    /// Calls `visit` with each face whose triangle touches the closed box, in no particular order, until it breaks.
    /// An empty box touches nothing.
    pub fn for_each_in_aabb(&mut self, tree: &BvTree, aabb: &Aabb, visit: impl FnMut(u32) -> ControlFlow<()>) {
        self.stats = Default::default();
        if let Some(common) = aabb.intersection(tree.bounds()) {
            let local = LocalBox::new(&tree.meta().frame, &common.into());
            self.descend(tree, &mut InBox { local, shape: aabb, visit });
        }
    }

    /// Calls `visit` with each face whose triangle touches the closed box, in no particular order, until it breaks.
    pub fn for_each_in_obb(&mut self, tree: &BvTree, obb: &Obb, visit: impl FnMut(u32) -> ControlFlow<()>) {
        let local = LocalBox::new(&tree.meta().frame, obb);
        self.descend(tree, &mut InBox { local, shape: obb, visit });
    }

    /// Calls `visit` with each face whose triangle touches the closed ball, in no particular order, until it breaks.
    pub fn for_each_in_sphere(&mut self, tree: &BvTree, sphere: &Sphere, visit: impl FnMut(u32) -> ControlFlow<()>) {
        let local = LocalPoint::new(&tree.meta().frame, &sphere.center);
        let limit = local.reach_sq(sphere.radius);
        self.descend(tree, &mut InSphere { local, limit, sphere, visit });
    }
}

struct InBox<'a, B, F> {
    local: LocalBox,
    shape: &'a B,
    visit: F,
}

impl<B, F: FnMut(u32) -> ControlFlow<()>> Visitor for InBox<'_, B, F>
where
    Triangle: Overlaps<B>,
{
    #[inline(always)]
    fn children<V: Probed8, S: Simd>(&self, simd: S, node: &Node<'_>) -> (u8, S::F32x8) {
        (V::overlaps_box(simd, node, &self.local), simd.splat(0.0))
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        f32::INFINITY
    }

    fn triangle(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<()> {
        if triangle.overlaps(self.shape) { (self.visit)(face) } else { ControlFlow::Continue(()) }
    }
}

struct InSphere<'a, F> {
    local: LocalPoint,
    limit: f32,
    sphere: &'a Sphere,
    visit: F,
}

impl<F: FnMut(u32) -> ControlFlow<()>> Visitor for InSphere<'_, F> {
    #[inline(always)]
    fn children<V: Probed8, S: Simd>(&self, simd: S, node: &Node<'_>) -> (u8, S::F32x8) {
        let distances_sq = V::distance_sq(simd, node, &self.local.coordinates);
        (node.lanes() & !simd.bits(simd.gt(distances_sq, simd.splat(self.limit))), simd.splat(0.0))
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        f32::INFINITY
    }

    fn triangle(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<()> {
        if triangle.overlaps(self.sphere) { (self.visit)(face) } else { ControlFlow::Continue(()) }
    }
}
