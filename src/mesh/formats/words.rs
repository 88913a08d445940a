//! The words of a text, each with the number of its line.

use std::io::BufRead;

use super::lines::{Lines, quote};
#[cfg(feature = "stl")]
use super::placement::Placement;
use crate::mesh::{MeshError, Place};

/// Gives words one after the other, over the ends of lines.
pub(super) struct Words<R> {
    lines: Lines<R>,
    text: Vec<u8>,
    /// Where the next word may begin in the text.
    next: usize,
}

impl<R: BufRead> Words<R> {
    /// The words after so many lines, which have been read already.
    pub(super) fn after_lines(reader: R, lines: u64) -> Self {
        let mut words = Self { lines: Lines::new(reader), text: Vec::new(), next: 0 };
        words.lines.count = lines;
        words
    }

    /// The next word; none at the end of the file.
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

    /// The line of the word that came last.
    pub(super) fn line(&self) -> Place {
        Place::Line(self.lines.count)
    }

    /// That something else was expected than the word, or than the end of the file.
    pub(super) fn unexpected(&self, expected: impl Into<String>, found: Option<&[u8]>) -> MeshError {
        let found = found.map_or_else(|| "the end of the file".into(), quote);
        MeshError::Unexpected { place: self.line(), expected: expected.into(), found }
    }

    /// The next word as `parse` has it.
    #[cfg(feature = "stl")]
    pub(super) fn parsed<T>(&mut self, expected: &str, parse: impl FnOnce(&[u8]) -> Option<T>) -> Result<T, MeshError> {
        let word = self.next()?;
        if let Some(value) = word.and_then(parse) {
            return Ok(value);
        }
        let found = word.map(<[u8]>::to_vec);
        Err(self.unexpected(expected, found.as_deref()))
    }

    /// The next word as a finite number.
    #[cfg(feature = "stl")]
    pub(super) fn number(&mut self, expected: &str, placement: &Placement) -> Result<f64, MeshError> {
        self.parsed(expected, |word| placement.number(word).filter(|x| x.is_finite()))
    }
}
