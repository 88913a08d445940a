//! Wavefront OBJ: vertices, faces, objects and groups.
//!
//! Faces keep their order and are cut into fans from their first corner; vertices keep theirs, used or not. `g` and
//! `o` alike begin a group. Texture coordinates, normals, materials, colours and weights of vertices, points, lines
//! and free-form surfaces are skipped, so that no other file is ever opened. Every ending of lines (LF, CRLF, CR),
//! `\` before it to continue a line, and names in any encoding are accepted.
//!
//! Not read by `tobj`: it takes a line of three points for a face, refuses continued lines and comments after data,
//! keeps neither line numbers nor the vertices' order, and needs about seven times this reader's memory. The tests
//! compare the two.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::{mem, str};

use nalgebra::Point3;

use super::{Group, Mesh, MeshError, ObjProblem, check_count};

impl Mesh {
    /// Reads a Wavefront OBJ file.
    ///
    /// # Errors
    /// As [`Mesh::read_obj`], within [`MeshError::File`], which names the file.
    pub fn load_obj(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        File::open(path)
            .map_err(MeshError::from)
            .and_then(|file| Self::read_obj(BufReader::with_capacity(1 << 16, file)))
            .map_err(|error| MeshError::File { path: path.into(), error: Box::new(error) })
    }

    /// Reads a mesh in Wavefront OBJ format: triangles, quads and larger polygons, each cut into a fan from its
    /// first corner.
    ///
    /// Only vertices, faces, objects (`o`) and groups (`g`) are read; the latest `o` or `g` names a face's group.
    /// A vertex's fourth number, the weight, is ignored: it is for curves only. A face may refer to vertices that
    /// come after it.
    ///
    /// # Errors
    /// If a line is malformed (the error names it), reading fails, there is no face, or there are more than
    /// [`Mesh::MAX_COUNT`] vertices or triangles.
    pub fn read_obj(reader: impl BufRead) -> Result<Self, MeshError> {
        let mut statements = Statements::new(reader);
        let mut obj = ObjReader::default();
        while statements.advance()? {
            obj.read(&statements.text, statements.line)?;
        }
        obj.finish()
    }
}

/// Some editors begin UTF-8 files with it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The mesh so far.
#[derive(Default)]
struct ObjReader {
    vertices: Vec<Point3<f32>>,
    triangles: Vec<[u32; 3]>,
    polygons: Vec<u32>,
    polygon_count: u32,
    groups: Vec<Group>,
    /// Name from an `o` or `g` statement that no face has followed yet.
    next_group: Option<String>,
    /// The largest index of a vertex that had not come yet, and the line of the face.
    forward: Option<(i64, u64)>,
}

