//! Two boxes: the separating axis test of one against eight, and lower bounds on distances, from the same axes; and
//! volumes of any kind as boxes, for two trees of different kinds.

use nalgebra::{Matrix3, Vector3};

use super::bounding_volume::{BoundingVolume, LinearSweep, PairTests, Swept};
use super::frame::RelativeFrame;
use super::node::Node;
use super::obb::{Boxes, PackedObb};
use super::{VolumeKind, for_kind};
use crate::simd::Simd;
use crate::simd::vectors::dot_fused;

/// A single box and the eight of a wide node, projected on the axes that may separate them. Each projected radius is
/// the sum for both boxes, plus the margin: the boxes are apart along an axis if the distance between their centres
/// along the axis is greater.
pub(super) trait BoxPair<S: Simd>: Sized {
    /// Offsets from the single box's centre to the eight boxes' centres, along each axis of the single box.
    fn centers_along_single(&self) -> &[S::F32x8; 3];

    /// Offsets from the single box's centre to the eight boxes' centres, along each axis of the eight boxes.
    fn centers_along_wide(&self) -> &[S::F32x8; 3];

    /// The projected radius along axis `i` of the single box.
    fn radius_along_single(&self, s: S, i: usize) -> S::F32x8;

    /// The projected radius along axis `j` of the eight boxes.
    fn radius_along_wide(&self, s: S, j: usize) -> S::F32x8;

    /// The distance between the centres and the projected radius along the cross product of the single box's axis `i`
    /// and the eight boxes' axis `j`. The product's length is the sine of the angle between the two axes.
    fn along_product(&self, s: S, i: usize, j: usize) -> (S::F32x8, S::F32x8);

    fn half_extents(&self, s: S) -> [[S::F32x8; 3]; 2];

    fn margin(&self, s: S) -> S::F32x8;

    /// The 15 separating axes of two boxes (Gottschalk, Lin and Manocha 1996, section 5): the face normals of both
    /// first, then the nine cross products of edges unless the normals separate all lanes. Returns a bit for each lane
    /// that is not apart.
    #[inline(always)]
    fn overlaps(&self, s: S, lanes: u8) -> u8 {
        let mut apart = s.gt(s.splat(0.0), s.splat(0.0));
        for i in 0..3 {
            apart = s.or(apart, s.gt(s.abs(self.centers_along_single()[i]), self.radius_along_single(s, i)));
            apart = s.or(apart, s.gt(s.abs(self.centers_along_wide()[i]), self.radius_along_wide(s, i)));
        }
        if s.bits(apart) & lanes == lanes {
            return 0;
        }
        for i in 0..3 {
            for j in 0..3 {
                let (along, radius) = self.along_product(s, i, j);
                apart = s.or(apart, s.gt(s.abs(along), radius));
            }
        }
        lanes & !s.bits(apart)
    }

    /// Squared lower bounds on the distances: the greatest of three bounds. The gaps along a box's three axes, which
    /// are orthogonal, are components of a vector that is no longer than the distance. The gap along the line between
    /// the centres is a lower bound too, and nearly the distance for small boxes that are far apart.
    #[inline(always)]
    fn face_gaps_sq(&self, s: S) -> S::F32x8 {
        let zero = s.splat(0.0);
        let (mut single_sq, mut wide_sq) = (zero, zero);
        for i in 0..3 {
            let gap = s.max(s.sub(s.abs(self.centers_along_single()[i]), self.radius_along_single(s, i)), zero);
            single_sq = s.mul_add(gap, gap, single_sq);
            let gap = s.max(s.sub(s.abs(self.centers_along_wide()[i]), self.radius_along_wide(s, i)), zero);
            wide_sq = s.mul_add(gap, gap, wide_sq);
        }
        let gap = s.max(self.center_gap(s), zero);
        s.max(s.max(single_sq, wide_sq), s.mul(gap, gap))
    }

    /// The gap along the line between the centres, less the margin.
    #[inline(always)]
    fn center_gap(&self, s: S) -> S::F32x8 {
        let [t_single, t_wide] = [self.centers_along_single(), self.centers_along_wide()];
        let [single, wide] = self.half_extents(s);
        let (mut length_sq, mut radius) = (s.splat(0.0), s.splat(0.0));
        for k in 0..3 {
            length_sq = s.mul_add(t_single[k], t_single[k], length_sq);
            radius = s.mul_add(single[k], s.abs(t_single[k]), radius);
            radius = s.mul_add(wide[k], s.abs(t_wide[k]), radius);
        }
        // Less than the length if its square overflows, so that the gap is not too large.
        let length = s.sqrt(s.min(s.splat(f32::MAX), length_sq));
        s.sub(s.sub(length, self.margin(s)), s.div(radius, length))
    }
}

/// Squared distances from the origin to boxes, given the centres' coordinates `t` along each box's own axes.
#[inline(always)]
pub(super) fn distance_sq_to_box<S: Simd>(s: S, t: [S::F32x8; 3], half_extents: [S::F32x8; 3]) -> S::F32x8 {
    let zero = s.splat(0.0);
    let outside = std::array::from_fn(|k| s.max(s.sub(s.abs(t[k]), half_extents[k]), zero));
    dot_fused(s, &outside, &outside)
}

/// A volume of some kind as an oriented box around it; see [`BoundingVolume::boxes`].
#[derive(Clone, Copy, Default)]
pub(crate) struct PackedAnyBox(PackedObb);

impl PackedAnyBox {
    /// A box in the wide node's frame that is not stored in any node; the columns of `axes` are its axes.
    #[inline(always)]
    pub(super) fn new(center: &Vector3<f64>, axes: &Matrix3<f64>, half_extents: &Vector3<f64>) -> Self {
        Self(PackedObb::new(center, axes, half_extents))
    }
}

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

/// Oriented boxes around a node's children, which are read as volumes of the node's kind.
#[inline(always)]
fn boxes<S: Simd>(s: S, node: &Node<'_>) -> Boxes<S> {
    for_kind!(node.kind(), V => V::boxes(s, node))
}
