//! Opening a cooked file: header, then checksums and structure, and only then a tree.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::error::CookError;
use super::header::Header;
use super::sections::{HEADER_BYTES, NAMES, check_gaps, checksum, decode_groups};
use crate::parallel;
use crate::tree::{BvTree, Bytes, InFile, check_structure};

/// How much of a file is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// Every byte.
    All,
    /// What it takes to find the arrays.
    HeaderOnly,
}

impl BvTree {
    /// What a buffer given to [`BvTree::from_buffer`] is aligned to, in bytes.
    pub const BUFFER_ALIGNMENT: usize = 16;

    /// Opens a cooked file: reads it into memory and checks all of it, the checksum of every part and that the tree's
    /// structure is sound, so that even a file made to harm can't make a query panic or go on for ever.
    ///
    /// That every volume encloses the triangles below it is not checked, which takes longer than all the rest: a file
    /// that says otherwise, with checksums to match, gives wrong answers. [`BvTree::validate`] finds that.
    ///
    /// What happens to the file afterwards does not matter. With the feature `mmap`, `open_mapped` opens it without a
    /// copy.
    ///
    /// # Errors
    /// If the file can't be read, is not a cooked tree, has another format version, is cut off or too long, or is
    /// damaged in any byte; the error says what is wrong and where.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CookError> {
        at_path(path.as_ref(), |path| read(path, Check::All))
    }

    /// Opens a cooked file that the caller trusts: reads it into memory and checks the header and the groups, but
    /// neither the checksums nor the structure of nodes and triangles.
    ///
    /// Use it for files that this program wrote itself or has opened with [`BvTree::open`] before. With a damaged file,
    /// queries stay memory-safe, but they may answer anything, panic or never end.
    ///
    /// # Errors
    /// As [`BvTree::open`], as far as it looks.
    pub fn open_trusted(path: impl AsRef<Path>) -> Result<Self, CookError> {
        at_path(path.as_ref(), |path| read(path, Check::HeaderOnly))
    }

    /// A tree from the bytes of a cooked file, copied and checked as by [`BvTree::open`]; they may lie anywhere.
    ///
    /// # Errors
    /// As [`BvTree::open`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CookError> {
        let header = Header::decode(bytes, bytes.len() as u64)?;
        tree(header, Box::new(AlignedBytes::copied(bytes)?), Check::All)
    }

    /// A tree in a buffer that holds the bytes of a cooked file, which are checked as by [`BvTree::open`] and then used
    /// where they lie: a `&'static [u8]` of the program's own data, an `Arc` of something shared, a mapping.
    ///
    /// The first byte must lie at a multiple of [`BvTree::BUFFER_ALIGNMENT`]; `include_bytes!` alone does not see to
    /// that, and [`BvTree::from_bytes`] does without. The buffer is kept as long as the tree lives. If its `as_ref`
    /// does not give the same bytes each time, queries may panic, answer anything or never end.
    ///
    /// # Errors
    /// As [`BvTree::open`]; and if the bytes are not aligned.
    pub fn from_buffer(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, CookError> {
        in_buffer(bytes, Check::All)
    }

    /// As [`BvTree::from_buffer`], of bytes that the caller trusts, as [`BvTree::open_trusted`] trusts a file: takes
    /// the same short time for any size.
    ///
    /// # Errors
    /// As [`BvTree::open_trusted`]; and if the bytes are not aligned.
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

/// Names the file in an error.
pub(super) fn at_path(path: &Path, open: impl FnOnce(&Path) -> Result<BvTree, CookError>) -> Result<BvTree, CookError> {
    open(path).map_err(|error| CookError::File { path: path.to_owned(), error: Box::new(error) })
}

/// Opens a regular file; gives its length too.
pub(super) fn open_file(path: &Path) -> io::Result<(File, u64)> {
    // Before opening, which would wait for a writer at a pipe.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((File::open(path)?, metadata.len()))
}

fn read(path: &Path, check: Check) -> Result<BvTree, CookError> {
    let (mut file, length) = open_file(path)?;
    let mut start = Vec::with_capacity(HEADER_BYTES);
    file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut start)?;
    // Before there is memory for the rest: the file may be anything, of any size.
    let header = Header::decode(&start, length)?;
    let expected = length - start.len() as u64;
    let bytes = AlignedBytes::read(&start, file, usize::try_from(expected).unwrap_or(usize::MAX))?;
    match bytes.as_ref().len() as u64 {
        actual if actual < length => Err(CookError::Truncated { actual, expected: length }),
        _ => tree(header, Box::new(bytes), check),
    }
}

/// The tree that the bytes are, with this header.
pub(super) fn tree(header: Header, bytes: Bytes, check: Check) -> Result<BvTree, CookError> {
    let [nodes, vertices, corners, faces, polygons, groups] = header.sections.map(|section| section.range());
    let groups = decode_groups(&(*bytes).as_ref()[groups], header.counts.groups)?;
    let arrays = InFile { bytes, nodes, vertices, corners, faces, polygons, groups };
    if check == Check::All {
        verify(&header, &arrays)?;
    }
    Ok(BvTree::in_file(header.meta, arrays))
}

/// Everything that is not in the header alone.
fn verify(header: &Header, arrays: &InFile) -> Result<(), CookError> {
    let bytes = (*arrays.bytes).as_ref();
    let (checksums, structure) = parallel::join(
        || check_checksums(bytes, header),
        || check_structure(arrays.view(), &header.meta, &arrays.groups),
    );
    // A wrong checksum explains a wrong structure.
    checksums?;
    Ok(structure?)
}

fn check_checksums(bytes: &[u8], header: &Header) -> Result<(), CookError> {
    check_gaps(bytes, &header.sections)?;
    for (section, part) in header.sections.iter().zip(NAMES) {
        let computed = checksum(&bytes[section.range()]);
        if computed != section.checksum {
            return Err(CookError::Checksum { part, stored: section.checksum, computed });
        }
    }
    Ok(())
}

/// Where the bytes begin in memory: on a multiple of this, a line of the caches, as sections do in the file.
const ALIGNMENT: usize = 64;

/// Bytes that never change.
struct AlignedBytes {
    /// With room before the first of them, for the alignment.
    memory: Vec<u8>,
    begin: usize,
}

impl AlignedBytes {
    /// A copy.
    ///
    /// # Errors
    /// If there is not so much memory.
    fn copied(bytes: &[u8]) -> io::Result<Self> {
        let mut aligned = Self::with_room_for(bytes.len())?;
        aligned.memory.extend_from_slice(bytes);
        Ok(aligned)
    }

    /// Reads so many bytes, or those up to the end if there are fewer, behind those that have been read before.
    ///
    /// # Errors
    /// Those of the reader; and if there is not so much memory.
    fn read(start: &[u8], mut rest: impl Read, length: usize) -> io::Result<Self> {
        let mut aligned = Self::with_room_for(start.len().saturating_add(length))?;
        aligned.memory.extend_from_slice(start);
        rest.by_ref().take(length as u64).read_to_end(&mut aligned.memory)?;
        Ok(aligned)
    }

    fn with_room_for(length: usize) -> io::Result<Self> {
        let mut memory: Vec<u8> = Vec::new();
        memory.try_reserve_exact(length.saturating_add(ALIGNMENT)).map_err(|_| ErrorKind::OutOfMemory)?;
        let begin = memory.as_ptr().align_offset(ALIGNMENT);
        memory.resize(begin, 0);
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
            let copied = AlignedBytes::copied(&bytes[..length]).unwrap();
            let (start, rest) = bytes[..length].split_at(length.min(384));
            // Whether they say the truth about their length or not.
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
