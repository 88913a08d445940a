//! Wavefront OBJ: vertices, faces, objects and groups.
//!
//! Faces and vertices keep their order; unused vertices are kept. With [`GroupBy::Object`], `g` and `o` begin a group;
//! with [`GroupBy::Material`], `usemtl` does; with [`GroupBy::Both`], all three do. The names of an object's groups
//! begin with the object's name. Texture coordinates, normals, colours, weights, points and lines are ignored.
//! Free-form surfaces and `call` are ignored too, and listed in [`Import::skipped`]. Lines end in LF, CRLF or CR, `\`
//! continues a line, and names may be in any encoding.
//!
//! Why not the crate `tobj`: it takes a line of three points for a face, rejects continued lines and comments after
//! data, keeps neither line numbers nor the order of vertices, and needs about seven times the memory. The tests
//! compare the two.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::str;

use super::Import;
use super::mesh_builder::MeshBuilder;
use super::options::{GroupBy, ReadOptions};
use super::text::{Lines, quote};
use crate::mesh::format::is_utf16;
use crate::mesh::{Mesh, MeshError, MeshFormat, ObjProblem, SourceLocation};

impl Mesh {
    /// Reads a Wavefront OBJ file.
    ///
    /// # Errors
    /// Fails as [`Mesh::read_obj`] does; the error is [`MeshError::File`] with the path.
    #[doc(alias = "load")]
    pub fn load_obj(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        File::open(path)
            .map_err(MeshError::from)
            .and_then(|file| Self::read_obj(BufReader::with_capacity(1 << 16, file)))
            .map_err(|error| error.of_file(path))
    }

    /// Reads a mesh in Wavefront OBJ format. Polygons are split into fans from their first corner, or into other
    /// triangles where corners on straight edges (T-junctions) would give some of zero area.
    ///
    /// Polygons are assumed to be convex. The fan of a concave polygon covers area outside of it, and queries use those
    /// triangles: triangulate concave polygons in the modelling tool first.
    ///
    /// Only vertices, faces, objects (`o`) and groups (`g`) are read. A face's group is named after the last `o` and
    /// the last `g` in it, such as `house/roof`. If the file has only one of the two, the group has that name. The
    /// weight of a vertex, its fourth number, is ignored. A face may refer to later vertices.
    ///
    /// # Errors
    /// Fails if a line is malformed (the error names it), reading fails, there is no face, or there are more than
    /// [`Mesh::MAX_COUNT`] vertices or triangles.
    pub fn read_obj(mut reader: impl BufRead) -> Result<Self, MeshError> {
        read((&[] as &[u8]).chain(&mut reader as &mut dyn BufRead), &ReadOptions::default()).map(|import| import.mesh)
    }
}

pub(super) fn read(reader: impl BufRead, options: &ReadOptions) -> Result<Import, MeshError> {
    let mut statements = Statements { lines: Lines::new(reader), text: Vec::new(), line: 0 };
    let mut obj = ObjReader {
        builder: MeshBuilder::new(options, options.weld.unwrap_or(false)),
        group_by: options.group_by,
        object: String::new(),
        group: None,
        corners: Vec::new(),
        forward: None,
        upper_case: None,
    };
    while statements.advance()? {
        if statements.line == 1 && is_utf16(&statements.text) {
            return Err(MeshError::Obj { line: 1, problem: ObjProblem::Utf16 });
        }
        obj.read(&statements.text, statements.line)?;
    }
    obj.finish()
}

const FREE_FORM: &str = "statements of free-form curves and surfaces";
const CALLS: &str = "`call` statements, whose files are not read";

struct ObjReader {
    builder: MeshBuilder,
    group_by: GroupBy,
    /// The name of the current object.
    object: String,
    /// The name of the current group, without the object's; `None` before the first group of an object.
    group: Option<String>,
    corners: Vec<u32>,
    /// The largest index of a vertex that was used before its definition, and the line of the face.
    forward: Option<(i64, u64)>,
    /// The line of the first keyword `V` or `F`, and the keyword, quoted.
    upper_case: Option<(u64, String)>,
}

impl ObjReader {
    fn read(&mut self, statement: &[u8], line: u64) -> Result<(), MeshError> {
        let statement = statement.trim_ascii();
        let mut words = statement
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .take_while(|word| !word.starts_with(b"#"));
        let Some(keyword) = words.next() else { return Ok(()) };
        let name = || String::from_utf8_lossy(statement[keyword.len()..].trim_ascii()).into_owned();
        match keyword {
            b"v" => self.read_vertex(words, line)?,
            b"f" => self.read_face(words, line)?,
            b"o" if self.group_by != GroupBy::Material => {
                (self.object, self.group) = (name(), None);
                self.builder.group(self.object.clone())?;
            }
            b"g" if self.group_by != GroupBy::Material => {
                let group = Some(name());
                // Repeated names are not joined to the object's again.
                if group != self.group {
                    self.builder.group(self.in_object(group.as_deref().unwrap_or_default()))?;
                    self.group = group;
                }
            }
            b"usemtl" if self.group_by == GroupBy::Material => self.builder.group(name())?,
            b"usemtl" if self.group_by == GroupBy::Both => self.builder.material(name())?,
            b"vp" | b"curv" | b"curv2" | b"surf" => self.builder.skip(FREE_FORM, || SourceLocation::Line(line)),
            b"call" => self.builder.skip(CALLS, || SourceLocation::Line(line)),
            b"V" | b"F" if self.upper_case.is_none() => self.upper_case = Some((line, quote(keyword))),
            _ => {}
        }
        Ok(())
    }

