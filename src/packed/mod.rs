//! Wide nodes as they lie in memory and in the file: up to eight child volumes, field by field, in f32; and the tests of a
//! volume against eight at once.
//!
//! A node with `k` children is `FIELDS` rows of `k` words, so it takes no room for children it lacks; SIMD loads of a
//! short row leave zeros in the lanes past it. Volumes are in the tree's [`Frame`]: relative
//! to the mesh's middle and in a power-of-two unit near the mesh's size. Rounding goes outward: a packed volume
//! encloses its triangles exactly, as [`Volume8::encloses`] checks; a volume test of two trees takes the roundings of
//! the pose into account by the margin in [`ToFrame`].

mod aabb;
mod any_box;
mod box_pair;
mod frame;
mod node;
mod node_ref;
mod obb;
mod obb_pair;
mod obb_probe;
mod paired8;
mod probe;
mod separating_planes;
mod sphere;
mod sweep;
#[cfg(test)]
mod tests;
mod to_frame;
mod volume8;

pub(crate) use aabb::Aabb8;
pub(crate) use any_box::AnyBox8;
pub(crate) use frame::Frame;
pub(crate) use node::{MAX_FIELDS, Node, PADDING, WIDTH, fields};
pub(crate) use node_ref::NodeRef;
pub(crate) use obb::{BoxFit, Obb8, parts as box_parts};
pub(crate) use paired8::Paired8;
pub(crate) use probe::{LocalBox, LocalPoint, LocalRay, Probed8};
pub(crate) use separating_planes::{EightPlanes, EightTriangles, OneAgainstEight, Plane, Planes};
pub(crate) use sphere::{BallFit, Sphere8};
pub(crate) use sweep::LinearSweep;
pub(crate) use to_frame::ToFrame;
pub(crate) use volume8::Volume8;
