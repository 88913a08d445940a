//! Poses at given separations, and what a query costs at them.

use bvtree::metrics::{self, PoseSet};
use bvtree::{Query, VolumeKind};

use super::meshes::{box_mesh, build, ellipsoid, mesh};

#[test]
fn poses_stand_at_their_separation() {
    // Convex, so that apart along the line is apart.
    let (a, b) = (ellipsoid([1.0, 2.0, 0.5], 16, 8), box_mesh([9.0, 0.0, 0.0], [10.0, 2.0, 0.5]));
    let set = PoseSet { separations: vec![0.05, 0.001, -0.001, -0.05], approaches: 7, seed: 3 };
    let [trees_a, trees_b] = [a, b].map(|mesh| VolumeKind::ALL.map(|kind| build(&mesh, kind)));
    let poses = set.poses(&trees_a[0], &trees_b[0]);
    assert_eq!(poses.len(), 28);
    let labels: Vec<_> = poses.iter().step_by(7).map(|pose| pose.label()).collect();
    assert_eq!(labels, ["sep=0.05", "sep=0.001", "pen=0.001", "pen=0.05"]);
    for (a, b) in trees_a.iter().zip(&trees_b) {
        assert_eq!(set.poses(a, b), poses, "{} trees give other poses", a.kind());
        let mut query = Query::new();
        for pose in &poses {
            assert_eq!(query.intersects(a, b, &pose.pose), pose.separation < 0.0, "{}", pose.label());
        }
        let cost = metrics::query_cost(&mut query, a, b, poses.iter().map(|pose| &pose.pose));
        assert_eq!((cost.queries, cost.hits), (28, 14));
        assert_eq!(cost.volume_tests_per_query(), Some(cost.volume_tests as f64 / 28.0));
        assert!(cost.volume_tests > 28 && cost.triangle_tests >= 14);
    }
    assert_ne!(PoseSet { seed: 4, ..set.clone() }.poses(&trees_a[0], &trees_b[0]), poses);
}

#[test]
fn no_mesh_no_poses_no_cost() {
    let tree = build(&mesh(&[], &[]), VolumeKind::Aabb);
    assert!(PoseSet::default().poses(&tree, &tree).is_empty());
    let cost = metrics::query_cost(&mut Query::new(), &tree, &tree, []);
    assert_eq!((cost.volume_tests_per_query(), cost.triangle_tests_per_query()), (None, None));
}
