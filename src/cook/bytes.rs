//! The bytes of a cooked file in memory of our own, so aligned that its arrays can be used in place.

use std::io::{self, ErrorKind, Read};

/// Where the bytes begin in memory: on a multiple of this, a line of the caches, as sections do in the file.
const ALIGNMENT: usize = 64;

/// Bytes that never change.
pub(super) struct AlignedBytes {
    /// With room before the first of them, for the alignment.
    memory: Vec<u8>,
    begin: usize,
}

impl AlignedBytes {
    /// A copy.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub(super) fn copied(bytes: &[u8]) -> io::Result<Self> {
        let mut aligned = Self::with_room_for(bytes.len())?;
        aligned.memory.extend_from_slice(bytes);
        Ok(aligned)
    }

    /// Reads so many bytes, or those up to the end if there are fewer, behind those that have been read before.
    ///
    /// # Errors
    /// Those of the reader; and if there is not so much memory.
    pub(super) fn read(start: &[u8], mut rest: impl Read, length: usize) -> io::Result<Self> {
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
