//! What can't be refitted, and what nearly can't.

use bvtree::refit::{DeformingTree, NotRefittable, ObbAxes, RefitError};
use bvtree::{BuildOptions, BvTree, Mesh};
use nalgebra::Point3;

use super::{assert_sound, builds, deforming, nodes};
use crate::oracle::meshes;

#[test]
fn positions_are_checked_before_anything_changes() {
    let mesh = meshes::torus(12, 8);
    let mut deforming = deforming(&mesh, &BuildOptions::default(), ObbAxes::Turned);
    let before = nodes(deforming.tree());
    let vertices = mesh.vertices().len();
    for given in [0, 1, vertices - 1, vertices + 1] {
        let refused = deforming.refit(&vec![Point3::origin(); given]);
        assert_eq!(refused, Err(RefitError::VertexCount { given, vertices }));
    }
    for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut positions = mesh.vertices().to_vec();
        positions[17].y = odd;
        positions[18].z = odd;
        assert_eq!(deforming.refit(&positions), Err(RefitError::NotFinite { vertex: 17 }));
        let moved = [(2, Point3::origin()), (17, positions[17])];
        assert_eq!(deforming.refit_moved(&moved), Err(RefitError::NotFinite { vertex: 17 }));
    }
    let (vertex, origin) = (vertices as u32, Point3::origin());
    assert_eq!(
        deforming.refit_moved(&[(0, origin), (vertex, origin)]),
        Err(RefitError::NoSuchVertex { vertex, vertices })
    );
    assert_eq!(nodes(deforming.tree()), before);
    assert_eq!(deforming.mesh().vertices(), mesh.vertices());
}

#[test]
fn other_meshes_are_refused() {
    let (mesh, other) = (meshes::torus(12, 8), meshes::torus(12, 9));
    let tree = || BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let refused = DeformingTree::new(tree(), other.clone()).unwrap_err();
    let (of_tree, of_mesh) = (mesh.triangles().len(), other.triangles().len());
    assert_eq!(refused, NotRefittable::Triangles { tree: of_tree, mesh: of_mesh });
    let mut triangles = mesh.triangles().to_vec();
    triangles.swap(3, 4);
    let swapped = Mesh::from_arrays(mesh.vertices().to_vec(), triangles).unwrap();
    let refused = DeformingTree::new(tree(), swapped).unwrap_err();
    assert!(matches!(refused, NotRefittable::OtherMesh { face: 3 | 4 }));
    // The same triangles over more vertices are another mesh only in name.
    let mut vertices = mesh.vertices().to_vec();
    let copies = mesh.triangles().iter().map(|t| {
        t.map(|v| {
            vertices.push(mesh.vertices()[v as usize]);
            vertices.len() as u32 - 1
        })
    });
    let triangles = copies.collect();
    let torn = Mesh::from_arrays(vertices, triangles).unwrap();
    let mut torn_tree = DeformingTree::new(tree(), torn.clone()).unwrap();
    torn_tree.refit_moved(&[(torn.vertices().len() as u32 - 1, Point3::new(0.0, 0.0, 2.0))]).unwrap();
    assert_sound(torn_tree.tree(), torn_tree.mesh(), "torn");
}

/// Meshes without extent, of points and lines, and positions that make them so.
#[test]
fn degenerate_meshes_and_positions() {
    let all = [
        meshes::empty(),
        meshes::identical(1),
        meshes::identical(40),
        meshes::collinear(20),
        meshes::concentric(9),
        meshes::flat_square(4),
        meshes::torus(8, 6),
    ];
    for (i, mesh) in all.iter().enumerate() {
        let (count, has_area) = (mesh.vertices().len(), i > 3);
        let point = vec![Point3::new(3.0, -2.0, 1.0); count];
        let line: Vec<_> = (0..count).map(|i| Point3::new(i as f32, 2.0 * i as f32, -(i as f32))).collect();
        let plane: Vec<_> = (0..count).map(|i| Point3::new(i as f32, (i * i % 7) as f32, 4.0)).collect();
        for build in builds() {
            for axes in ObbAxes::ALL {
                let mut deforming = deforming(mesh, &build, axes);
                assert_eq!(deforming.cost_ratio(), 1.0);
                for positions in [&point, &line, &plane, &mesh.vertices().to_vec()] {
                    let ratio = deforming.refit(positions).unwrap().cost_ratio;
                    assert!((ratio.is_finite() || !has_area) && ratio >= 0.0, "{ratio}");
                    assert_sound(deforming.tree(), deforming.mesh(), &format!("{build:?} {axes}"));
                }
            }
        }
    }
}

#[test]
fn the_smallest_and_the_largest_numbers() {
    let mesh = meshes::torus(8, 6);
    for build in builds() {
        let mut deforming = deforming(&mesh, &build, ObbAxes::Turned);
        for scale in [1e-45, 1e-38, 1e-20, 1e20, 1e38, 2e38] {
            let positions: Vec<_> = mesh.vertices().iter().map(|p| p * scale * 0.5).collect();
            deforming.refit(&positions).unwrap();
            assert_sound(deforming.tree(), deforming.mesh(), &format!("{build:?} {scale:e}"));
            let moved: Vec<_> = positions.iter().map(|p| Point3::new(-p.x, p.y, p.z)).collect();
            deforming.refit_moved(&[(0, moved[0]), (5, moved[5])]).unwrap();
            assert_sound(deforming.tree(), deforming.mesh(), &format!("{build:?} {scale:e}, two moved"));
        }
    }
}
