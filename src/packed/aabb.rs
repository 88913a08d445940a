//! Packed axis-aligned boxes and their test, one against eight.

use nalgebra::{Point3, Vector3};

use super::probe::slabs;
use super::sweep::length;
use super::{
    Course, LocalBox, LocalRay, MUCH_LARGER, Node, Probed8, RoundBoxes, SQUARE_ROUNDING, Swept, ToFrame, Volume8,
    length_word, rounded, widen,
};
use crate::shape::Aabb;
use crate::simd::Simd;
use crate::volume::Volume;

/// An axis-aligned box of one tree, seen from the other's frame. Words of a child: centre, half extents, reference.
#[derive(Clone, Copy)]
pub(crate) struct Aabb8 {
    center: [f32; 3],
    half_extents: [f32; 3],
    /// `axes[x][k]`: coordinate x of the box's axis k in this frame, the same for all boxes of a tree.
    axes: [[f32; 3]; 3],
}

impl Volume8 for Aabb8 {
    const FIELDS: usize = 7;

    type Fit = Aabb;
    type Posed = [[f32; 8]; 6];

    fn pack(bounds: &Aabb, words: &mut [u32]) {
        for x in 0..3 {
            let center = rounded((bounds.lower[x] + bounds.upper[x]) * 0.5);
            words[x] = center.to_bits();
            words[3 + x] = length_word((bounds.upper[x] - f64::from(center)).max(f64::from(center) - bounds.lower[x]));
        }
    }

    fn unpack(words: &[u32]) -> Volume {
        let (center, half_extents) = parts(words);
        Volume::Aabb(Aabb { lower: (center - half_extents).into(), upper: (center + half_extents).into() })
    }

    fn encloses(words: &[u32], point: &Point3<f64>) -> bool {
        let (center, half_extents) = parts(words);
        (0..3).all(|x| (point[x] - center[x]).abs() <= half_extents[x])
    }

    #[inline(always)]
    fn posed<S: Simd>(s: S, node: &Node<'_>, to: &ToFrame) -> Self::Posed {
        let [x, y, z, half_extents @ ..]: [S::F32x8; 6] = node.rows(s);
        let center = to.moved(s, [x, y, z]);
        let mut posed = [[0.0; 8]; 6];
        for k in 0..3 {
            posed[k] = s.to_array(center[k]);
            posed[3 + k] = s.to_array(s.mul(half_extents[k], s.splat(to.unit)));
        }
        posed
    }

    #[inline(always)]
    fn one(posed: &Self::Posed, lane: usize, to: &ToFrame) -> Self {
        let field = |row: usize| posed[row][lane & 7];
        Self { center: [field(0), field(1), field(2)], half_extents: [field(3), field(4), field(5)], axes: to.rotation }
    }

