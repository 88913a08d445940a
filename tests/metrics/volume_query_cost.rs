//! What queries cost with volumes of one's own: against a traversal by hand and against all pairs of leaves.

use bvtree::metrics::{
    ConvexPolytope, MeasuredVolume, MeshFacts, PoseCost, PoseSet, QueryCost, ReferenceVolume, VolumeMetrics,
    stored_query_cost, volume_query_cost,
};
use bvtree::shape::{Aabb, ConvexShape, Overlaps};
use bvtree::tree::NodeInfo;
use bvtree::{BvTree, Mesh, Pose, Query, Volume, VolumeKind};
use nalgebra::{Point3, Vector3};

use super::meshes::{box_mesh, build, ellipsoid, mesh, union};
use super::own_volume::{OwnBox, OwnSphere};

fn posed(a: &BvTree, b: &BvTree) -> Vec<Pose> {
    let set = PoseSet { separations: vec![0.02, -0.01], approaches: 4, seed: 5 };
    set.poses(a, b).iter().map(|posed| posed.pose).collect()
}

fn aabb(node: &NodeInfo) -> Aabb {
    match node.volume {
        Volume::Aabb(aabb) => aabb,
        _ => unreachable!(),
    }
}

/// The children of a node.
fn below(nodes: &[NodeInfo], parent: usize) -> Vec<usize> {
    (0..nodes.len()).filter(|&node| nodes[node].parent == Some(parent)).collect()
}

/// The tests of two trees of boxes at a translation, by comparing intervals.
fn by_hand(a: &[NodeInfo], b: &[NodeInfo], by: &Vector3<f64>, [p, q]: [usize; 2]) -> [u64; 2] {
    let (own, other) = (aabb(&a[p]), aabb(&b[q]));
    let overlaps = (0..3).all(|k| own.lower[k] <= other.upper[k] + by[k] && other.lower[k] + by[k] <= own.upper[k]);
    if !overlaps {
        return [1, 0];
    }
    let pairs: Vec<[usize; 2]> = match [a[p].is_leaf(), b[q].is_leaf()] {
        [true, true] => return [1, (a[p].triangles * b[q].triangles) as u64],
        [false, is_leaf] if is_leaf || a[p].volume.surface_area() >= b[q].volume.surface_area() => {
            below(a, p).into_iter().map(|child| [child, q]).collect()
        }
        _ => below(b, q).into_iter().map(|child| [p, child]).collect(),
    };
    let tests = pairs.into_iter().map(|pair| by_hand(a, b, by, pair));
    tests.fold([1, 0], |sum, own| [sum[0] + own[0], sum[1] + own[1]])
}

#[test]
fn boxes_that_are_moved_cost_what_a_traversal_by_hand_counts() {
    let meshes = [ellipsoid([3.0, 2.0, 1.0], 12, 8), ellipsoid([1.0, 1.0, 4.0], 10, 9)];
    let [a, b] = meshes.map(|mesh| build(&mesh, VolumeKind::Aabb));
    let nodes = [&a, &b].map(|tree| tree.nodes().collect::<Vec<_>>());
    for by in [[0.5, 0.25, 0.0], [3.5, 0.5, 1.0], [9.0, 0.0, 0.0], [0.0, 0.0, 0.0]].map(Vector3::from) {
        let pose = Pose::from_translation(by).unwrap();
        let cost = stored_query_cost(&a, &b, &[pose])[0];
        let expected = by_hand(&nodes[0], &nodes[1], &by, [0, 0]);
        assert_eq!([cost.volume_tests, cost.triangle_tests], expected, "{by}");
        assert_eq!(cost.hit, Query::new().intersects(&a, &b, &pose));
        assert!(cost.time.is_zero());
    }
    // Own boxes fit the triangles, stored ones are rounded outward.
    let pose = Pose::from_translation(Vector3::new(0.5, 0.25, 0.0)).unwrap();
    let shape = |points: &[Point3<f64>]| ConvexShape::try_from(Aabb::from_points(points)).unwrap();
    let own = volume_query_cost(&a, &b, &[pose], shape).unwrap()[0];
    let stored = stored_query_cost(&a, &b, &[pose])[0];
    assert!(own.volume_tests <= stored.volume_tests && own.volume_tests > stored.volume_tests * 9 / 10);
}

