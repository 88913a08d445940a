//! Axis-aligned boxes: how they are stored, tested, fitted and refitted.

use nalgebra::{Point3, Vector3};

use super::bounding_volume::{BoundingVolume, LinearSweep, PairTests, Swept, length, much_larger, slab_words, widen};
use super::box_pair::{BoxPair, distance_sq_to_box};
use super::fit::FitMethods;
use super::fit::primitives::{self, Primitive, Ranges};
use super::frame::{Frame, RelativeFrame};
use super::kind::{Volume, VolumeKind};
use super::node::{MAX_FIELDS, Node, WIDTH};
use super::obb::{Boxes, aligned_boxes};
use super::probe::{LocalBox, LocalRay, slabs};
use super::refit::{FitFromBelow, FromBelow, box_areas, pack_slabs};
use super::separating_planes::RoundBoxes;
use crate::numeric::error_bounds::{REFIT_BOX_ROUNDING, SQUARE_ROUNDING};
use crate::shape::Aabb;
use crate::simd::vectors::splatted;
use crate::simd::{Simd, SimdLevel};

/// An axis-aligned box of one tree in the other tree's frame. Fields of a child in a node: centre, half extents,
/// reference.
#[derive(Clone, Copy)]
pub(crate) struct PackedAabb {
    center: [f32; 3],
    half_extents: [f32; 3],
    /// `axes[x][k]`: coordinate x of the box's axis k in this frame, the same for all boxes of a tree.
    axes: [[f32; 3]; 3],
}

impl BoundingVolume for PackedAabb {
    const KIND: VolumeKind = VolumeKind::Aabb;
    const FIELDS: usize = 7;
    const LENGTHS: usize = 3;
    type Fit = Aabb;
    type FitMethod = FromBelow<Self>;
    type Measured = Self;
    const FITS_BOUNDS: bool = true;

    fn fit(level: SimdLevel, primitives: &[Primitive], _: FitMethods, frame: &Frame) -> Aabb {
        // Converting coordinates into the frame keeps their order.
        let Ranges { lower, upper } = primitives::bounds(level, primitives);
        Aabb { lower: frame.to_local(&lower.into()), upper: frame.to_local(&upper.into()) }
    }

    fn pack(bounds: &Aabb, words: &mut [u32]) {
        for x in 0..3 {
            [words[x], words[3 + x]] = slab_words(bounds.lower[x], bounds.upper[x]);
        }
    }

    fn unpack(words: &[u32], frame: &Frame) -> Volume {
        let (center, half_extents) = parts(words);
        let [lower, upper] = [center - half_extents, center + half_extents].map(|end| frame.to_mesh(&end.into()));
        Volume::Aabb(Aabb { lower, upper })
    }

    fn encloses(words: &[u32], point: &Point3<f64>) -> bool {
        let (center, half_extents) = parts(words);
        (0..3).all(|x| (point[x] - center[x]).abs() <= half_extents[x])
    }

    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH] {
        box_areas(words, children, 3)
    }

    #[inline(always)]
    fn boxes<S: Simd>(s: S, node: &Node<'_>) -> Boxes<S> {
        let [x, y, z, half_extents @ ..]: [S::F32x8; 6] = node.rows(s);
        aligned_boxes(s, [x, y, z], half_extents)
    }

    #[inline(always)]
    fn round_boxes<S: Simd>(s: S, node: &Node<'_>, lane: Option<usize>) -> RoundBoxes<S> {
        let [x, y, z, half_extents @ ..]: [S::F32x8; 6] = node.rows_of(s, lane);
        RoundBoxes::aligned(s, [x, y, z], half_extents, s.splat(0.0))
    }

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
        let margins = splatted(s, ray.reach(|edge| edge, |_| 1.0));
        let (apart, entry) = slabs(s, t, splatted(s, ray.reciprocal), [rows[3], rows[4], rows[5]], margins, within);
        (node.lanes() & !s.bits(apart), entry)
    }

    #[inline(always)]
    fn overlaps_box<S: Simd>(s: S, node: &Node<'_>, query: &LocalBox) -> u8 {
        let single = Self { center: query.center, half_extents: query.half_extents, axes: query.axes };
        single.overlaps(s, node, query.margin).0
    }
}

