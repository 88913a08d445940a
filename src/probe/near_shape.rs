//! Searches for the triangles near a convex shape, with a distance limit that shrinks as triangles are found.

use crate::shape::{ConvexShape, KnownPlanes};
use crate::simd::SimdLevel;
use crate::tree::BvTree;
use crate::volume::LocalBox;

/// A shape, and the distance from it within which triangles matter.
pub(super) struct NearShape<'a> {
    pub(super) planes: KnownPlanes<'a>,
    pub(super) local: LocalBox,
    pub(super) limit: f64,
}

impl<'a> NearShape<'a> {
    /// The search within a distance of `limit`; `None` if the whole tree is farther away.
    pub(super) fn new(tree: &BvTree, shape: &'a ConvexShape, limit: f64, level: SimdLevel) -> Option<Self> {
        let local = LocalBox::new(&tree.meta().frame, shape.core_obb());
        let is_beyond = shape.is_beyond(tree.bounds(), limit);
        (!is_beyond).then(|| Self { planes: KnownPlanes::new(shape, level), local, limit })
    }

    /// The limit of the volume test: a squared distance from the core's box, in the unit of the tree's frame.
    pub(super) fn limit_sq(&self) -> f32 {
        self.local.limit_sq(self.limit + self.planes.shape.rounding_radius())
    }
}
