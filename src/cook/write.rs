//! Writing a cooked file: checksums first, then the header, then the arrays as they lie in memory.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::header::{self, Header, section_checksum};
use super::sections::{ALIGNMENT, Counts, Section};
use super::{CookError, groups};
use crate::tree::BvTree;

impl BvTree {
    /// Writes the tree to a cooked file, atomically: the file appears complete and on disk under its name, or not at all,
    /// and then whatever was there before stays. Trees opened from an older file of that name keep what they opened.
    ///
    /// The bytes depend on the mesh, the build options and the format version alone.
    ///
    /// # Errors
    /// If a temporary file in the same directory can't be made, written, or renamed.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CookError> {
        let path = path.as_ref();
        self.save_by_renaming(path)
            .map_err(|error| CookError::File { path: path.to_owned(), error: Box::new(error.into()) })
    }

    fn save_by_renaming(&self, path: &Path) -> io::Result<()> {
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
        let file: &mut File = temporary.as_file_mut();
        self.write_to(&mut *file)?;
        file.sync_all()?;
        temporary.persist(path).map_err(|error| error.error)?;
        Ok(())
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
        let mut end = header::BYTES as u64;
        let sections = arrays.map(|array| {
            let (offset, length) = (end.next_multiple_of(ALIGNMENT), array.len() as u64);
            end = offset + length;
            Section { offset, length, checksum: section_checksum(array) }
        });
        // The builder and the mesh keep all counts below 2^31.
        let counts = Counts {
            volumes: self.node_count() as u32,
            vertices: view.vertices.len() as u32,
            triangles: view.corners.len() as u32,
            groups: self.groups().len() as u32,
        };
        let header = Header { file_bytes: end, meta: self.meta().clone(), counts, sections };
        writer.write_all(&header.encode())?;
        let mut written = header::BYTES as u64;
        for (section, array) in sections.iter().zip(arrays) {
            const ZEROS: [u8; ALIGNMENT as usize] = [0; ALIGNMENT as usize];
            writer.write_all(&ZEROS[..(section.offset - written) as usize])?;
            writer.write_all(array)?;
            written = section.offset + section.length;
        }
        writer.flush()
    }
}
