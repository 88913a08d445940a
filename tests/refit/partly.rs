//! Meshes of which only a part moves.

use bvtree::refit::{DeformingTree, ObbAxes};
use bvtree::{Mesh, Preset, VolumeKind};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::{assert_sound, builds, deforming, nodes, with_positions};
use crate::oracle::meshes;

/// The vertices within a ball, moved up.
fn bump(mesh: &Mesh, center: u32, radius: f32, by: f32) -> Vec<(u32, Point3<f32>)> {
    let center = mesh.vertices()[center as usize];
    let near = (0..).zip(mesh.vertices()).filter(|(_, vertex)| (*vertex - center).norm() < radius);
    near.map(|(number, vertex)| (number, vertex + Vector3::new(0.0, 0.0, by))).collect()
}

/// The same to the bit as if all had been refitted, where the frame is the same.
fn assert_as_refitted(partly: &DeformingTree, wholly: &mut DeformingTree, what: &str) {
    wholly.refit(partly.mesh().vertices()).unwrap();
    assert_sound(partly.tree(), partly.mesh(), what);
    assert!((partly.cost_ratio() / wholly.cost_ratio() - 1.0).abs() < 1e-5, "{what}");
}

#[test]
fn what_moves_is_refitted() {
    let mesh = meshes::torus(40, 30);
    for build in builds() {
        let mut partly = deforming(&mesh, &build, ObbAxes::Turned);
        let mut wholly = deforming(&mesh, &build, ObbAxes::Turned);
        assert_eq!(partly.refit_moved(&[]).unwrap().volumes, partly.tree().node_count(), "all, the first time");
        for step in 0..6 {
            let moved = bump(partly.mesh(), 37 * step, 0.3, 0.01);
            let refitted = partly.refit_moved(&moved).unwrap();
            assert!(
                refitted.volumes > 0 && refitted.volumes < partly.tree().node_count() / 2,
                "{build:?} {refitted:?}"
            );
            assert_as_refitted(&partly, &mut wholly, &format!("{build:?}"));
        }
    }
}

/// Bounds that stay keep the frame, and then all bits are those of a whole refit.
#[test]
fn volumes_are_the_same_to_the_bit() {
    let mesh = meshes::torus(40, 30);
    for build in builds() {
        let mut partly = deforming(&mesh, &build, ObbAxes::Turned);
        let mut wholly = deforming(&mesh, &build, ObbAxes::Turned);
        partly.refit(mesh.vertices()).unwrap();
        let bounds = mesh.aabb();
        let (middle, half) = (bounds.center(), 0.45 * bounds.size());
        let inside = (0..)
            .zip(mesh.vertices())
            .filter(|(_, p)| (0..3).all(|x| (f64::from(p[x]) - middle[x]).abs() < half[x]) && p.x > 0.0);
        let moved: Vec<_> = inside.map(|(number, p)| (number, Point3::new(p.x, p.y * 0.9, p.z * 0.8))).collect();
        assert!(!moved.is_empty());
        partly.refit_moved(&moved).unwrap();
        wholly.refit(partly.mesh().vertices()).unwrap();
        assert_eq!(*partly.tree().bounds(), mesh.aabb());
        assert_eq!(nodes(partly.tree()), nodes(wholly.tree()), "{build:?}");
        assert_eq!(partly.cost_ratio(), wholly.cost_ratio());
    }
}

#[test]
fn a_vertex_that_goes_far_takes_the_frame_along() {
    let mesh = meshes::torus(20, 10);
    for kind in VolumeKind::ALL {
        let mut partly = deforming(&mesh, &Preset::Balanced.options(kind), ObbAxes::Turned);
        for far in [1.5, 3.0, 1e3, -1e3, 1e20, 0.0] {
            let refitted = partly.refit_moved(&[(7, Point3::new(far, 0.0, 0.5))]).unwrap();
            assert_sound(partly.tree(), partly.mesh(), &format!("{kind} {far}"));
            assert!(far.abs() < 100.0 && far != 0.0 || refitted.volumes == partly.tree().node_count(), "{far}");
        }
    }
}

#[test]
fn nothing_moves() {
    let mesh = meshes::torus(20, 10);
    let mut partly = deforming(&mesh, &Preset::Balanced.options(VolumeKind::Obb), ObbAxes::Turned);
    partly.refit_moved(&[]).unwrap();
    assert_eq!(partly.refit_moved(&[]).unwrap().volumes, 0);
    // A vertex that no triangle has.
    let mut vertices = mesh.vertices().to_vec();
    vertices.push(Point3::origin());
    let unused = vertices.len() as u32 - 1;
    let mesh = with_positions(&mesh, &vertices);
    let mut partly = deforming(&mesh, &Preset::Balanced.options(VolumeKind::Obb), ObbAxes::Turned);
    partly.refit(mesh.vertices()).unwrap();
    let far = Point3::new(100.0, 0.0, 0.0);
    assert_eq!(partly.refit_moved(&[(unused, far)]).unwrap().volumes, 0);
    assert_eq!(partly.mesh().vertices()[unused as usize], far);
    assert!(partly.tree().bounds().upper.x < 10.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 60 } else { 1000 }))]
    #[test]
    fn any_few_vertices_of_any_mesh(
        mesh in meshes::any_mesh(),
        build in 0_usize..12,
        moves in prop::collection::vec(prop::collection::vec((any::<prop::sample::Index>(),
            prop::array::uniform3(-9.0_f32..9.0)), 0..5), 1..5),
    ) {
        let build = builds().nth(build).unwrap();
        let mut partly = deforming(&mesh, &build, ObbAxes::Turned);
        for moves in moves {
            let vertex = |index: prop::sample::Index| index.index(mesh.vertices().len()) as u32;
            let moves: Vec<_> = if mesh.vertices().is_empty() { Vec::new() } else {
                moves.iter().map(|(index, p)| (vertex(*index), Point3::from(*p))).collect()
            };
            partly.refit_moved(&moves).unwrap();
            let defects = partly.tree().validate();
            prop_assert!(defects.is_empty(), "{:?}", defects);
        }
    }
}
