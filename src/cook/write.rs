//! Writing a cooked file of a tree in memory: checksums first, then the header, then the arrays as they lie there.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::header::{self, Header};
use super::sections::{ALIGNMENT, Counts, Layout};
use super::{CookError, groups};
use crate::tree::BvTree;

const ZEROS: [u8; ALIGNMENT as usize] = [0; ALIGNMENT as usize];

impl BvTree {
    /// Writes the tree to a cooked file, atomically: the file appears complete and on disk under its name, or not at all,
    /// and then whatever was there before stays. Trees opened from an older file of that name keep what they opened.
    ///
    /// The bytes depend on the mesh, the build options and the format version alone.
    ///
    /// # Errors
    /// If a temporary file in the same directory can't be made, written, or renamed.
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
        let mut written = header::BYTES as u64;
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

/// Has a file written under another name in the same folder, and gives it its name once it is on disk.
pub(super) fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), CookError>,
) -> Result<(), CookError> {
    let written = || {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".bvtree-").suffix(".tmp");
        #[cfg(unix)]
        {
            // As for any new file: the process's mask applies. Temporary files are private otherwise.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut temporary = builder.tempfile_in(folder)?;
        write(temporary.as_file_mut())?;
        temporary.as_file().sync_all()?;
        temporary.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    written().map_err(|error| CookError::File { path: path.to_owned(), error: Box::new(error) })
}
