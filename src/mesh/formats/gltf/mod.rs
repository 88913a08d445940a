//! glTF 2.0, as JSON with its buffers (`.gltf`) or in one file (`.glb`): the nodes of its scene that have meshes.
//!
//! The default scene is read, else the first. Every node is placed by its own transform and those above it, in f64; a
//! mesh is read once however many nodes share it. Triangles, strips and fans are read, with quantized positions
//! (`KHR_mesh_quantization`) and sparse accessors; points and lines are left out and listed in `Import::skipped`.
//! Compressed meshes are refused. Skins and morph targets stay at rest.

mod accessors;
mod document;
mod nodes;
mod part;
mod primitives;

use std::io::BufRead;
use std::path::Path;

use super::builder::Builder;
use super::import::Import;
use super::instances::MeshInstances;
use super::options::{GroupBy, ReadOptions};
use crate::mesh::{MeshError, MeshFormat};
use document::Document;
use part::part;

/// Reads all nodes into one mesh.
pub(super) fn read(reader: impl BufRead, path: &Path, options: &ReadOptions) -> Result<Import, MeshError> {
    let mut builder = Builder::new(options, options.weld.unwrap_or(false));
    let instances = instances(reader, path, options.group_by, Some(&mut builder))?;
    instances.merge(builder, MeshFormat::Gltf, options.group_by)
}

/// Reads the meshes and their nodes; what is left out is noted in the builder, if there is one.
pub(super) fn instances(
    mut reader: impl BufRead,
    path: &Path,
    group_by: GroupBy,
    mut notes: Option<&mut Builder>,
) -> Result<MeshInstances, MeshError> {
    let mut file = Vec::new();
    reader.read_to_end(&mut file)?;
    let document = Document::read(&file, path.parent().unwrap_or(Path::new("")))?;
    drop(file);
    if document.gltf.scenes().next().is_none() {
        let what = "the glTF file has no scene: meshes are read where a scene's nodes place them".into();
        return Err(MeshError::Unsupported { what });
    }
    let mut meshes = Vec::new();
    let mut triangles = 0;
    for mesh in document.gltf.meshes() {
        let mut skipped = 0;
        let mesh = primitives::mesh(&document, &mesh, group_by, &mut triangles, &mut skipped)?;
        if let Some(notes) = notes.as_deref_mut() {
            for _ in 0..skipped {
                notes.skip("primitives of points or lines", || part(format_args!("mesh {}", meshes.len())));
            }
        }
        meshes.push(mesh);
    }
    let instances = nodes::instances(&document)?;
    Ok(MeshInstances { meshes, instances, files: document.files })
}
