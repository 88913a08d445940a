//! Cooking without the tree in memory: the file is written while its volumes are fitted.

use std::io::{Seek, SeekFrom, Write};
#[cfg(feature = "files")]
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::error::CookError;
use super::groups;
use super::header::Header;
use super::sections::{Counts, HEADER_BYTES, Layout};
#[cfg(feature = "files")]
use super::write::write_atomically;
use super::write::write_gap;
use crate::builder::{Triangles, UnfittedTree};
use crate::mesh::Mesh;
use crate::options::BuildOptions;
use crate::parallel;
use crate::tree::BvTree;
use crate::volume::PADDING;

/// Nodes are fitted and then written in about so many parts...
const PARTS: usize = 64;
/// ...of no fewer volumes than this, for threads wait at the end of each, and of no more than that, for they take
/// memory.
const LEAST_PART: usize = 1 << 13;
const GREATEST_PART: usize = 1 << 15;

impl BvTree {
    /// Builds a tree straight into a cooked file and opens it: the file and the tree are those of [`BvTree::build`] and
    /// [`BvTree::save`], at about half the memory. What was just written is read again, but not checked.
    ///
    /// # Errors
    /// As [`BvTree::build`], [`BvTree::save`] and [`BvTree::open_trusted`].
    #[cfg(feature = "files")]
    pub fn cook(mesh: &Mesh, options: &BuildOptions, path: impl AsRef<Path>) -> Result<Self, CookError> {
        let path = path.as_ref();
        write_atomically(path, |file| Self::cook_to(mesh, options, file))?;
        Self::open_trusted(path)
    }

    /// Builds a tree and writes the bytes of its cooked file meanwhile, from where the writer stands on; in the end the
    /// writer stands behind them.
    ///
    /// The bytes are those that [`BvTree::write_to`] writes. They come in large pieces, the header last, and from one
    /// of the current pool's threads.
    ///
    /// # Errors
    /// As [`BvTree::build`], and those of the writer.
    pub fn cook_to(mesh: &Mesh, options: &BuildOptions, writer: impl Write + Seek + Send) -> Result<(), CookError> {
        // Otherwise, for every part, this thread would wait and wake the pool's: a third as long again with two.
        parallel::within_pool(|| Self::cook_in_pool(mesh, options, writer))
    }

    fn cook_in_pool(mesh: &Mesh, options: &BuildOptions, mut writer: impl Write + Seek) -> Result<(), CookError> {
        let tree = UnfittedTree::new(mesh, options)?;
        let begin = writer.stream_position()?;
        writer.write_all(&[0; HEADER_BYTES])?;
        let mut layout = Layout::after_header();

        let mut hasher = Xxh3::new();
        let mut words: Vec<u32> = Vec::new();
        let volumes_of_part = (tree.volumes() / PARTS).clamp(LEAST_PART, GREATEST_PART);
        for part in tree.parts(volumes_of_part) {
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
        let groups = groups::encode(mesh.groups());
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
        // The builder and the mesh keep all counts below 2^31.
        let counts = Counts {
            volumes: volumes as u32,
            vertices: vertices.len() as u32,
            triangles: corners.len() as u32,
            groups: mesh.groups().len() as u32,
        };
        let header = Header { file_bytes: layout.end, meta, counts, sections };
        writer.seek(SeekFrom::Start(begin))?;
        writer.write_all(&header.encode())?;
        writer.seek(SeekFrom::Start(begin + layout.end))?;
        Ok(writer.flush()?)
    }
}
