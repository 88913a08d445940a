//! Reading binary files, with the byte offset for errors.

use std::io::{self, BufRead, ErrorKind};

use crate::mesh::{MeshError, SourceLocation};

/// A reader of consecutive fields.
pub(super) struct Bytes<R> {
    reader: R,
    /// Number of bytes taken so far.
    at: u64,
}

impl<R: BufRead> Bytes<R> {
    #[cfg(feature = "stl")]
    pub(super) fn new(reader: R) -> Self {
        Self::after(reader, 0)
    }

    /// Continues after `at` bytes that have already been read.
    pub(super) fn after(reader: R, at: u64) -> Self {
        Self { reader, at }
    }

    pub(super) fn location(&self) -> SourceLocation {
        SourceLocation::Byte(self.at)
    }

    /// Takes the next `N` bytes, which errors call `expected`; fails if the file ends before their end.
    pub(super) fn take<const N: usize>(&mut self, expected: &impl Fn() -> String) -> Result<[u8; N], MeshError> {
        let mut bytes = [0; N];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) => {
                self.at += N as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Err(MeshError::unexpected(self.location(), expected(), "the end of the file"))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Checks that the file ends here.
    pub(super) fn end(&mut self, expected: impl Into<String>) -> Result<(), MeshError> {
        loop {
            match self.reader.fill_buf() {
                Ok([]) => return Ok(()),
                Ok(_) => return Err(MeshError::unexpected(self.location(), expected, "more bytes")),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
