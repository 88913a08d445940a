//! What is exported, whatever the format.

use std::path::PathBuf;

use bvtree::{Mesh, VolumeKind};

use crate::palette::Rgb;
use crate::solid::Solid;
use crate::up_axis::Up;

/// A level of a tree, and its mesh.
pub struct Model {
    pub name: String,
    pub up: Up,
    pub mesh: Option<Mesh>,
    pub kind: VolumeKind,
    pub volumes: Vec<Part>,
    pub colours: Vec<Rgb>,
}

/// One volume.
pub struct Part {
    pub name: String,
    pub solid: Solid,
    /// Triangles below it.
    pub triangles: usize,
    /// Its colour, by number.
    pub colour: usize,
}

/// How a model becomes bytes: for each file its name and content, the one asked for last.
pub type Files = Vec<(PathBuf, Vec<u8>)>;