impl ObjReader {
    fn read(&mut self, statement: &[u8], line: u64) -> Result<(), MeshError> {
        let statement = statement.trim_ascii();
        let mut words = statement
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .take_while(|word| !word.starts_with(b"#"));
        match words.next() {
            Some(b"v") => {
                let vertex = parse_vertex(words).map_err(|problem| MeshError::Obj { line, problem })?;
                self.vertices.push(vertex);
                check_count("vertices", self.vertices.len())
            }
            Some(b"f") => self.read_face(words, line),
            Some(b"o" | b"g") => {
                self.next_group = Some(String::from_utf8_lossy(statement[1..].trim_ascii()).into_owned());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn read_face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), MeshError> {
        let fail = |problem| Err(MeshError::Obj { line, problem });
        let first_triangle = self.triangles.len();
        let mut corners = 0;
        let (mut first, mut previous) = (0, 0);
        for word in words {
            let corner = match parse_corner(word).and_then(|index| self.resolve(index, line)) {
                Ok(corner) => corner,
                Err(problem) => return fail(problem),
            };
            match corners {
                0 => first = corner,
                1 => {}
                _ => self.triangles.push([first, previous, corner]),
            }
            previous = corner;
            corners += 1;
        }
        if corners < 3 {
            return fail(ObjProblem::FewCorners { found: corners });
        }
        check_count("triangles", self.triangles.len())?;

        if corners > 3 && self.polygons.is_empty() {
            self.polygons.extend(0..self.polygon_count);
        }
        if corners > 3 || !self.polygons.is_empty() {
            self.polygons.resize(self.triangles.len(), self.polygon_count);
        }
        self.polygon_count += 1;
        if let Some(name) = self.next_group.take()
            && self.groups.last().is_none_or(|group| group.name != name)
        {
            self.groups.push(Group { name, first_triangle: first_triangle as u32 });
        }
        Ok(())
    }

    /// The vertex, counted from 0, that a face's index means.
    fn resolve(&mut self, index: i64, line: u64) -> Result<u32, ObjProblem> {
        let vertices = self.vertices.len();
        let vertex = match index {
            0 => return Err(ObjProblem::ZeroIndex),
            1.. => index - 1,
            _ => vertices as i64 + index,
        };
        if vertex < 0 {
            return Err(ObjProblem::IndexOutOfRange { index, vertices });
        }
        if vertex >= vertices as i64 && self.forward.is_none_or(|(largest, _)| index > largest) {
            self.forward = Some((index, line));
        }
        // `finish` refuses an index beyond u32, as it does every other that no vertex has.
        Ok(u32::try_from(vertex).unwrap_or(u32::MAX))
    }

    fn finish(self) -> Result<Mesh, MeshError> {
        let Self { mut vertices, mut triangles, mut polygons, mut groups, .. } = self;
        if let Some((index, line)) = self.forward
            && index > vertices.len() as i64
        {
            let problem = ObjProblem::IndexOutOfRange { index, vertices: vertices.len() };
            return Err(MeshError::Obj { line, problem });
        }
        if triangles.is_empty() {
            return Err(MeshError::NoFaces);
        }
        vertices.shrink_to_fit();
        triangles.shrink_to_fit();
        polygons.shrink_to_fit();
        groups.shrink_to_fit();
        Ok(Mesh { vertices, triangles, polygons, groups })
    }
}

fn parse_vertex<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Result<Point3<f32>, ObjProblem> {
    let mut coordinate = || {
        let Some(word) = words.next() else {
            return Err(ObjProblem::Coordinate { found: "the end of the line".into() });
        };
        match str::from_utf8(word).ok().and_then(|word| word.parse().ok()) {
            None => Err(ObjProblem::Coordinate { found: quote(word) }),
            Some(x) if !f32::is_finite(x) => Err(ObjProblem::NotFinite { found: quote(word) }),
            Some(x) => Ok(x),
        }
    };
    Ok(Point3::new(coordinate()?, coordinate()?, coordinate()?))
}

/// The vertex index of `v`, `v/vt`, `v//vn` or `v/vt/vn`.
fn parse_corner(word: &[u8]) -> Result<i64, ObjProblem> {
    let parse = |part: &str| part.parse::<i64>().ok();
    let index = str::from_utf8(word).ok().and_then(|word| {
        let mut parts = word.splitn(3, '/');
        let index = parts.next().and_then(parse);
        if parts.all(|part| part.is_empty() || parse(part).is_some()) { index } else { None }
    });
    index.ok_or_else(|| ObjProblem::Corner { found: quote(word) })
}

/// A word for an error message, cut short.
fn quote(word: &[u8]) -> String {
    const LONGEST: usize = 32;
    let start = &word[..word.len().min(LONGEST)];
    let ellipsis = if word.len() > LONGEST { "..." } else { "" };
    format!("`{}{ellipsis}`", String::from_utf8_lossy(start).escape_debug())
}

/// The statements of a file, each with the number of its first line.
struct Statements<R> {
    reader: R,
    /// The current statement: one line, or several joined where `\` ends a line.
    text: Vec<u8>,
    /// Line the statement begins on, counted from 1.
    line: u64,
    lines_read: u64,
    /// The last line ended in CR, so that an LF that follows belongs to it.
    after_cr: bool,
}

impl<R: BufRead> Statements<R> {
    fn new(reader: R) -> Self {
        Self { reader, text: Vec::new(), line: 0, lines_read: 0, after_cr: false }
    }

    /// Goes to the next statement. False at the end of the file.
    fn advance(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.line = self.lines_read + 1;
        loop {
            let start = self.text.len();
            if !self.append_line()? {
                return Ok(start > 0);
            }
            if self.lines_read == 1 && self.text.starts_with(BYTE_ORDER_MARK) {
                self.text.drain(..BYTE_ORDER_MARK.len());
            }
            // Comments are never continued: a path that ends one in `\` must not swallow the next line.
            let is_comment = self.text[start..].trim_ascii_start().starts_with(b"#");
            match self.text.last_mut() {
                Some(last) if *last == b'\\' && !is_comment => *last = b' ',
                _ => return Ok(true),
            }
        }
    }

    /// Appends a line to the text, without its ending. False if there is none.
    fn append_line(&mut self) -> io::Result<bool> {
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
                self.text.extend_from_slice(&buffer[..end]);
                self.after_cr = buffer[end] == b'\r';
                self.reader.consume(end + 1);
                break;
            }
            self.text.extend_from_slice(buffer);
            self.reader.consume(length);
        }
        self.lines_read += u64::from(found);
        Ok(found)
    }
}
