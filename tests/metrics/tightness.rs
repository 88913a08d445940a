//! Sums of volumes and poses against cases worked by hand, against counting, and against what must always hold.

use std::f64::consts::PI;

use bvtree::metrics::{self, LevelTightness, MeshFacts, PoseSet, Tightness, intersection_volume};
use bvtree::shape::{Aabb, Obb, Sphere};
use bvtree::{BuildOptions, BvTree, Mesh, Query, Volume, VolumeKind};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};
use proptest::prelude::*;

use super::meshes::{assert_close, box_mesh, build, config, ellipsoid, mesh};

#[test]
fn a_cube_fills_its_box() {
    let cube = box_mesh([4.0, 4.0, 4.0], [6.0, 6.0, 6.0]);
    let facts = MeshFacts::new(&cube);
    assert_eq!((facts.triangles, facts.area, facts.is_flat), (12, 24.0, false));
    let tightness = Tightness::new(&build(&cube, VolumeKind::Aabb), &facts);
    let root = tightness.levels[0];
    assert_eq!(root.volumes, 1);
    assert_close(root.area_ratio, 1.0);
    // The tree cut at the root is a leaf of 12 triangles.
    assert_close(root.sah_cost, 12.0);
    assert_eq!(root.sibling_overlap, None);
    assert_eq!(facts.hull_volume, Some(8.0));
    assert_close(root.volume_ratio, 1.0);
    let ball = Tightness::new(&build(&cube, VolumeKind::Sphere), &facts).levels[0];
    assert_close(ball.volume_ratio, 4.0 / 3.0 * PI * 3f64.sqrt().powi(3) / 8.0);
    assert_close(ball.area_ratio, 4.0 * PI * 3.0 / 24.0);
}

/// Two right triangles in one plane, three apart: boxes of 1 x 1 in one of 4 x 1.
#[test]
fn two_triangles_by_hand() {
    let pair = mesh(
        &[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [3., 0., 0.], [4., 0., 0.], [3., 1., 0.]],
        &[[0, 1, 2], [3, 4, 5]],
    );
    let facts = MeshFacts::new(&pair);
    assert_eq!((facts.area, facts.is_flat, facts.hull_volume), (1.0, true, None));
    let tightness = Tightness::new(&build(&pair, VolumeKind::Aabb), &facts);
    let expected = [(1, 8.0, 2.0), (2, 4.0, 2.0 + 2.0 * (2.0 / 8.0)), (3, 12.0, 2.5)];
    let [root, leaves] = tightness.levels[..] else { panic!("{} levels", tightness.levels.len()) };
    for (found, (volumes, area_ratio, sah)) in [root, leaves, tightness.total].into_iter().zip(expected) {
        assert_eq!((found.volumes, found.volume_ratio, found.sibling_overlap), (volumes, None, None));
        assert_close(found.area_ratio, area_ratio);
        assert_close(found.sah_cost, sah);
    }
    assert_eq!((tightness.leaf_triangles, tightness.leaf_fill), (Some(1.0), Some(1.0)));
}

/// Two boxes as two leaves: 2 x 2 x 2 at the ends of a box of 3 x 2 x 2, so that they share 1 x 2 x 2.
#[test]
fn sibling_overlap_by_hand() {
    // Two corners of each box, with a zero-area triangle between them.
    let diagonals =
        mesh(&[[0., 0., 0.], [2., 2., 2.], [1., 0., 0.], [3., 2., 2.]], &[[0, 1, 1], [0, 0, 1], [2, 3, 3], [2, 2, 3]]);
    let options =
        BuildOptions { kind: VolumeKind::Aabb, max_leaf_triangles: 2, max_depth: 1, ..BuildOptions::default() };
    let tree = BvTree::build(&diagonals, &options).unwrap();
    assert_eq!((tree.node_count(), tree.leaf_count()), (3, 2));
    let facts = MeshFacts::new(&diagonals);
    assert_eq!((facts.area, facts.is_flat), (0.0, true));
    assert_eq!(Tightness::new(&tree, &facts).levels[1].sibling_overlap, None);

    let nodes: Vec<_> = tree.nodes().collect();
    assert_close(intersection_volume(&nodes[1].volume, &nodes[2].volume), 4.0);
    // Bent out of their plane, the four segments are a mesh with a volume.
    let mut vertices = diagonals.vertices().to_vec();
    vertices.extend([Point3::new(0.0, 2.0, 0.0), Point3::new(3.0, 0.0, 2.0)]);
    let bent = Mesh::from_arrays(vertices, vec![[0, 1, 4], [0, 0, 1], [2, 3, 5], [2, 2, 3]]).unwrap();
    let tightness = Tightness::new(&BvTree::build(&bent, &options).unwrap(), &MeshFacts::new(&bent));
    assert_close(tightness.levels[1].sibling_overlap, 4.0 / 12.0);
    assert_close(tightness.total.sibling_overlap, 4.0 / 12.0);
    assert_eq!(tightness.leaf_fill, Some(1.0));
}