    /// The name of a group of the current object: object and group joined by a slash, such as `house/roof`, like the
    /// paths of glTF nodes in [`MeshInstance::name`](super::MeshInstance). If the group has no name, or the object's,
    /// this is the object's name alone; without an object, it is the group's name.
    fn in_object(&self, group: &str) -> String {
        match &*self.object {
            "" => group.to_owned(),
            object if group.is_empty() || group == object => object.to_owned(),
            object => format!("{object}/{group}"),
        }
    }

    fn read_vertex<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), MeshError> {
        let wrong = |problem: ObjProblem| MeshError::Obj { line, problem };
        let mut point = [0.0; 3];
        let mut given: [&[u8]; 3] = [b""; 3];
        for (number, given) in point.iter_mut().zip(&mut given) {
            let Some(word) = words.next() else {
                return Err(wrong(ObjProblem::Coordinate { found: "the end of the line".into() }));
            };
            let parsed = self.builder.placement.number(word);
            *number = parsed.ok_or_else(|| wrong(ObjProblem::Coordinate { found: quote(word) }))?;
            *given = word;
            if !number.is_finite() {
                return Err(wrong(ObjProblem::NotFinite { found: quote(word) }));
            }
        }
        if self.builder.vertex(point)? {
            return Ok(());
        }
        let largest = point.iter().zip(given).max_by(|(a, _), (b, _)| a.abs().total_cmp(&b.abs()));
        Err(wrong(ObjProblem::NotFinite { found: quote(largest.map_or(&[][..], |(_, word)| word)) }))
    }

    fn read_face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), MeshError> {
        self.corners.clear();
        for word in words {
            let corner = parse_corner(word).and_then(|index| self.resolve(index, line));
            self.corners.push(corner.map_err(|problem| MeshError::Obj { line, problem })?);
        }
        if self.corners.len() < 3 {
            return Err(MeshError::Obj { line, problem: ObjProblem::FewCorners { found: self.corners.len() } });
        }
        self.builder.polygon(&self.corners)
    }

    /// Converts an index of a face to a vertex index, counted from 0.
    fn resolve(&mut self, index: i64, line: u64) -> Result<u32, ObjProblem> {
        let vertices = self.builder.vertices_read;
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
        // `finish` rejects indices without a vertex, including those beyond u32.
        Ok(u32::try_from(vertex).unwrap_or(u32::MAX))
    }

    fn finish(self) -> Result<Import, MeshError> {
        let vertices = self.builder.vertices_read;
        if let Some((index, line)) = self.forward
            && index > vertices as i64
        {
            return Err(MeshError::Obj { line, problem: ObjProblem::IndexOutOfRange { index, vertices } });
        }
        if let Some((line, found)) = self.upper_case
            && self.builder.triangles.is_empty()
        {
            return Err(MeshError::Obj { line, problem: ObjProblem::UpperCase { found } });
        }
        self.builder.finish(MeshFormat::Obj).map(Import::from)
    }
}

/// The vertex index of a corner: `v`, `v/vt`, `v//vn` or `v/vt/vn`.
fn parse_corner(word: &[u8]) -> Result<i64, ObjProblem> {
    let parse = |part: &str| part.parse::<i64>().ok();
    let index = str::from_utf8(word).ok().and_then(|word| {
        let mut parts = word.splitn(3, '/');
        let index = parts.next().and_then(parse);
        if parts.all(|part| part.is_empty() || parse(part).is_some()) { index } else { None }
    });
    index.ok_or_else(|| ObjProblem::Corner { found: quote(word) })
}

/// The statements of a file, each with the number of its first line.
struct Statements<R> {
    lines: Lines<R>,
    /// The current statement: a line, or several that are joined by `\`.
    text: Vec<u8>,
    /// First line of the statement, counted from 1.
    line: u64,
}

impl<R: BufRead> Statements<R> {
    /// Advances to the next statement. Returns false at the end of the file.
    fn advance(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.line = self.lines.count + 1;
        loop {
            let start = self.text.len();
            if !self.lines.append_to(&mut self.text)? {
                return Ok(start > 0);
            }
            // Comments are never continued: a path that ends one in `\` must not swallow the next line.
            let mut words = self.text[start..].split(u8::is_ascii_whitespace);
            if self.text.last() != Some(&b'\\') || words.any(|word| word.starts_with(b"#")) {
                return Ok(true);
            }
            self.text.pop();
            self.text.push(b' ');
        }
    }
}
