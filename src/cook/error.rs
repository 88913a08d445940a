//! Errors of writing and opening cooked files.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::builder::BuildError;
use crate::tree::TreeDefect;

/// The reason why a cooked file cannot be written or opened.
///
/// Both `Display` and `Debug` print the message, so that `unwrap` and a `main` that returns `Box<dyn Error>` show it.
#[derive(Error)]
#[non_exhaustive]
pub enum CookError {
    /// The file does not start with the magic bytes.
    #[error("not a cooked tree: the first 8 bytes are not those of a .bvt file")]
    NotCooked,
    /// The file has another format version.
    #[error(
        "format version {found} is {} than version {supported}, which this program reads: re-cook the mesh{}",
        if found < supported { "older" } else { "newer" },
        if found < supported { "" } else { " or update bvtree" }
    )]
    Version {
        /// Version of the file.
        found: u32,
        /// The version that this crate reads and writes.
        supported: u32,
    },
    /// The file is shorter than expected.
    #[error("truncated: {actual} bytes, expected {expected}")]
    Truncated {
        /// Length of the file in bytes.
        actual: u64,
        /// Expected length; a lower bound if the header is incomplete.
        expected: u64,
    },
    /// The file is longer than its header says.
    #[error("too long: {actual} bytes, expected {expected}")]
    TooLong {
        /// Length of the file in bytes.
        actual: u64,
        /// Expected length.
        expected: u64,
    },
    /// A part of the file is damaged.
    #[error("checksum mismatch in the {part}: stored {stored:#018x}, computed {computed:#018x}: the file is damaged")]
    Checksum {
        /// Damaged part: `"header"` or the name of a section.
        part: &'static str,
        /// Checksum in the file.
        stored: u64,
        /// Checksum of the bytes.
        computed: u64,
    },
    /// The buffer is not aligned, so its arrays cannot be used in place.
    #[error("the buffer does not begin at a multiple of {alignment} bytes")]
    Misaligned {
        /// Required alignment in bytes.
        alignment: usize,
    },
    /// A header field has an invalid value.
    #[error("header byte {offset}: {field} is {found}, expected {expected}")]
    Field {
        /// Offset of the field in the file.
        offset: usize,
        /// Name of the field.
        field: &'static str,
        /// Value of the field.
        found: u64,
        /// Allowed values.
        expected: &'static str,
    },
    /// A reserved or padding byte is not zero.
    #[error("byte {offset} is {found:#04x}, expected 0: it is reserved or padding")]
    NotZero {
        /// Offset in the file.
        offset: usize,
        /// Value of the byte.
        found: u8,
    },
    /// A section has the wrong offset or length.
    #[error(
        "section {section} is at {offset} with {length} bytes, expected at {expected_offset} with {expected_length} \
         bytes"
    )]
    Section {
        /// Name of the section.
        section: &'static str,
        /// Offset in the section table.
        offset: u64,
        /// Length in the section table.
        length: u64,
        /// Required offset: in plain files, the first multiple of 64 from the end of the previous section on; in
        /// compact files, that end.
        expected_offset: u64,
        /// Length that follows from the counts (in compact files, the nearest possible length); for the groups, the
        /// rest of the file.
        expected_length: u64,
    },
    /// The groups section is invalid, or does not match the number of groups in the header.
    #[error("byte {offset} of the section groups: group {group} {problem}")]
    Group {
        /// Index of the group, counted from 0.
        group: u32,
        /// Offset in the section.
        offset: usize,
        /// Description of the problem.
        problem: &'static str,
    },
    /// A section of a compact file is not a stream of numbers as the format describes it.
    #[error("byte {offset} of the section {section}: expected {expected}")]
    Encoding {
        /// Name of the section.
        section: &'static str,
        /// Offset in the section.
        offset: usize,
        /// The expected content.
        expected: &'static str,
    },
    /// The checksums match, but the structure of the tree is invalid.
    #[error("not a sound tree: {0}")]
    Defect(TreeDefect),
    /// Building the tree failed.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The memory does not suffice to cook a mesh in tiles.
    #[error("the vertices and one tile take {needed} bytes of memory, more than the {given} that are allowed")]
    Memory {
        /// The least number of bytes needed.
        needed: u64,
        /// The number of bytes allowed.
        given: u64,
    },
    /// More triangles than fit into one tile cannot be separated by a split, or are at the maximum depth.
    #[error(
        "{triangles} triangles have the same centroid or are at the maximum depth, where {allowed} fit into memory"
    )]
    Inseparable {
        /// Number of triangles.
        triangles: usize,
        /// Maximum number of triangles of a tile.
        allowed: usize,
    },
    /// The tree that was given for a tile does not belong to that tile.
    #[error("the tree of tile {number} has other {what} than the tile: build it from the tile, with this version")]
    Tile {
        /// Number of the tile, counted from 0.
        number: usize,
        /// What differs.
        what: &'static str,
    },
    /// An I/O operation failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An error in a file, with the file's path.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file, as given.
        path: PathBuf,
        /// The error in this file.
        error: Box<CookError>,
    },
}

impl fmt::Debug for CookError {
    /// Prints the message instead of the fields.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CookError({self})")
    }
}

impl From<TreeDefect> for CookError {
    fn from(defect: TreeDefect) -> Self {
        Self::Defect(defect)
    }
}
