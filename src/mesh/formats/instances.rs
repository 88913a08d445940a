//! Meshes that stand in a scene, each as often as it is used.

use std::path::PathBuf;

use nalgebra::Matrix4;

use crate::mesh::Mesh;

/// A scene: meshes in frames of their own, and where they stand.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshInstances {
    /// Each mesh once, some perhaps without triangles.
    pub meshes: Vec<Mesh>,
    /// Where they are, in the order of the file.
    pub instances: Vec<MeshInstance>,
    /// Other files that were read: buffers of glTF.
    pub files: Vec<PathBuf>,
}

/// A mesh in a scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshInstance {
    /// The path of its node, with `/` between names. No other instance bears it.
    pub name: String,
    /// Its index among the meshes.
    pub mesh: usize,
    /// Takes the mesh's points to the scene's frame; affine and finite. It may scale, shear and mirror.
    pub to_world: Matrix4<f64>,
}
