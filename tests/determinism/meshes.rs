//! The meshes, which are part of the program, and poses that bring two of them near each other without a sine or a
//! cosine.

use bvtree::{BvTree, Mesh, Pose};
use nalgebra::{Matrix3, Vector3};

/// Name and text of a mesh of `data/`.
macro_rules! meshes {
    ($($name:literal),*) => { [$(($name, include_bytes!(concat!("../../data/", $name, ".obj")).as_slice())),*] };
}

const MESHES: [(&str, &[u8]); 6] = meshes!["bolt", "chain_link", "crate", "nonmanifold", "open_bowl", "teapot"];

/// Pairs of them that are asked about.
pub const PAIRS: [[&str; 2]; 4] =
    [["bolt", "chain_link"], ["teapot", "crate"], ["open_bowl", "nonmanifold"], ["chain_link", "chain_link"]];

pub fn names() -> impl Iterator<Item = &'static str> {
    MESHES.iter().map(|mesh| mesh.0)
}

pub fn mesh(name: &str) -> Mesh {
    let text = MESHES.iter().find(|mesh| mesh.0 == name).expect("a name of the list").1;
    Mesh::read_obj(text).expect("a mesh of data/")
}

/// Rotations by quaternions of small integers: each entry of a matrix is one rounded quotient.
pub fn rotations() -> Vec<Matrix3<f64>> {
    let of = |[w, x, y, z]: [f64; 4]| {
        let n = w * w + x * x + y * y + z * z;
        Matrix3::new(
            (w * w + x * x - y * y - z * z) / n,
            2.0 * (x * y - w * z) / n,
            2.0 * (x * z + w * y) / n,
            2.0 * (x * y + w * z) / n,
            (w * w - x * x + y * y - z * z) / n,
            2.0 * (y * z - w * x) / n,
            2.0 * (x * z - w * y) / n,
            2.0 * (y * z + w * x) / n,
            (w * w - x * x - y * y + z * z) / n,
        )
    };
    [[1.0, 0.0, 0.0, 0.0], [3.0, 1.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0], [5.0, -2.0, 1.0, 3.0]].map(of).to_vec()
}

/// The longest side of a tree's box.
pub fn extent(tree: &BvTree) -> f64 {
    2.0 * tree.bounds().half_extents().amax()
}

/// B beside A, in it and apart from it, turned by each rotation.
pub fn poses(a: &BvTree, b: &BvTree) -> Vec<Pose> {
    let [center_a, center_b] = [a, b].map(|tree| tree.bounds().center().coords);
    let reach = 0.5 * (extent(a) + extent(b));
    let ways = [Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.6, 0.8, 0.0), Vector3::new(-0.48, 0.6, 0.64)];
    let mut poses = Vec::new();
    for (i, rotation) in rotations().into_iter().enumerate() {
        for (j, way) in ways.iter().enumerate() {
            // 0 to 11 twelfths of the way until they are apart for certain.
            let part = ((i * ways.len() + j) * 5 % 12) as f64 / 12.0;
            let translation = center_a - rotation * center_b + way * (reach * part);
            poses.push(Pose::new(rotation, translation).expect("a rotation"));
        }
    }
    poses
}