/// What holds for every tree of every mesh.
fn assert_consistent(tree: &BvTree, tightness: &Tightness) {
    let nodes: Vec<_> = tree.nodes().collect();
    assert_eq!(nodes.len(), tree.node_count());
    assert_eq!(nodes.iter().filter(|node| node.is_leaf()).count(), tree.leaf_count());
    assert_eq!(nodes.last().map_or(0, |node| node.level), tree.depth());
    assert_eq!(tightness.levels.len(), if nodes.is_empty() { 0 } else { tree.depth() as usize + 1 });
    assert_eq!(tightness.total.volumes, nodes.len());
    for (level, cut) in (0..).zip(&tightness.levels) {
        let in_cut = || nodes.iter().filter(|node| node.level == level || node.level < level && node.is_leaf());
        assert_eq!(cut.volumes, in_cut().count());
        assert_eq!(in_cut().map(|node| node.triangles).sum::<usize>(), tree.triangle_count());
    }
    for (index, node) in nodes.iter().enumerate() {
        assert_eq!(node.volume.kind(), tree.kind());
        assert_eq!(node.parent.map(|parent| nodes[parent].level + 1), (node.level > 0).then_some(node.level));
        let below: Vec<_> = nodes.iter().filter(|below| below.parent == Some(index)).collect();
        assert_eq!(below.len(), node.children);
        assert!(node.is_leaf() || below.iter().map(|below| below.triangles).sum::<usize>() == node.triangles);
    }
    for row in tightness.levels.iter().chain([&tightness.total]) {
        let LevelTightness { volume_ratio, area_ratio, sibling_overlap, sah_cost, .. } = *row;
        for value in [volume_ratio, area_ratio, sibling_overlap, sah_cost].into_iter().flatten() {
            assert!(value.is_finite() && value >= 0.0, "{row:?}");
        }
    }
    let (last, total) = (tightness.levels.last().and_then(|cut| cut.sah_cost), tightness.total.sah_cost);
    assert!(last == total || (last.unwrap() - total.unwrap()).abs() <= 1e-12 * total.unwrap());
}

#[test]
fn convex_meshes_are_measured_consistently() {
    for semi_axes in [[1.0, 1.0, 1.0], [3.0, 1.0, 0.01], [1e-30, 2e-30, 1e-30], [1e30, 1e30, 2e29]] {
        let mesh = ellipsoid(semi_axes, 24, 12);
        let facts = MeshFacts::new(&mesh);
        let content = semi_axes.map(f64::from).iter().product::<f64>() * 4.0 / 3.0 * PI;
        for kind in VolumeKind::ALL {
            let tree = build(&mesh, kind);
            let tightness = Tightness::new(&tree, &facts);
            assert_consistent(&tree, &tightness);
            let hull = facts.hull_volume.unwrap();
            assert!(hull < content && hull > 0.93 * content, "{semi_axes:?}: {hull} of {content}");
            assert!(tightness.levels[0].volume_ratio.unwrap() >= 1.0 - 1e-6, "{semi_axes:?} {kind}");
            assert!(tightness.levels[0].area_ratio.unwrap() >= 1.0 - 1e-6, "{semi_axes:?} {kind}");
            assert!(tightness.total.sah_cost.unwrap() < tightness.levels[0].sah_cost.unwrap());
        }
    }
}

