//! Meshes of height fields.

use bvtree::mesh::{Mesh, MeshError};
use bvtree::probe::Ray;
use bvtree::{BuildOptions, BvTree, Probe};
use nalgebra::{Point3, Vector3};

/// A wavy terrain: rays from above hit it at its heights, and it has no edges but its rim.
#[test]
fn terrains_are_as_high_as_their_heights() {
    let (rows, columns) = (7, 5);
    let heights: Vec<f32> =
        (0..rows * columns).map(|i| ((i % columns) as f32).sin() + 0.3 * (i / columns) as f32).collect();
    let mesh = Mesh::from_height_field(&heights, columns, [0.5, 2.0]).unwrap();
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (35, 48));
    assert_eq!((mesh.report().open_edges, mesh.report().inconsistent_edges), (20, 0));
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let down = |x: f64, y: f64| Ray { origin: Point3::new(x, y, 100.0), direction: -Vector3::z() };
    for (i, &z) in heights.iter().enumerate() {
        let ray = down((i % columns) as f64 * 0.5, (i / columns) as f64 * 2.0);
        let hit = Probe::new().closest_hit(&tree, &ray, f64::INFINITY).unwrap();
        assert!((100.0 - hit.time - f64::from(z)).abs() < 1e-12 && hit.normal.z > 0.0, "{i}: {hit:?}");
    }
}

#[test]
fn heights_that_are_nan_are_holes() {
    let mut heights = vec![1.0; 20];
    heights[6] = f32::NAN;
    let mesh = Mesh::from_height_field(&heights, 5, [1.0; 2]).unwrap();
    // Of 12 cells, 4 have the corner.
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (19, 16));
    assert!(mesh.vertices().iter().all(|vertex| vertex.z == 1.0));
    assert!(mesh.iter().all(|triangle| triangle.scaled_normal() == Vector3::z()));
    let none = Mesh::from_height_field(&[f32::NAN; 4], 2, [1.0; 2]).unwrap();
    assert!(none.vertices().is_empty() && none.triangles().is_empty());
}

#[test]
fn height_fields_must_be_whole_and_finite() {
    let field = |heights: &[f32], columns, spacing| Mesh::from_height_field(heights, columns, spacing);
    for (columns, heights) in [(3, 4), (0, 1), (5, 4)] {
        let found = field(&vec![0.0; heights], columns, [1.0; 2]);
        assert!(matches!(found, Err(MeshError::Rows { heights: h, columns: c }) if (h, c) == (heights, columns)));
    }
    for given in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(field(&[0.0; 4], 2, [1.0, given]), Err(MeshError::Scale { .. })));
    }
    assert!(matches!(field(&[0.0, 0.0, 0.0, f32::INFINITY], 2, [1.0; 2]), Err(MeshError::NotFinite { vertex: 3 })));
    let holes = [f32::NAN, 0.0, f32::NAN, f32::NEG_INFINITY];
    assert!(matches!(field(&holes, 2, [1.0; 2]), Err(MeshError::NotFinite { vertex: 3 })));
    assert!(field(&holes[..3], 3, [f32::MAX, 1.0]).is_ok());
    let beyond = [f32::NAN, f32::NAN, 0.0];
    assert!(matches!(field(&beyond, 3, [f32::MAX, 1.0]), Err(MeshError::NotFinite { vertex: 2 })));
    for (columns, heights) in [(0, 0), (3, 0), (3, 3), (1, 3)] {
        assert!(field(&vec![0.0; heights], columns, [1.0; 2]).unwrap().triangles().is_empty());
    }
}
