//! Writing cooked files: of a tree in memory, or while the tree is built.

#[cfg(feature = "files")]
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
#[cfg(feature = "files")]
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

#[cfg(feature = "files")]
use super::atomic_file::AtomicFile;
use super::compact;
use super::error::CookError;
use super::header::{Encoding, Header};
use super::sections::{ALIGNMENT, Counts, HEADER_BYTES, Layout, encode_groups};
use crate::builder::{Triangles, UnfittedTree};
use crate::mesh::Mesh;
use crate::options::BuildOptions;
use crate::parallel;
use crate::tree::BvTree;
use crate::volume::PADDING;

const ZEROS: [u8; ALIGNMENT as usize] = [0; ALIGNMENT as usize];

impl BvTree {
    /// Writes the tree to a cooked file, atomically: either the complete file appears under its name, or the previous
    /// file stays. Trees opened from the previous file are not affected. [`AtomicFile`] describes links, pipes and
    /// devices.
    ///
    /// The bytes of a tree that [`BvTree::build`] returned depend only on the mesh, the build options and the version
    /// of the library.
    ///
    /// # Errors
    /// Fails as [`AtomicFile::create`] and [`AtomicFile::commit`] do, and if the content cannot be written.
    #[cfg(feature = "files")]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CookError> {
        write_atomically(path.as_ref(), |file| Ok(self.write_to(file)?))
    }

    /// Writes the bytes of a cooked file.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn write_to(&self, writer: impl Write) -> io::Result<()> {
        let view = self.view();
        let arrays = [
            bytemuck::cast_slice(view.nodes),
            bytemuck::cast_slice(view.vertices),
            bytemuck::cast_slice(view.corners),
            bytemuck::cast_slice(view.faces),
            bytemuck::cast_slice(view.polygons),
        ];
        self.write_sections(writer, Encoding::Plain, arrays, view.vertices.len())
    }

    /// Writes the tree to a compact file, atomically as [`BvTree::save`] does.
    ///
    /// A compact file has the same mesh, to the last bit, and the same nodes, but not their volumes: about 10 bytes a
    /// triangle, for all kinds of volume, where [`BvTree::save`] writes 40 to 70. To open it, all functions that open
    /// cooked files decode it into memory and fit the volumes again, which takes about half as long as
    /// [`BvTree::build`]. The results of queries are the same. Volumes may differ from those that were saved, in the
    /// last bits, and more if the tree was refitted or the file is opened by another version of the library. A tree of
    /// more than 100 levels, as hardly any mesh has, is written as a plain file, as [`BvTree::save`] does.
    ///
    /// # Errors
    /// Fails as [`BvTree::save`] does.
    #[cfg(feature = "files")]
    pub fn save_compact(&self, path: impl AsRef<Path>) -> Result<(), CookError> {
        write_atomically(path.as_ref(), |file| Ok(self.write_compact_to(file)?))
    }

    /// Writes the bytes of a compact file, which [`BvTree::save_compact`] describes.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn write_compact_to(&self, writer: impl Write) -> io::Result<()> {
        if self.depth() > compact::MAX_COMPACT_DEPTH {
            return self.write_to(writer);
        }
        let (streams, vertices) = compact::encode(self.view(), self.options().kind);
        self.write_sections(writer, Encoding::Compact, streams.each_ref().map(Vec::as_slice), vertices)
    }

    fn write_sections(
        &self,
        mut writer: impl Write,
        encoding: Encoding,
        arrays: [&[u8]; 5],
        vertices: usize,
    ) -> io::Result<()> {
        let groups = encode_groups(self.groups());
        let [nodes, points, corners, faces, polygons] = arrays;
        let arrays = [nodes, points, corners, faces, polygons, &groups];
        let mut layout = Layout::after_header(encoding);
        let sections = arrays.map(|array| layout.add(array));
        let counts = Counts::new(self.node_count(), vertices, self.triangle_count(), self.groups().len());
        let header = Header { file_bytes: layout.end, encoding, meta: self.meta().clone(), counts, sections };
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

/// Writes zeros up to the beginning of a section.
pub(super) fn write_gap(writer: &mut impl Write, written: u64, begin: u64) -> io::Result<()> {
    // The gap is shorter than the alignment of sections.
    writer.write_all(&ZEROS[..(begin - written) as usize])
}

/// Writes a file atomically, and adds its path to errors.
#[cfg(feature = "files")]
pub(super) fn write_atomically<T>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, CookError>,
) -> Result<T, CookError> {
    let written = || {
        let mut file = AtomicFile::create(path)?;
        let value = write(file.file())?;
        file.commit()?;
        Ok(value)
    };
    written().map_err(|error| CookError::File { path: path.to_owned(), error: Box::new(error) })
}

