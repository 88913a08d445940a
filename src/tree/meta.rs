//! What a tree knows about itself besides its nodes and triangles.

use nalgebra::Point3;

use crate::options::BuildOptions;
use crate::shape::Aabb;
use crate::volume::Frame;

/// What a tree knows about itself besides its nodes and triangles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meta {
    pub(crate) options: BuildOptions,
    pub(crate) frame: Frame,
    pub(crate) bounds: Aabb,
    /// Where the mesh's zero is in its source's frame.
    pub(crate) mesh_origin: Point3<f64>,
    pub(crate) mesh_digest: u128,
    /// Splits between the root and the deepest leaf.
    pub(crate) split_depth: u32,
    /// Levels of stored volumes below the root.
    pub(crate) depth: u32,
    pub(crate) leaves: usize,
    pub(crate) leaf_triangles_max: usize,
}
