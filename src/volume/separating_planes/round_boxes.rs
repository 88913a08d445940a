//! Eight volumes of any kind as boxes with rounded edges, each in its own tree's frame: their supports and support
//! points, and which of their points is nearest to another.

use super::plane::MAX_TURN;
use super::separating_axis::OneBox;
use crate::simd::Simd;
use crate::simd::vectors::{Vector8, difference, dot_fused, lane_of};
use crate::volume::VolumeKind;
use crate::volume::node::Node;
use crate::volume::obb_pair::{Boxes, axes};

/// Where a direction's component along an axis of a box is at least this, the support point stays on the same side of
/// the box.
const SHARP: f32 = MAX_TURN * 1.001;

/// A sphere is a box without extent that is rounded by its radius; lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct RoundBoxes<S: Simd> {
    pub(super) centers: Vector8<S>,
    /// The first of all boxes, the second and the third.
    pub(super) axes: [Vector8<S>; 3],
    pub(super) half_extents: Vector8<S>,
    /// How far the edges are rounded.
    pub(super) rounding: S::F32x8,
}

impl<S: Simd> RoundBoxes<S> {
    /// A node's children, or one of them eight times; lanes past the children are unspecified.
    #[inline(always)]
    pub(super) fn of(s: S, node: &Node<'_>, lane: Option<usize>) -> Self {
        let zero = s.splat(0.0);
        match node.kind() {
            VolumeKind::Aabb => {
                let [x, y, z, half_extents @ ..]: [S::F32x8; 6] = node.rows_of(s, lane);
                Self::aligned(s, [x, y, z], half_extents, zero)
            }
            VolumeKind::Obb => {
                let rows: Boxes<S> = node.rows_of(s, lane);
                let (centers, half_extents) = ([rows[2], rows[5], rows[8]], [rows[9], rows[10], rows[11]]);
                Self { centers, axes: axes(s, &rows), half_extents, rounding: zero }
            }
            VolumeKind::Sphere => {
                let [x, y, z, radius]: [S::F32x8; 4] = node.rows_of(s, lane);
                Self::aligned(s, [x, y, z], [zero; 3], radius)
            }
        }
    }

    /// Boxes along the coordinate axes.
    #[inline(always)]
    fn aligned(s: S, centers: [S::F32x8; 3], half_extents: [S::F32x8; 3], rounding: S::F32x8) -> Self {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        Self { centers, axes: [[one, zero, zero], [zero, one, zero], [zero, zero, one]], half_extents, rounding }
    }

    /// Their supports along vectors of at most unit length, as seen from the origin, up to rounding.
    #[inline(always)]
    pub(super) fn support(&self, s: S, along: &Vector8<S>) -> S::F32x8 {
        let mut support = s.add(self.rounding, dot_fused(s, &self.centers, along));
        for k in 0..3 {
            let along = dot_fused(s, &self.axes[k], along);
            support = s.mul_add(self.half_extents[k], s.abs(along), support);
        }
        support
    }

    /// One of them, before it is rounded.
    #[inline(always)]
    pub(super) fn lane(&self, s: S, lane: usize) -> OneBox {
        let [x, y, z] = &self.axes;
        OneBox {
            center: lane_of(s, &self.centers, lane).into(),
            axes: [lane_of(s, x, lane).into(), lane_of(s, y, lane).into(), lane_of(s, z, lane).into()],
            half_extents: lane_of(s, &self.half_extents, lane),
        }
    }

    /// Support points of the boxes, before they are rounded, along unit vectors; and of vectors that differ from those
    /// by at most [`MAX_TURN`] too, but for so much times the difference, which comes second.
    #[inline(always)]
    pub(super) fn support_points(&self, s: S, along: &Vector8<S>) -> (Vector8<S>, S::F32x8) {
        let zero = s.splat(0.0);
        let (mut points, mut flat_sq) = (self.centers, zero);
        for k in 0..3 {
            let axis = &self.axes[k];
            let (along, most) = (dot_fused(s, axis, along), self.half_extents[k]);
            let end = s.select(s.gt(along, zero), most, s.sub(zero, most));
            let is_sharp = s.gt(s.abs(along), s.splat(SHARP));
            let end = s.select(is_sharp, end, zero);
            let flat = s.select(is_sharp, zero, most);
            flat_sq = s.mul_add(flat, flat, flat_sq);
            for x in 0..3 {
                points[x] = s.mul_add(axis[x], end, points[x]);
            }
        }
        (points, s.sqrt(flat_sq))
    }

    /// The points of the boxes, as far as those are not rounding, that are nearest to the given ones, up to rounding.
    #[inline(always)]
    pub(super) fn nearest(&self, s: S, points: &Vector8<S>) -> Vector8<S> {
        let mut nearest = self.centers;
        let from_center = difference(s, points, &self.centers);
        for k in 0..3 {
            let axis = &self.axes[k];
            let most = self.half_extents[k];
            let along = s.max(s.min(dot_fused(s, axis, &from_center), most), s.sub(s.splat(0.0), most));
            for x in 0..3 {
                nearest[x] = s.mul_add(axis[x], along, nearest[x]);
            }
        }
        nearest
    }
}
