//! What becomes of a tree besides its volumes: caches, files, threads, rebuilds.

use std::sync::Arc;

use bvtree::mesh::{Group, Watertightness};
use bvtree::refit::{DeformingTree, ObbAxes, RefitOptions, Refitted};
use bvtree::{BuildOptions, BvTree, Mesh, Preset, Probe, VolumeKind};
use nalgebra::{Point3, Rotation3, Vector3};

use super::{Deformation, assert_sound, builds, deforming, with_positions};
use crate::oracle::meshes;

fn bytes(tree: &BvTree) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.write_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn bytes_do_not_depend_on_threads_or_what_was_before() {
    let mesh = meshes::torus(90, 70);
    let positions = Deformation::Bend.of(&mesh, 0.8);
    for build in builds() {
        let refit = |threads: usize, ways: &[Deformation]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut deforming = deforming(&mesh, &build, ObbAxes::Turned);
                for way in ways {
                    deforming.refit(&way.of(&mesh, 0.5)).unwrap();
                }
                let refitted = deforming.refit(&positions).unwrap();
                (bytes(deforming.tree()), refitted.cost_ratio)
            })
        };
        let expected = refit(1, &[]);
        assert!(refit(3, &[]) == expected, "{build:?}");
        assert!(refit(2, &[Deformation::Twist, Deformation::Noise]) == expected, "{build:?}");
    }
}

#[test]
fn what_was_found_out_about_the_mesh_is_found_out_again() {
    let mesh = meshes::torus(24, 12);
    let mut deforming = deforming(&mesh, &BuildOptions::default(), ObbAxes::Turned);
    let mut probe = Probe::new();
    let inside = Point3::new(1.0, 0.0, 0.0);
    let mut contains = |tree: &BvTree, point: Point3<f64>| probe.contains(tree, &point);
    let before = contains(deforming.tree(), inside);
    let far: Vec<_> = mesh.vertices().iter().map(|p| Point3::new(p.x + 50.0, p.y, p.z)).collect();
    deforming.refit(&far).unwrap();
    assert_eq!(contains(deforming.tree(), Point3::new(51.0, 0.0, 0.0)), before);
    assert_ne!(contains(deforming.tree(), inside), before);
}

/// Two triangles back to back are closed, and open once they part.
#[test]
fn whether_it_is_closed_is_found_out_again() {
    let corners = meshes::corner_triangle();
    let mesh = Mesh::from_arrays([corners, corners].concat(), vec![[0, 1, 2], [3, 5, 4]]).unwrap();
    let mut deforming = deforming(&mesh, &BuildOptions::default(), ObbAxes::Turned);
    assert!(deforming.tree().watertightness() == Watertightness::Oriented);
    deforming.refit_moved(&[(4, Point3::new(9.0, 9.0, 9.0))]).unwrap();
    assert!(deforming.tree().watertightness() != Watertightness::Oriented);
    deforming.refit(mesh.vertices()).unwrap();
    assert!(deforming.tree().watertightness() == Watertightness::Oriented);
}

#[test]
fn opened_trees_are_copied_and_refitted_ones_can_be_saved() {
    let mesh = meshes::torus(30, 20);
    let positions = Deformation::Twist.of(&mesh, 0.7);
    for build in builds() {
        let built = BvTree::build(&mesh, &build).unwrap();
        let opened = Arc::new(BvTree::from_buffer(bytes(&built)).unwrap());
        let mut deforming = DeformingTree::new(opened.clone(), mesh.clone()).unwrap();
        assert!(opened.validate_against(&mesh).is_empty());
        deforming.refit(&positions).unwrap();
        assert!(opened.validate_against(&mesh).is_empty(), "the one in the file is as it was");
        let saved = bytes(deforming.tree());
        assert_eq!(bytes(&BvTree::from_bytes(&saved).unwrap()), saved);
        // With a frame that is not about the middle.
        deforming.refit_moved(&[(3, Point3::new(0.9, 0.1, 0.2))]).unwrap();
        let saved = bytes(deforming.tree());
        let again = BvTree::from_bytes(&saved).unwrap();
        assert_sound(&again, deforming.mesh(), "opened again");
        let mut again = DeformingTree::new(again, deforming.mesh().clone()).unwrap();
        again.refit(&positions).unwrap();
        assert_sound(again.tree(), again.mesh(), "refitted again");
    }
}

