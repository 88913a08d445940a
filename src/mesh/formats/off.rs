//! OFF: vertices and polygons as text.
//!
//! Colours, normals and texture coordinates (`COFF`, `NOFF`, `STOFF`) are ignored, and there are no groups. Comments
//! and blank lines are allowed anywhere. Four and more dimensions and binary files are rejected.

use std::io::BufRead;
use std::str;

use super::Import;
use super::mesh_builder::MeshBuilder;
use super::options::ReadOptions;
use super::text::{Lines, quote};
use crate::mesh::{MeshError, MeshFormat, SourceLocation};

pub(super) fn read(reader: impl BufRead, options: &ReadOptions) -> Result<Import, MeshError> {
    let mut builder = MeshBuilder::new(options, options.weld.unwrap_or(false));
    let mut file = Reader { lines: Lines::new(reader), text: Vec::new() };
    let [vertices, faces] = file.counts()?;
    for vertex in 0..vertices {
        let expected = || format!("three finite coordinates of vertex {vertex} of {vertices}");
        file.advance(&expected)?;
        let mut words = file.words();
        let mut point = [0.0; 3];
        for number in &mut point {
            let word = words.next();
            let parsed = word.and_then(|word| builder.placement.number(word)).filter(|x| x.is_finite());
            *number = parsed.ok_or_else(|| file.unexpected(expected(), word))?;
        }
        if !builder.vertex(point)? {
            return Err(file.unexpected("coordinates that are finite in f32".into(), Some(&file.text)));
        }
    }
    let mut corners = Vec::new();
    for face in 0..faces {
        let face_name = || format!("face {face} of {faces}");
        file.advance(&|| format!("{}: its number of corners and their vertices", face_name()))?;
        let mut words = file.words();
        let word = words.next();
        let Some(count) = word.and_then(parse::<u32>).filter(|&count| count >= 3) else {
            return Err(file.unexpected(format!("{}: a number of corners, at least 3", face_name()), word));
        };
        corners.clear();
        for _ in 0..count {
            let word = words.next();
            let corner = word.and_then(parse::<u32>).filter(|&corner| u64::from(corner) < vertices);
            let expected =
                || format!("{}: {count} vertices, each from 0 to {}", face_name(), vertices.saturating_sub(1));
            corners.push(corner.ok_or_else(|| file.unexpected(expected(), word))?);
        }
        builder.polygon(&corners)?;
    }
    builder.finish(MeshFormat::Off).map(Import::from)
}

/// A reader of lines without comments and blank lines.
struct Reader<R> {
    lines: Lines<R>,
    text: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    /// Advances to the next line with content.
    fn advance(&mut self, expected: &dyn Fn() -> String) -> Result<(), MeshError> {
        loop {
            self.text.clear();
            if !self.lines.append_to(&mut self.text)? {
                return Err(self.unexpected(expected(), None));
            }
            if let Some(comment) = self.text.iter().position(|&byte| byte == b'#') {
                self.text.truncate(comment);
            }
            if !self.text.trim_ascii().is_empty() {
                return Ok(());
            }
        }
    }

    fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
    }

    /// The error for a word, the end of the line, or the end of the file in place of the expected content.
    fn unexpected(&self, expected: String, word: Option<&[u8]>) -> MeshError {
        let end = if self.text.is_empty() { "the end of the file" } else { "the end of the line" };
        let found = word.map_or_else(|| end.to_owned(), |word| quote(word.trim_ascii()));
        MeshError::Unexpected { location: SourceLocation::Line(self.lines.count.max(1)), expected, found }
    }

    /// Reads the keyword and the numbers of vertices and faces, which follow on the same or the next line.
    fn counts(&mut self) -> Result<[u64; 2], MeshError> {
        let form = || "`OFF`, or a form of it such as `COFF`".to_owned();
        self.advance(&form)?;
        let text = self.text.trim_ascii();
        let Some(at) = text.windows(3).position(|part| part == b"OFF").filter(|&at| at <= 5) else {
            return Err(self.unexpected(form(), self.words().next()));
        };
        if text[..at].iter().any(|letter| b"4n".contains(letter)) {
            return Err(MeshError::Unsupported { what: "OFF files of four dimensions or more are not read".into() });
        }
        let rest = text[at + 3..].trim_ascii_start();
        if rest.starts_with(b"BINARY") {
            let what = "binary OFF files are not read: write them as text, or as PLY".into();
            return Err(MeshError::Unsupported { what });
        }
        self.text = rest.to_vec();
        let expected = || "the numbers of vertices and of faces".to_owned();
        if self.text.is_empty() {
            self.advance(&expected)?;
        }
        let mut words = self.words();
        let mut counts = [0; 2];
        for count in &mut counts {
            let word = words.next();
            *count = word.and_then(parse::<u64>).ok_or_else(|| self.unexpected(expected(), word))?;
        }
        Ok(counts)
    }
}

fn parse<T: str::FromStr>(word: &[u8]) -> Option<T> {
    str::from_utf8(word).ok()?.parse().ok()
}
