//! Bounding-volume trees of triangle meshes, cooked offline and queried two at a time.
//!
//! ```text
//! OBJ -> mesh -> build -> tree -> cooked file -> tree -> query (two trees + pose) -> answer
//! ```
//!
//! Volume tests only prune; triangles decide, and they decide exactly.

#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod build;
pub mod cook;
pub mod fit;
pub mod mesh;
pub mod metrics;
mod packed;
pub mod pose;
pub mod probe;
pub mod query;
pub mod shape;
pub mod shape2;
pub mod simd;
pub mod tree;
pub mod triangle;
mod volume;

pub use build::{BuildOptions, SplitRule};
pub use mesh::Mesh;
pub use pose::Pose;
pub use probe::Probe;
pub use query::Query;
pub use simd::SimdLevel;
pub use tree::BvTree;
pub use volume::{Volume, VolumeKind};
