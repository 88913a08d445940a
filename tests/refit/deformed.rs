//! Meshes under twist, bend and noise.

use bvtree::query::FacePair;
use bvtree::refit::ObbAxes;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Preset, Query, Volume, VolumeKind};
use nalgebra::{Isometry3, Vector3};

use super::{Deformation, assert_sound, builds, deforming, nodes, with_positions};
use crate::dataset_folder::dataset;
use crate::oracle::{intersecting_pairs, meshes, queried_pairs};

/// A few poses of the mesh beside itself, from deep in to apart.
fn poses(mesh: &Mesh) -> Vec<Pose> {
    let size = mesh.aabb().size().amax();
    let pose = |i: u32| {
        let t = f64::from(i) / 5.0;
        let along = Vector3::new(1.0 + 0.1 * t, 0.3 * t, -0.2).normalize() * size * 1.4 * t;
        Isometry3::new(along, Vector3::new(t, 2.0 * t, 0.3)).into()
    };
    (0..6).map(pose).collect()
}

/// Hit, pairs and distance are those of a tree that was built for the positions.
fn assert_answers_of_fresh(tree: &BvTree, mesh: &Mesh, what: &str) {
    let fresh = BvTree::build(mesh, &BuildOptions::default()).unwrap();
    let mut query = Query::new();
    for (i, pose) in poses(mesh).iter().enumerate() {
        let sorted = |mut pairs: Vec<FacePair>| {
            pairs.sort_unstable();
            pairs
        };
        let expected = sorted(query.intersecting_pairs(&fresh, &fresh, pose));
        let found = sorted(query.intersecting_pairs(tree, tree, pose));
        assert_eq!(found, expected, "{what}, pose {i}");
        let mixed = sorted(query.intersecting_pairs(&fresh, tree, pose));
        assert_eq!(mixed, expected, "{what}, pose {i}, beside a fresh tree");
        assert_eq!(query.intersects(tree, tree, pose), !expected.is_empty(), "{what}, pose {i}");
        let distances = [&fresh, tree].map(|tree| query.distance(tree, tree, pose).unwrap().distance);
        assert!((distances[0] - distances[1]).abs() <= 1e-12 * distances[0], "{what}, pose {i}: {distances:?}");
    }
}

fn check(mesh: &Mesh, build: &BuildOptions, axes: ObbAxes, name: &str) {
    let mut deforming = deforming(mesh, build, axes);
    for deformation in Deformation::ALL {
        for amount in [0.3, 1.5] {
            let positions = deformation.of(mesh, amount);
            let what = format!("{name}, {build:?}, {axes}, {deformation:?} {amount}");
            let refitted = deforming.refit(&positions).unwrap();
            assert!(refitted.cost_ratio > 0.0 && !refitted.was_rebuilt, "{what}: {refitted:?}");
            assert_eq!(refitted.volumes, deforming.tree().node_count());
            let mesh = with_positions(mesh, &positions);
            assert_eq!(deforming.mesh().vertices(), mesh.vertices());
            assert_sound(deforming.tree(), &mesh, &what);
        }
    }
    let mesh = with_positions(mesh, deforming.mesh().vertices());
    assert_answers_of_fresh(deforming.tree(), &mesh, name);
}

#[test]
fn small_meshes_by_all_rules() {
    for (name, mesh) in
        [("torus", meshes::torus(12, 9)), ("square", meshes::flat_square(7)), ("spiral", meshes::spiral(40))]
    {
        for build in builds() {
            let axes = if build.kind == VolumeKind::Obb { &ObbAxes::ALL[..] } else { &[ObbAxes::Turned] };
            axes.iter().for_each(|&axes| check(&mesh, &build, axes, name));
        }
    }
}

#[test]
fn answers_are_those_of_brute_force() {
    let mesh = meshes::torus(14, 10);
    let positions = Deformation::Twist.of(&mesh, 1.0);
    let deformed = with_positions(&mesh, &positions);
    for kind in VolumeKind::ALL {
        let mut deforming = deforming(&mesh, &Preset::Balanced.options(kind), ObbAxes::Turned);
        deforming.refit(&positions).unwrap();
        for pose in poses(&deformed) {
            let found = queried_pairs(&mut Query::new(), deforming.tree(), deforming.tree(), &pose);
            assert_eq!(found, intersecting_pairs(&deformed, &deformed, &pose), "{kind}");
        }
    }
}

#[test]
fn the_meshes_of_data() {
    for name in ["bolt", "nonmanifold", "sword", "spring", "open_bowl"] {
        let mesh = Mesh::load_obj(format!("{}/data/{name}.obj", env!("CARGO_MANIFEST_DIR"))).unwrap();
        for kind in VolumeKind::ALL {
            check(&mesh, &Preset::Balanced.options(kind), ObbAxes::Turned, name);
        }
    }
}

#[test]
fn the_meshes_of_the_dataset() {
    let Some(dataset) = dataset() else { return };
    for name in ["cow", "fcl-env", "fandisk", "homer"] {
        let mesh = Mesh::load_obj(dataset.join(format!("meshes/{name}.obj"))).unwrap();
        for kind in VolumeKind::ALL {
            check(&mesh, &Preset::Fast.options(kind), ObbAxes::Turned, name);
        }
    }
}

/// Boxes are those that a builder makes, but for rounding in f32.
#[test]
fn axis_aligned_boxes_come_back() {
    let mesh = meshes::torus(30, 20);
    for build in builds().filter(|build| build.kind == VolumeKind::Aabb) {
        let mut deforming = deforming(&mesh, &build, ObbAxes::Turned);
        let before = nodes(&BvTree::build(&mesh, &build).unwrap());
        deforming.refit(&Deformation::Noise.of(&mesh, 1.0)).unwrap();
        deforming.refit(mesh.vertices()).unwrap();
        for (before, after) in before.iter().zip(nodes(deforming.tree())) {
            let (Volume::Aabb(before), Volume::Aabb(after)) = (before.volume, after.volume) else { panic!("boxes") };
            let moved = (before.lower - after.lower).amax().max((before.upper - after.upper).amax());
            assert!(moved < 2e-6, "{moved:e}");
        }
        assert!((deforming.cost_ratio() - 1.0).abs() < 1e-4);
    }
}

/// What turns as a whole fits as well as before, where the axes turn.
#[test]
fn volumes_follow_a_turn() {
    let mesh = meshes::torus(40, 20);
    let turn = Isometry3::new(Vector3::new(5.0, -3.0, 8.0), Vector3::new(1.0, 0.4, -0.7)).cast::<f32>();
    let turned: Vec<_> = mesh.vertices().iter().map(|vertex| turn * vertex).collect();
    for preset in Preset::ALL {
        for (kind, axes) in [(VolumeKind::Obb, ObbAxes::Turned), (VolumeKind::Sphere, ObbAxes::Turned)] {
            let mut deforming = deforming(&mesh, &preset.options(kind), axes);
            let ratio = deforming.refit(&turned).unwrap().cost_ratio;
            assert!((0.8..1.02).contains(&ratio), "{preset} {kind}: {ratio}");
        }
        let mut kept = deforming(&mesh, &preset.options(VolumeKind::Obb), ObbAxes::Kept);
        assert!(kept.refit(&turned).unwrap().cost_ratio > 1.05);
    }
}