    /// The 15 separating axes of two boxes (Gottschalk, Lin and Manocha 1996, section 5), of which one's axes are the
    /// coordinate axes and the other's the pose's.
    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32) -> (u8, u8) {
        let pair = Pairing::new(s, self, node, margin);
        let mut apart = s.gt(s.splat(0.0), s.splat(0.0));
        for i in 0..3 {
            apart = s.or(apart, s.gt(s.abs(pair.t[i]), pair.reach_along_eight(s, i)));
            apart = s.or(apart, s.gt(s.abs(pair.t_one[i]), pair.reach_along_one(s, i)));
        }
        let lanes = node.lanes();
        if s.bits(apart) & lanes == lanes {
            return (0, 0);
        }
        for i in 0..3 {
            for j in 0..3 {
                let (along, reach) = pair.edges(s, i, j);
                apart = s.or(apart, s.gt(s.abs(along), reach));
            }
        }
        (lanes & !s.bits(apart), pair.larger(s))
    }

    /// The gap vector along each box's own axes is a lower bound by its length, since they are orthogonal; so is the gap
    /// along the way from centre to centre.
    #[inline(always)]
    fn lower_bounds_sq<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32, scale: f32, _: f32) -> (S::F32x8, u8) {
        let pair = Pairing::new(s, self, node, margin);
        let zero = s.splat(0.0);
        let (mut one_sq, mut eight_sq) = (zero, zero);
        for i in 0..3 {
            let gap = s.max(s.sub(s.abs(pair.t_one[i]), pair.reach_along_one(s, i)), zero);
            one_sq = s.mul_add(gap, gap, one_sq);
            let gap = s.max(s.sub(s.abs(pair.t[i]), pair.reach_along_eight(s, i)), zero);
            eight_sq = s.mul_add(gap, gap, eight_sq);
        }
        let gap = s.max(pair.center_gap(s), zero);
        let greatest = s.max(s.max(one_sq, eight_sq), s.mul(gap, gap));
        (s.mul(greatest, s.splat(scale * SQUARE_ROUNDING)), pair.larger(s))
    }

    #[inline(always)]
    fn center(&self) -> [f32; 3] {
        self.center
    }

    #[inline(always)]
    fn turning_radius(&self) -> f32 {
        length(&self.half_extents)
    }

    #[inline(always)]
    fn round_boxes<S: Simd>(s: S, node: &Node<'_>, lane: Option<usize>) -> RoundBoxes<S> {
        let [x, y, z, half_extents @ ..]: [S::F32x8; 6] = node.rows_of(s, lane);
        RoundBoxes::aligned(s, [x, y, z], half_extents, s.splat(0.0))
    }

    /// Clips by the face normals of both boxes; each alone bounds the time.
    #[inline(always)]
    fn sweep<S: Simd>(&self, s: S, node: &Node<'_>, course: &Course, margin: f32) -> Swept<S> {
        let one = Self { center: course.start(self.center), ..*self };
        let pair = Pairing::new(s, &one, node, margin);
        let [x, y, z] = course.displacement;
        let mut swept = Swept::anytime(s);
        for i in 0..3 {
            let along = x * self.axes[0][i] + y * self.axes[1][i] + z * self.axes[2][i];
            swept.clip(s, pair.t_one[i], s.splat(along), pair.reach_along_one(s, i), course);
            swept.clip(s, pair.t[i], s.splat(course.displacement[i]), pair.reach_along_eight(s, i), course);
        }
        swept.finish(s, pair.larger(s))
    }
}

/// One box against eight: what all separating axes are computed from.
struct Pairing<'a, S: Simd> {
    one: &'a Aabb8,
    margin: f32,
    half: [S::F32x8; 3],
    /// From the one's centre to the eight's, along the coordinate axes and along the one's.
    t: [S::F32x8; 3],
    t_one: [S::F32x8; 3],
}

impl<'a, S: Simd> Pairing<'a, S> {
    #[inline(always)]
    fn new(s: S, one: &'a Aabb8, node: &Node<'_>, margin: f32) -> Self {
        let rows: [S::F32x8; 6] = node.rows(s);
        let r = &one.axes;
        let zero = s.splat(0.0);
        let (mut t, mut t_one) = ([zero; 3], [zero; 3]);
        for x in 0..3 {
            t[x] = s.sub(rows[x], s.splat(one.center[x]));
        }
        for i in 0..3 {
            let sum = s.mul_add(t[1], s.splat(r[1][i]), s.mul(t[0], s.splat(r[0][i])));
            t_one[i] = s.mul_add(t[2], s.splat(r[2][i]), sum);
        }
        Self { one, margin, half: [rows[3], rows[4], rows[5]], t, t_one }
    }

    /// The half extents' reach along axis i of the one, with the margin.
    #[inline(always)]
    fn reach_along_one(&self, s: S, i: usize) -> S::F32x8 {
        let r = &self.one.axes;
        let reach = s.splat(self.one.half_extents[i] + self.margin);
        let reach = s.mul_add(self.half[0], s.splat(r[0][i].abs()), reach);
        let reach = s.mul_add(self.half[1], s.splat(r[1][i].abs()), reach);
        s.mul_add(self.half[2], s.splat(r[2][i].abs()), reach)
    }

    /// The half extents' reach along coordinate axis j, with the margin.
    #[inline(always)]
    fn reach_along_eight(&self, s: S, j: usize) -> S::F32x8 {
        let (r, h) = (&self.one.axes, &self.one.half_extents);
        let reach = h[0] * r[j][0].abs() + h[1] * r[j][1].abs() + h[2] * r[j][2].abs() + self.margin;
        s.add(self.half[j], s.splat(reach))
    }