/// The hulls of a tree's leaves, with their numbers of triangles.
fn leaf_hulls(tree: &BvTree) -> Vec<(ConvexShape, u64)> {
    let mesh = tree.to_mesh().unwrap();
    let triangles: Vec<_> = mesh.iter().collect();
    let corners = |node: &NodeInfo| {
        let faces = &tree.faces()[node.first_triangle..node.first_triangle + node.triangles];
        faces.iter().flat_map(|&face| triangles[face as usize].vertices).collect::<Vec<_>>()
    };
    let leaves: Vec<_> = tree.nodes().filter(NodeInfo::is_leaf).collect();
    leaves.iter().map(|leaf| (ConvexShape::hull(&corners(leaf)).unwrap(), leaf.triangles as u64)).collect()
}

#[test]
fn hulls_test_the_triangles_of_all_leaves_whose_hulls_overlap_and_no_volume_fewer() {
    let meshes = [Mesh::load_obj("data/nonmanifold.obj").unwrap(), ellipsoid([3.0, 2.0, 1.0], 12, 8)];
    for kind in VolumeKind::ALL {
        let [a, b] = meshes.each_ref().map(|mesh| build(mesh, kind));
        let poses = posed(&a, &b);
        assert_eq!(poses.len(), 8);
        let hulls = ReferenceVolume::Hull.query_cost(&a, &b, &poses);
        let [of_a, of_b] = [&a, &b].map(leaf_hulls);
        for (pose, cost) in poses.iter().zip(&hulls) {
            let moved: Vec<_> = of_b.iter().map(|(hull, count)| (hull.transformed(pose), count)).collect();
            let with = |(hull, own): &(ConvexShape, u64)| {
                moved.iter().filter(|(other, _)| hull.overlaps(other)).map(|(_, count)| own * **count).sum::<u64>()
            };
            assert_eq!(cost.triangle_tests, of_a.iter().map(with).sum::<u64>(), "{kind}");
            assert!(cost.triangle_tests >= Query::new().count_pairs(&a, &b, pose));
        }
        let others = [ReferenceVolume::KDop14, ReferenceVolume::SharedAxes].map(|own| own.query_cost(&a, &b, &poses));
        for looser in others.into_iter().chain([stored_query_cost(&a, &b, &poses)]) {
            let pairs = hulls.iter().zip(&looser);
            assert!(pairs.clone().all(|(hull, own)| hull.triangle_tests <= own.triangle_tests && hull.hit == own.hit));
            let sums = [&hulls, &looser].map(|costs| costs.iter().collect::<QueryCost>());
            assert!(sums[0].triangle_tests < sums[1].triangle_tests, "{kind} {sums:?}");
        }
    }
}

#[test]
fn polytopes_and_their_shapes_cost_the_same() {
    let tree = build(&ellipsoid([3.0, 2.0, 1.0], 12, 8), VolumeKind::Obb);
    let poses = posed(&tree, &tree);
    let shapes = volume_query_cost(&tree, &tree, &poses, |points| ConvexShape::hull(points).unwrap()).unwrap();
    let polytopes = volume_query_cost(&tree, &tree, &poses, ConvexPolytope::hull).unwrap();
    let counts = |costs: &[PoseCost]| costs.iter().map(|cost| cost.triangle_tests).collect::<Vec<_>>();
    assert_eq!(counts(&shapes), counts(&polytopes));
}

