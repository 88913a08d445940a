//! Overlap depths and Hausdorff distances: solids of known depth, and samples of both surfaces as the oracle.

use bvtree::probe::Probe;
use bvtree::query::{DepthOptions, HausdorffDirection, HausdorffDistance, OverlapDepth, QueryError};
use bvtree::{BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::meshes;
use crate::oracle::poses::rotations;
use crate::oracle::{Rules, levels};
use crate::solids::{cuboid, dataset_trees, frame_with_opening, tip_beside_a_bent_wall};

fn tree(mesh: &Mesh) -> BvTree {
    Rules::FINEST.tree(mesh, VolumeKind::Obb)
}

fn depth(a: &BvTree, b: &BvTree, pose: &Pose) -> OverlapDepth {
    Query::new().overlap_depth(a, b, pose, &DepthOptions::default()).unwrap()
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vector3::new(x, y, z)).unwrap()
}

/// Points of a mesh's triangles: corners, middles of edges, and points inside.
fn samples(mesh: &Mesh, steps: usize) -> impl Iterator<Item = Point3<f64>> {
    (0..mesh.triangles().len() as u32).flat_map(move |face| {
        let [a, b, c] = mesh.triangle(face).vertices;
        (0..=steps).flat_map(move |i| {
            (0..=steps - i).map(move |j| {
                let [u, v] = [i, j].map(|k| k as f64 / steps as f64);
                a + (b - a) * u + (c - a) * v
            })
        })
    })
}

/// The greatest depth of samples of the mesh in a solid, by signed distances; `to_solid` maps into its frame.
fn sampled(mesh: &Mesh, solid: &BvTree, steps: usize, to_solid: impl Fn(&Point3<f64>) -> Point3<f64>) -> f64 {
    let mut probe = Probe::new();
    let depths = samples(mesh, steps).map(|point| -probe.signed_distance(solid, &to_solid(&point)).unwrap());
    depths.fold(0.0, f64::max)
}

/// Checks an interval against samples of both surfaces, and its witness by other queries.
fn check(meshes: [&Mesh; 2], trees: [&BvTree; 2], pose: &Pose, found: &OverlapDepth, steps: usize, tolerance: f64) {
    let back = pose.inverse();
    let posed = |pose: &Pose, point: &Point3<f64>| Point3::from(pose.rotation() * point.coords + pose.translation());
    let in_a = sampled(meshes[1], trees[0], steps, |point| posed(pose, point));
    let in_b = sampled(meshes[0], trees[1], steps, |point| posed(&back, point));
    let rounding = 1e-12;
    assert!(in_a.max(in_b) <= found.upper + rounding, "samples {in_a} {in_b}: {found:?}");
    assert!(found.lower <= found.upper);
    assert!(found.upper - found.lower <= tolerance * found.lower + 1e-11, "{found:?}");
    if let Some(deepest) = found.deepest {
        let (inner, outer) = if deepest.is_on_b { (1, 0) } else { (0, 1) };
        let local = |side: usize, point: &Point3<f64>| if side == 0 { *point } else { posed(&back, point) };
        let mut probe = Probe::new();
        let on_inner = probe.closest_point(trees[inner], &local(inner, &deepest.point)).unwrap().distance;
        assert!(on_inner <= rounding, "{on_inner:e} off its surface: {found:?}");
        let own = -probe.signed_distance(trees[outer], &local(outer, &deepest.point)).unwrap();
        assert!(own >= found.lower - rounding, "{own} deep: {found:?}");
        let way = (deepest.way_out - deepest.point).norm();
        assert!((way - own).abs() <= rounding, "{way} {own}");
    }
}

#[test]
fn cubes() {
    let cube = tree(&cuboid([2.0, 2.0, 2.0]));
    // The face of one is 0.5 inside the other; flush at the sides, edges are on the surface.
    let found = depth(&cube, &cube, &shift(1.5, 0.0, 0.0));
    assert!(found.lower <= 0.5 && 0.5 <= found.upper && found.upper <= 0.51, "{found:?}");
    // A corner of one is 0.25, 0.5 and 0.75 inside the other.
    let found = depth(&cube, &cube, &shift(1.75, 1.5, 1.25));
    assert!(found.lower <= 0.25 && 0.25 <= found.upper && found.upper <= 0.2525, "{found:?}");
    // A small cube inside: its far face is 0.9 deep.
    let small = tree(&cuboid([0.5, 0.5, 0.5]));
    let found = depth(&cube, &small, &shift(0.0, 0.0, 0.0));
    assert!(found.lower <= 0.75 && 0.75 <= found.upper && found.upper <= 0.7575, "{found:?}");
    assert!(found.deepest.unwrap().is_on_b);
    assert!(!depth(&small, &cube, &shift(0.0, 0.0, 0.0)).deepest.unwrap().is_on_b);
}

