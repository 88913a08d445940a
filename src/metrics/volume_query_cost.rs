//! The cost of queries with volumes that no tree stores.

use std::time::Duration;

use nalgebra::Point3;

use super::PoseCost;
use super::hierarchy::Hierarchy;
use super::measured::{Measured, Own};
use super::measured_volume::MeasuredVolume;
use super::query_cost::MAX_TESTS;
use crate::parallel;
use crate::pose::Pose;
use crate::query::Query;
use crate::shape::{ConvexShape, Overlaps};
use crate::tree::BvTree;

/// Counts the work of finding all pairs of touching triangles at each pose of mesh B in A's frame. The trees' volumes
/// are replaced by those that `fit` returns for the triangles below each node, as in
/// [`VolumeMetrics::new`](super::VolumeMetrics::new). `None` if a volume has no [`MeasuredVolume::shape`].
///
/// The traversal is the plainest there is, the same for all volumes. It tests pairs of volumes, the roots first. Of two
/// that overlap, it opens the one with the greater surface area, A's if they are equal, and tests its children against
/// the other; leaves are not opened, and for two leaves all pairs of triangles count as tested. The traversal for a
/// pose ends after 4,194,304 triangle tests. Whether two volumes overlap is decided by their shapes, and exactly if
/// these are polytopes. So the counts are those of an ideal test: they show what a kind of volume can save, whatever
/// the cost of a test. Times are not measured; they are zero.
///
/// The library's own queries test eight volumes at once and have more rules, so [`query_cost`](super::query_cost) gives
/// other counts. Compare the counts with those of [`stored_query_cost`], and with those of this function for other
/// volumes.
pub fn volume_query_cost<V: MeasuredVolume>(
    a: &BvTree,
    b: &BvTree,
    poses: &[Pose],
    mut fit: impl FnMut(&[Point3<f64>]) -> V,
) -> Option<Vec<PoseCost>> {
    let hierarchies = [a, b].map(|tree| Hierarchy::fitted(tree, |points| Own::new(fit(points))));
    pose_costs([a, b], &hierarchies, poses)
}

/// Counts the work of the traversal of [`volume_query_cost`] with the volumes that two trees store, of any kinds.
pub fn stored_query_cost(a: &BvTree, b: &BvTree, poses: &[Pose]) -> Vec<PoseCost> {
    // All stored volumes have shapes.
    pose_costs([a, b], &[a, b].map(Hierarchy::new), poses).unwrap_or_default()
}

/// The cost at each pose; `None` if a volume has no shape.
pub(super) fn pose_costs<V: Measured>(
    [a, b]: [&BvTree; 2],
    [of_a, of_b]: &[Hierarchy<V>; 2],
    poses: &[Pose],
) -> Option<Vec<PoseCost>> {
    let sides = [Shapes::new(of_a)?, Shapes::new(of_b)?];
    Some(parallel::map_with(poses, Query::new, |query, pose| {
        let hit = query.intersects(a, b, pose);
        let (volume_tests, triangle_tests) = tests(&sides, pose);
        PoseCost { hit, volume_tests, triangle_tests, time: Duration::ZERO, time_range: [Duration::ZERO; 2] }
    }))
}

/// The volumes of a tree as shapes, breadth first.
struct Shapes<'a, V> {
    hierarchy: &'a Hierarchy<V>,
    shapes: Vec<ConvexShape>,
}

impl<'a, V: Measured> Shapes<'a, V> {
    fn new(hierarchy: &'a Hierarchy<V>) -> Option<Self> {
        let shapes = parallel::map(&hierarchy.nodes, |node| node.volume.shape());
        Some(Self { hierarchy, shapes: shapes.into_iter().collect::<Option<_>>()? })
    }

    fn is_leaf(&self, node: usize) -> bool {
        self.hierarchy.nodes[node].is_leaf()
    }

    fn area(&self, node: usize) -> f64 {
        self.hierarchy.nodes[node].volume.surface_area()
    }

    fn triangles(&self, node: usize) -> u64 {
        self.hierarchy.nodes[node].triangles as u64
    }
}

/// The numbers of volume tests and of triangle tests at a pose.
fn tests<V: Measured>([a, b]: &[Shapes<'_, V>; 2], pose: &Pose) -> (u64, u64) {
    let (mut volume_tests, mut triangle_tests) = (0, 0);
    let mut moved: Vec<Option<ConvexShape>> = vec![None; b.shapes.len()];
    let has_nodes = !a.shapes.is_empty() && !b.shapes.is_empty();
    let mut stack: Vec<[usize; 2]> = Vec::from_iter(has_nodes.then_some([0, 0]));
    while let Some([p, q]) = stack.pop() {
        volume_tests += 1;
        let other = moved[q].get_or_insert_with(|| b.shapes[q].transformed(pose));
        if !a.shapes[p].overlaps(other) {
            continue;
        }
        let opens_a = !a.is_leaf(p) && (b.is_leaf(q) || a.area(p) >= b.area(q));
        if opens_a {
            stack.extend(a.hierarchy.children(p).map(|child| [child, q]));
        } else if !b.is_leaf(q) {
            stack.extend(b.hierarchy.children(q).map(|child| [p, child]));
        } else {
            triangle_tests += a.triangles(p) * b.triangles(q);
            if triangle_tests >= MAX_TESTS {
                break;
            }
        }
    }
    (volume_tests, triangle_tests)
}
