//! Reading text files by lines or by words, with the line number for errors.

use std::io::{self, BufRead, ErrorKind};
use std::mem;

#[cfg(feature = "stl")]
use super::options::Placement;
#[cfg(any(feature = "stl", feature = "ply"))]
use crate::mesh::{MeshError, SourceLocation};

/// The mark that some editors write at the start of UTF-8 files.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A reader of lines, which end in LF, CRLF or CR; it counts them.
pub(super) struct Lines<R> {
    reader: R,
    /// Number of the last line read, counted from 1.
    pub(super) count: u64,
    /// Whether the last line ended in CR, so that a following LF belongs to it.
    after_cr: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, count: 0, after_cr: false }
    }

    /// Appends the next line to `text`, without its ending and byte order mark. Returns false at the end of the file.
    pub(super) fn append_to(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        let start = text.len();
        let mut found = false;
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            if buffer.is_empty() {
                break;
            }
            if mem::take(&mut self.after_cr) && buffer[0] == b'\n' {
                self.reader.consume(1);
                continue;
            }
            found = true;
            let length = buffer.len();
            if let Some(end) = buffer.iter().position(|&byte| matches!(byte, b'\n' | b'\r')) {
                text.extend_from_slice(&buffer[..end]);
                self.after_cr = buffer[end] == b'\r';
                self.reader.consume(end + 1);
                break;
            }
            text.extend_from_slice(buffer);
            self.reader.consume(length);
        }
        self.count += u64::from(found);
        if self.count == 1 && text[start..].starts_with(BYTE_ORDER_MARK) {
            text.drain(start..start + BYTE_ORDER_MARK.len());
        }
        Ok(found)
    }
}

/// Quotes a word for an error message and cuts it short.
pub(super) fn quote(word: &[u8]) -> String {
    const LONGEST: usize = 32;
    let start = &word[..word.len().min(LONGEST)];
    let ellipsis = if word.len() > LONGEST { "..." } else { "" };
    format!("`{}{ellipsis}`", String::from_utf8_lossy(start).escape_debug())
}

#[cfg(any(feature = "stl", feature = "ply"))]
/// A reader of words, which may be on different lines.
pub(super) struct Words<R> {
    lines: Lines<R>,
    text: Vec<u8>,
    next: usize,
}

#[cfg(any(feature = "stl", feature = "ply"))]
impl<R: BufRead> Words<R> {
    /// Continues after `lines` lines that have already been read.
    pub(super) fn after_lines(reader: R, lines: u64) -> Self {
        let mut words = Self { lines: Lines::new(reader), text: Vec::new(), next: 0 };
        words.lines.count = lines;
        words
    }

    /// The next word; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, MeshError> {
        loop {
            let is_space = |byte: &u8| byte.is_ascii_whitespace();
            if let Some(begin) = self.text[self.next..].iter().position(|byte| !is_space(byte)) {
                let begin = self.next + begin;
                let length = self.text[begin..].iter().position(is_space).unwrap_or(self.text.len() - begin);
                self.next = begin + length;
                return Ok(Some(&self.text[begin..self.next]));
            }
            self.text.clear();
            self.next = 0;
            if !self.lines.append_to(&mut self.text)? {
                return Ok(None);
            }
        }
    }

    /// The rest of the current line, without spaces around it.
    #[cfg(feature = "stl")]
    pub(super) fn rest_of_line(&mut self) -> &[u8] {
        let begin = std::mem::replace(&mut self.next, self.text.len());
        self.text[begin..].trim_ascii()
    }

    pub(super) fn location(&self) -> SourceLocation {
        SourceLocation::Line(self.lines.count)
    }

    /// The error for a word, or the end of the file, in place of the expected content.
    pub(super) fn unexpected(&self, expected: impl Into<String>, found: Option<&[u8]>) -> MeshError {
        let found = found.map_or_else(|| "the end of the file".into(), quote);
        MeshError::Unexpected { location: self.location(), expected: expected.into(), found }
    }

    /// Parses the next word.
    #[cfg(feature = "stl")]
    pub(super) fn parsed<T>(&mut self, expected: &str, parse: impl FnOnce(&[u8]) -> Option<T>) -> Result<T, MeshError> {
        let word = self.next()?;
        if let Some(value) = word.and_then(parse) {
            return Ok(value);
        }
        let found = word.map(<[u8]>::to_vec);
        Err(self.unexpected(expected, found.as_deref()))
    }

    /// Parses the next word as a finite number.
    #[cfg(feature = "stl")]
    pub(super) fn number(&mut self, expected: &str, placement: &Placement) -> Result<f64, MeshError> {
        self.parsed(expected, |word| placement.number(word).filter(|x| x.is_finite()))
    }
}
