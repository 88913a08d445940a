//! The separating axis test of oriented boxes, one against eight, and the other tests of such pairs.

use super::PackedObb;
use crate::numeric::error_bounds::SQUARE_ROUNDING;
use crate::simd::Simd;
use crate::simd::vectors::{Vector8, cross_fused, splatted};
use crate::volume::bounding_volume::{LinearSweep, MUCH_LARGER, PairTests, Swept, length};
use crate::volume::box_pair::BoxPair;
use crate::volume::frame::RelativeFrame;
use crate::volume::kind::VolumeKind;
use crate::volume::node::Node;

impl PairTests for PackedObb {
    const NODES: Option<VolumeKind> = Some(VolumeKind::Obb);

    type Posed = [[f32; 8]; 15];

    #[inline(always)]
    fn posed<S: Simd>(s: S, node: &Node<'_>, to: &RelativeFrame) -> Self::Posed {
        Self::posed_boxes(s, &node.rows(s), to)
    }

    #[inline(always)]
    fn single(posed: &Self::Posed, lane: usize, _: &RelativeFrame) -> Self {
        let field = |row: usize| posed[row][lane & 7];
        let row = |x: usize| [field(4 * x), field(4 * x + 1), field(4 * x + 2), field(4 * x + 3)];
        Self { coordinates: [row(0), row(1), row(2)], half_extents: [field(12), field(13), field(14)] }
    }

    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32) -> (u8, u8) {
        self.overlaps_boxes(s, &node.rows(s), node.lanes(), margin)
    }

    #[inline(always)]
    fn lower_bounds_sq<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32, scale: f32, limit: f32) -> (S::F32x8, u8) {
        self.lower_bounds_sq_of_boxes(s, &node.rows(s), node.lanes(), margin, [scale, limit])
    }

    #[inline(always)]
    fn center(&self) -> [f32; 3] {
        self.coordinates.map(|row| row[3])
    }

    #[inline(always)]
    fn turning_radius(&self) -> f32 {
        length(&self.half_extents)
    }

    #[inline(always)]
    fn sweep<S: Simd>(&self, s: S, node: &Node<'_>, path: &LinearSweep, margin: f32) -> Swept<S> {
        self.sweep_past_boxes(s, &node.rows(s), path, margin)
    }
}

/// Eight boxes, field by field as they are stored.
pub(crate) type Boxes<S> = [<S as Simd>::F32x8; 12];

/// Eight boxes along the coordinate axes, as they would be stored in an OBB tree.
#[inline(always)]
pub(crate) fn aligned_boxes<S: Simd>(s: S, [x, y, z]: Vector8<S>, [u, v, w]: Vector8<S>) -> Boxes<S> {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    [one, zero, x, zero, one, y, zero, zero, z, u, v, w]
}

/// The boxes' axes.
#[inline(always)]
pub(super) fn axes<S: Simd>(s: S, rows: &Boxes<S>) -> [Vector8<S>; 3] {
    let (one, other) = ([rows[0], rows[3], rows[6]], [rows[1], rows[4], rows[7]]);
    [one, other, cross_fused(s, &one, &other)]
}

impl PackedObb {
    /// Converts boxes into the target frame; returns the rows of [`PairTests::Posed`], which include the third axes.
    #[inline(always)]
    pub(in crate::volume) fn posed_boxes<S: Simd>(s: S, rows: &Boxes<S>, to: &RelativeFrame) -> [[f32; 8]; 15] {
        let mut posed = [[0.0; 8]; 15];
        let one = to.rotate(s, [rows[0], rows[3], rows[6]]);
        let other = to.rotate(s, [rows[1], rows[4], rows[7]]);
        let third = cross_fused(s, &one, &other);
        for k in 0..3 {
            posed[4 * k] = s.to_array(one[k]);
            posed[4 * k + 1] = s.to_array(other[k]);
            posed[4 * k + 2] = s.to_array(third[k]);
            posed[12 + k] = s.to_array(s.mul(rows[9 + k], s.splat(to.unit)));
        }
        let center = to.transform(s, [rows[2], rows[5], rows[8]]);
        for x in 0..3 {
            posed[4 * x + 3] = s.to_array(center[x]);
        }
        posed
    }

