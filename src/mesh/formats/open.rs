//! One entry for all formats.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use nalgebra::Matrix4;

#[cfg(feature = "gltf")]
use super::gltf;
use super::import::Import;
use super::instances::{MeshInstance, MeshInstances};
#[cfg(feature = "off")]
use super::off;
#[cfg(feature = "gltf")]
use super::options::GroupBy;
use super::options::ReadOptions;
#[cfg(feature = "ply")]
use super::ply;
#[cfg(feature = "stl")]
use super::stl;
use super::{foreign, obj};
use crate::mesh::{Mesh, MeshError, MeshFormat};

/// What some programs begin texts of UTF-8 with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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

impl MeshInstances {
    /// Reads a scene: of glTF its nodes with meshes, of every other format its one mesh, named by the file's stem.
    ///
    /// # Errors
    /// As [`Mesh::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let read = || -> Result<Self, MeshError> {
            let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
            let start = start(&mut file)?;
            #[cfg(feature = "gltf")]
            if MeshFormat::of(path, &start) == MeshFormat::Gltf {
                return match foreign::refused(&start) {
                    Some(error) => Err(error),
                    None => gltf::instances(start.chain(file), path, GroupBy::Object, None),
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

/// What a file starts with, without the mark that some texts begin with.
fn start(reader: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(MeshFormat::START as u64).read_to_end(&mut start)?;
    if start.starts_with(BYTE_ORDER_MARK) && !start.contains(&0) {
        start.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(start)
}
