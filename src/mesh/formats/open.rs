//! One entry for all formats.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::builder::Skipped;
#[cfg(feature = "gltf")]
use super::gltf;
#[cfg(feature = "off")]
use super::off;
use super::placement::{Origin, UpAxis};
#[cfg(feature = "ply")]
use super::ply;
#[cfg(feature = "stl")]
use super::stl;
use super::{MeshFormat, obj};
use crate::menu::menu;
use crate::mesh::{Mesh, MeshError};

/// How a mesh file is read. The default changes nothing but that equal vertices of STL, which has no others, become one.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// The file's format; none: what its content and its name tell.
    pub format: Option<MeshFormat>,
    /// Whether vertices with the same coordinates become one; none: in STL only. Answers do not depend on it.
    pub weld: Option<bool>,
    /// What the mesh's groups are.
    pub group_by: GroupBy,
    /// The axis that points up in the file: the mesh is turned so that its third one does. None: it is left as it is.
    pub up: Option<UpAxis>,
    /// What coordinates are multiplied by; after the turn.
    pub scale: f64,
    /// The point that becomes the mesh's zero; after scaling.
    pub origin: Origin,
    /// The most triangles to accept.
    pub max_triangles: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            weld: None,
            group_by: GroupBy::Object,
            up: None,
            scale: 1.0,
            origin: Origin::Zero,
            max_triangles: Mesh::MAX_COUNT,
        }
    }
}

/// What makes a group of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GroupBy {
    /// An object or group of OBJ, a solid of STL, a node of glTF, named by its path.
    #[default]
    Object,
    /// A material, where the format has them.
    Material,
}

menu!(GroupBy, "grouping", Object = "object", Material = "material");

/// A mesh, and what its file holds beside.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Import {
    /// The mesh.
    pub mesh: Mesh,
    /// What was left out; empty for most files.
    pub skipped: Vec<Skipped>,
    /// Other files that were read: buffers of glTF.
    pub files: Vec<PathBuf>,
}

impl From<(Mesh, Vec<Skipped>)> for Import {
    fn from((mesh, skipped): (Mesh, Vec<Skipped>)) -> Self {
        Self { mesh, skipped, files: Vec::new() }
    }
}

impl Mesh {
    /// Reads a mesh file in any format that this build knows ([`MeshFormat::is_readable`]): OBJ always, STL, PLY, OFF and glTF
    /// with the features of these names. The content tells which it is, or the file's name ([`MeshFormat::of`]).
    ///
    /// # Errors
    /// If the file can't be read or is not a mesh, within [`MeshError::File`], which names it; the error says where in the
    /// file something is wrong, and what was expected there.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        Self::open_with(path, &ReadOptions::default()).map(|import| import.mesh)
    }

    /// As [`Mesh::open`], with options.
    ///
    /// # Errors
    /// As [`Mesh::open`]; and if there are more triangles than the options allow.
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Import, MeshError> {
        let path = path.as_ref();
        File::open(path)
            .map_err(MeshError::from)
            .and_then(|file| Self::read_with(BufReader::with_capacity(1 << 16, file), path, options))
            .map_err(|error| error.of_file(path))
    }

    /// As [`Mesh::open_with`], from a reader. The path's extension may tell the format; and buffers that a glTF file names lie
    /// relative to it.
    ///
    /// # Errors
    /// As [`Mesh::open_with`], without the file's name.
    pub fn read_with(mut reader: impl BufRead, path: &Path, options: &ReadOptions) -> Result<Import, MeshError> {
        if !(options.scale.is_finite() && options.scale > 0.0) {
            return Err(MeshError::Scale { given: options.scale });
        }
        let mut start = Vec::new();
        reader.by_ref().take(MeshFormat::START as u64).read_to_end(&mut start)?;
        let format = options.format.unwrap_or_else(|| MeshFormat::of(path, &start));
        let reader = start.chain(reader);
        match format {
            MeshFormat::Obj => obj::read(reader, options),
            #[cfg(feature = "stl")]
            MeshFormat::Stl => stl::read(&start, reader, options),
            #[cfg(feature = "ply")]
            MeshFormat::Ply => ply::read(reader, options),
            #[cfg(feature = "off")]
            MeshFormat::Off => off::read(reader, options),
            #[cfg(feature = "gltf")]
            MeshFormat::Gltf => gltf::read(reader, path, options),
            #[allow(unreachable_patterns, reason = "with all features on")]
            _ => Err(MeshError::FormatOff { format }),
        }
    }
}
