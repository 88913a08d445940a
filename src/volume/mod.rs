//! Wide nodes as they lie in memory and in the file: up to eight child volumes, field by field, in f32; and the tests
//! of a volume against eight at once.
//!
//! A node with `k` children is `FIELDS` rows of `k` words, so it takes no room for children it lacks; SIMD loads of a
//! short row leave zeros in the lanes past it. Volumes are in the tree's [`Frame`]: relative to the mesh's middle and
//! in a power-of-two unit near the mesh's size. Rounding goes outward: a packed volume encloses its triangles exactly,
//! as [`PackedVolume::encloses`] checks; a volume test of two trees takes the roundings of the pose into account by the
//! margin in [`RelativeFrame`].

mod aabb;
mod any_box;
mod box_pair;
pub mod fit;
mod frame;
mod kind;
mod node;
mod node_ref;
mod obb;
mod obb_pair;
mod obb_probe;
mod packed_volume;
mod pair_tests;
mod probe_tests;
mod relative_frame;
mod separating_planes;
mod sphere;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use aabb::PackedAabb;
pub(crate) use any_box::PackedAnyBox;
pub(crate) use frame::Frame;
pub use kind::{Volume, VolumeKind};
pub(crate) use node::{MAX_FIELDS, Node, PADDING, WIDTH, fields};
pub(crate) use node_ref::NodeRef;
pub(crate) use obb::{FittedBox, PackedObb, parts as box_parts};
pub(crate) use packed_volume::PackedVolume;
pub(crate) use pair_tests::PairTests;
pub(crate) use probe_tests::{LocalBox, LocalPoint, LocalRay, ProbeTests};
pub(crate) use relative_frame::RelativeFrame;
pub(crate) use separating_planes::{EightPlanes, EightTriangles, OneAgainstEight, Plane, Planes};
pub(crate) use sphere::{FittedSphere, PackedSphere};
pub(crate) use sweep::LinearSweep;
