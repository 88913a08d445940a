//! Why a tree can't be built.

use thiserror::Error;

/// Why a tree can't be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A leaf must be allowed to hold a triangle.
    #[error("max_leaf_triangles is 0: a leaf holds at least one triangle")]
    EmptyLeaves,
    /// The tree would have more volumes than a file can number.
    #[error("the tree would have {volumes} volumes: at most {limit} can be numbered; allow more triangles per leaf")]
    TooLarge {
        /// Volumes of the tree.
        volumes: usize,
        /// The most there can be.
        limit: usize,
    },
}