impl PairTests for PackedAabb {
    const NODES: Option<VolumeKind> = Some(VolumeKind::Aabb);

    type Posed = [[f32; 8]; 6];

    #[inline(always)]
    fn posed<S: Simd>(s: S, node: &Node<'_>, to: &RelativeFrame) -> Self::Posed {
        let [x, y, z, half_extents @ ..]: [S::F32x8; 6] = node.rows(s);
        let center = to.transform(s, [x, y, z]);
        let mut posed = [[0.0; 8]; 6];
        for k in 0..3 {
            posed[k] = s.to_array(center[k]);
            posed[3 + k] = s.to_array(s.mul(half_extents[k], s.splat(to.unit)));
        }
        posed
    }

    #[inline(always)]
    fn single(posed: &Self::Posed, lane: usize, to: &RelativeFrame) -> Self {
        let field = |row: usize| posed[row][lane & 7];
        Self { center: [field(0), field(1), field(2)], half_extents: [field(3), field(4), field(5)], axes: to.rotation }
    }

    /// The axes of the single box are the columns of the rotation between the frames; those of the eight boxes are the
    /// coordinate axes.
    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32) -> (u8, u8) {
        let pair = Pairing::new(s, self, node, margin);
        let overlapping = pair.overlaps(s, node.lanes());
        (overlapping, if overlapping == 0 { 0 } else { pair.larger(s) })
    }

    #[inline(always)]
    fn lower_bounds_sq<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32, scale: f32, _: f32) -> (S::F32x8, u8) {
        let pair = Pairing::new(s, self, node, margin);
        (s.mul(pair.face_gaps_sq(s), s.splat(scale * SQUARE_ROUNDING)), pair.larger(s))
    }

    #[inline(always)]
    fn center(&self) -> [f32; 3] {
        self.center
    }

    #[inline(always)]
    fn turning_radius(&self) -> f32 {
        length(&self.half_extents)
    }

    /// Clips the sweep's interval along the face normals of both boxes: the gap along each normal bounds the parameters
    /// at which they touch.
    #[inline(always)]
    fn sweep<S: Simd>(&self, s: S, node: &Node<'_>, path: &LinearSweep, margin: f32) -> Swept<S> {
        let single = Self { center: path.start(self.center), ..*self };
        let pair = Pairing::new(s, &single, node, margin);
        let [x, y, z] = path.displacement;
        let mut swept = Swept::anytime(s);
        for i in 0..3 {
            let along = x * self.axes[0][i] + y * self.axes[1][i] + z * self.axes[2][i];
            swept.clip(s, pair.t_single[i], s.splat(along), pair.radius_along_single(s, i), path);
            swept.clip(s, pair.t[i], s.splat(path.displacement[i]), pair.radius_along_wide(s, i), path);
        }
        swept.finish(s, pair.larger(s))
    }
}

/// One box against eight: the quantities from which the gaps along all separating axes are computed.
struct Pairing<'a, S: Simd> {
    single: &'a PackedAabb,
    margin: f32,
    wide_half: [S::F32x8; 3],
    /// The offsets from the single box's centre to the eight boxes' centres, along the coordinate axes.
    t: [S::F32x8; 3],
    /// The offsets `t` along the single box's axes.
    t_single: [S::F32x8; 3],
}