#[test]
fn what_does_not_overlap_has_no_depth() {
    let cube = tree(&cuboid([2.0, 2.0, 2.0]));
    let none = OverlapDepth { lower: 0.0, upper: 0.0, deepest: None };
    for pose in [shift(2.0, 0.0, 0.0), shift(2.0, 1.0, 0.5), shift(2.0, 2.0, 2.0), shift(2.5, 0.0, 0.0)] {
        assert_eq!(depth(&cube, &cube, &pose), none);
    }
    // In the hole of a ring, and around it.
    let ring = tree(&meshes::torus(32, 16));
    let grain = tree(&cuboid([0.01, 0.01, 0.01]));
    assert_eq!(depth(&ring, &grain, &Pose::identity()), none);
    let empty = tree(&meshes::empty());
    assert_eq!(depth(&empty, &cube, &Pose::identity()), none);
    // The same solid twice: nothing of one surface is inside the other.
    assert_eq!(depth(&cube, &cube, &Pose::identity()), none);
}

/// Triangles without area connect what is inside with what is outside.
#[test]
fn segments_out_of_a_room() {
    use crate::relation::solids::{cube, tied_cubes, with_segment};
    let room = tree(&cube(1.0));
    for part in [with_segment(&cube(0.5), [[0.5; 3], [2.0, 0.5, 0.5]]), tied_cubes()] {
        let part = tree(&part);
        for (a, b) in [(&part, &room), (&room, &part)] {
            let found = depth(a, b, &Pose::identity());
            assert!(found.lower <= 0.5 && 0.5 <= found.upper && found.upper <= 0.51, "{found:?}");
        }
    }
}

#[test]
fn open_meshes_are_refused() {
    let (cube, open) = (tree(&cuboid([2.0, 2.0, 2.0])), tree(&meshes::flat_square(3)));
    let mut query = Query::new();
    let options = DepthOptions::default();
    let b = query.overlap_depth(&cube, &open, &Pose::identity(), &options);
    assert_eq!(b, Err(QueryError::OpenMesh { mesh: 'B' }));
    let a = query.overlap_depth(&open, &cube, &Pose::identity(), &options);
    assert_eq!(a, Err(QueryError::OpenMesh { mesh: 'A' }));
}

/// A door in the opening of its wall, both in coordinates far from the origin: they overlap by f32's rounding alone.
#[test]
fn a_door_in_its_opening() {
    let wall = frame_with_opening([2.0, 1.5], [0.5, 1.0], 0.2);
    let door = cuboid([1.0, 2.0, 0.2]);
    for by in [0.0, 1e-7, 25e-9, 5e-7, 1e-3] {
        let far = Vector3::new(37.1, 12.3, 4.7);
        let wall = tree(&meshes::moved(&wall, |vertex| vertex + far));
        let shifted = meshes::moved(&door, |vertex| vertex * (1.0 + by) + far);
        let found = depth(&wall, &tree(&shifted), &Pose::identity());
        // At the corners, along both sides: sqrt(0.5^2 + 1). f32 has steps of 3.8e-6 at 37.
        assert!(found.upper <= 1.13 * by + 8e-6, "{found:?} by {by}");
        assert!(found.upper - found.lower <= 0.01 * found.lower + 1e-11, "{found:?}");
        // By the pose, in f64: nanometres.
        let pose = shift(by, 0.0, 0.0);
        let (wall, door) = (frame_with_opening([2.0, 1.5], [0.5, 1.0], 0.2), door.clone());
        let found = depth(&tree(&wall), &tree(&door), &pose);
        assert!(found.lower <= by + 1e-13 && by <= found.upper && found.upper <= 1.01 * by + 1e-12, "{found:?} {by:e}");
    }
}

