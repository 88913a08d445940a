//! Opening a cooked file: header, then checksums and structure, and only then a tree.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use bytemuck::Pod;
use memmap2::Mmap;

use super::header::{Header, section_checksum};
use super::sections::{NAMES, check_gaps};
use super::{CookError, groups};
use crate::mesh::Group;
use crate::tree::{BvTree, Mapped, Owned, View, check_structure};

impl BvTree {
    /// Opens a cooked file by memory-mapping, after checking all of it: the checksum of every part, and that the tree's
    /// structure is sound, so that even a file made to harm can't make a query panic or go on for ever.
    ///
    /// The file must not be changed in place while the tree lives; to replace it, as [`BvTree::save`] does, is fine.
    ///
    /// # Errors
    /// If the file can't be read, is not a cooked tree, has another format version, is cut off or too long, or is
    /// damaged in any byte; the error says what is wrong and where.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CookError> {
        at(path.as_ref(), |path| {
            let (header, arrays) = map_tree(path)?;
            verify(&arrays.map, &header, arrays.view(), &arrays.groups)?;
            Ok(BvTree::from_file(header.meta, arrays))
        })
    }

    /// Opens a cooked file that the caller trusts, without reading more of it than the header and the groups: their
    /// checks remain, those of nodes and triangles fall away.
    ///
    /// Use it for files that this program wrote itself or has opened with [`BvTree::open`] before. With a damaged
    /// file, queries stay memory-safe but may answer anything, panic or never end. As with [`BvTree::open`], the file
    /// must not be changed in place while the tree lives.
    ///
    /// # Errors
    /// As [`BvTree::open`], as far as it looks.
    pub fn open_trusted(path: impl AsRef<Path>) -> Result<Self, CookError> {
        at(path.as_ref(), |path| {
            let (header, arrays) = map_tree(path)?;
            Ok(BvTree::from_file(header.meta, arrays))
        })
    }

    /// A tree from the bytes of a cooked file, copied and checked as by [`BvTree::open`]; they may lie anywhere.
    ///
    /// # Errors
    /// As [`BvTree::open`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CookError> {
        let header = Header::decode(bytes)?;
        let [nodes, vertices, corners, faces, polygons, groups] =
            header.sections.map(|section| &bytes[section.range()]);
        let arrays = Owned {
            nodes: copied(nodes),
            vertices: copied(vertices),
            corners: copied(corners),
            faces: copied(faces),
            polygons: copied(polygons),
            groups: groups::decode(groups, header.counts.groups)?,
        };
        verify(bytes, &header, arrays.view(), &arrays.groups)?;
        Ok(BvTree::from_parts(header.meta, arrays))
    }
}

/// The items whose bytes these are.
fn copied<T: Pod>(bytes: &[u8]) -> Vec<T> {
    let mut items = vec![T::zeroed(); bytes.len() / size_of::<T>()];
    bytemuck::cast_slice_mut(&mut items).copy_from_slice(bytes);
    items
}

/// Names the file in an error.
fn at(path: &Path, open: impl FnOnce(&Path) -> Result<BvTree, CookError>) -> Result<BvTree, CookError> {
    open(path).map_err(|error| CookError::File { path: path.to_owned(), error: Box::new(error) })
}

/// Maps a file read-only.
fn map(path: &Path) -> io::Result<Mmap> {
    // Before opening, which would wait for a writer at a pipe.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let file = File::open(path)?;
    // SAFETY: the bytes are only read, as integers and floats, for which every bit pattern is valid. That nobody
    // changes the file in place while it is mapped is the documented duty of the caller of `open`.
    unsafe { Mmap::map(&file) }
}

/// A mapped file's header and the places of its arrays, which lie inside.
fn map_tree(path: &Path) -> Result<(Header, Mapped), CookError> {
    let map = map(path)?;
    let header = Header::decode(&map)?;
    let [nodes, vertices, corners, faces, polygons, groups] = header.sections.map(|section| section.range());
    let groups = groups::decode(&map[groups], header.counts.groups)?;
    Ok((header, Mapped { map, nodes, vertices, corners, faces, polygons, groups }))
}

/// Everything that the header alone does not tell.
fn verify(bytes: &[u8], header: &Header, view: View<'_>, groups: &[Group]) -> Result<(), CookError> {
    let (checksums, structure) =
        rayon::join(|| check_checksums(bytes, header), || check_structure(view, &header.meta, groups));
    // A wrong checksum explains a wrong structure.
    checksums?;
    Ok(structure?)
}

fn check_checksums(bytes: &[u8], header: &Header) -> Result<(), CookError> {
    check_gaps(bytes, &header.sections)?;
    for (section, part) in header.sections.iter().zip(NAMES) {
        let computed = section_checksum(&bytes[section.range()]);
        if computed != section.checksum {
            return Err(CookError::Checksum { part, stored: section.checksum, computed });
        }
    }
    Ok(())
}
