//! Binary files, with the byte offset for errors.

use std::io::{self, BufRead, ErrorKind};

use crate::mesh::{MeshError, SourceLocation};

/// A description of the expected content, formatted only for errors.
pub(super) trait Expected {
    fn text(&self) -> String;
}

impl Expected for str {
    fn text(&self) -> String {
        self.to_owned()
    }
}

impl<F: Fn() -> String> Expected for F {
    fn text(&self) -> String {
        self()
    }
}

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

    /// Takes the next `N` bytes; fails at the end of the file.
    pub(super) fn take<const N: usize>(&mut self, expected: &(impl Expected + ?Sized)) -> Result<[u8; N], MeshError> {
        let mut bytes = [0; N];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) => {
                self.at += N as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(MeshError::Unexpected {
                location: self.location(),
                expected: expected.text(),
                found: "the end of the file".into(),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Checks that the file ends here.
    pub(super) fn end(&mut self, expected: impl Expected) -> Result<(), MeshError> {
        loop {
            match self.reader.fill_buf() {
                Ok([]) => return Ok(()),
                Ok(_) => {
                    let (location, expected) = (self.location(), expected.text());
                    return Err(MeshError::Unexpected { location, expected, found: "more bytes".into() });
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