    #[inline(always)]
    pub(in crate::volume) fn overlaps_boxes<S: Simd>(&self, s: S, rows: &Boxes<S>, lanes: u8, margin: f32) -> (u8, u8) {
        let pair = Pairing::new(s, self, rows, margin);
        let overlapping = pair.overlaps(s, lanes);
        (overlapping, if overlapping == 0 { 0 } else { pair.larger(s, self) })
    }

    /// [`PairTests::lower_bounds_sq`] for boxes: from the gaps along the boxes' axes and between the centres, and from
    /// the gaps along the cross products of edges, divided by the products' lengths.
    #[inline(always)]
    pub(in crate::volume) fn lower_bounds_sq_of_boxes<S: Simd>(
        &self,
        s: S,
        rows: &Boxes<S>,
        lanes: u8,
        margin: f32,
        [scale, limit]: [f32; 2],
    ) -> (S::F32x8, u8) {
        let pair = Pairing::new(s, self, rows, margin);
        let zero = s.splat(0.0);
        let scale = s.splat(scale * SQUARE_ROUNDING);
        let mut greatest = s.mul(pair.face_gaps_sq(s), scale);
        if lanes & !s.bits(s.gt(greatest, s.splat(limit))) == 0 {
            return (greatest, 0);
        }
        for i in 0..3 {
            for j in 0..3 {
                let (along, radius) = pair.along_product(s, i, j);
                let gap = s.max(s.sub(s.abs(along), radius), zero);
                // For nearly parallel edges the product's length is inaccurate; any greater length is safe.
                let length_sq = s.sub(s.splat(1.0), s.mul(pair.r[i][j], pair.r[i][j]));
                let length_sq = s.max(length_sq, s.splat(LEAST_SINE_SQ));
                greatest = s.max(greatest, s.mul(s.mul(gap, gap), s.mul(s.recip_below(length_sq), scale)));
            }
        }
        (greatest, pair.larger(s, self))
    }

    /// Clips the sweep's interval along the face normals of both boxes: the gap along each normal bounds the parameters
    /// at which they touch.
    #[inline(always)]
    pub(in crate::volume) fn sweep_past_boxes<S: Simd>(
        &self,
        s: S,
        rows: &Boxes<S>,
        path: &LinearSweep,
        margin: f32,
    ) -> Swept<S> {
        let mut single = *self;
        for (row, start) in single.coordinates.iter_mut().zip(path.start(self.center())) {
            row[3] = start;
        }
        let pair = Pairing::new(s, &single, rows, margin);
        let [x, y, z] = path.displacement;
        let c = &self.coordinates;
        let mut swept = Swept::anytime(s);
        for i in 0..3 {
            let along = [0, 1, 2].map(|k| x * c[0][k] + y * c[1][k] + z * c[2][k]);
            swept.clip(s, pair.t_single[i], s.splat(along[i]), pair.radius_along_single(s, i), path);
            let along = pair.along_wide(s, i, splatted(s, along));
            swept.clip(s, pair.t_wide[i], along, pair.radius_along_wide(s, i), path);
        }
        swept.finish(s, pair.larger(s, self))
    }
}

/// The least squared sine of the angle between two edges; it replaces smaller ones, which are inaccurate.
const LEAST_SINE_SQ: f32 = 0.05;

/// One box against eight: the quantities from which the gaps along all separating axes are computed.
struct Pairing<S: Simd> {
    single_half: [S::F32x8; 3],
    wide_half: [S::F32x8; 3],
    margin: S::F32x8,
    /// The offsets from the single box's centre to the eight boxes' centres, along the single box's axes.
    t_single: [S::F32x8; 3],
    /// The offsets from the single box's centre to the eight boxes' centres, along the eight boxes' axes.
    t_wide: [S::F32x8; 3],
    /// `r[i][j]`: the dot product of axis i of the single box and axis j of the eight.
    r: [[S::F32x8; 3]; 3],
    r_abs: [[S::F32x8; 3]; 3],
}

