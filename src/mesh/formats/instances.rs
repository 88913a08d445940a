//! Scenes of meshes that are placed once or several times.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

#[cfg(feature = "gltf")]
use nalgebra::Matrix3;
use nalgebra::Matrix4;

#[cfg(feature = "gltf")]
use super::{GroupBy, Import, gltf, mesh_builder::MeshBuilder};
use super::{ReadOptions, start};
use crate::mesh::{Mesh, MeshError};
#[cfg(feature = "gltf")]
use crate::mesh::{MeshFormat, SourceLocation, format::refused_format};

/// A scene of meshes, each placed once or several times.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshInstances {
    /// The distinct meshes, each in its own frame; some may be empty.
    pub meshes: Vec<Mesh>,
    /// The placed meshes, in the order of the file.
    pub instances: Vec<MeshInstance>,
    /// Other files that were read, such as buffers of glTF.
    pub files: Vec<PathBuf>,
}

/// A placed mesh of a scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshInstance {
    /// Path of the node that places the mesh, with `/` between names; unique in the scene. For formats other than glTF,
    /// the file's name without its extension.
    pub name: String,
    /// The `extras` of the node that places the mesh and, for keys that these lack, of the nodes above it: strings,
    /// numbers and booleans, as text. Empty for formats other than glTF.
    pub extras: BTreeMap<String, String>,
    /// Index into [`MeshInstances::meshes`].
    pub mesh: usize,
    /// Maps the mesh's coordinates into the scene's frame. The matrix is affine and finite; it may scale, shear and
    /// mirror.
    pub to_world: Matrix4<f64>,
}

impl MeshInstances {
    /// Reads a scene: the nodes of a glTF file that have meshes, or the one mesh of any other format, named after the
    /// file.
    ///
    /// # Errors
    /// Fails as [`Mesh::open`] does.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let read = || -> Result<Self, MeshError> {
            let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
            let start = start(&mut file)?;
            #[cfg(feature = "gltf")]
            if MeshFormat::of(path, &start) == MeshFormat::Gltf {
                return match refused_format(&start) {
                    Some(error) => Err(error),
                    None => gltf::instances(start.chain(file), path, GroupBy::Object, None),
                };
            }
            let import = Mesh::read_with(start.chain(file), path, &ReadOptions::default())?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let instance = MeshInstance { name, extras: BTreeMap::new(), mesh: 0, to_world: Matrix4::identity() };
            Ok(Self { meshes: vec![import.mesh], instances: vec![instance], files: Vec::new() })
        };
        read().map_err(|error| error.of_file(path))
    }
}

/// Maximum total number of vertices and corners of all instances; shared meshes count once for each use.
#[cfg(feature = "gltf")]
pub(super) const MAX_INSTANCED: usize = 1 << 29;

#[cfg(feature = "gltf")]
impl MeshInstances {
    /// Merges all instances into one mesh in the scene's frame. Its groups are the instances, the materials or both.
    pub(super) fn merge(
        &self,
        mut builder: MeshBuilder,
        format: MeshFormat,
        group_by: GroupBy,
    ) -> Result<Import, MeshError> {
        let mut total = 0;
        for instance in &self.instances {
            let mesh = &self.meshes[instance.mesh];
            total += mesh.vertices().len() + 3 * mesh.triangles().len();
            if total > MAX_INSTANCED {
                let what = format!("the scene's instances have more than {MAX_INSTANCED} vertices and corners in all");
                return Err(MeshError::Unsupported { what });
            }
            let first = builder.vertices_read as u32;
            for vertex in mesh.vertices() {
                let point = instance.to_world.transform_point(&vertex.cast());
                if !builder.vertex(point.into())? {
                    let location = SourceLocation::Element(format!("node '{}'", instance.name));
                    let expected = "coordinates that are finite in f32";
                    return Err(MeshError::unexpected(location, expected, format!("{point}")));
                }
            }
            let linear: Matrix3<f64> = instance.to_world.fixed_view::<3, 3>(0, 0).into_owned();
            // Mirrored triangles are reversed, so that normals still point outward.
            let mirrors = linear.determinant() < 0.0;
            if group_by != GroupBy::Material && !mesh.triangles().is_empty() {
                builder.group(instance.name.clone())?;
            }
            let mut groups = mesh.groups().iter().peekable();
            for (face, &[a, b, c]) in (0..).zip(mesh.triangles()) {
                if let Some(group) = groups.next_if(|group| group.first_triangle == face) {
                    match group_by {
                        GroupBy::Both => builder.material(group.name.clone())?,
                        GroupBy::Object | GroupBy::Material => builder.group(group.name.clone())?,
                    }
                }
                let corners = if mirrors { [a, c, b] } else { [a, b, c] };
                builder.polygon(&corners.map(|corner| corner + first))?;
            }
        }
        let (mesh, skipped) = builder.finish(format)?;
        Ok(Import { mesh, skipped, files: self.files.clone() })
    }
}