/// Target number of parts in which nodes are fitted and written.
const PARTS: usize = 64;
/// Minimum number of volumes of a part, because threads wait at its end.
const LEAST_PART: usize = 1 << 13;
/// Maximum number of volumes of a part, because it takes memory.
const GREATEST_PART: usize = 1 << 15;

/// The number of volumes that are fitted and written together, for a tree of `volumes` volumes.
pub(super) fn volumes_of_part(volumes: usize) -> usize {
    (volumes / PARTS).clamp(LEAST_PART, GREATEST_PART)
}

impl BvTree {
    /// Builds a tree straight into a cooked file and opens it. The file and the tree are the same as with
    /// [`BvTree::build`] and [`BvTree::save`], but this takes about half the memory. The new file is read again, with
    /// the checks of [`BvTree::open_trusted`] only.
    ///
    /// # Errors
    /// Fails as [`BvTree::build`], [`BvTree::save`] and [`BvTree::open_trusted`] do.
    #[cfg(feature = "files")]
    pub fn cook(mesh: &Mesh, options: &BuildOptions, path: impl AsRef<Path>) -> Result<Self, CookError> {
        let path = path.as_ref();
        write_atomically(path, |file| Self::cook_to(mesh, options, file))?;
        Self::open_trusted(path)
    }

    /// Builds a tree and writes its cooked file at the same time, from the writer's current position; afterwards the
    /// writer is at the end of the file.
    ///
    /// The bytes are those of [`BvTree::write_to`]. They are written in large pieces, the header last, by a thread of
    /// the current pool.
    ///
    /// # Errors
    /// Fails as [`BvTree::build`] does, and returns the errors of the writer.
    pub fn cook_to(mesh: &Mesh, options: &BuildOptions, writer: impl Write + Seek + Send) -> Result<(), CookError> {
        // Outside of the pool, every part would wake the pool's threads and wait: a third slower with two threads.
        parallel::within_pool(|| Self::cook_in_pool(mesh, options, writer))
    }

    fn cook_in_pool(mesh: &Mesh, options: &BuildOptions, mut writer: impl Write + Seek) -> Result<(), CookError> {
        let tree = UnfittedTree::new(mesh, options)?;
        let begin = writer.stream_position()?;
        writer.write_all(&[0; HEADER_BYTES])?;
        let mut layout = Layout::after_header(Encoding::Plain);

        let mut hasher = Xxh3::new();
        let mut words: Vec<u32> = Vec::new();
        for part in tree.parts(0, volumes_of_part(tree.volumes())) {
            words.resize(tree.words(&part), 0);
            tree.pack(part, &mut words);
            let bytes = bytemuck::cast_slice(&words);
            hasher.update(bytes);
            writer.write_all(bytes)?;
        }
        let padding: [u8; 4 * PADDING] = [0; 4 * PADDING];
        hasher.update(&padding);
        writer.write_all(&padding)?;
        let all = tree.nodes();
        let (volumes, words) = (tree.volumes(), tree.words(&all) + PADDING);
        let nodes = layout.add_hashed(4 * words as u64, hasher.digest());

        let (meta, Triangles { vertices, corners, faces }) = tree.into_triangles(mesh);
        let groups = encode_groups(mesh.groups());
        let arrays: [&[u8]; 5] = [
            bytemuck::cast_slice(&vertices),
            bytemuck::cast_slice(&corners),
            bytemuck::cast_slice(&faces),
            bytemuck::cast_slice(&mesh.polygons),
            &groups,
        ];
        let mut sections = [nodes; 6];
        for (section, array) in sections[1..].iter_mut().zip(arrays) {
            let written = layout.end;
            *section = layout.add(array);
            write_gap(&mut writer, written, section.offset)?;
            writer.write_all(array)?;
        }
        let counts = Counts::new(volumes, vertices.len(), corners.len(), mesh.groups().len());
        let header = Header { file_bytes: layout.end, encoding: Encoding::Plain, meta, counts, sections };
        writer.seek(SeekFrom::Start(begin))?;
        writer.write_all(&header.encode())?;
        writer.seek(SeekFrom::Start(begin + layout.end))?;
        Ok(writer.flush()?)
    }
}
