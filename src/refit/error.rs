//! Why a tree can't be refitted.

use thiserror::Error;

use crate::builder::BuildError;
use crate::tree::TreeDefect;

/// Why a tree and a mesh can't be refitted together.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NotRefittable {
    /// The mesh has another number of triangles.
    #[error("the tree has {tree} triangles, the mesh {mesh}")]
    Triangles {
        /// Triangles of the tree.
        tree: usize,
        /// Triangles of the mesh.
        mesh: usize,
    },
    /// A triangle has other coordinates in the mesh than in the tree.
    #[error("triangle {face} has other coordinates in the mesh than in the tree")]
    OtherMesh {
        /// The first such triangle in the tree's order, by its index in the mesh.
        face: u32,
    },
    /// The tree is unsound: it was opened from a damaged file that was trusted.
    #[error("the tree is unsound")]
    Unsound(#[from] TreeDefect),
}

/// Why positions are refused, or a tree can't be built anew.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RefitError {
    /// There is not one position for each vertex of the mesh.
    #[error("{given} positions for {vertices} vertices")]
    VertexCount {
        /// Positions given.
        given: usize,
        /// Vertices of the mesh.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("the position of vertex {vertex} is not finite")]
    NotFinite {
        /// The first such vertex.
        vertex: u32,
    },
    /// A vertex that is to move is not there.
    #[error("there is no vertex {vertex} among {vertices}")]
    NoSuchVertex {
        /// The vertex.
        vertex: u32,
        /// Vertices of the mesh.
        vertices: usize,
    },
    /// The tree was to be built anew; it was refitted all the same.
    #[error("the tree can't be built anew")]
    Build(#[from] BuildError),
}