/// A tessellated bolt in a tessellated hole of the same radius, turned by half a step: as deep as the sagitta.
#[test]
fn a_bolt_in_its_hole() {
    let circle = |n: u32, radius: f64, offset: f64| {
        (0..n).map(move |i| {
            let angle = std::f64::consts::TAU * (f64::from(i) + offset) / f64::from(n);
            [(radius * angle.cos()) as f32, (radius * angle.sin()) as f32]
        })
    };
    let n = 24;
    let prism = |offset: f64, half: f32| {
        let mut vertices = vec![Point3::new(0.0, 0.0, -half), Point3::new(0.0, 0.0, half)];
        for z in [-half, half] {
            vertices.extend(circle(n, 0.01, offset).map(|[x, y]| Point3::new(x, y, z)));
        }
        let mut triangles = Vec::new();
        for i in 0..n {
            let j = (i + 1) % n;
            let [a, b, c, d] = [2 + i, 2 + j, 2 + n + i, 2 + n + j];
            triangles.extend([[0, b, a], [1, c, d], [a, b, d], [a, d, c]]);
        }
        Mesh::from_arrays(vertices, triangles).unwrap()
    };
    let plate = |half: f32| {
        let mut vertices = Vec::new();
        for (radius, z) in [(0.03, -half), (0.01, -half), (0.03, half), (0.01, half)] {
            vertices.extend(circle(n, radius, 0.0).map(|[x, y]| Point3::new(x, y, z)));
        }
        let mut triangles = Vec::new();
        for i in 0..n {
            let j = (i + 1) % n;
            let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, b, c], [a, c, d]]);
            quad([j, i, n + i, n + j]);
            quad([2 * n + i, 2 * n + j, 3 * n + j, 3 * n + i]);
            quad([i, j, 2 * n + j, 2 * n + i]);
            quad([n + j, n + i, 3 * n + i, 3 * n + j]);
        }
        Mesh::from_arrays(vertices, triangles).unwrap()
    };
    let (bolt, plate) = (prism(0.5, 0.05), plate(0.01));
    let found = depth(&tree(&plate), &tree(&bolt), &Pose::identity());
    let sagitta = 0.01 * (1.0 - (std::f64::consts::PI / f64::from(n)).cos());
    assert!(found.lower <= sagitta + 1e-8 && sagitta - 1e-8 <= found.upper, "{found:?} {sagitta}");
    assert!(found.upper <= 1.02 * sagitta, "{found:?} {sagitta}");
}

#[test]
fn far_from_the_origin() {
    let (a, b) = (meshes::torus(24, 12), meshes::sphere(12, 16, 0.7));
    let near = shift(1.0, 0.2, 0.1);
    let reference = depth(&tree(&a), &tree(&b), &near);
    for distance in [1e3, 1e6] {
        let far = Vector3::new(distance, -distance, 0.5 * distance);
        let shifted = tree(&meshes::moved(&b, |vertex| vertex + far));
        let back = Pose::from_translation(near.translation() - far).unwrap();
        let found = depth(&tree(&a), &shifted, &back);
        let slack = 1e-6 * distance;
        assert!(found.lower <= reference.upper + slack && reference.lower <= found.upper + slack, "{found:?}");
        assert!(found.upper - found.lower <= 0.011 * found.lower + 1e-12 * distance, "{found:?}");
    }
}

#[test]
fn all_kinds_and_levels_agree() {
    let (a, b) = (meshes::torus(16, 8), meshes::sphere(8, 12, 0.7));
    let pose = Pose::from(Isometry3::new(Vector3::new(1.0, 0.3, 0.2), Vector3::new(0.3, 0.2, 0.9)));
    let narrow = DepthOptions { relative_tolerance: 1e-6, ..Default::default() };
    let mut found = Vec::new();
    for kind in VolumeKind::ALL {
        for rules in Rules::all() {
            let [a, b] = [&a, &b].map(|mesh| rules.tree(mesh, kind));
            for level in levels() {
                found.push(Query::with_simd(level).overlap_depth(&a, &b, &pose, &narrow).unwrap());
            }
            let swapped = Query::new().overlap_depth(&b, &a, &pose.inverse(), &narrow).unwrap();
            found.push(swapped);
        }
    }
    let (least, most) = (
        found.iter().map(|d| d.upper).fold(f64::INFINITY, f64::min),
        found.iter().map(|d| d.lower).fold(0.0, f64::max),
    );
    assert!(most <= least, "{most} {least}");
    assert!(found.iter().all(|d| d.upper - d.lower <= 1.001e-6 * d.lower && d.lower > 0.1));
}

