//! Files that hold meshes: a file here for each format.
//!
//! All readers keep faces in the file's order and cut them into fans from their first corner (which is right for convex
//! polygons; of others the fan covers area outside of the polygon), name the line, byte or part of the file that an
//! error is about, never trust a count before the data are there, and open no file but the one that they are given and,
//! for glTF, the buffers it names.
//!
//! The readers of STL, PLY and OFF are our own. `stl_io` 0.11 and `ply-rs-bw` 4.0 are kept, but neither says where in
//! the file an error is; the second reads into a map of named values for every vertex. Nothing that is kept reads OFF.

#[cfg(any(feature = "stl", feature = "ply"))]
mod bytes;
#[cfg(feature = "gltf")]
mod gltf;
mod instances;
mod mesh_builder;
mod obj;
#[cfg(feature = "off")]
mod off;
mod options;
#[cfg(feature = "ply")]
mod ply;
#[cfg(feature = "stl")]
mod stl;
mod text;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::format::refused_format;
use super::{Mesh, MeshError, MeshFormat, SourceLocation};
pub use instances::{MeshInstance, MeshInstances};
pub use options::{GroupBy, Origin, ReadOptions, UpAxis};
use text::BYTE_ORDER_MARK;

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

/// What a file holds beside triangles and was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// What it is, as `"curves and surfaces (vp, curv, surf)"`.
    pub what: &'static str,
    /// How many there are.
    pub count: u64,
    /// Where the first one is.
    pub first: SourceLocation,
}

impl Mesh {
    /// Reads a mesh file in any format that this build knows ([`MeshFormat::is_readable`]): OBJ always, STL, PLY, OFF
    /// and glTF with the features of these names. Which it is, is found from the content or the file's name
    /// ([`MeshFormat::of`]).
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

    /// As [`Mesh::open_with`], from a reader. The path's extension may be needed to know the format; and buffers that a
    /// glTF file names lie relative to it.
    ///
    /// # Errors
    /// As [`Mesh::open_with`], without the file's name.
    pub fn read_with(mut reader: impl BufRead, path: &Path, options: &ReadOptions) -> Result<Import, MeshError> {
        Self::read_any(&mut reader, path, options)
    }

    /// The readers are compiled once, whatever is read from.
    fn read_any(reader: &mut dyn BufRead, path: &Path, options: &ReadOptions) -> Result<Import, MeshError> {
        if !(options.scale.is_finite() && options.scale > 0.0) {
            return Err(MeshError::Scale { given: options.scale });
        }
        let start = start(reader)?;
        if options.format.is_none()
            && let Some(error) = refused_format(&start)
        {
            return Err(error);
        }
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

/// What a file starts with, without the mark that some texts begin with.
fn start(reader: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(MeshFormat::START as u64).read_to_end(&mut start)?;
    if start.starts_with(BYTE_ORDER_MARK) && !start.contains(&0) {
        start.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(start)
}