    /// The centres' distance and the reach along the product of the one's axis i and coordinate axis j.
    #[inline(always)]
    fn edges(&self, s: S, i: usize, j: usize) -> (S::F32x8, S::F32x8) {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let (r, h) = (&self.one.axes, &self.one.half_extents);
        let reach = s.splat(h[i1] * r[j][i2].abs() + h[i2] * r[j][i1].abs() + self.margin);
        let reach = s.mul_add(self.half[j1], s.splat(r[j2][i].abs()), reach);
        let reach = s.mul_add(self.half[j2], s.splat(r[j1][i].abs()), reach);
        let along = s.mul_sub(self.t[j1], s.splat(r[j2][i]), s.mul(self.t[j2], s.splat(r[j1][i])));
        (along, reach)
    }

    #[inline(always)]
    fn center_gap(&self, s: S) -> S::F32x8 {
        let one_half = self.one.half_extents.map(|x| s.splat(x));
        gap_between_centers(s, [&self.t_one, &self.t], [&one_half, &self.half], s.splat(self.margin))
    }

    #[inline(always)]
    fn larger(&self, s: S) -> u8 {
        let size = s.max(self.half[0], s.max(self.half[1], self.half[2]));
        let [x, y, z] = self.one.half_extents;
        s.bits(s.gt(size, s.splat(MUCH_LARGER * x.max(y).max(z))))
    }
}

impl Probed8 for Aabb8 {
    #[inline(always)]
    fn distance_sq<S: Simd>(s: S, node: &Node<'_>, point: &[f32; 3]) -> S::F32x8 {
        let rows: [S::F32x8; 6] = node.rows(s);
        let t = std::array::from_fn(|x| s.sub(rows[x], s.splat(point[x])));
        distance_sq_to_box(s, t, [rows[3], rows[4], rows[5]])
    }

    #[inline(always)]
    fn ray_entry<S: Simd>(s: S, node: &Node<'_>, ray: &LocalRay, within: [f32; 2]) -> (u8, S::F32x8) {
        let rows: [S::F32x8; 6] = node.rows(s);
        let t = std::array::from_fn(|x| s.sub(rows[x], s.splat(ray.start[x])));
        let (apart, entry) = slabs(s, t, ray.reciprocal.map(|x| s.splat(x)), [rows[3], rows[4], rows[5]], ray, within);
        (node.lanes() & !s.bits(apart), entry)
    }

    #[inline(always)]
    fn overlaps_box<S: Simd>(s: S, node: &Node<'_>, query: &LocalBox) -> u8 {
        let one = Self { center: query.center, half_extents: query.half_extents, axes: query.axes };
        one.overlaps(s, node, query.margin).0
    }
}

/// Squared distances from the origin of boxes, along whose axes the centres are `t`.
#[inline(always)]
pub(super) fn distance_sq_to_box<S: Simd>(s: S, t: [S::F32x8; 3], half_extents: [S::F32x8; 3]) -> S::F32x8 {
    let zero = s.splat(0.0);
    let [x, y, z] = std::array::from_fn(|k| s.max(s.sub(s.abs(t[k]), half_extents[k]), zero));
    s.mul_add(z, z, s.mul_add(y, y, s.mul(x, x)))
}

/// The gap of two boxes along the way from centre to centre, which is given along the axes of each, less the margin.
#[inline(always)]
pub(super) fn gap_between_centers<S: Simd>(
    s: S,
    t: [&[S::F32x8; 3]; 2],
    half_extents: [&[S::F32x8; 3]; 2],
    margin: S::F32x8,
) -> S::F32x8 {
    let (mut length_sq, mut reach) = (s.splat(0.0), s.splat(0.0));
    for k in 0..3 {
        length_sq = s.mul_add(t[0][k], t[0][k], length_sq);
        reach = s.mul_add(half_extents[0][k], s.abs(t[0][k]), reach);
        reach = s.mul_add(half_extents[1][k], s.abs(t[1][k]), reach);
    }
    // Less than the length where its square overflows, so that the gap is not too great.
    let length = s.sqrt(s.min(s.splat(f32::MAX), length_sq));
    s.sub(s.sub(length, margin), s.div(reach, length))
}

/// Centre and half extents of a child's words, widened.
fn parts(words: &[u32]) -> (Vector3<f64>, Vector3<f64>) {
    (Vector3::from_fn(|x, _| widen(words[x])), Vector3::from_fn(|x, _| widen(words[3 + x])))
}
