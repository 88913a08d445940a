//! Readers of mesh files: [`Mesh::open`], and a file or folder for each format.
//!
//! All readers keep the order of faces and split polygons into fans from their first corner, which is right for convex
//! polygons, or into other triangles where a corner on a straight edge would give one of zero area. Errors name the
//! line, byte or element. Readers never trust a count before the data arrive, and open no file except the given one and
//! the buffers that a glTF file names.
//!
//! Why no crates for STL, PLY and OFF: `stl_io` 0.11 and `ply-rs-bw` 4.0 are maintained, but do not locate errors, and
//! the second reads into a map of named values for every vertex. No maintained crate reads OFF.

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
mod polygon;
#[cfg(feature = "stl")]
mod stl;
mod text;
mod welding;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::format::refused_format;
use super::{Mesh, MeshError, MeshFormat, SourceLocation};
#[cfg(feature = "files")]
use crate::disk_array::DiskArray;
pub use instances::{MeshInstance, MeshInstances};
#[cfg(any(feature = "files", feature = "stl", feature = "ply"))]
use mesh_builder::MeshBuilder;
#[cfg(feature = "files")]
pub(in crate::mesh) use mesh_builder::PartsOnDisk;
pub use options::{GroupBy, Origin, ReadOptions, UpAxis};
use text::BYTE_ORDER_MARK;

/// A mesh read from a file, and what the reader left out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Import {
    /// The mesh.
    pub mesh: Mesh,
    /// Ignored content; empty for most files.
    pub skipped: Vec<Skipped>,
    /// Other files that were read, such as buffers of glTF.
    pub files: Vec<PathBuf>,
}

impl From<(Mesh, Vec<Skipped>)> for Import {
    fn from((mesh, skipped): (Mesh, Vec<Skipped>)) -> Self {
        Self { mesh, skipped, files: Vec::new() }
    }
}

/// Content of a file that the reader ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Description, such as `"statements of free-form curves and surfaces"`.
    pub what: &'static str,
    /// Number of occurrences.
    pub count: u64,
    /// Location of the first occurrence.
    pub first: SourceLocation,
}

impl Mesh {
    /// Reads a mesh file in any format that this build supports ([`MeshFormat::is_readable`]): OBJ always; STL, PLY,
    /// OFF and glTF with the Cargo features of these names. The format is detected by [`MeshFormat::of`].
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not a mesh. The error is [`MeshError::File`] with the path. If the
    /// content is wrong at some place, it also names that place and what was expected there.
    #[doc(alias = "load")]
    pub fn open(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        Self::open_with(path, &ReadOptions::default()).map(|import| import.mesh)
    }

    /// Reads a mesh file with options.
    ///
    /// # Errors
    /// Fails as [`Mesh::open`] does, if the file has more triangles than the options allow, and if the scale is not a
    /// finite number above 0.
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Import, MeshError> {
        let path = path.as_ref();
        File::open(path)
            .map_err(MeshError::from)
            .and_then(|file| Self::read_with(BufReader::with_capacity(1 << 16, file), path, options))
            .map_err(|error| error.of_file(path))
    }

    /// Reads a mesh from a reader. The extension of `path` helps to detect the format, and the files of glTF buffers
    /// are relative to its folder.
    ///
    /// # Errors
    /// Fails as [`Mesh::open_with`] does; the error does not name the file.
    pub fn read_with(mut reader: impl BufRead, path: &Path, options: &ReadOptions) -> Result<Import, MeshError> {
        Self::read_any(&mut reader, path, options)
    }

    /// Reads from any source: a `dyn` reader, so that all formats are compiled once.
    fn read_any(reader: &mut dyn BufRead, path: &Path, options: &ReadOptions) -> Result<Import, MeshError> {
        let (start, format) = detect(reader, path, options)?;
        let reader = start.chain(reader);
        match format {
            MeshFormat::Obj => obj::read(reader, options),
            #[cfg(feature = "stl")]
            MeshFormat::Stl => {
                let mut builder = MeshBuilder::new(options, options.weld.unwrap_or(true));
                stl::read(&start, reader, &mut builder, options)?;
                builder.finish(format).map(Import::from)
            }
            #[cfg(feature = "ply")]
            MeshFormat::Ply => {
                let mut builder = MeshBuilder::new(options, options.weld.unwrap_or(false));
                ply::read(reader, &mut builder, options.group_by)?;
                builder.finish(format).map(Import::from)
            }
            #[cfg(feature = "off")]
            MeshFormat::Off => off::read(reader, options),
            #[cfg(feature = "gltf")]
            MeshFormat::Gltf => gltf::read(reader, path, options),
            #[allow(unreachable_patterns, reason = "with all features on")]
            _ => Err(MeshError::FormatOff { format }),
        }
    }
}

/// Reads a file. The triangles go to a temporary file in the folder; the vertices and the polygon numbers take at most
/// `memory` bytes of memory.
#[cfg(feature = "files")]
pub(super) fn read_on_disk(
    path: &Path,
    options: &ReadOptions,
    folder: &Path,
    memory: u64,
) -> Result<PartsOnDisk, MeshError> {
    let mut reader = BufReader::with_capacity(1 << 18, File::open(path)?);
    let (start, format) = detect(&mut reader, path, options)?;
    let reader = start.chain(reader);
    let weld = options.weld.unwrap_or(format == MeshFormat::Stl);
    #[cfg_attr(not(any(feature = "stl", feature = "ply")), allow(unused_mut))]
    let mut builder = MeshBuilder::new(options, weld).on_disk(DiskArray::new_in(folder)?, memory);
    match format {
        #[cfg(feature = "stl")]
        MeshFormat::Stl => stl::read(&start, reader, &mut builder, options)?,
        #[cfg(feature = "ply")]
        MeshFormat::Ply => ply::read(reader, &mut builder, options.group_by)?,
        #[allow(unreachable_patterns, reason = "with both features on")]
        MeshFormat::Stl | MeshFormat::Ply => Err(MeshError::FormatOff { format })?,
        _ => {
            drop(reader);
            let what =
                format!("{} files are read into memory as a whole: convert the mesh to STL or PLY", format.title());
            Err(MeshError::Unsupported { what })?;
        }
    }
    builder.finish_on_disk(format, folder)
}

/// The first bytes of a file and its format, after a check of the options.
fn detect(reader: &mut dyn BufRead, path: &Path, options: &ReadOptions) -> Result<(Vec<u8>, MeshFormat), MeshError> {
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
    Ok((start, format))
}

/// The first bytes of a file, without a byte order mark.
fn start(reader: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(MeshFormat::START as u64).read_to_end(&mut start)?;
    if start.starts_with(BYTE_ORDER_MARK) && !start.contains(&0) {
        start.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(start)
}
