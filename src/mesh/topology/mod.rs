//! How triangles are connected: which vertices are one point, which triangles are one component, how they join along
//! edges. Everything that asks about that asks here, so that all answers rest on the same rules:
//!
//! * Vertices at equal coordinates (`-0.0 == 0.0`) are one point.
//! * Triangles that share a point are connected.
//! * A triangle with two equal corners is the segment or point it is: it has no edges.
//! * A mesh is closed if no edge has an odd number of triangles ([`Watertightness`]).

mod border;
mod components;
mod edges;
mod points;

pub(crate) use border::{BoundaryEdge, border};
pub(crate) use components::{Components, DisjointSets};
pub(super) use edges::EdgeCounts;
pub use edges::Watertightness;
pub(crate) use points::distinct_points;
