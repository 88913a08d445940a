//! Volumes of any kind as oriented boxes, for two trees of different kinds.

use super::bounding_volume::{BoundingVolume, PairTests};
use super::frame::RelativeFrame;
use super::node::Node;
use super::obb::{Boxes, PackedObb};
use super::sweep::{LinearSweep, Swept};
use super::{VolumeKind, for_kind};
use crate::simd::Simd;

/// A volume of some kind as an oriented box around it; see [`BoundingVolume::boxes`].
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

/// Boxes around a node's children, by the node's kind.
#[inline(always)]
fn boxes<S: Simd>(s: S, node: &Node<'_>) -> Boxes<S> {
    for_kind!(node.kind(), V => V::boxes(s, node))
}
