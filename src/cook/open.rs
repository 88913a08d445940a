//! Opening cooked files: the header is checked first, then checksums and structure.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::compact;
use super::error::CookError;
use super::header::{Encoding, Header};
use super::sections::{HEADER_BYTES, NAMES, check_gaps, decode_groups};
use crate::parallel;
use crate::tree::{BvTree, Bytes, InFile, check_structure};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    All,
    /// Only what locates the arrays, and the groups.
    HeaderOnly,
}

impl BvTree {
    /// Alignment in bytes that [`BvTree::from_buffer`] requires.
    pub const BUFFER_ALIGNMENT: usize = 16;

    /// Opens a cooked file: reads it into memory and checks all of it, including the checksum of every part and the
    /// structure of the tree. Even a malicious file cannot make a query panic or run forever.
    ///
    /// It does not check that every volume encloses the triangles below it, which would take longer than all other
    /// checks. A file that violates this, with matching checksums, gives wrong results; [`BvTree::validate`] detects
    /// it.
    ///
    /// Later changes to the file have no effect. `open_mapped` (feature `mmap`) opens a file without a copy.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is not a cooked tree, has another format version, is truncated or too long, is
    /// damaged, or holds an invalid tree; the error names the file.
    #[doc(alias = "load")]
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CookError> {
        at_path(path.as_ref(), |path| read(path, Check::All))
    }

    /// Opens a trusted cooked file: reads it into memory and checks the header and the groups, but neither the
    /// checksums of the sections nor, except in compact files, the structure of nodes and triangles.
    ///
    /// Use it for files that the program wrote itself or has opened with [`BvTree::open`] before. With a damaged file,
    /// queries stay memory-safe, but may return anything, panic or never end.
    ///
    /// # Errors
    /// Fails as [`BvTree::open`] does, for the parts that are checked.
    pub fn open_trusted(path: impl AsRef<Path>) -> Result<Self, CookError> {
        at_path(path.as_ref(), |path| read(path, Check::HeaderOnly))
    }

    /// Creates a tree from the bytes of a cooked file, which are copied and checked as by [`BvTree::open`]. They need
    /// no alignment.
    ///
    /// # Errors
    /// Fails as [`BvTree::open`] does.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CookError> {
        let header = Header::decode(bytes, bytes.len() as u64)?;
        tree(header, Box::new(AlignedBytes::read(bytes, io::empty(), 0)?), Check::All)
    }

    /// Creates a tree that uses the bytes of a cooked file in place, after the checks of [`BvTree::open`]. The buffer
    /// may be a `&'static [u8]`, an `Arc` or a mapping, and lives as long as the tree. A compact file is decoded into
    /// memory of its own instead.
    ///
    /// The first byte must be aligned to [`BvTree::BUFFER_ALIGNMENT`], which `include_bytes!` alone does not guarantee;
    /// [`BvTree::from_bytes`] needs no alignment. `as_ref` must return the same bytes each time; otherwise queries may
    /// panic, return anything or never end.
    ///
    /// # Errors
    /// Fails as [`BvTree::open`] does, and if the bytes are not aligned.
    pub fn from_buffer(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, CookError> {
        in_buffer(bytes, Check::All)
    }

    /// Creates a tree that uses trusted bytes in place, with the checks of [`BvTree::open_trusted`] only. Takes the
    /// same short time for any size, except that compact files are decoded.
    ///
    /// # Errors
    /// Fails as [`BvTree::open_trusted`] does, and if the bytes are not aligned.
    pub fn from_buffer_trusted(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, CookError> {
        in_buffer(bytes, Check::HeaderOnly)
    }
}

fn in_buffer(bytes: impl AsRef<[u8]> + Send + Sync + 'static, check: Check) -> Result<BvTree, CookError> {
    let start = bytes.as_ref();
    if start.as_ptr().align_offset(BvTree::BUFFER_ALIGNMENT) != 0 {
        return Err(CookError::Misaligned { alignment: BvTree::BUFFER_ALIGNMENT });
    }
    let header = Header::decode(start, start.len() as u64)?;
    tree(header, Box::new(bytes), check)
}

/// Adds the path to errors.
pub(super) fn at_path<T>(path: &Path, open: impl FnOnce(&Path) -> Result<T, CookError>) -> Result<T, CookError> {
    open(path).map_err(|error| CookError::File { path: path.to_owned(), error: Box::new(error) })
}

/// Opens a regular file and returns its length.
pub(super) fn open_file(path: &Path) -> io::Result<(File, u64)> {
    // Checked first, because opening a pipe would wait for a writer.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((File::open(path)?, metadata.len()))
}

/// Opens a file and reads its header. Returns the header, its bytes, the file positioned after them, and the file's
/// length.
fn begin(path: &Path) -> Result<(Header, Vec<u8>, File, u64), CookError> {
    let (mut file, length) = open_file(path)?;
    let mut start = Vec::with_capacity(HEADER_BYTES);
    file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut start)?;
    Ok((Header::decode(&start, length)?, start, file, length))
}

