//! The one loop that descends one tree: compiled for each kind of volume, level of instructions and volume test.

use std::marker::PhantomData;
use std::ops::{AddAssign, ControlFlow};

use super::volume_test::VolumeTest;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;
use crate::volume::{BoundingVolume, Node, NodeRef, for_kind};

/// Takes the triangles that a descent arrives at.
pub(super) trait TriangleVisitor {
    /// A triangle of a leaf that matters, with its face. Breaks, or gives the limit of distances from here on, by the
    /// measure of the volume test; infinite for one without order.
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32>;
}

/// Volumes still to be descended, the nearest of its siblings last.
#[derive(Debug, Default)]
pub(super) struct Stack {
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    distance: f32,
    node: NodeRef,
}

/// How much work a question was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ProbeStats {
    /// Volumes tested.
    pub volume_tests: u64,
    /// Triangles tested.
    pub triangle_tests: u64,
}

impl AddAssign for ProbeStats {
    fn add_assign(&mut self, other: Self) {
        self.volume_tests += other.volume_tests;
        self.triangle_tests += other.triangle_tests;
    }
}

/// Descends a tree from a node, if not the root then one of its own, until the visitor breaks or nothing is left that
/// matters.
pub(super) fn descend<T: VolumeTest>(
    level: SimdLevel,
    tree: &BvTree,
    from: NodeRef,
    stack: &mut Stack,
    test: T,
    visitor: &mut dyn TriangleVisitor,
) -> ProbeStats {
    let view = tree.view();
    if view.corners.is_empty() {
        return ProbeStats::default();
    }
    for_kind!(tree.kind(), V => dispatch(level, Descent { view, from, stack, test, visitor, kind: PhantomData::<V> }))
}

struct Descent<'a, V, T> {
    view: View<'a>,
    from: NodeRef,
    stack: &'a mut Stack,
    test: T,
    visitor: &'a mut dyn TriangleVisitor,
    kind: PhantomData<V>,
}

impl<V: BoundingVolume, T: VolumeTest> Task for Descent<'_, V, T> {
    type Output = ProbeStats;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ProbeStats {
        let Self { view, from, stack: Stack { entries }, mut test, visitor, .. } = self;
        let mut stats = ProbeStats::default();
        entries.clear();
        entries.push(Entry { distance: f32::NEG_INFINITY, node: from });
        while let Some(Entry { distance, node }) = entries.pop() {
            if distance > test.limit() {
                continue;
            }
            if node.is_leaf() {
                for leaf_index in view.leaf(node.first_triangle()) {
                    stats.triangle_tests += 1;
                    let triangle = Triangle { vertices: view.triangle(leaf_index).map(|vertex| vertex.map(f64::from)) };
                    match visitor.visit(&triangle, view.faces[leaf_index]) {
                        ControlFlow::Continue(limit) => test.set_limit(limit),
                        ControlFlow::Break(()) => return stats,
                    }
                }
                continue;
            }
            let node = Node::at(view.nodes, V::KIND, node);
            stats.volume_tests += u64::from(node.lanes().count_ones());
            let (mut left, distances) = test.test::<V, S>(simd, &node);
            if left == 0 {
                continue;
            }
            let distances = simd.to_array(distances);
            let siblings = entries.len();
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                insert_farthest_first(entries, siblings, Entry { distance: distances[lane], node: node.child(lane) });
            }
        }
        stats
    }
}

/// Adds an entry to those from `first` on, which are sorted.
#[inline(always)]
fn insert_farthest_first(entries: &mut Vec<Entry>, first: usize, entry: Entry) {
    entries.push(entry);
    let mut at = entries.len() - 1;
    while at > first && entries[at - 1].distance < entry.distance {
        entries[at] = entries[at - 1];
        at -= 1;
    }
    entries[at] = entry;
}
