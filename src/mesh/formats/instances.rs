//! Meshes that stand in a scene, each as often as it is used.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use nalgebra::{Matrix3, Matrix4};

use super::builder::Builder;
#[cfg(feature = "gltf")]
use super::gltf;
use super::open::{GroupBy, Import, ReadOptions};
use crate::mesh::{Mesh, MeshError, MeshFormat};

/// The most vertices and corners that a scene may have in all, its shared meshes counted as often as they are used: a short file
/// can ask for any number.
pub(super) const MOST_INSTANCED: usize = 1 << 29;

/// A scene: meshes in frames of their own, and where they stand.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshInstances {
    /// Each mesh once, some perhaps without triangles.
    pub meshes: Vec<Mesh>,
    /// Where they are, in the order of the file.
    pub instances: Vec<MeshInstance>,
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
        let read = || {
            let file = File::open(path)?;
            #[cfg(feature = "gltf")]
            let mut file = file;
            #[cfg(feature = "gltf")]
            {
                use std::io::{Read, Seek};
                let mut start = Vec::new();
                file.by_ref().take(MeshFormat::START as u64).read_to_end(&mut start)?;
                if MeshFormat::of(path, &start) == MeshFormat::Gltf {
                    file.rewind()?;
                    return gltf::instances(BufReader::new(file), path, GroupBy::Object, None);
                }
                file.rewind()?;
            }
            let import = Mesh::read_with(BufReader::with_capacity(1 << 16, file), path, &ReadOptions::default())?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let instance = MeshInstance { name, mesh: 0, to_world: Matrix4::identity() };
            Ok(Self { meshes: vec![import.mesh], instances: vec![instance] })
        };
        read().map_err(|error| error.of_file(path))
    }

    #[cfg(feature = "gltf")]
    /// All instances as one mesh in the scene's frame, each a group of its name; or groups are the materials.
    pub(super) fn merge(
        &self,
        mut builder: Builder,
        format: MeshFormat,
        group_by: GroupBy,
    ) -> Result<Import, MeshError> {
        let mut total = 0;
        for instance in &self.instances {
            let mesh = &self.meshes[instance.mesh];
            total += mesh.vertices().len() + 3 * mesh.triangles().len();
            if total > MOST_INSTANCED {
                let what = format!("the scene's instances have more than {MOST_INSTANCED} vertices and corners in all");
                return Err(MeshError::Unsupported { what });
            }
            let first = builder.vertices_read as u32;
            for vertex in mesh.vertices() {
                let point = instance.to_world.transform_point(&vertex.cast());
                if !builder.vertex(point.into())? {
                    return Err(MeshError::Unexpected {
                        place: crate::mesh::Place::Part(format!("node '{}'", instance.name)),
                        expected: "coordinates that are finite in f32".into(),
                        found: format!("{point}"),
                    });
                }
            }
            let linear: Matrix3<f64> = instance.to_world.fixed_view::<3, 3>(0, 0).into_owned();
            // A mirrored mesh keeps its outside outside.
            let mirrors = linear.determinant() < 0.0;
            if group_by == GroupBy::Object && !mesh.triangles().is_empty() {
                builder.group(instance.name.clone());
            }
            let mut groups = mesh.groups().iter().peekable();
            for (face, &[a, b, c]) in (0..).zip(mesh.triangles()) {
                if let Some(group) = groups.next_if(|group| group.first_triangle == face) {
                    builder.group(group.name.clone());
                }
                let corners = if mirrors { [a, c, b] } else { [a, b, c] };
                builder.polygon(&corners.map(|corner| corner + first))?;
            }
        }
        builder.finish(format).map(Import::from)
    }
}
