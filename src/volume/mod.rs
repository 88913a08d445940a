//! Bounding volumes and wide nodes: up to eight child volumes in rows of f32, and the tests of one volume against all
//! eight in SIMD lanes.
//!
//! **Each kind of volume has its own file or folder** (`aabb.rs`, `obb/`, `sphere.rs`, `kdop.rs`), which holds
//! everything about that kind as an implementation of [`BoundingVolume`], and [`for_kind!`] is the only map from a
//! [`VolumeKind`] to its type.
//!
//! A node with `k` children is `FIELDS` rows of `k` `u32` words; SIMD loads of a row with fewer than eight words set
//! the remaining lanes to zero. Volumes are in the tree's [`Frame`]: relative to the mesh's middle and in a
//! power-of-two unit near the mesh's size. Rounding goes outward: a packed volume encloses its triangles exactly, as
//! [`BoundingVolume::encloses`] checks. Tests of two trees allow for the rounding of the pose with the margin of
//! [`RelativeFrame`].

mod aabb;
mod bounding_volume;
mod box_pair;
pub mod fit;
mod frame;
mod kdop;
mod kind;
mod moved_vertices;
mod node;
mod obb;
mod probe;
mod refit;
mod separating_planes;
mod sphere;
#[cfg(test)]
pub(crate) mod tests;
mod triangle_box;

pub(crate) use aabb::PackedAabb;
pub(crate) use bounding_volume::{AreaShape, BoundingVolume, LinearSweep, PairTests};
pub(crate) use box_pair::PackedAnyBox;
pub(crate) use frame::{Frame, RelativeFrame};
pub(crate) use kdop::PackedKDop;
pub(crate) use kind::for_kind;
pub use kind::{Volume, VolumeKind};
pub(crate) use moved_vertices::{Landmarks, LaneCorners, Points, Positions};
pub(crate) use node::{MAX_FIELDS, Node, NodeRef, PADDING, WIDTH, fields};
pub(crate) use obb::{FittedBox, PackedObb};
pub(crate) use probe::{LocalBox, LocalPoint, LocalRay, SweptBody};
pub use refit::ObbAxes;
pub(crate) use refit::{
    Box32, FitFromBelow, FitFromVertices, FromBelow, FromVertices, MovedPart, NEGLIGIBLE, PartBox, narrowed, put,
};
pub(crate) use separating_planes::{EightPlanes, EightTriangles, OneAgainstEight, Plane, Planes};
pub(crate) use sphere::{FittedSphere, PackedSphere};
pub(crate) use triangle_box::{TriangleBox, TriangleFrame};
