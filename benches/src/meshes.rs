//! Meshes to measure with: the project's own, and the dataset's where it is found.

use std::collections::HashMap;
use std::path::Path;

use bvtree::Mesh;
use nalgebra::{Point3, center};

pub use bvtree_test_support::dataset_folder::{dataset, real};

/// A mesh of `data/`.
pub fn data_mesh(name: &str) -> Mesh {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../data"), name)
}

/// A mesh of the dataset.
pub fn dataset_mesh(dataset: &Path, name: &str) -> Mesh {
    load(&dataset.join("meshes"), name)
}

fn load(folder: &Path, name: &str) -> Mesh {
    let path = folder.join(name).with_extension("obj");
    Mesh::load_obj(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The mesh with each triangle cut into four at the middles of its edges.
pub fn subdivided(mesh: &Mesh) -> Mesh {
    let mut vertices = mesh.vertices().to_vec();
    let mut middles = HashMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            let ends: [Point3<f32>; 2] = [a, b].map(|end| vertices[end as usize]);
            vertices.push(center(&ends[0], &ends[1]));
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::with_capacity(4 * mesh.triangles().len());
    for &[a, b, c] in mesh.triangles() {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Mesh::from_arrays(vertices, triangles).expect("midpoints of finite vertices")
}
