//! Meshes to measure, and how figures are compared.

use std::f64::consts::PI;

use bvtree::{BuildOptions, BvTree, Mesh, VolumeKind};
use nalgebra::{Matrix3, Point3};

/// With a triangle to a leaf.
pub fn build(mesh: &Mesh, volume: VolumeKind) -> BvTree {
    BvTree::build(mesh, &BuildOptions { kind: volume, max_leaf_triangles: 1, ..BuildOptions::default() }).unwrap()
}

pub fn mesh(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Mesh {
    Mesh::from_arrays(vertices.iter().map(|&v| v.into()).collect(), triangles.to_vec()).unwrap()
}

/// The box from `lower` to `upper`, in 12 triangles.
pub fn box_mesh(lower: [f32; 3], upper: [f32; 3]) -> Mesh {
    let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 1 { upper[k] } else { lower[k] });
    let vertices: Vec<[f32; 3]> = (0..8).map(corner).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<_> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    mesh(&vertices, &triangles)
}

/// A closed, convex surface of `2 * around * (rings - 1)` triangles with vertices on an ellipsoid.
pub fn ellipsoid(semi_axes: [f32; 3], around: u32, rings: u32) -> Mesh {
    let mut vertices = vec![[0.0, 0.0, semi_axes[2]], [0.0, 0.0, -semi_axes[2]]];
    for ring in 1..rings {
        let latitude = PI * f64::from(ring) / f64::from(rings);
        for step in 0..around {
            let longitude = 2.0 * PI * f64::from(step) / f64::from(around);
            let unit = [latitude.sin() * longitude.cos(), latitude.sin() * longitude.sin(), latitude.cos()];
            vertices.push(std::array::from_fn(|k| semi_axes[k] * unit[k] as f32));
        }
    }
    let at = |ring: u32, step: u32| 2 + (ring - 1) * around + step % around;
    let mut triangles = Vec::new();
    for step in 0..around {
        triangles.push([0, at(1, step), at(1, step + 1)]);
        triangles.push([1, at(rings - 1, step + 1), at(rings - 1, step)]);
        for ring in 1..rings - 1 {
            triangles.push([at(ring, step), at(ring + 1, step), at(ring + 1, step + 1)]);
            triangles.push([at(ring, step), at(ring + 1, step + 1), at(ring, step + 1)]);
        }
    }
    mesh(&vertices, &triangles)
}

/// A square sheet of `2 * steps * steps` triangles over -1 to 1, with the given heights.
pub fn sheet(steps: u16, height: impl Fn(f32, f32) -> f32) -> Mesh {
    let at = |i: u16| 2.0 * f32::from(i) / f32::from(steps) - 1.0;
    let places = (0..=steps).flat_map(|j| (0..=steps).map(move |i| (at(i), at(j))));
    let vertices: Vec<[f32; 3]> = places.map(|(x, y)| [x, y, height(x, y)]).collect();
    let row = u32::from(steps) + 1;
    let corners = (0..u32::from(steps)).flat_map(|j| (0..u32::from(steps)).map(move |i| j * row + i));
    let triangles: Vec<_> = corners.flat_map(|at| [[at, at + 1, at + row + 1], [at, at + row + 1, at + row]]).collect();
    mesh(&vertices, &triangles)
}

/// The mesh with its vertices turned.
pub fn turned(mesh: &Mesh, rotation: &Matrix3<f64>) -> Mesh {
    let vertices = mesh.vertices().iter().map(|v| (rotation * v.cast::<f64>()).cast::<f32>());
    Mesh::from_arrays(vertices.collect(), mesh.triangles().to_vec()).unwrap()
}

/// The triangles of all meshes in one.
pub fn union(meshes: &[Mesh]) -> Mesh {
    let (mut vertices, mut triangles): (Vec<Point3<f32>>, Vec<[u32; 3]>) = Default::default();
    for mesh in meshes {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|triangle| triangle.map(|vertex| first + vertex)));
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// The mesh inside out.
pub fn reversed(mesh: &Mesh) -> Mesh {
    let triangles = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    Mesh::from_arrays(mesh.vertices().to_vec(), triangles).unwrap()
}

pub fn assert_close(found: Option<f64>, expected: f64) {
    let found = found.unwrap_or(f64::NAN);
    assert!((found - expected).abs() <= 1e-5 * expected.abs(), "{found} instead of {expected}");
}
