//! What decides which volumes of a tree a question goes on with: those that overlap a box, are near a point, are met by
//! a ray or by what moves along one.

use crate::simd::Simd;
use crate::volume::{BoundingVolume, LocalBox, LocalPoint, LocalRay, Node};

/// Tests the volumes of a node's children, all at once.
pub(super) trait VolumeTest {
    /// A bit for each child to go on with, and how far each is by the test's measure. Nearer ones are visited first.
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>) -> (u8, S::F32x8);

    /// What is farther does not matter.
    fn limit(&self) -> f32;

    fn set_limit(&mut self, limit: f32);
}

/// Volumes that overlap a box, in any order.
pub(super) struct OverlapsBox(pub(super) LocalBox);

impl VolumeTest for OverlapsBox {
    #[inline(always)]
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>) -> (u8, S::F32x8) {
        (V::overlaps_box(simd, node, &self.0), simd.splat(0.0))
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        f32::INFINITY
    }

    #[inline(always)]
    fn set_limit(&mut self, _: f32) {}
}

/// Volumes near a point, the nearest first.
pub(super) struct NearPoint {
    pub(super) point: LocalPoint,
    /// Of squared distances; see [`LocalPoint::limit_sq`].
    pub(super) limit: f32,
}

impl VolumeTest for NearPoint {
    #[inline(always)]
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>) -> (u8, S::F32x8) {
        let distances_sq = V::distance_sq(simd, node, &self.point.coordinates);
        (node.lanes() & !simd.bits(simd.gt(distances_sq, simd.splat(self.limit))), distances_sq)
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn set_limit(&mut self, limit: f32) {
        self.limit = limit;
    }
}

/// Volumes that a ray meets, the first ones first.
pub(super) struct OnRay {
    pub(super) ray: LocalRay,
    /// The part of it that matters, by positions on it.
    pub(super) positions: [f32; 2],
}

impl VolumeTest for OnRay {
    #[inline(always)]
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>) -> (u8, S::F32x8) {
        V::ray_entry(simd, node, &self.ray, self.positions)
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.positions[1]
    }

    #[inline(always)]
    fn set_limit(&mut self, limit: f32) {
        self.positions[1] = limit;
    }
}

/// Volumes near the path of what moves, the first ones first.
pub(super) struct OnPath {
    /// Around all of the path.
    pub(super) bounds: LocalBox,
    /// The path of the middle, as thick as what moves, and the part of it that matters; none where nothing moves.
    pub(super) ray: Option<LocalRay>,
    pub(super) positions: [f32; 2],
}

impl VolumeTest for OnPath {
    #[inline(always)]
    fn test<V: BoundingVolume, S: Simd>(&self, simd: S, node: &Node<'_>) -> (u8, S::F32x8) {
        let near = V::overlaps_box(simd, node, &self.bounds);
        match &self.ray {
            Some(ray) if near != 0 => {
                let (met, entry) = V::ray_entry(simd, node, ray, self.positions);
                (near & met, entry)
            }
            _ => (near, simd.splat(0.0)),
        }
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.positions[1]
    }

    #[inline(always)]
    fn set_limit(&mut self, limit: f32) {
        self.positions[1] = limit;
    }
}
