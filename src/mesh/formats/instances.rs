//! Meshes that stand in a scene, each as often as it is used.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use nalgebra::Matrix4;

#[cfg(feature = "gltf")]
use super::foreign;
use super::open;
use super::options::ReadOptions;
#[cfg(feature = "gltf")]
use crate::mesh::MeshFormat;
use crate::mesh::{Mesh, MeshError};

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

impl MeshInstances {
    /// Reads a scene: of glTF its nodes with meshes, of every other format its one mesh, named by the file's stem.
    ///
    /// # Errors
    /// As [`Mesh::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let read = || -> Result<Self, MeshError> {
            let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
            let start = open::start(&mut file)?;
            #[cfg(feature = "gltf")]
            if MeshFormat::of(path, &start) == MeshFormat::Gltf {
                return match foreign::refused(&start) {
                    Some(error) => Err(error),
                    None => super::gltf::instances(start.chain(file), path, super::GroupBy::Object, None),
                };
            }
            let import = Mesh::read_with(start.chain(file), path, &ReadOptions::default())?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let instance = MeshInstance { name, mesh: 0, to_world: Matrix4::identity() };
            Ok(Self { meshes: vec![import.mesh], instances: vec![instance], files: Vec::new() })
        };
        read().map_err(|error| error.of_file(path))
    }
}
