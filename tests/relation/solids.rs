//! Solids, and what is made of them.

use bvtree::Mesh;
use nalgebra::Point3;

use crate::oracle::meshes;

/// A box from one corner to the other, outward normals.
pub fn cuboid(lower: [f32; 3], upper: [f32; 3]) -> Mesh {
    let corner = |i: usize| Point3::from([0, 1, 2].map(|k| if i >> k & 1 == 0 { lower[k] } else { upper[k] }));
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::from_arrays((0..8).map(corner).collect(), triangles).unwrap()
}

pub fn cube(size: f32) -> Mesh {
    cuboid([-size; 3], [size; 3])
}

pub fn sphere(radius: f64) -> Mesh {
    let (rings, sectors) = (8u32, 12u32);
    let mut vertices = vec![Point3::new(0.0, 0.0, radius as f32), Point3::new(0.0, 0.0, -radius as f32)];
    for ring in 1..rings {
        let (sin, cos) = (f64::from(ring) / f64::from(rings) * std::f64::consts::PI).sin_cos();
        for sector in 0..sectors {
            let (y, x) = (f64::from(sector) / f64::from(sectors) * std::f64::consts::TAU).sin_cos();
            vertices.push(Point3::new(x * sin, y * sin, cos).map(|k| (k * radius) as f32));
        }
    }
    let at = |ring: u32, sector: u32| 2 + (ring - 1) * sectors + sector % sectors;
    let mut triangles = Vec::new();
    for sector in 0..sectors {
        triangles.push([0, at(1, sector), at(1, sector + 1)]);
        triangles.push([1, at(rings - 1, sector + 1), at(rings - 1, sector)]);
        for ring in 1..rings - 1 {
            let [a, b, c, d] = [at(ring, sector), at(ring + 1, sector), at(ring + 1, sector + 1), at(ring, sector + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

pub fn together(meshes: &[Mesh]) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

pub fn inside_out(mesh: &Mesh) -> Mesh {
    let flipped = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    Mesh::from_arrays(mesh.vertices().to_vec(), flipped).unwrap()
}

pub fn without_lid(mesh: &Mesh) -> Mesh {
    Mesh::from_arrays(mesh.vertices().to_vec(), mesh.triangles()[..mesh.triangles().len() - 2].to_vec()).unwrap()
}

/// With corners at the given distances from the origin on the axes.
pub fn octahedron(reach: [f32; 3]) -> Mesh {
    let corner =
        |i: usize| Point3::from([0, 1, 2].map(|k| if k == i / 2 { reach[k] * [1.0, -1.0][i % 2] } else { 0.0 }));
    let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    Mesh::from_arrays((0..6).map(corner).collect(), faces.to_vec()).unwrap()
}

/// A square base of `2 * cells * cells` triangles in the plane z = 0, and an apex above its middle or below.
pub fn tent(cells: u32, height: f32) -> Mesh {
    let base = meshes::flat_square(cells);
    let (side, apex) = (cells + 1, base.vertices().len() as u32);
    let mut vertices = base.vertices().to_vec();
    vertices.push(Point3::new(cells as f32 / 2.0, cells as f32 / 2.0, height));
    let border = (0..cells).flat_map(|i| {
        let (last, far) = (side - 1, side * (side - 1));
        [[i, i + 1], [last + i * side, last + (i + 1) * side], [far + i + 1, far + i], [(i + 1) * side, i * side]]
    });
    let base = base.triangles().iter().map(|&[a, b, c]| [a, c, b]);
    let triangles = base.chain(border.map(|[from, to]| [from, to, apex])).collect();
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// A mesh and a triangle without area: the segment between two points.
pub fn with_segment(mesh: &Mesh, ends: [[f32; 3]; 2]) -> Mesh {
    let segment = Mesh::from_arrays(ends.map(Point3::from).to_vec(), vec![[0, 0, 1]]).unwrap();
    together(&[mesh.clone(), segment])
}

/// Two cubes with an edge of 1, the first about the origin, whose surfaces a segment connects.
pub fn tied_cubes() -> Mesh {
    let other = cuboid([3.5, -0.5, -0.5], [4.5, 0.5, 0.5]);
    with_segment(&together(&[cube(0.5), other]), [[0.5; 3], [3.5, 0.5, 0.5]])
}
