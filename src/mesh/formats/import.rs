//! What comes of a file.

use std::path::PathBuf;

use crate::mesh::{Mesh, Place};

/// A mesh, and what its file holds beside.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Import {
    /// The mesh.
    pub mesh: Mesh,
    /// What was left out; empty for most files.
    pub skipped: Vec<Skipped>,
    /// Other files that were read: buffers of glTF.
    pub files: Vec<PathBuf>,
}

impl From<(Mesh, Vec<Skipped>)> for Import {
    fn from((mesh, skipped): (Mesh, Vec<Skipped>)) -> Self {
        Self { mesh, skipped, files: Vec::new() }
    }
}

/// What a file holds beside triangles and was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// What it is, as `"curves and surfaces (vp, curv, surf)"`.
    pub what: &'static str,
    /// How many there are.
    pub count: u64,
    /// Where the first one is.
    pub first: Place,
}
