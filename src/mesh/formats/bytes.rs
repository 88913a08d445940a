//! The bytes of a binary file, counted.

use std::io::{self, BufRead, ErrorKind};

use crate::mesh::{MeshError, SourceLocation};

/// What should be there, told only when it is not.
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

/// Takes fields one after the other.
pub(super) struct Bytes<R> {
    reader: R,
    /// How many have been taken.
    at: u64,
}

impl<R: BufRead> Bytes<R> {
    #[cfg(feature = "stl")]
    pub(super) fn new(reader: R) -> Self {
        Self::after(reader, 0)
    }

    /// The bytes after so many, which have been read already.
    pub(super) fn after(reader: R, at: u64) -> Self {
        Self { reader, at }
    }

    /// Where the next byte is.
    pub(super) fn place(&self) -> SourceLocation {
        SourceLocation::Byte(self.at)
    }

    /// The next bytes, which must all be there.
    pub(super) fn take<const N: usize>(&mut self, expected: &(impl Expected + ?Sized)) -> Result<[u8; N], MeshError> {
        let mut bytes = [0; N];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) => {
                self.at += N as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(MeshError::Unexpected {
                location: self.place(),
                expected: expected.text(),
                found: "the end of the file".into(),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes sure that nothing follows.
    pub(super) fn end(&mut self, expected: impl Expected) -> Result<(), MeshError> {
        loop {
            match self.reader.fill_buf() {
                Ok([]) => return Ok(()),
                Ok(_) => {
                    let (place, expected) = (self.place(), expected.text());
                    return Err(MeshError::Unexpected { location: place, expected, found: "more bytes".into() });
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