/// A part of a triangle that is nearly in the plane of a wall's edge is on both sides of the wall, though rounding says
/// that it is above that plane.
#[test]
fn a_bent_wall_across_a_triangle() {
    let meshes = tip_beside_a_bent_wall();
    let [a, b] = [&meshes[0], &meshes[1]].map(tree);
    for (sides, trees) in [([0, 1], [&a, &b]), ([1, 0], [&b, &a])] {
        let found = depth(trees[0], trees[1], &Pose::identity());
        check(sides.map(|side| &meshes[side]), trees, &Pose::identity(), &found, 20, 0.0101);
        assert!(found.lower <= 0.015 + 1e-9 && 0.015 - 1e-9 <= found.upper, "{found:?}");
    }
}

/// Two shells and a shell inside a shell: components that touch nothing count if they are inside.
#[test]
fn several_components() {
    let two = meshes::sphere(8, 12, 0.3);
    let apart = meshes::moved(&two, |vertex| vertex + Vector3::new(3.0, 0.0, 0.0));
    let offset = two.vertices().len() as u32;
    let vertices = two.vertices().iter().chain(apart.vertices()).copied().collect();
    let shifted = apart.triangles().iter().map(|triangle| triangle.map(|vertex| vertex + offset));
    let both = Mesh::from_arrays(vertices, two.triangles().iter().copied().chain(shifted).collect()).unwrap();
    let cube = cuboid([2.0, 2.0, 2.0]);
    for x in [0.0, 0.8, -2.2, -3.0] {
        let pose = shift(x, 0.0, 0.0);
        let trees = [tree(&cube), tree(&both)];
        let found = depth(&trees[0], &trees[1], &pose);
        assert!(found.lower > 0.0);
        check([&cube, &both], [&trees[0], &trees[1]], &pose, &found, 6, 0.0101);
    }
}

#[test]
fn a_small_budget_gives_a_wide_interval() {
    let (a, b) = (tree(&meshes::torus(64, 32)), tree(&meshes::torus(64, 32)));
    let pose = shift(0.9, 0.1, 0.05);
    let full = depth(&a, &b, &pose);
    let options = DepthOptions { max_regions: 20, ..Default::default() };
    let cut = Query::new().overlap_depth(&a, &b, &pose, &options).unwrap();
    assert!(cut.lower <= full.upper && full.lower <= cut.upper);
    assert!(cut.upper - cut.lower > full.upper - full.lower);
}

#[test]
fn hausdorff_distances() {
    let square = |z: f32, scale: f32| {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[x, y]: [f32; 2]| Point3::new(scale * x, scale * y, z));
        tree(&Mesh::from_arrays(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap())
    };
    let (small, large) = (square(0.0, 1.0), square(0.0, 2.0));
    let mut query = Query::new();
    let mut hausdorff = |direction: HausdorffDirection| -> HausdorffDistance {
        query.hausdorff_distance(&small, &large, &Pose::identity(), direction, &DepthOptions::default()).unwrap()
    };
    let close = |found: HausdorffDistance, truth: f64| {
        found.lower <= truth + 1e-14 && truth <= found.upper && found.upper <= 1.0101 * truth + 1e-13
    };
    assert!(close(hausdorff(HausdorffDirection::AToB), 0.0));
    assert!(close(hausdorff(HausdorffDirection::BToA), 2f64.sqrt()));
    assert!(close(hausdorff(HausdorffDirection::Both), 2f64.sqrt()));
    assert!(hausdorff(HausdorffDirection::Both).is_on_b);
    let empty = tree(&meshes::empty());
    let options = DepthOptions::default();
    let of_empty = query.hausdorff_distance(&empty, &large, &Pose::identity(), HausdorffDirection::Both, &options);
    assert!(of_empty.is_none());
}

