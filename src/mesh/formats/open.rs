//! One entry for all formats.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

#[cfg(feature = "gltf")]
use super::gltf;
use super::import::Import;
#[cfg(feature = "off")]
use super::off;
use super::options::ReadOptions;
#[cfg(feature = "ply")]
use super::ply;
#[cfg(feature = "stl")]
use super::stl;
use super::{MeshFormat, foreign, obj};
use crate::mesh::{Mesh, MeshError};

/// What some programs begin texts of UTF-8 with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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
        let start = start(&mut reader)?;
        if options.format.is_none()
            && let Some(error) = foreign::refused(&start)
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
pub(super) fn start(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(MeshFormat::START as u64).read_to_end(&mut start)?;
    if start.starts_with(BYTE_ORDER_MARK) && !start.contains(&0) {
        start.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(start)
}