impl<S: Simd> Pairing<S> {
    #[inline(always)]
    fn new(s: S, single: &PackedObb, rows: &Boxes<S>, margin: f32) -> Self {
        let zero = s.splat(0.0);
        let (mut t, mut t_single, mut t_wide) = ([zero; 3], [zero; 3], [zero; 3]);
        let (mut r, mut r_abs) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        let mut single_half = [zero; 3];
        for x in 0..3 {
            t[x] = s.sub(rows[3 * x + 2], s.splat(single.coordinates[x][3]));
            single_half[x] = s.splat(single.half_extents[x]);
        }
        for i in 0..3 {
            let c = &single.coordinates;
            let (x, y, z) = (s.splat(c[0][i]), s.splat(c[1][i]), s.splat(c[2][i]));
            for j in 0..2 {
                let sum = s.mul_add(y, rows[3 + j], s.mul(x, rows[j]));
                r[i][j] = s.mul_add(z, rows[6 + j], sum);
                r_abs[i][j] = s.abs(r[i][j]);
            }
            t_single[i] = s.mul_add(z, t[2], s.mul_add(y, t[1], s.mul(x, t[0])));
        }
        // The third axis of the eight, which is not stored.
        let third = cross_fused(s, &[r[0][0], r[1][0], r[2][0]], &[r[0][1], r[1][1], r[2][1]]);
        for i in 0..3 {
            r[i][2] = third[i];
            r_abs[i][2] = s.abs(third[i]);
        }
        for j in 0..2 {
            t_wide[j] = s.mul_add(rows[6 + j], t[2], s.mul_add(rows[3 + j], t[1], s.mul(rows[j], t[0])));
        }
        let wide_half = [rows[9], rows[10], rows[11]];
        let mut pair = Self { single_half, wide_half, margin: s.splat(margin), t_single, t_wide, r, r_abs };
        pair.t_wide[2] = pair.along_wide(s, 2, t_single);
        pair
    }

    /// The component of a vector along axis `j` of the eight boxes, given its coordinates along the single box's axes.
    #[inline(always)]
    fn along_wide(&self, s: S, j: usize, [x, y, z]: [S::F32x8; 3]) -> S::F32x8 {
        s.mul_add(self.r[2][j], z, s.mul_add(self.r[1][j], y, s.mul(self.r[0][j], x)))
    }

    #[inline(always)]
    fn larger(&self, s: S, single: &PackedObb) -> u8 {
        let size = s.max(self.wide_half[0], s.max(self.wide_half[1], self.wide_half[2]));
        let [x, y, z] = single.half_extents;
        s.bits(s.gt(size, s.splat(MUCH_LARGER * x.max(y).max(z))))
    }
}

impl<S: Simd> BoxPair<S> for Pairing<S> {
    #[inline(always)]
    fn centers_along_single(&self) -> &[S::F32x8; 3] {
        &self.t_single
    }

    #[inline(always)]
    fn centers_along_wide(&self) -> &[S::F32x8; 3] {
        &self.t_wide
    }

    #[inline(always)]
    fn radius_along_single(&self, s: S, i: usize) -> S::F32x8 {
        let radius = s.mul_add(self.wide_half[0], self.r_abs[i][0], s.add(self.single_half[i], self.margin));
        s.mul_add(self.wide_half[2], self.r_abs[i][2], s.mul_add(self.wide_half[1], self.r_abs[i][1], radius))
    }

    #[inline(always)]
    fn radius_along_wide(&self, s: S, j: usize) -> S::F32x8 {
        let radius = s.mul_add(self.single_half[0], self.r_abs[0][j], s.add(self.wide_half[j], self.margin));
        s.mul_add(self.single_half[2], self.r_abs[2][j], s.mul_add(self.single_half[1], self.r_abs[1][j], radius))
    }

    #[inline(always)]
    fn along_product(&self, s: S, i: usize, j: usize) -> (S::F32x8, S::F32x8) {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let radius = s.mul_add(self.single_half[i1], self.r_abs[i2][j], self.margin);
        let radius = s.mul_add(self.single_half[i2], self.r_abs[i1][j], radius);
        let radius = s.mul_add(self.wide_half[j1], self.r_abs[i][j2], radius);
        let radius = s.mul_add(self.wide_half[j2], self.r_abs[i][j1], radius);
        let along = s.mul_sub(self.t_single[i2], self.r[i1][j], s.mul(self.t_single[i1], self.r[i2][j]));
        (along, radius)
    }

    #[inline(always)]
    fn half_extents(&self, _: S) -> [[S::F32x8; 3]; 2] {
        [self.single_half, self.wide_half]
    }

    #[inline(always)]
    fn margin(&self, _: S) -> S::F32x8 {
        self.margin
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