#[test]
fn without_shapes_or_nodes_nothing_is_counted() {
    let (tree, empty) = (build(&ellipsoid([3.0, 2.0, 1.0], 12, 8), VolumeKind::Aabb), mesh(&[], &[]));
    let poses = [Pose::identity()];
    assert_eq!(volume_query_cost(&tree, &tree, &poses, |points| OwnBox(Aabb::from_points(points))), None);
    let nothing = build(&empty, VolumeKind::Aabb);
    for [a, b] in [[&tree, &nothing], [&nothing, &tree], [&nothing, &nothing]] {
        assert_eq!(stored_query_cost(a, b, &poses), [PoseCost::default()]);
    }
    assert_eq!(stored_query_cost(&tree, &tree, &[]), []);
}

/// Figures of volumes as shapes and as other code has them.
#[test]
fn shapes_are_volumes_of_ones_own() {
    let solid = union(&[box_mesh([-3.0, -2.0, -1.0], [3.0, 2.0, 1.0]), box_mesh([4.0, 0.0, 0.0], [5.0, 1.0, 1.0])]);
    let (tree, facts) = (build(&solid, VolumeKind::Obb), MeshFacts::new(&solid));
    let sphere = |points: &[Point3<f64>]| {
        let center = Aabb::from_points(points).center();
        (center, points.iter().map(|p| (p - center).norm()).fold(0.0, f64::max) * (1.0 + 1e-9))
    };
    let ours = VolumeMetrics::new(&tree, &facts, |points| {
        let (center, radius) = sphere(points);
        ConvexShape::hull(&[center]).unwrap().rounded(radius).unwrap()
    });
    let theirs = VolumeMetrics::new(&tree, &facts, |points| {
        let (center, radius) = sphere(points);
        OwnSphere { sphere: bvtree::shape::Sphere { center, radius }, tetrahedra: None }
    });
    let close = |ours: Option<f64>, theirs: Option<f64>| {
        let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
        assert!((ours - theirs).abs() <= 1e-9 * (1.0 + theirs), "{ours} {theirs}");
    };
    for (ours, theirs) in ours.levels().zip(theirs.levels()) {
        close(ours.tightness.volume_ratio, theirs.tightness.volume_ratio);
        close(ours.tightness.area_ratio, theirs.tightness.area_ratio);
        close(ours.outside.map(|outside| outside.value), theirs.outside.map(|outside| outside.value));
        // The same points and lines.
        close(ours.rays.line_tests.map(|tests| tests.value), theirs.rays.line_tests.map(|tests| tests.value));
        close(ours.rays.epo.map(|epo| 1.0 + epo.value), theirs.rays.epo.map(|epo| 1.0 + epo.value));
        assert!(ours.hausdorff.max.is_none());
    }
    // Boxes have corners, and so all figures; half of a unit box is in another.
    let boxes = VolumeMetrics::new(&tree, &facts, |points| ConvexShape::try_from(Aabb::from_points(points)).unwrap());
    let slabs = VolumeMetrics::new(&tree, &facts, |points| {
        ConvexPolytope::between_slabs(&[Vector3::x(), Vector3::y(), Vector3::z()], points)
    });
    for (boxes, slabs) in boxes.levels().zip(slabs.levels()) {
        close(boxes.tightness.volume_ratio, slabs.tightness.volume_ratio);
        let [boxes, slabs] = [boxes, slabs].map(|level| level.hausdorff.max.unwrap());
        assert!(boxes.lower <= slabs.upper + 1e-9 && slabs.lower <= boxes.upper + 1e-9, "{boxes:?} {slabs:?}");
    }
    let unit = |x: f64| {
        ConvexShape::cuboid(Vector3::repeat(0.5))
            .unwrap()
            .transformed(&Pose::from_translation(Vector3::new(x, 0.0, 0.0)).unwrap())
    };
    close(unit(0.0).intersection_volume(&unit(0.5)), Some(0.5));
    assert_eq!(unit(0.0).rounded(0.1).unwrap().intersection_volume(&unit(0.5)), None);
}
