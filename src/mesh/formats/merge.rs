//! The meshes of a scene as one.

use nalgebra::Matrix3;

use super::builder::Builder;
use super::import::Import;
use super::instances::MeshInstances;
use super::options::GroupBy;
use crate::mesh::{MeshError, MeshFormat, Place};

/// The most vertices and corners that a scene may have in all, its shared meshes counted as often as they are used: a
/// short file can ask for any number.
pub(super) const MAX_INSTANCED: usize = 1 << 29;

impl MeshInstances {
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
            if total > MAX_INSTANCED {
                let what = format!("the scene's instances have more than {MAX_INSTANCED} vertices and corners in all");
                return Err(MeshError::Unsupported { what });
            }
            let first = builder.vertices_read as u32;
            for vertex in mesh.vertices() {
                let point = instance.to_world.transform_point(&vertex.cast());
                if !builder.vertex(point.into())? {
                    return Err(MeshError::Unexpected {
                        place: Place::Part(format!("node '{}'", instance.name)),
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
        let (mesh, skipped) = builder.finish(format)?;
        Ok(Import { mesh, skipped, files: self.files.clone() })
    }
}
