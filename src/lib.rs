//! Bounding-volume trees of triangle meshes, cooked offline and queried two at a time.
//!
//! ```text
//! OBJ -> mesh -> build -> tree -> cooked file -> tree -> query (two trees + pose) -> answer
//! ```
//!
//! Volume tests only prune; triangles decide, and they decide exactly.

#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod fit;
pub mod mesh;
pub mod pose;
pub mod shape;
pub mod shape2;
pub mod triangle;

pub use mesh::Mesh;
pub use pose::Pose;
