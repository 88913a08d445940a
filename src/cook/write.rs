//! Writing a cooked file of a tree in memory: checksums first, then the header, then the arrays as they lie there.

use std::io::{self, Write};
#[cfg(feature = "files")]
use std::{fs::File, path::Path};

#[cfg(feature = "files")]
use super::error::CookError;
use super::groups;
use super::header::Header;
use super::sections::{ALIGNMENT, Counts, HEADER_BYTES, Layout};
#[cfg(feature = "files")]
use crate::atomic_file::AtomicFile;
use crate::tree::BvTree;

const ZEROS: [u8; ALIGNMENT as usize] = [0; ALIGNMENT as usize];

impl BvTree {
    /// Writes the tree to a cooked file, atomically: the file appears complete and on disk under its name, or not at
    /// all, and then whatever was there before stays. Trees opened from an older file of that name keep what they
    /// opened. [`AtomicFile`] says what becomes of links, pipes and devices.
    ///
    /// The bytes depend on the mesh, the build options and the format version alone.
    ///
    /// # Errors
    /// If a temporary file in the same directory can't be made, written, or renamed.
    #[cfg(feature = "files")]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CookError> {
        write_atomically(path.as_ref(), |file| Ok(self.write_to(file)?))
    }

    /// Writes the bytes of a cooked file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_to(&self, mut writer: impl Write) -> io::Result<()> {
        let view = self.view();
        let groups = groups::encode(self.groups());
        let arrays: [&[u8]; 6] = [
            bytemuck::cast_slice(view.nodes),
            bytemuck::cast_slice(view.vertices),
            bytemuck::cast_slice(view.corners),
            bytemuck::cast_slice(view.faces),
            bytemuck::cast_slice(view.polygons),
            &groups,
        ];
        let mut layout = Layout::after_header();
        let sections = arrays.map(|array| layout.add(array));
        // The builder and the mesh keep all counts below 2^31.
        let counts = Counts {
            volumes: self.node_count() as u32,
            vertices: view.vertices.len() as u32,
            triangles: view.corners.len() as u32,
            groups: self.groups().len() as u32,
        };
        let header = Header { file_bytes: layout.end, meta: self.meta().clone(), counts, sections };
        writer.write_all(&header.encode())?;
        let mut written = HEADER_BYTES as u64;
        for (section, array) in sections.iter().zip(arrays) {
            write_gap(&mut writer, written, section.offset)?;
            writer.write_all(array)?;
            written = section.offset + section.length;
        }
        writer.flush()
    }
}

/// Fills the file with zeros up to where a section begins.
pub(super) fn write_gap(writer: &mut impl Write, written: u64, begin: u64) -> io::Result<()> {
    // Less than the sections' alignment.
    writer.write_all(&ZEROS[..(begin - written) as usize])
}

/// Has a file written that appears whole or not at all; names it in errors.
#[cfg(feature = "files")]
pub(super) fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), CookError>,
) -> Result<(), CookError> {
    let written = || {
        let mut file = AtomicFile::create(path)?;
        write(file.file())?;
        Ok(file.commit()?)
    };
    written().map_err(|error| CookError::File { path: path.to_owned(), error: Box::new(error) })
}
