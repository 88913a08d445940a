//! Eight volumes of any kind as boxes with rounded edges, each in its own tree's frame: how far they reach, and which of
//! their points is nearest to another.

use super::planes::MOST_TURN;
use super::{ToFrame, norm};
use crate::simd::Simd;

/// Along an axis of a box at least as far as this the same side of it stays foremost.
const SHARP: f32 = MOST_TURN * 1.001;

/// A sphere is a box without extent that is rounded by its radius; lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct RoundBoxes<S: Simd> {
    pub(super) centers: [S::F32x8; 3],
    /// `axes[x][k]`: coordinate x of axis k.
    pub(super) axes: [[S::F32x8; 3]; 3],
    pub(super) half_extents: [S::F32x8; 3],
    /// How far the edges are rounded.
    pub(super) rounding: S::F32x8,
}

impl<S: Simd> RoundBoxes<S> {
    /// Boxes along the coordinate axes.
    #[inline(always)]
    pub(super) fn aligned(s: S, centers: [S::F32x8; 3], half_extents: [S::F32x8; 3], rounding: S::F32x8) -> Self {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        Self { centers, axes: [[one, zero, zero], [zero, one, zero], [zero, zero, one]], half_extents, rounding }
    }

    /// How far they reach along vectors of at most unit length, seen from the origin, up to rounding.
    #[inline(always)]
    pub(super) fn support(&self, s: S, along: [S::F32x8; 3]) -> S::F32x8 {
        let mut support = s.add(self.rounding, dot(s, self.centers, along));
        for k in 0..3 {
            let along = dot(s, [self.axes[0][k], self.axes[1][k], self.axes[2][k]], along);
            support = s.mul_add(self.half_extents[k], s.abs(along), support);
        }
        support
    }

    #[inline(always)]
    pub(super) fn lane(&self, s: S, lane: usize) -> RoundBox {
        let at = |row: S::F32x8| s.to_array(row)[lane & 7];
        let axis = |k: usize| [at(self.axes[0][k]), at(self.axes[1][k]), at(self.axes[2][k])];
        RoundBox {
            center: self.centers.map(at),
            axes: [axis(0), axis(1), axis(2)],
            half_extents: self.half_extents.map(at),
        }
    }

    /// Points at which the boxes, before they are rounded, reach farthest along unit vectors and along all that differ from
    /// those by at most [`MOST_TURN`], but for so much times the difference.
    #[inline(always)]
    pub(super) fn foremost(&self, s: S, along: [S::F32x8; 3]) -> ([S::F32x8; 3], S::F32x8) {
        let zero = s.splat(0.0);
        let (mut points, mut flat_sq) = (self.centers, zero);
        for k in 0..3 {
            let axis = [self.axes[0][k], self.axes[1][k], self.axes[2][k]];
            let (along, most) = (dot(s, axis, along), self.half_extents[k]);
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
    pub(super) fn nearest(&self, s: S, points: [S::F32x8; 3]) -> [S::F32x8; 3] {
        let mut nearest = self.centers;
        let way = difference(s, points, self.centers);
        for k in 0..3 {
            let axis = [self.axes[0][k], self.axes[1][k], self.axes[2][k]];
            let most = self.half_extents[k];
            let along = s.max(s.min(dot(s, axis, way), most), s.sub(s.splat(0.0), most));
            for x in 0..3 {
                nearest[x] = s.mul_add(axis[x], along, nearest[x]);
            }
        }
        nearest
    }
}

/// One of them, without its rounding.
pub(super) struct RoundBox {
    pub(super) center: [f32; 3],
    /// One after the other.
    pub(super) axes: [[f32; 3]; 3],
    pub(super) half_extents: [f32; 3],
}

impl RoundBox {
    /// In another frame.
    #[inline(always)]
    pub(super) fn moved(&self, to: &ToFrame) -> Self {
        let turned = |v: [f32; 3]| to.rotation.map(|r| r[0] * v[0] + r[1] * v[1] + r[2] * v[2]);
        let center = turned(self.center);
        Self {
            center: std::array::from_fn(|x| center[x] * to.unit + to.translation[x]),
            axes: self.axes.map(turned),
            half_extents: self.half_extents.map(|h| h * to.unit),
        }
    }
}

#[inline(always)]
pub(super) fn dot<S: Simd>(s: S, a: [S::F32x8; 3], b: [S::F32x8; 3]) -> S::F32x8 {
    s.mul_add(a[2], b[2], s.mul_add(a[1], b[1], s.mul(a[0], b[0])))
}

#[inline(always)]
pub(super) fn difference<S: Simd>(s: S, a: [S::F32x8; 3], b: [S::F32x8; 3]) -> [S::F32x8; 3] {
    [s.sub(a[0], b[0]), s.sub(a[1], b[1]), s.sub(a[2], b[2])]
}

/// Directions, of less than unit length where a vector is next to none.
#[inline(always)]
pub(super) fn normalized<S: Simd>(s: S, vectors: [S::F32x8; 3]) -> [S::F32x8; 3] {
    let length = s.max(norm(s, vectors), s.splat(1e-10));
    [s.div(vectors[0], length), s.div(vectors[1], length), s.div(vectors[2], length)]
}