#[test]
fn one_level_at_a_time_leaves_are_carried_down() {
    // A cluster at one end makes leaves end at different levels.
    let mut vertices = Vec::new();
    for i in 0..60u8 {
        let x = 2f32.powi(-i32::from(i) / 2);
        vertices.extend([Point3::new(x, 0.0, 0.0), Point3::new(x, x, 0.0), Point3::new(x, 0.0, x)]);
    }
    let triangles = (0..60).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = Mesh::from_arrays(vertices, triangles).unwrap();
    let options =
        BuildOptions { kind: VolumeKind::Sphere, split: bvtree::SplitRule::Midpoint, ..BuildOptions::default() };
    let tree = BvTree::build(&mesh, &options).unwrap();
    let leaf_levels: Vec<u32> = tree.nodes().filter(|node| node.is_leaf()).map(|node| node.level).collect();
    assert!(leaf_levels.iter().min() < leaf_levels.iter().max(), "all leaves on one level show nothing");
    let tightness = Tightness::new(&tree, &MeshFacts::new(&mesh));
    assert_consistent(&tree, &tightness);
    assert_eq!(tightness.levels.last().unwrap().volumes, tree.leaf_count());
}

#[test]
fn degenerate_meshes_give_finite_figures_or_none() {
    let tilted = |u: f32, v: f32| [0.3 * u - 0.7 * v, 0.9 * u + 0.1 * v, 0.5 * u + 0.45 * v];
    let points: [Vec<[f32; 3]>; 6] = [
        vec![[1.0, 2.0, 3.0]; 30],
        (0..30u8).map(|i| [f32::from(i), 2.0 * f32::from(i), 0.0]).collect(),
        (0..30u8).map(|i| tilted(f32::from(i % 6), f32::from(i / 6))).collect(),
        (0..30u8).map(|i| [f32::from(i % 6), f32::from(i / 6), 1000.0]).collect(),
        vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        Vec::new(),
    ];
    for vertices in points {
        for scale in [1.0, 1e-30, 1e30, 1e-44] {
            let vertices: Vec<_> = vertices.iter().map(|v| v.map(|x| x * scale)).collect();
            let triangles: Vec<_> = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            let mesh = mesh(&vertices, &triangles);
            let facts = MeshFacts::new(&mesh);
            assert!(facts.is_flat && facts.hull_volume.is_none(), "{vertices:?}: {facts:?}");
            for kind in VolumeKind::ALL {
                let tree = build(&mesh, kind);
                let tightness = Tightness::new(&tree, &facts);
                assert_consistent(&tree, &tightness);
                assert!(tightness.levels.iter().all(|cut| cut.volume_ratio.is_none() && cut.sibling_overlap.is_none()));
                assert_eq!(tightness.leaf_fill.is_none(), triangles.is_empty());
                let few = PoseSet { approaches: 2, ..PoseSet::default() };
                for pose in few.poses(&tree, &tree) {
                    assert!(pose.pose.translation().iter().all(|x| x.is_finite()));
                }
            }
        }
    }
}

fn obb(center: [f64; 3], half_extents: [f64; 3], angles: [f64; 3]) -> Volume {
    let axes: Matrix3<f64> = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]).into_inner();
    Volume::Obb(Obb { center: center.into(), axes, half_extents: half_extents.into() })
}

fn ball(x: f64, radius: f64) -> Volume {
    Volume::Sphere(Sphere { center: Point3::new(x, 0.0, 0.0), radius })
}