proptest! {
    #![proptest_config(cases(60, 250))]

    #[test]
    fn solids_at_any_pose(
        (rotation, x, y, z, shape) in (rotations(), -1.8..1.8f64, -1.8..1.8f64, -1.0..1.0f64, 0..3usize)
    ) {
        let a = meshes::torus(16, 8);
        let b = match shape {
            0 => cuboid([0.9, 0.7, 1.5]),
            1 => meshes::sphere(8, 10, 0.6),
            _ => meshes::torus(12, 8),
        };
        let pose = Pose::new(rotation, Vector3::new(x, y, z)).unwrap();
        let [tree_a, tree_b] = [tree(&a), tree(&b)];
        let found = depth(&tree_a, &tree_b, &pose);
        check([&a, &b], [&tree_a, &tree_b], &pose, &found, 12, 0.0101);
    }

    /// Solids of many spikes, pushed a little into each other: the triangles that meet are large beside the depth, and
    /// are sampled densely.
    #[test]
    fn shallow_overlaps_of_spiky_solids(
        (rotation, direction, waves, depth) in (
            rotations(),
            prop::array::uniform3(-1.0..1.0f64),
            prop::array::uniform2(prop::array::uniform3(-9.0..9.0f64)),
            prop::sample::select(vec![1e-6, 1e-3, 1e-2, 1e-1])
        )
    ) {
        let Some(direction) = Unit::try_new(Vector3::from(direction), 0.1) else { return Ok(()) };
        let spiky = |wave: [f64; 3]| {
            let by = |v: Vector3<f64>| v * (1.0 + 0.5 * (v.dot(&Vector3::from(wave))).sin());
            meshes::moved(&meshes::sphere(7, 9, 0.8), by)
        };
        let meshes = waves.map(spiky);
        let [a, b] = [tree(&meshes[0]), tree(&meshes[1])];
        let mut query = Query::new();
        let start = Pose::new(rotation, Vector3::zeros()).unwrap();
        let Some(exit) = query.penetration_along(&a, &b, &start, &direction) else { return Ok(()) };
        let pose = Pose::new(rotation, direction.into_inner() * (exit.depth - depth)).unwrap();
        let found = query.overlap_depth(&a, &b, &pose, &DepthOptions::default()).unwrap();
        let mut faces = [Vec::new(), Vec::new()];
        for pair in query.intersecting_pairs(&a, &b, &pose) {
            faces[0].push(pair.face_a);
            faces[1].push(pair.face_b);
        }
        let met = [0, 1].map(|side| {
            let triangles = faces[side].iter().map(|&face| meshes[side].triangles()[face as usize]).collect();
            Mesh::from_arrays(meshes[side].vertices().to_vec(), triangles).unwrap()
        });
        check([&met[0], &met[1]], [&a, &b], &pose, &found, 40, 0.0101);
        check([&meshes[0], &meshes[1]], [&a, &b], &pose, &found, 4, 0.0101);
        let swapped = query.overlap_depth(&b, &a, &pose.inverse(), &DepthOptions::default()).unwrap();
        prop_assert!(swapped.lower <= found.upper && found.lower <= swapped.upper, "{found:?} {swapped:?}");
    }

    #[test]
    fn cuboids_on_a_grid(sizes in prop::array::uniform6(1..4i32), at in prop::array::uniform3(-4..5i32)) {
        let lengths: [f32; 6] = sizes.map(|size| size as f32 / 2.0);
        let [a, b] = [&lengths[..3], &lengths[3..]].map(|l| cuboid([l[0], l[1], l[2]]));
        let by = Vector3::from(at.map(|x| f64::from(x) / 4.0));
        let pose = Pose::new(Matrix3::identity(), by).unwrap();
        let [tree_a, tree_b] = [tree(&a), tree(&b)];
        let found = depth(&tree_a, &tree_b, &pose);
        check([&a, &b], [&tree_a, &tree_b], &pose, &found, 8, 0.0101);
    }
}

/// The centre of a k-DOP's box may be far from its middle: long thin triangles across the directions, of every kind.
#[test]
fn spiky_solids_of_every_kind() {
    let spike = |length: f32| {
        let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [length, length, length]];
        corners.map(Point3::from).to_vec()
    };
    let ball = meshes::sphere(10, 14, 0.8);
    for length in [0.3, 0.9, 2.0] {
        let spike = Mesh::from_arrays(spike(length), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
        for kind in VolumeKind::ALL {
            let [a, b] = [&ball, &spike].map(|mesh| Rules::FINEST.tree(mesh, kind));
            for turn in [[0.0, 0.0, 0.0], [0.4, 0.9, 0.1], [2.0, 0.3, 0.7]] {
                let pose = Pose::from(Isometry3::new(Vector3::new(-0.2, 0.1, -0.3), Vector3::from(turn)));
                check([&ball, &spike], [&a, &b], &pose, &depth(&a, &b, &pose), 20, 0.0101);
            }
        }
    }
}

#[test]
fn dataset_pairs() {
    for ([a, b], poses) in dataset_trees(2) {
        if !a.watertightness().is_closed() || !b.watertightness().is_closed() {
            continue;
        }
        let meshes = [&a, &b].map(|tree| tree.to_mesh().unwrap());
        for pose in poses.iter().step_by(17) {
            let found = depth(&a, &b, pose);
            check([&meshes[0], &meshes[1]], [&a, &b], pose, &found, 1, 0.0101);
        }
    }
}
