//! Sums over the volumes of a tree, against cases worked by hand and against what must always hold.

use std::f64::consts::PI;

use bvtree::metrics::{LevelTightness, MeshFacts, PoseSet, Tightness, intersection_volume};
use bvtree::{BuildOptions, BvTree, Mesh, VolumeKind};
use nalgebra::Point3;

use super::meshes::{assert_close, box_mesh, build, ellipsoid, mesh};

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

/// A vertex of an oblique plane is rounded along all three axes.
#[test]
fn oblique_planes_are_flat() {
    let mut thickest: f64 = 0.0;
    for i in 0..60u8 {
        let sum = 3.03 + f64::from(i) * 1e-3;
        // Least and largest offset from the plane, times the root of 3.
        let (mut least, mut largest): (f64, f64) = (0.0, 0.0);
        let vertices: Vec<[f32; 3]> = (0..900)
            .map(|k| {
                let [x, y] = [k % 30, k / 30].map(|k| 1.0 + (f64::from(k) + 0.017 * f64::from(i)) * 3.3e-4);
                let vertex = [x, y, sum - x - y].map(|x| x as f32);
                let offset = vertex.map(f64::from).iter().sum::<f64>() - sum;
                (least, largest) = (least.min(offset), largest.max(offset));
                vertex
            })
            .collect();
        let greatest = vertices.iter().flatten().fold(0.0, |greatest, &x| f64::max(greatest, x.into()));
        let per_rounding = 1.0 / (3f64.sqrt() * f64::from(f32::EPSILON) * greatest);
        thickest = thickest.max((largest - least) * per_rounding);
        let triangles: Vec<_> = (0..300).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let facts = MeshFacts::new(&mesh(&vertices, &triangles));
        assert!(facts.is_flat && facts.hull_volume.is_none(), "{sum}: {facts:?}");
    }
    assert!((1.0..3f64.sqrt()).contains(&thickest), "{thickest}");
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