#[test]
fn known_intersections() {
    // Two unit balls a radius apart; one inside the other; apart; touching.
    assert_close(intersection_volume(&ball(0.0, 1.0), &ball(1.0, 1.0)), 5.0 * PI / 12.0);
    assert_close(intersection_volume(&ball(0.0, 3.0), &ball(1.0, 1.5)), 4.5 * PI);
    assert_close(intersection_volume(&ball(1.0, 1.5), &ball(0.0, 3.0)), 4.5 * PI);
    assert_eq!(intersection_volume(&ball(0.0, 1.0), &ball(2.0, 1.0)), Some(0.0));
    assert_eq!(intersection_volume(&ball(0.0, 0.0), &ball(0.0, 0.0)), Some(0.0));
    // A unit square and itself turned by 45 degrees share a regular octagon of area 2 (sqrt 2 - 1).
    let turned = obb([0.0; 3], [0.5, 0.5, 1.0], [0.0, 0.0, PI / 4.0]);
    let upright = obb([0.0; 3], [0.5; 3], [0.0; 3]);
    assert_close(intersection_volume(&turned, &upright), 2.0 * (2f64.sqrt() - 1.0));
    // A cube cut off by a corner: the tetrahedron x + y + z < 1/2 of legs 1/2.
    let diagonal = Vector3::new(1.0, 1.0, 1.0).normalize();
    let axes = Rotation3::rotation_between(&Vector3::z(), &diagonal).unwrap().into_inner();
    let half_extents = Vector3::new(5.0, 5.0, 5.0);
    let center = Point3::from(diagonal * (0.5 / 3f64.sqrt() - 5.0));
    let half_space = Volume::Obb(Obb { center, axes, half_extents });
    let cube = obb([0.5; 3], [0.5; 3], [0.0; 3]);
    assert_close(intersection_volume(&half_space, &cube), 1.0 / 48.0);
    assert_close(intersection_volume(&cube, &half_space), 1.0 / 48.0);
    assert_eq!(intersection_volume(&cube, &ball(0.0, 1.0)), None);
}

/// Volume of the convex hull by its definition: every plane through three points with all others on one side carries a
/// face, whose corners are put in order. Sides are told exactly.
fn volume_by_supporting_planes(points: &[Point3<f64>]) -> f64 {
    let side = |[a, b, c]: [Point3<f64>; 3], p: Point3<f64>| {
        let [a, b, c, p] = [a, b, c, p].map(|p| robust::Coord3D { x: p.x, y: p.y, z: p.z });
        robust::orient3d(a, b, c, p)
    };
    let mut faces_seen = std::collections::HashSet::new();
    let mut volume = 0.0;
    for (i, &a) in points.iter().enumerate() {
        for (j, &b) in points.iter().enumerate() {
            for &c in &points[i.max(j)..] {
                let plane = [a, b, c];
                if points.iter().any(|&p| side(plane, p) < 0.0) {
                    continue;
                }
                let on_plane: Vec<usize> = (0..points.len()).filter(|&p| side(plane, points[p]) == 0.0).collect();
                // All points lie "on" a plane through three in a row.
                if on_plane.len() == points.len() || !faces_seen.insert(on_plane.clone()) {
                    continue;
                }
                let face = on_plane.iter().map(|&p| points[p]).collect();
                let face = outline(face, (b - a).cross(&(c - a)).iamax());
                let cone = |p: Point3<f64>, q: Point3<f64>| {
                    let [p, q, r] = [p, q, face[0]].map(|corner| corner - points[0]);
                    p.cross(&q).dot(&r) / 6.0
                };
                volume += face.windows(2).map(|edge| cone(edge[0], edge[1])).sum::<f64>().abs();
            }
        }
    }
    volume
}

/// The corners, in order, of the hull of points in a plane that is seen along an axis (Andrew's monotone chain, 1979).
fn outline(mut points: Vec<Point3<f64>>, along: usize) -> Vec<Point3<f64>> {
    let seen = |p: Point3<f64>| robust::Coord { x: p[(along + 1) % 3], y: p[(along + 2) % 3] };
    points.sort_by(|&a, &b| {
        let (a, b) = (seen(a), seen(b));
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))
    });
    let chain = |points: &mut dyn Iterator<Item = Point3<f64>>| {
        let mut chain: Vec<Point3<f64>> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && robust::orient2d(seen(a), seen(b), seen(p)) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain
    };
    let (lower, upper) = (chain(&mut points.iter().copied()), chain(&mut points.iter().rev().copied()));
    lower.into_iter().chain(upper).collect()
}