impl<'a, S: Simd> Pairing<'a, S> {
    #[inline(always)]
    fn new(s: S, single: &'a PackedAabb, node: &Node<'_>, margin: f32) -> Self {
        let rows: [S::F32x8; 6] = node.rows(s);
        let r = &single.axes;
        let zero = s.splat(0.0);
        let (mut t, mut t_single) = ([zero; 3], [zero; 3]);
        for x in 0..3 {
            t[x] = s.sub(rows[x], s.splat(single.center[x]));
        }
        for i in 0..3 {
            let sum = s.mul_add(t[1], s.splat(r[1][i]), s.mul(t[0], s.splat(r[0][i])));
            t_single[i] = s.mul_add(t[2], s.splat(r[2][i]), sum);
        }
        Self { single, margin, wide_half: [rows[3], rows[4], rows[5]], t, t_single }
    }

    #[inline(always)]
    fn larger(&self, s: S) -> u8 {
        much_larger(s, &self.wide_half, self.single.half_extents)
    }
}

impl<S: Simd> BoxPair<S> for Pairing<'_, S> {
    #[inline(always)]
    fn centers_along_single(&self) -> &[S::F32x8; 3] {
        &self.t_single
    }

    #[inline(always)]
    fn centers_along_wide(&self) -> &[S::F32x8; 3] {
        &self.t
    }

    #[inline(always)]
    fn radius_along_single(&self, s: S, i: usize) -> S::F32x8 {
        let r = &self.single.axes;
        let radius = s.splat(self.single.half_extents[i] + self.margin);
        let radius = s.mul_add(self.wide_half[0], s.splat(r[0][i].abs()), radius);
        let radius = s.mul_add(self.wide_half[1], s.splat(r[1][i].abs()), radius);
        s.mul_add(self.wide_half[2], s.splat(r[2][i].abs()), radius)
    }

    #[inline(always)]
    fn radius_along_wide(&self, s: S, j: usize) -> S::F32x8 {
        let (r, h) = (&self.single.axes, &self.single.half_extents);
        let radius = h[0] * r[j][0].abs() + h[1] * r[j][1].abs() + h[2] * r[j][2].abs() + self.margin;
        s.add(self.wide_half[j], s.splat(radius))
    }

    #[inline(always)]
    fn along_product(&self, s: S, i: usize, j: usize) -> (S::F32x8, S::F32x8) {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let (r, h) = (&self.single.axes, &self.single.half_extents);
        let radius = s.splat(h[i1] * r[j][i2].abs() + h[i2] * r[j][i1].abs() + self.margin);
        let radius = s.mul_add(self.wide_half[j1], s.splat(r[j2][i].abs()), radius);
        let radius = s.mul_add(self.wide_half[j2], s.splat(r[j1][i].abs()), radius);
        let along = s.mul_sub(self.t[j1], s.splat(r[j2][i]), s.mul(self.t[j2], s.splat(r[j1][i])));
        (along, radius)
    }

    #[inline(always)]
    fn half_extents(&self, s: S) -> [[S::F32x8; 3]; 2] {
        let [x, y, z] = self.single.half_extents;
        [[s.splat(x), s.splat(y), s.splat(z)], self.wide_half]
    }

    #[inline(always)]
    fn margin(&self, s: S) -> S::F32x8 {
        s.splat(self.margin)
    }
}

/// `Exact` holds least and greatest coordinates in the mesh's frame; the fourth lanes are unused. `Bounds`, for refits,
/// is in the tree's frame, into which each vertex is converted once; its least coordinates are negated, so that one
/// SIMD maximum joins the least and the greatest coordinates.
impl FitFromBelow for PackedAabb {
    type Exact = [[f32; 4]; 2];

    #[inline(always)]
    fn around<S: Simd>(s: S, primitives: &[Primitive], _: &Frame) -> Self::Exact {
        let [lower, upper] = primitives::ends_by(s, primitives);
        of_halves(lower, upper)
    }

    #[inline(always)]
    fn joined([a, b]: Self::Exact, [c, d]: Self::Exact) -> Self::Exact {
        let mut joined = [a, b];
        for k in 0..4 {
            joined[0][k] = if c[k] < a[k] { c[k] } else { a[k] };
            joined[1][k] = if d[k] > b[k] { d[k] } else { b[k] };
        }
        joined
    }

