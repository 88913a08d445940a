//! Errors of making and reading meshes.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Mesh;
use super::format::MeshFormat;

/// A location in a mesh file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SourceLocation {
    /// Line number, counted from 1.
    #[error("line {0}")]
    Line(u64),
    /// Byte offset, counted from 0.
    #[error("byte {0}")]
    Byte(u64),
    /// Named or numbered element, such as `node 'body/arm'`.
    #[error("{0}")]
    Element(String),
}

/// The reason why arrays or a file are not a mesh.
///
/// Both `Display` and `Debug` print the message, so that `unwrap` and a `main` that returns `Box<dyn Error>` show it.
#[derive(Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// Index of the vertex, counted from 0.
        vertex: usize,
    },
    /// A coordinate is finite in f64 but overflows f32.
    #[error("vertex {vertex} has a coordinate beyond the range of f32")]
    BeyondF32 {
        /// Index of the vertex, counted from 0.
        vertex: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("face {face} refers to vertex {index}, but there are {vertices} vertices, counted from 0")]
    IndexOutOfRange {
        /// Index of the triangle, counted from 0.
        face: usize,
        /// The vertex index that is out of range.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// The mesh has more than [`Mesh::MAX_COUNT`] vertices or triangles, or the name of a group is longer than that
    /// many bytes.
    #[error("more than {} {what}", Mesh::MAX_COUNT)]
    TooMany {
        /// `"vertices"`, `"triangles"` or `"bytes in a group's name"`.
        what: &'static str,
    },
    /// An array ends in the middle of a point or a face.
    #[error("the number of {what} does not fit whole points or faces")]
    Incomplete {
        /// `"coordinates"` or `"indices"`.
        what: &'static str,
    },
    /// The heights of a height field are not whole rows.
    #[error("expected rows of {columns} heights, found {heights} heights")]
    Rows {
        /// The number of heights.
        heights: usize,
        /// The number of heights in a row.
        columns: usize,
    },
    /// The number of polygon numbers differs from the number of triangles.
    #[error("expected a polygon number for each of {triangles} triangles, found {polygons}")]
    PolygonCount {
        /// Number of polygon numbers.
        polygons: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// A group has no triangles, or begins before the previous one or after the last triangle.
    #[error("group {group} is empty, out of order or out of range")]
    GroupRange {
        /// Index of the group, counted from 0.
        group: usize,
    },
    /// The OBJ file has no faces; it may not be a mesh file at all.
    #[error("no faces: expected at least one `f` statement")]
    NoFaces,
    /// A statement of an OBJ file is invalid.
    #[error("line {line}: {problem}")]
    Obj {
        /// Line number, counted from 1; the first line of a statement that continues over several.
        line: u64,
        /// The expected and the found content.
        problem: ObjProblem,
    },
    /// A file in a format other than OBJ has unexpected content.
    #[error("{location}: expected {expected}, found {found}")]
    Unexpected {
        /// Location of the content.
        location: SourceLocation,
        /// Expected content.
        expected: String,
        /// Found content; words of the file are quoted and cut short.
        found: String,
    },
    /// A file in a format other than OBJ has no face of at least three corners.
    #[error("the {} file has no faces", format.title())]
    NoTriangles {
        /// Format of the file.
        format: MeshFormat,
    },
    /// The file uses a format or feature that is not supported.
    #[error("{what}")]
    Unsupported {
        /// The unsupported feature, and what to do about it.
        what: String,
    },
    /// The Cargo feature of the format is disabled.
    #[error("{} files are not supported by this build: enable the feature `{format}` of bvtree", format.title())]
    FormatOff {
        /// Format of the file.
        format: MeshFormat,
    },
    /// The file has more triangles than [`ReadOptions::max_triangles`](super::ReadOptions::max_triangles).
    #[error("more than {allowed} triangles, which is the limit that was set")]
    TooManyTriangles {
        /// The allowed number of triangles.
        allowed: usize,
    },
    /// The vertices and polygon numbers of a mesh whose triangles are on disk take too much memory.
    #[error("the vertices and the numbers of polygons take more than the {allowed} bytes of memory that are allowed")]
    BeyondMemory {
        /// The allowed memory, in bytes.
        allowed: u64,
    },
    /// The names of groups and materials are too long in all: a short file may use a long name many times.
    #[error("the names of groups and materials take more than {allowed} bytes")]
    LongNames {
        /// The allowed length of all names, in bytes.
        allowed: usize,
    },
    /// The scale, or a spacing of a height field, is not a finite number above 0.
    #[error("expected a finite scale above 0, found {given}")]
    Scale {
        /// The given number.
        given: f64,
    },
    /// An I/O operation failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An error in a file, with the file's path.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file, as given.
        path: PathBuf,
        /// The error in this file.
        error: Box<MeshError>,
    },
}

impl fmt::Debug for MeshError {
    /// Prints the message instead of the fields.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MeshError({self})")
    }
}

impl MeshError {
    #[cfg(any(feature = "stl", feature = "ply", feature = "gltf"))]
    pub(in crate::mesh) fn unexpected(
        location: SourceLocation,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Unexpected { location, expected: expected.into(), found: found.into() }
    }

    /// Adds the path of the file.
    pub(in crate::mesh) fn of_file(self, path: &Path) -> Self {
        Self::File { path: path.to_owned(), error: Box::new(self) }
    }
}

/// The problem in a statement of an OBJ file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ObjProblem {
    /// A vertex has a missing or invalid coordinate.
    #[error("expected three coordinates after `v`, found {found}")]
    Coordinate {
        /// Start of the word, quoted, or "the end of the line".
        found: String,
    },
    /// A coordinate is NaN, infinite or beyond the range of f32.
    #[error("expected coordinates that are finite in f32, found {found}")]
    NotFinite {
        /// Start of the word, quoted.
        found: String,
    },
    /// A corner of a face is not of the form `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    #[error("expected a corner such as 7, 7/1, 7//3 or 7/1/3, found {found}")]
    Corner {
        /// Start of the word, quoted.
        found: String,
    },
    /// A vertex index is zero.
    #[error("expected vertex indices counted from 1, or backwards from -1, found 0")]
    ZeroIndex,
    /// A corner refers to a vertex that is not in the file.
    #[error(
        "vertex index {index} is out of range: there are {vertices} vertices{}",
        if *index < 0 { " before this line" } else { "" }
    )]
    IndexOutOfRange {
        /// The index, as in the file; negative ones count backwards.
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
    /// The file has no faces, but the keyword `V` or `F` in upper case, so it is not OBJ.
    #[error("expected keywords in lower case, such as `v` and `f`, found {found}")]
    UpperCase {
        /// The first such keyword, quoted.
        found: String,
    },
    /// The file is encoded in UTF-16.
    #[error("expected ASCII or UTF-8, found UTF-16: save the file in another encoding")]
    Utf16,
}
