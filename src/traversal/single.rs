//! The traversal of one tree, and its volume tests: for a box (near or overlapping), a point, a ray, and a body that
//! moves along a path.
//!
//! The loop is compiled for every volume kind, SIMD level and volume test.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::QueryStats;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;
use crate::volume::{BoundingVolume, LocalBox, LocalPoint, LocalRay, Node, NodeRef, for_kind};

/// A probe's handler of leaf triangles.
pub(crate) trait TriangleVisitor {
    /// Receives a triangle of a leaf whose volume passed the test; `face` is the triangle's index in the mesh. Breaks
    /// to end the traversal, or returns the new limit of the distances that the volume test computes (infinite if there
    /// is none).
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32>;
}

/// The nodes still to be visited; of siblings, the nearest is last and is visited first.
#[derive(Debug, Default)]
pub(crate) struct NodeStack(Vec<PendingNode>);

#[derive(Clone, Copy, Debug)]
struct PendingNode {
    distance: f32,
    node: NodeRef,
}

/// Visits the triangles of all leaves below the node `from` that the volume test keeps, until the visitor breaks.
/// `limit` is the initial limit of the test's distances; `stats` is overwritten with the work done.
pub(crate) fn traverse<T: NodeVolumeTest>(
    level: SimdLevel,
    tree: &BvTree,
    from: NodeRef,
    stack: &mut NodeStack,
    (test, limit): (&T, f32),
    visitor: &mut dyn TriangleVisitor,
    stats: &mut QueryStats,
) {
    *stats = QueryStats::default();
    let view = tree.view();
    if view.corners.is_empty() {
        return;
    }
    for_kind!(tree.kind(), V => {
        let kind = PhantomData::<V>;
        dispatch(level, SingleTraversal { view: &view, from, stack, test, limit, visitor, stats, kind });
    });
}

struct SingleTraversal<'a, V, T> {
    view: &'a View<'a>,
    from: NodeRef,
    stack: &'a mut NodeStack,
    test: &'a T,
    /// Nodes at a greater distance, as `test` defines it, are skipped.
    limit: f32,
    visitor: &'a mut dyn TriangleVisitor,
    stats: &'a mut QueryStats,
    kind: PhantomData<V>,
}

impl<V: BoundingVolume, T: NodeVolumeTest> Task for SingleTraversal<'_, V, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { view, from, stack: NodeStack(stack), test, mut limit, visitor, stats, .. } = self;
        stack.clear();
        stack.push(PendingNode { distance: f32::NEG_INFINITY, node: from });
        while let Some(PendingNode { distance, node }) = stack.pop() {
            if distance > limit {
                continue;
            }
            if node.is_leaf() {
                for leaf_index in view.leaf(node.first_triangle()) {
                    stats.triangle_tests += 1;
                    let triangle = Triangle { vertices: view.triangle(leaf_index).map(|vertex| vertex.map(f64::from)) };
                    match visitor.visit(&triangle, view.faces[leaf_index]) {
                        ControlFlow::Continue(lowered) => limit = lowered,
                        ControlFlow::Break(()) => return,
                    }
                }
                continue;
            }
            let node = Node::at(view.nodes, V::KIND, node);
            stats.volume_tests += u64::from(node.lanes().count_ones());
            let (mut remaining, distances) = test.test::<V, S>(simd, &node, limit);
            if remaining == 0 {
                continue;
            }
            let distances = simd.to_array(distances);
            let siblings = stack.len();
            while remaining != 0 {
                let lane = remaining.trailing_zeros() as usize;
                remaining &= remaining - 1;
                let child = PendingNode { distance: distances[lane], node: node.child(lane) };
                insert_farthest_first(stack, siblings, child);
            }
        }
    }
}

/// Inserts a node into the part of the stack from index `first` on, whose nodes are sorted with the farthest first.
#[inline(always)]
fn insert_farthest_first(stack: &mut Vec<PendingNode>, first: usize, node: PendingNode) {
    stack.push(node);
    let mut at = stack.len() - 1;
    while at > first && stack[at - 1].distance < node.distance {
        stack[at] = stack[at - 1];
        at -= 1;
    }
    stack[at] = node;
}

/// A test of the volumes of a node's eight children.
pub(crate) trait NodeVolumeTest {
    /// Returns a bit for each child whose volume may matter, and each child's distance, which each test defines (a
    /// squared distance, or a position on a ray). Nearer children are visited first; those at a distance above `limit`
    /// don't matter.
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>, limit: f32) -> (u8, S::F32x8);
}

/// A volume test that keeps the volumes that overlap a box. It gives all of them the distance 0, so their order is
/// arbitrary, and it ignores the limit, for which callers pass infinity.
pub(crate) struct OverlapsBox(pub(crate) LocalBox);

impl NodeVolumeTest for OverlapsBox {
    #[inline(always)]
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>, _: f32) -> (u8, S::F32x8) {
        (V::overlaps_box(simd, node, &self.0), simd.splat(0.0))
    }
}

/// A volume test that keeps the volumes near a point, the nearest first. Distances and limit are squared distances;
/// [`LocalPoint::limit_sq`] computes the limit.
pub(crate) struct NearPoint(pub(crate) LocalPoint);

impl NodeVolumeTest for NearPoint {
    #[inline(always)]
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>, limit: f32) -> (u8, S::F32x8) {
        let distances_sq = V::distance_sq(simd, node, &self.0.coordinates);
        (node.lanes() & !simd.bits(simd.gt(distances_sq, simd.splat(limit))), distances_sq)
    }
}

/// A volume test that keeps the volumes near a box, the nearest first. Distances and limit are squared distances;
/// [`LocalBox::limit_sq`] computes the limit.
pub(crate) struct NearBox(pub(crate) LocalBox);

impl NodeVolumeTest for NearBox {
    #[inline(always)]
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>, limit: f32) -> (u8, S::F32x8) {
        let distances_sq = self.0.lower_bounds_sq::<V, S>(simd, node, limit);
        (node.lanes() & !simd.bits(simd.gt(distances_sq, simd.splat(limit))), distances_sq)
    }
}

/// A volume test that keeps the volumes that a ray meets, in the order in which the ray meets them. Distances and limit
/// are positions on the ray.
pub(crate) struct OnRay {
    pub(crate) ray: LocalRay,
    /// The position on the ray where the part that matters starts.
    pub(crate) start: f32,
}

impl NodeVolumeTest for OnRay {
    #[inline(always)]
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>, limit: f32) -> (u8, S::F32x8) {
        V::ray_entry(simd, node, &self.ray, [self.start, limit])
    }
}

/// A volume test that keeps the volumes near the path of a moving body, in the order in which the body meets them.
/// Distances and limit are positions on the path.
pub(crate) struct NearPath {
    /// A box around the whole path.
    pub(crate) bounds: LocalBox,
    /// The path of the body's centre, as thick as the body, and the position where the path starts; `None` if the body
    /// does not move.
    pub(crate) path: Option<OnRay>,
}

impl NodeVolumeTest for NearPath {
    #[inline(always)]
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>, limit: f32) -> (u8, S::F32x8) {
        let near = V::overlaps_box(simd, node, &self.bounds);
        match &self.path {
            Some(path) if near != 0 => {
                let (met, entry) = path.test::<V, S>(simd, node, limit);
                (near & met, entry)
            }
            _ => (near, simd.splat(0.0)),
        }
    }
}