pub(super) fn read_header(path: &Path) -> Result<Header, CookError> {
    at_path(path, |path| Ok(begin(path)?.0))
}

fn read(path: &Path, check: Check) -> Result<BvTree, CookError> {
    // The header is checked before memory is allocated: the file may be anything, of any size.
    let (header, start, file, length) = begin(path)?;
    let expected = length - start.len() as u64;
    let bytes = AlignedBytes::read(&start, file, usize::try_from(expected).unwrap_or(usize::MAX))?;
    match bytes.as_ref().len() as u64 {
        actual if actual < length => Err(CookError::Truncated { actual, expected: length }),
        _ => tree(header, Box::new(bytes), check),
    }
}

/// Creates the tree of a file with a checked header.
pub(super) fn tree(header: Header, bytes: Bytes, check: Check) -> Result<BvTree, CookError> {
    if header.encoding == Encoding::Compact {
        return decoded(&header, (*bytes).as_ref(), check);
    }
    let [nodes, vertices, corners, faces, polygons, groups] = header.sections.map(|section| section.range());
    let groups = decode_groups(&(*bytes).as_ref()[groups], header.counts.groups)?;
    let arrays = InFile { bytes, nodes, vertices, corners, faces, polygons, groups };
    if check == Check::All {
        let bytes = (*arrays.bytes).as_ref();
        let (checksums, structure) = parallel::join(
            || check_checksums(bytes, &header),
            || check_structure(arrays.view(), &header.meta, &arrays.groups),
        );
        // A wrong checksum is reported first, because it explains a wrong structure.
        checksums?;
        structure?;
    }
    Ok(BvTree::in_file(header.meta, arrays))
}

/// Creates the tree of a compact file, in memory of its own.
fn decoded(header: &Header, bytes: &[u8], check: Check) -> Result<BvTree, CookError> {
    if check == Check::All {
        check_checksums(bytes, header)?;
    }
    let tree = compact::decode(header, bytes)?;
    check_structure(tree.view(), &header.meta, &tree.groups)?;
    Ok(BvTree::from_parts(header.meta.clone(), tree))
}

fn check_checksums(bytes: &[u8], header: &Header) -> Result<(), CookError> {
    check_gaps(bytes, &header.sections)?;
    for (section, part) in header.sections.iter().zip(NAMES) {
        let computed = xxh3_64(&bytes[section.range()]);
        if computed != section.checksum {
            return Err(CookError::Checksum { part, stored: section.checksum, computed });
        }
    }
    Ok(())
}

/// Alignment of the bytes in memory: a cache line, like that of sections in the file.
const ALIGNMENT: usize = 64;

/// Immutable bytes in aligned memory, so that arrays can be used in place.
struct AlignedBytes {
    /// Padding for the alignment, then the bytes.
    memory: Vec<u8>,
    begin: usize,
}

impl AlignedBytes {
    /// Appends up to `length` bytes of `rest` to the bytes `start`, which have already been read.
    ///
    /// # Errors
    /// Fails if the reader does, or if memory is exhausted.
    fn read(start: &[u8], mut rest: impl Read, length: usize) -> io::Result<Self> {
        let room = start.len().saturating_add(length).saturating_add(ALIGNMENT);
        let mut memory: Vec<u8> = Vec::new();
        memory.try_reserve_exact(room).map_err(|_| ErrorKind::OutOfMemory)?;
        let begin = memory.as_ptr().align_offset(ALIGNMENT);
        memory.resize(begin, 0);
        memory.extend_from_slice(start);
        rest.by_ref().take(length as u64).read_to_end(&mut memory)?;
        Ok(Self { memory, begin })
    }
}

impl AsRef<[u8]> for AlignedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.memory[self.begin..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_aligned_however_they_come() {
        let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        for length in [0, 1, 31, 384, 8191, 100_000] {
            let copied = AlignedBytes::read(&bytes[..length], io::empty(), 0).unwrap();
            let (start, rest) = bytes[..length].split_at(length.min(384));
            // The reader may or may not report the right length.
            for told in [rest.len(), rest.len() + 1, 2 * rest.len()] {
                let read = AlignedBytes::read(start, rest, told).unwrap();
                for aligned in [&copied, &read] {
                    assert_eq!(aligned.as_ref(), &bytes[..length]);
                    assert_eq!(aligned.as_ref().as_ptr().align_offset(ALIGNMENT), 0);
                }
            }
            let cut_off = AlignedBytes::read(start, rest, rest.len() / 2).unwrap();
            assert_eq!(cut_off.as_ref(), &bytes[..start.len() + rest.len() / 2]);
        }
    }

    #[test]
    fn more_than_there_is_memory_is_an_error() {
        let error = AlignedBytes::read(&[], io::empty(), usize::MAX).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    }
}