/// The share of a grid of points in `a` that lie in `b`, times `a`'s content.
fn counted(a: &Obb, b: &Obb, steps: u32) -> f64 {
    let at = |i: u32| (f64::from(i) + 0.5) / f64::from(steps) * 2.0 - 1.0;
    let point = |i: u32| {
        let in_box = Vector3::new(at(i % steps), at(i / steps % steps), at(i / steps / steps));
        a.center + a.axes * in_box.component_mul(&a.half_extents)
    };
    let inside = (0..steps.pow(3)).filter(|&i| b.contains(&point(i))).count();
    a.volume() * inside as f64 / f64::from(steps).powi(3)
}

fn boxes() -> impl Strategy<Value = [[f64; 3]; 3]> {
    let center = prop::array::uniform3(prop_oneof![-1.0..1.0, Just(0.0), Just(0.5)]);
    let half_extents = prop::array::uniform3(prop_oneof![4 => 0.1..1.5, 1 => Just(0.5), 1 => Just(1.0)]);
    let angles = prop::array::uniform3(prop_oneof![2 => -4.0..4.0, 1 => Just(0.0)]);
    (center, half_extents, angles).prop_map(|(center, half_extents, angles)| [center, half_extents, angles])
}

proptest! {
    #![proptest_config(config(60, 2000))]

    #[test]
    fn upright_boxes_meet_alike_as_either_kind(first in boxes(), second in boxes()) {
        let [a, b] = [first, second].map(|[center, half_extents, _]| obb(center, half_extents, [0.0; 3]));
        let [c, d] = [first, second].map(|[center, half_extents, _]| {
            let (center, half) = (Point3::from(center), Vector3::from(half_extents));
            Volume::Aabb(Aabb { lower: center - half, upper: center + half })
        });
        let (oriented, aligned) = (intersection_volume(&a, &b).unwrap(), intersection_volume(&c, &d).unwrap());
        prop_assert!((oriented - aligned).abs() < 1e-12, "{oriented} and {aligned}");
    }

    #[test]
    fn turned_boxes_meet_as_counted(first in boxes(), second in boxes()) {
        let [a, b] = [first, second].map(|[center, half_extents, angles]| obb(center, half_extents, angles));
        let (one_way, other_way) = (intersection_volume(&a, &b).unwrap(), intersection_volume(&b, &a).unwrap());
        prop_assert!((one_way - other_way).abs() < 1e-12, "{one_way} and {other_way}");
        let (Volume::Obb(a), Volume::Obb(b)) = (a, b) else { unreachable!() };
        let steps = if cfg!(debug_assertions) { 16 } else { 40 };
        let tolerance = 2.0 * a.volume() / f64::from(steps);
        prop_assert!((one_way - counted(&a, &b, steps)).abs() < tolerance, "{one_way}");
    }

    #[test]
    fn hulls_are_as_large_as_those_found_face_by_face(
        points in prop::collection::vec(prop::array::uniform3(prop_oneof![-2i8..=2, Just(0)]), 3..24),
        noise in prop_oneof![Just(0.0f32), Just(1e-6), Just(1e-3), Just(0.3)],
        thickness in prop_oneof![Just(0.0f32), Just(1.0), Just(1e-5)],
    ) {
        let vertices: Vec<[f32; 3]> = points
            .iter()
            .zip(0u16..)
            .map(|(&[x, y, z], i)| {
                let [x, y, z] = [x, y, z].map(f32::from);
                [x + noise * (f32::from(i) * 1.7).sin(), y + 0.5 * x, z * thickness + noise * f32::from(i % 3)]
            })
            .collect();
        let triangles: Vec<_> = (2..vertices.len() as u32).map(|i| [i - 2, i - 1, i]).collect();
        let mesh = mesh(&vertices, &triangles);
        let facts = MeshFacts::new(&mesh);
        prop_assert_eq!(facts.is_flat, facts.hull_volume.is_none());
        let points: Vec<Point3<f64>> = mesh.vertices().iter().map(|vertex| vertex.cast()).collect();
        let (hull, expected) = (facts.hull_volume.unwrap_or(0.0), volume_by_supporting_planes(&points));
        prop_assert!((hull - expected).abs() < 1e-9 || facts.is_flat, "{} instead of {}", hull, expected);
    }
}

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
