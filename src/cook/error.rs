//! Why a cooked file can't be written or opened.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::builder::BuildError;
use crate::tree::TreeDefect;

/// Why a cooked file can't be written or opened.
#[derive(Debug, Error)]
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
    /// The file ends too early.
    #[error("truncated: {actual} bytes, expected {expected}")]
    Truncated {
        /// Bytes there are.
        actual: u64,
        /// Bytes there should be; at least, if not even the header is there.
        expected: u64,
    },
    /// The file goes on past its end.
    #[error("too long: {actual} bytes, expected {expected}")]
    TooLong {
        /// Bytes there are.
        actual: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// A part's bytes are not those that were written.
    #[error("checksum mismatch in the {part}: stored {stored:#018x}, computed {computed:#018x}: the file is damaged")]
    Checksum {
        /// `"header"` or the section's name.
        part: &'static str,
        /// Checksum in the file.
        stored: u64,
        /// Checksum of the bytes.
        computed: u64,
    },
    /// A buffer does not lie where its arrays could be used in place.
    #[error("the buffer does not begin at a multiple of {alignment} bytes")]
    Misaligned {
        /// What it should be a multiple of.
        alignment: usize,
    },
    /// A header field has a value that it can't have.
    #[error("header byte {offset}: {field} is {found}, expected {expected}")]
    Field {
        /// Offset of the field in the file.
        offset: usize,
        /// Name of the field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// What it may be.
        expected: &'static str,
    },
    /// A reserved or padding byte is not zero.
    #[error("byte {offset} is {found:#04x}, expected 0: it is reserved or padding")]
    NotZero {
        /// Offset in the file.
        offset: usize,
        /// The byte.
        found: u8,
    },
    /// A section is not where it belongs, or not as long as the counts require.
    #[error(
        "section {section} is at {offset} with {length} bytes, expected at {expected_offset} with {expected_length} bytes"
    )]
    Section {
        /// Name of the section.
        section: &'static str,
        /// Offset in the section table.
        offset: u64,
        /// Length in the section table.
        length: u64,
        /// Where it belongs: on the next multiple of 64 after the section before it.
        expected_offset: u64,
        /// Length that follows from the counts; for the groups, at least and at most what the file has room for.
        expected_length: u64,
    },
    /// The groups section does not hold the groups that the header counts.
    #[error("byte {offset} of the section groups: group {group} {problem}")]
    Group {
        /// The group, counted from 0.
        group: u32,
        /// Offset in the section.
        offset: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The tree in the file is not sound although its checksums are right.
    #[error("not a sound tree: {0}")]
    Defect(TreeDefect),
    /// There is no tree to be cooked.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file that one of the other errors is about.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file, as it was given.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<CookError>,
    },
}

impl From<TreeDefect> for CookError {
    fn from(defect: TreeDefect) -> Self {
        Self::Defect(defect)
    }
}
