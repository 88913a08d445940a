//! Volumes of any kind as oriented boxes, for two trees of different kinds.

use super::node::Node;
use super::obb::PackedObb;
use super::obb_pair::Boxes;
use super::pair_tests::PairTests;
use super::relative_frame::RelativeFrame;
use super::sweep::{LinearSweep, Swept};
use crate::simd::Simd;
use crate::volume::VolumeKind;

/// A volume of some kind as an oriented box around it: an axis-aligned box is one with the coordinate axes, and of a
/// sphere it is the cube around it.
#[derive(Clone, Copy)]
pub(crate) struct PackedAnyBox(PackedObb);

impl PairTests for PackedAnyBox {
    const NODES: Option<VolumeKind> = None;

    type Posed = <PackedObb as PairTests>::Posed;

    #[inline(always)]
    fn posed<S: Simd>(s: S, node: &Node<'_>, to: &RelativeFrame) -> Self::Posed {
        PackedObb::posed_boxes(s, &boxes(s, node), to)
    }

    #[inline(always)]
    fn single(posed: &Self::Posed, lane: usize, to: &RelativeFrame) -> Self {
        Self(PackedObb::single(posed, lane, to))
    }

    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32) -> (u8, u8) {
        self.0.overlaps_boxes(s, &boxes(s, node), node.lanes(), margin)
    }

    #[inline(always)]
    fn lower_bounds_sq<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32, scale: f32, limit: f32) -> (S::F32x8, u8) {
        self.0.lower_bounds_sq_of_boxes(s, &boxes(s, node), node.lanes(), margin, [scale, limit])
    }

    #[inline(always)]
    fn center(&self) -> [f32; 3] {
        self.0.center()
    }

    #[inline(always)]
    fn turning_radius(&self) -> f32 {
        self.0.turning_radius()
    }

    #[inline(always)]
    fn sweep<S: Simd>(&self, s: S, node: &Node<'_>, path: &LinearSweep, margin: f32) -> Swept<S> {
        self.0.sweep_past_boxes(s, &boxes(s, node), path, margin)
    }
}

/// The children of a node as they would be stored as oriented boxes.
#[inline(always)]
fn boxes<S: Simd>(s: S, node: &Node<'_>) -> Boxes<S> {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let aligned =
        |[x, y, z]: [S::F32x8; 3], [u, v, w]: [S::F32x8; 3]| [one, zero, x, zero, one, y, zero, zero, z, u, v, w];
    match node.kind() {
        VolumeKind::Aabb => {
            let [x, y, z, half_extents @ ..]: [S::F32x8; 6] = node.rows(s);
            aligned([x, y, z], half_extents)
        }
        VolumeKind::Obb => node.rows(s),
        VolumeKind::Sphere => {
            let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
            aligned([x, y, z], [radius; 3])
        }
    }
}