    #[inline(always)]
    fn pack_exact<S: Simd>(
        s: S,
        children: &[Self::Exact],
        frame: &Frame,
        rows: &mut [[u32; WIDTH]; MAX_FIELDS],
    ) -> Self::Exact {
        let last = children.len() - 1;
        let (mut lower, mut upper) = ([s.splat(0.0); 4], [s.splat(0.0); 4]);
        for i in 0..4 {
            // A box of the first four and one of the others; past the children, the last box is repeated.
            let (one, other) = (&children[i.min(last)], &children[(4 + i).min(last)]);
            (lower[i], upper[i]) = (s.load_halves(&one[0], &other[0]), s.load_halves(&one[1], &other[1]));
        }
        let least = s.min(s.min(lower[0], lower[1]), s.min(lower[2], lower[3]));
        let greatest = s.max(s.max(upper[0], upper[1]), s.max(upper[2], upper[3]));
        let (lower, upper) = (s.transposed(&lower), s.transposed(&upper));
        let Frame { origin, unit } = *frame;
        for x in 0..3 {
            let (lower, upper) = (s.to_array(lower[x]), s.to_array(upper[x]));
            // Converting coordinates into the frame keeps their order.
            let local = |end: f32| (f64::from(end) - origin[x]) * (1.0 / unit);
            for lane in 0..WIDTH {
                [rows[x][lane], rows[3 + x][lane]] = slab_words(local(lower[lane]), local(upper[lane]));
            }
        }
        of_halves(s.to_array(least), s.to_array(greatest))
    }

    type Bounds = [[f32; 4]; 2];
    type Registers<S: Simd> = S::F32x8;
    const UNSET: Self::Bounds = [[0.0; 4]; 2];

    #[inline(always)]
    fn triangle<S: Simd>(s: S, [a, b, c]: [&[f32; 4]; 3]) -> S::F32x8 {
        let signs = s.load_halves(&[-1.0; 4], &[1.0; 4]);
        let [a, b, c] = [s.load_halves(a, a), s.load_halves(b, b), s.load_halves(c, c)];
        s.max(s.max(s.mul(a, signs), s.mul(b, signs)), s.mul(c, signs))
    }

    #[inline(always)]
    fn join<S: Simd>(s: S, a: S::F32x8, b: S::F32x8) -> S::F32x8 {
        s.max(a, b)
    }

    #[inline(always)]
    fn load<S: Simd>(s: S, [lower, upper]: &Self::Bounds) -> S::F32x8 {
        s.load_halves(lower, upper)
    }

    #[inline(always)]
    fn store<S: Simd>(s: S, bounds: S::F32x8) -> Self::Bounds {
        let [a, b, c, d, e, f, g, h] = s.to_array(bounds);
        [[a, b, c, d], [e, f, g, h]]
    }

    #[inline(always)]
    fn pack_bounds<S: Simd>(s: S, bounds: &[Self::Bounds], words: &mut [u32]) -> (Self::Bounds, [f32; WIDTH]) {
        let (rows, around) = pack_slabs(s, bounds, REFIT_BOX_ROUNDING);
        s.store_rows(&rows, words, bounds.len());
        let [.., x, y, z] = rows;
        let areas = s.add(s.mul(x, s.add(y, z)), s.mul(y, z));
        (Self::store(s, around), s.to_array(areas))
    }
}

/// The union of the box in the lower four lanes and the box in the upper four.
#[inline(always)]
fn of_halves([a, b, c, d, e, f, g, h]: [f32; 8], [p, q, r, s, t, u, v, w]: [f32; 8]) -> [[f32; 4]; 2] {
    PackedAabb::joined([[a, b, c, d], [p, q, r, s]], [[e, f, g, h], [t, u, v, w]])
}

/// The centre and half extents in a child's words, as f64.
fn parts(words: &[u32]) -> (Vector3<f64>, Vector3<f64>) {
    (Vector3::from_fn(|x, _| widen(words[x])), Vector3::from_fn(|x, _| widen(words[3 + x])))
}
