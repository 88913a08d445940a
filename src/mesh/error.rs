//! Why something is not a mesh.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Mesh;
use super::format::MeshFormat;

/// Where in a mesh file something is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SourceLocation {
    /// A line, counted from 1.
    #[error("line {0}")]
    Line(u64),
    /// A byte, counted from 0.
    #[error("byte {0}")]
    Byte(u64),
    /// A part that has a name or a number, as `node 'body/arm'`.
    #[error("{0}")]
    Element(String),
}

/// Why arrays or a file are not a mesh.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// The vertex, counted from 0.
        vertex: usize,
    },
    /// A coordinate is finite, but not in f32.
    #[error("vertex {vertex} has a coordinate beyond the range of f32")]
    BeyondF32 {
        /// The vertex, counted from 0.
        vertex: usize,
    },
    /// A triangle refers to a vertex that is not there.
    #[error("face {face} refers to vertex {index}, but there are {vertices} vertices, counted from 0")]
    IndexOutOfRange {
        /// The triangle, counted from 0.
        face: usize,
        /// Its index that is out of range.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// There are more vertices or triangles than [`Mesh::MAX_COUNT`].
    #[error("more than {} {what}", Mesh::MAX_COUNT)]
    TooMany {
        /// `"vertices"` or `"triangles"`.
        what: &'static str,
    },
    /// An array ends in the middle of a point or a face.
    #[error("the {what} do not come in whole points or faces")]
    Incomplete {
        /// `"coordinates"` or `"indices"`.
        what: &'static str,
    },
    /// Polygons are given, but not one for each triangle.
    #[error("{polygons} polygon numbers are given for {triangles} triangles")]
    PolygonCount {
        /// Number of polygon numbers.
        polygons: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// A run of triangles does not end after its first triangle.
    #[error("group {group} is empty, out of order or out of range")]
    GroupRange {
        /// The run, counted from 0.
        group: usize,
    },
    /// The file has no face; it may not be a mesh file at all.
    #[error("no faces: expected at least one `f` statement")]
    NoFaces,
    /// A line of an OBJ file is wrong.
    #[error("line {line}: {problem}")]
    Obj {
        /// The line, counted from 1; the first one where a statement is continued over several.
        line: u64,
        /// What was expected and what is there.
        problem: ObjProblem,
    },
    /// Something in a file of another format is wrong.
    #[error("{location}: expected {expected}, found {found}")]
    Unexpected {
        /// Where it is.
        location: SourceLocation,
        /// What should be there.
        expected: String,
        /// What is there; words of the file are quoted and cut short.
        found: String,
    },
    /// The file has no polygon of at least three corners.
    #[error("the {} file has no faces", format.title())]
    NoTriangles {
        /// The file's format.
        format: MeshFormat,
    },
    /// The file is sound, but needs what is not read here.
    #[error("{what}")]
    Unsupported {
        /// What is needed, and what to do about it.
        what: String,
    },
    /// The format's feature is not compiled in.
    #[error("{} files are not read by this build: its feature `{format}` is off", format.title())]
    FormatOff {
        /// The file's format.
        format: MeshFormat,
    },
    /// There are more triangles than the options allow.
    #[error("more than {allowed} triangles, which is the limit that was set")]
    TooManyTriangles {
        /// How many are allowed.
        allowed: usize,
    },
    /// The scale is not a positive number.
    #[error("expected a finite scale above 0, found {given}")]
    Scale {
        /// The scale.
        given: f64,
    },
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file that one of the other errors is about.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file, as it was given.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<MeshError>,
    },
}

impl MeshError {
    /// Names the file that it is about.
    pub(in crate::mesh) fn of_file(self, path: &Path) -> Self {
        Self::File { path: path.to_owned(), error: Box::new(self) }
    }
}

/// What is wrong with a line of an OBJ file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ObjProblem {
    /// A vertex lacks a coordinate or has one that is not a number.
    #[error("expected three coordinates after `v`, found {found}")]
    Coordinate {
        /// The start of the word in its place, quoted, or "the end of the line".
        found: String,
    },
    /// A coordinate is NaN, infinite or beyond f32's range.
    #[error("expected coordinates that are finite in f32, found {found}")]
    NotFinite {
        /// The start of the word, quoted.
        found: String,
    },
    /// A corner of a face is not of the form `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    #[error("expected a corner such as 7, 7/1, 7//3 or 7/1/3, found {found}")]
    Corner {
        /// The start of the word, quoted.
        found: String,
    },
    /// A vertex index is zero.
    #[error("expected vertex indices counted from 1, or backwards from -1, found 0")]
    ZeroIndex,
    /// A corner refers to a vertex that is not in the file, or, backwards, to one before its first.
    #[error(
        "vertex index {index} is out of range: there are {vertices} vertices{}",
        if *index < 0 { " before this line" } else { "" }
    )]
    IndexOutOfRange {
        /// The index, as in the file.
        index: i64,
        /// Number of vertices in the file, or before this line for a negative index.
        vertices: usize,
    },
    /// A face has fewer than three corners.
    #[error("expected at least three corners after `f`, found {found}")]
    FewCorners {
        /// Number of corners.
        found: usize,
    },
    /// The file is no OBJ by its letters' case.
    #[error("expected keywords in lower case, such as `v` and `f`, found {found}")]
    UpperCase {
        /// The first such keyword, quoted.
        found: String,
    },
    /// The text has two bytes for each letter.
    #[error("expected ASCII or UTF-8, found UTF-16: save the file in another encoding")]
    Utf16,
}
