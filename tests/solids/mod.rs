//! Solids with known contacts, and the dataset's meshes with their poses.

use std::fs;
use std::path::Path;

use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Matrix3, Point3, Vector3};

/// A box about the origin with the given edge lengths, each face two triangles.
pub fn cuboid(lengths: [f32; 3]) -> Mesh {
    let vertices =
        (0..8).map(|i| Point3::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.5 } else { -0.5 } * lengths[k])));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::from_arrays(vertices.collect(), triangles).unwrap()
}

/// A prism below a triangle, whose corners are in order as seen from above.
pub fn prism(top: [[f32; 3]; 3], thickness: f32) -> Mesh {
    let below = top.map(|[x, y, z]| [x, y, z - thickness]);
    let sides = [[0, 1], [1, 2], [2, 0]].into_iter().flat_map(|[i, j]| [[i, 3 + i, j], [j, 3 + i, 3 + j]]);
    let triangles = [[0, 1, 2], [3, 5, 4]].into_iter().chain(sides).collect();
    Mesh::from_arrays(top.into_iter().chain(below).map(Point3::from).collect(), triangles).unwrap()
}

/// A thin prism with its tip in a small box and its other end in a slab, 0.125 from the tip. In the plane of the
/// prism's top, the slab's wall is bent by less than 1e-12 radians.
pub fn tip_beside_a_bent_wall() -> [Mesh; 2] {
    let bend = -8.842_309e-15;
    let outline = [[bend, -0.02], [0.0, 0.0], [bend, 0.01], [1.0, 0.01], [1.0, -0.02]];
    let mut vertices: Vec<_> =
        [-1.0, 1.0].into_iter().flat_map(|y| outline.map(|[x, z]| Point3::new(x, y, z))).collect();
    let mut triangles = Vec::new();
    for [i, j, k] in [[1, 2, 3], [1, 3, 4], [1, 4, 0]] {
        triangles.extend([[i, k, j], [5 + i, 5 + j, 5 + k]]);
    }
    for i in 0..5 {
        let j = (i + 1) % 5;
        triangles.extend([[i, 5 + j, 5 + i], [i, j, 5 + j]]);
    }
    let (first, small) = (vertices.len() as u32, cuboid([0.008; 3]));
    vertices.extend(small.vertices().iter().map(|vertex| vertex - Vector3::new(0.125, 0.0, 0.0)));
    triangles.extend(small.triangles().iter().map(|triangle| triangle.map(|vertex| first + vertex)));
    let tip = prism([[-0.125, 0.0, 0.0], [0.5, -0.25, 0.0], [0.5, 0.25, 0.0]], 0.01);
    [tip, Mesh::from_arrays(vertices, triangles).unwrap()]
}

/// A slab of four boxes' outline with a rectangular hole, as a closed mesh of one piece.
pub fn frame_with_opening(outer: [f32; 2], inner: [f32; 2], thickness: f32) -> Mesh {
    let ring = |[w, h]: [f32; 2], z: f32| [[-w, -h], [w, -h], [w, h], [-w, h]].map(|[x, y]| Point3::new(x, y, z));
    let half = thickness / 2.0;
    let vertices: Vec<_> =
        [ring(outer, -half), ring(inner, -half), ring(outer, half), ring(inner, half)].into_iter().flatten().collect();
    let mut triangles = Vec::new();
    let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, b, c], [a, c, d]]);
    for i in 0..4 {
        let j = (i + 1) % 4;
        quad([j, i, 4 + i, 4 + j]);
        quad([8 + i, 8 + j, 12 + j, 12 + i]);
        quad([i, j, 8 + j, 8 + i]);
        quad([4 + j, 4 + i, 12 + i, 12 + j]);
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// B moved along a direction.
pub fn shifted(pose: &Pose, direction: &Vector3<f64>, by: f64) -> Pose {
    Pose::new(*pose.rotation(), pose.translation() + direction * by).unwrap()
}

const PAIRS: [[&str; 2]; 9] = [
    ["spot", "spot"],
    ["fcl-env", "fcl-rob"],
    ["cow", "teapot"],
    ["fandisk", "fandisk"],
    ["suzanne", "homer"],
    ["beetle-alt", "beetle-alt"],
    ["truck", "cheburashka"],
    ["armadillo", "armadillo"],
    ["stanford-bunny", "stanford-bunny"],
];

/// Trees of the dataset's first pairs of meshes, and the poses that it has for them; nothing where it is absent.
pub fn dataset_trees(count: usize) -> impl Iterator<Item = ([BvTree; 2], Vec<Pose>)> {
    let trees_and_poses = |folder: &Path, [a, b]: [&str; 2]| {
        let trees = [a, b].map(|name| {
            let mesh = Mesh::load_obj(folder.join(format!("meshes/{name}.obj"))).unwrap();
            BvTree::build(&mesh, &BuildOptions::default()).unwrap()
        });
        let poses = fs::read_to_string(folder.join(format!("poses/{a}-{b}.csv"))).unwrap();
        (trees, poses.lines().filter(|line| !line.starts_with('#')).map(pose).collect())
    };
    crate::dataset_folder::dataset()
        .into_iter()
        .flat_map(move |folder| PAIRS.iter().take(count).map(move |pair| trees_and_poses(&folder, *pair)))
}

fn pose(row: &str) -> Pose {
    let numbers: Vec<f64> = row.split(',').skip(3).map(|field| field.parse().unwrap()).collect();
    let rotation = Matrix3::from_fn(|i, j| numbers[4 * i + j]);
    Pose::new(rotation, Vector3::from_fn(|i, _| numbers[4 * i + 3])).unwrap()
}