#[test]
fn a_shared_tree_is_left_to_its_owners() {
    let mesh = meshes::torus(20, 12);
    let mut deforming = deforming(&mesh, &BuildOptions::default(), ObbAxes::Turned);
    let before = deforming.tree().clone();
    deforming.refit(&Deformation::Noise.of(&mesh, 1.0)).unwrap();
    assert!(before.validate_against(&mesh).is_empty());
    assert_ne!(before.bounds(), deforming.tree().bounds());
    drop(before);
    let at = Arc::as_ptr(deforming.tree());
    deforming.refit(mesh.vertices()).unwrap();
    assert_eq!(at, Arc::as_ptr(deforming.tree()), "nobody else holds it");
}

#[test]
fn the_digest_is_gone_and_comes_with_a_rebuild() {
    let mesh = meshes::torus(20, 12);
    let mut deforming = deforming(&mesh, &BuildOptions::default(), ObbAxes::Turned);
    assert_eq!(deforming.tree().mesh_digest(), mesh.digest());
    deforming.refit(&Deformation::Twist.of(&mesh, 1.0)).unwrap();
    assert_eq!(deforming.tree().mesh_digest(), 0);
    assert!(deforming.tree().validate_against(deforming.mesh()).is_empty());
    assert!(!deforming.tree().validate_against(&mesh).is_empty());
    deforming.rebuild().unwrap();
    assert_eq!(deforming.tree().mesh_digest(), deforming.mesh().digest());
    assert_eq!(deforming.cost_ratio(), 1.0);
}

/// Where triangles change neighbours the volumes grow, and a rebuild pays.
#[test]
fn what_no_longer_fits_is_built_anew() {
    let mesh = meshes::torus(40, 30);
    // Every vertex takes the place of one far away.
    let count = mesh.vertices().len();
    let mixed: Vec<_> = (0..count).map(|i| mesh.vertices()[i * 7 % count]).collect();
    for build in builds() {
        let tree = BvTree::build(&mesh, &build).unwrap();
        let options = RefitOptions { rebuild_above: Some(1.5), ..RefitOptions::default() };
        let mut deforming = DeformingTree::with_options(tree, mesh.clone(), options).unwrap();
        let Refitted { cost_ratio, was_rebuilt, .. } = deforming.refit(&Deformation::Twist.of(&mesh, 0.1)).unwrap();
        assert!(!was_rebuilt && cost_ratio < 1.5, "{build:?} {cost_ratio}");
        let refitted = deforming.refit(&mixed).unwrap();
        assert!(refitted.was_rebuilt && refitted.cost_ratio > 1.5, "{build:?} {refitted:?}");
        let fresh = BvTree::build(&with_positions(&mesh, &mixed), &build).unwrap();
        assert!(bytes(deforming.tree()) == bytes(&fresh));
        assert!(!deforming.refit(&mixed).unwrap().was_rebuilt);
        assert_sound(deforming.tree(), deforming.mesh(), "after a rebuild");
    }
}

