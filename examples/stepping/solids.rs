//! The meshes of the bodies and of the terrain.

use std::f64::consts::TAU;

use bvtree::Mesh;
use bvtree::mesh::MeshError;
use nalgebra::{Point3, Vector3};

/// A box centred at the origin.
pub fn cuboid(size: [f64; 3]) -> Result<Mesh, MeshError> {
    prism(&[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, y]| [x * size[0], y * size[1]]), size[2])
}

/// A gear with square teeth.
pub fn gear(radius: f64, teeth: usize, width: f64) -> Result<Mesh, MeshError> {
    let outline: Vec<[f64; 2]> = (0..4 * teeth)
        .map(|i| {
            let angle = TAU * i as f64 / (4 * teeth) as f64;
            let radius = if i % 4 < 2 { radius } else { 0.8 * radius };
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect();
    prism(&outline, width)
}

/// The prism over an outline that is star-shaped about the origin.
fn prism(outline: &[[f64; 2]], width: f64) -> Result<Mesh, MeshError> {
    let count = outline.len() as u32;
    let mut vertices = vec![Point3::new(0.0, 0.0, -0.5 * width), Point3::new(0.0, 0.0, 0.5 * width)];
    vertices.extend(outline.iter().flat_map(|&[x, y]| [-0.5, 0.5].map(|z| Point3::new(x, y, z * width))));
    let mut triangles = Vec::new();
    for i in 0..count {
        let [a, b] = [i, (i + 1) % count].map(|i| 2 + 2 * i);
        triangles.extend([[0, b, a], [1, a + 1, b + 1], [a, b, b + 1], [a, b + 1, a + 1]]);
    }
    Mesh::from_arrays(vertices.iter().map(|v| v.cast()).collect(), triangles)
}

/// A hilly bowl: a height field centred at the origin, open below.
pub fn terrain(size: f64, cells: u32) -> Result<Mesh, MeshError> {
    let at = |i: u32| size * (f64::from(i) / f64::from(cells) - 0.5);
    let height = |x: f64, y: f64| 0.05 * (x * x + y * y) + 0.25 * (1.7 * x).sin() * (1.3 * y + 0.5).cos();
    let vertices = (0..=cells)
        .flat_map(|j| (0..=cells).map(move |i| Vector3::new(at(i), at(j), height(at(i), at(j)))))
        .map(|v| Point3::from(v).cast())
        .collect();
    let row = cells + 1;
    let squares = (0..cells).flat_map(|j| (0..cells).map(move |i| j * row + i));
    let triangles = squares.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]).collect();
    Mesh::from_arrays(vertices, triangles)
}
