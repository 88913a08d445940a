//! The options, result and errors of a refit.

use thiserror::Error;

use crate::builder::BuildError;
use crate::tree::TreeDefect;
use crate::volume::ObbAxes;

/// Options of a [`DeformingTree`](super::DeformingTree).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct RefitOptions {
    /// The axes of oriented boxes; trees of other kinds ignore this option.
    pub obb_axes: ObbAxes,
    /// The [`cost_ratio`](super::DeformingTree::cost_ratio) above which the tree is rebuilt with its own build options;
    /// `None` to never rebuild.
    pub rebuild_above: Option<f64>,
}

/// The result of a refit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Refitted {
    /// The number of volumes fitted again.
    pub volumes: usize,
    /// The [`cost_ratio`](super::DeformingTree::cost_ratio) after the refit, before any rebuild.
    pub cost_ratio: f64,
    /// Whether the tree was rebuilt.
    pub was_rebuilt: bool,
}

/// The reason why a tree can't follow a mesh.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NotRefittable {
    /// The mesh and the tree have different numbers of triangles.
    #[error("the tree has {tree} triangles, the mesh {mesh}")]
    Triangles {
        /// Number of triangles in the tree.
        tree: usize,
        /// Number of triangles in the mesh.
        mesh: usize,
    },
    /// A triangle's coordinates differ between the mesh and the tree.
    #[error("triangle {face} has different coordinates in the mesh and in the tree")]
    OtherMesh {
        /// Index in the mesh of the first such triangle in the tree's order.
        face: u32,
    },
    /// The tree is invalid: it was opened from a damaged file with
    /// [`BvTree::open_trusted`](crate::BvTree::open_trusted).
    #[error("the tree is invalid")]
    Unsound(#[from] TreeDefect),
}

/// The reason why positions are refused, or why a tree can't be rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RefitError {
    /// The number of positions is not the number of the mesh's vertices.
    #[error("{given} positions for {vertices} vertices")]
    VertexCount {
        /// Number of positions given.
        given: usize,
        /// Number of vertices in the mesh.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("the position of vertex {vertex} is not finite")]
    NotFinite {
        /// Index of the first such vertex.
        vertex: u32,
    },
    /// A moved vertex does not exist.
    #[error("there is no vertex {vertex} among {vertices}")]
    NoSuchVertex {
        /// The vertex index given.
        vertex: u32,
        /// Number of vertices in the mesh.
        vertices: usize,
    },
    /// The rebuild failed. If it was part of a refit, the tree has been refitted nevertheless.
    #[error("the tree can't be rebuilt")]
    Build(#[from] BuildError),
}