/// A tree built for a mesh that has collapsed says nothing about the mesh at its full size.
#[test]
fn collapsed_meshes_are_rebuilt_once_they_expand() {
    let mesh = meshes::torus(40, 30);
    let along = |direction: Vector3<f32>| move |p: &Point3<f32>| Point3::from(direction * p.x);
    type Way<'a> = &'a dyn Fn(&Point3<f32>) -> Point3<f32>;
    let ways: [(&str, Way<'_>); 6] = [
        ("the origin", &|_| Point3::origin()),
        ("a point", &|_| Point3::new(3.0, -2.0, 1.0)),
        ("an axis", &along(Vector3::x())),
        ("a line", &along(Vector3::new(0.4, -1.0, 0.7))),
        ("a far line", &|p| Point3::from(Vector3::new(0.4, -1.0, 0.7) * (p.x + 50.0))),
        ("nearly a point", &|p| Point3::new(1e3, -1e3, 1e3) + p.coords * 1e-4),
    ];
    let options = RefitOptions { rebuild_above: Some(1.5), ..RefitOptions::default() };
    let faces = |tree: &BvTree| tree.faces().to_vec();
    for (kind, (what, way)) in VolumeKind::ALL.into_iter().flat_map(|kind| ways.map(|way| (kind, way))) {
        let build = BuildOptions { kind, ..BuildOptions::default() };
        let fresh = BvTree::build(&mesh, &build).unwrap();
        let expected = faces(&fresh);
        let collapsed: Vec<_> = mesh.vertices().iter().map(way).collect();
        let mut deforming = DeformingTree::with_options(fresh, mesh.clone(), options).unwrap();
        let refitted = deforming.refit(&collapsed).unwrap();
        if what.contains("point") || what.contains("origin") {
            assert!(!refitted.was_rebuilt && refitted.cost_ratio == 1.0, "{what}, {kind}: {refitted:?}");
        }
        deforming.refit(&collapsed).unwrap();
        deforming.refit(mesh.vertices()).unwrap();
        assert!(faces(deforming.tree()) == expected, "{what}, {kind}");

        // A tree that was built for the collapsed mesh.
        let small = with_positions(&mesh, &collapsed);
        let tree = BvTree::build(&small, &build).unwrap();
        let mut deforming = DeformingTree::with_options(tree, small, options).unwrap();
        assert_eq!(deforming.cost_ratio(), 1.0, "{what}, {kind}");
        let refitted = deforming.refit(mesh.vertices()).unwrap();
        assert!(refitted.was_rebuilt && refitted.cost_ratio > 1.5, "{what}, {kind}: {refitted:?}");
        assert!(faces(deforming.tree()) == expected, "{what}, {kind}");
        assert!(!deforming.refit(mesh.vertices()).unwrap().was_rebuilt, "{what}, {kind}");
    }
}

#[test]
fn axes_stay_orthonormal_however_often_a_tree_is_adopted() {
    let mut mesh = meshes::torus(40, 30);
    let mut tree = Arc::new(BvTree::build(&mesh, &BuildOptions::default()).unwrap());
    for cycle in 0..30_u8 {
        let turn = Rotation3::new(Vector3::new(0.3, -0.2, 0.1 * f32::from(cycle)));
        let positions: Vec<_> = mesh.vertices().iter().map(|vertex| turn * vertex).collect();
        let mut deforming = DeformingTree::new(tree, mesh).unwrap();
        deforming.refit(&positions).unwrap();
        assert_sound(deforming.tree(), deforming.mesh(), &format!("cycle {cycle}"));
        (tree, mesh) = (deforming.tree().clone(), deforming.mesh().clone());
    }
}

#[test]
fn a_rebuild_keeps_what_the_mesh_does_not_have() {
    let bare = meshes::torus(20, 12);
    let polygons = (0..bare.triangles().len() as u32).map(|face| face / 2).collect();
    let group = |name: &str, first_triangle| Group { name: name.to_owned(), first_triangle, ..Group::default() };
    let groups = vec![group("floor", 0), group("glass", 100)];
    let (vertices, triangles) = (bare.vertices().to_vec(), bare.triangles().to_vec());
    let mesh = Mesh::from_parts(vertices, triangles, polygons, groups).unwrap();
    let mesh = mesh.with_origin(Point3::new(1e6, 0.0, 0.0));
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let mut deforming = DeformingTree::new(tree, bare.clone()).unwrap();
    deforming.refit(&Deformation::Twist.of(&bare, 1.0)).unwrap();
    deforming.rebuild().unwrap();
    let tree = deforming.tree();
    assert_eq!((tree.origin(), tree.groups()), (mesh.origin(), mesh.groups()));
    assert!((0..480).all(|face| tree.polygon(face) == mesh.polygon(face)));
    assert!(tree.validate_against(deforming.mesh()).is_empty());
}

#[test]
fn polygons_and_groups_stay() {
    let mesh = Mesh::load_obj(format!("{}/data/sword.obj", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let tree = BvTree::build(&mesh, &Preset::Tight.options(VolumeKind::Sphere)).unwrap();
    let mut deforming = DeformingTree::new(tree, mesh.clone()).unwrap();
    deforming.refit(&Deformation::Bend.of(&mesh, 0.5)).unwrap();
    assert!(deforming.tree().validate_against(deforming.mesh()).is_empty());
    assert_eq!(deforming.tree().groups(), mesh.groups());
}
