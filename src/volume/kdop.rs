//! k-DOPs with 18 planes, two along each of nine directions: how they are stored, tested, fitted and refitted.
//!
//! To pose a k-DOP, its extent along each of the other tree's directions is bounded by the extents along those three of
//! its own directions that are nearest. Two k-DOPs are then apart if their intervals along any direction are disjoint.

use nalgebra::Point3;

use super::bounding_volume::{BoundingVolume, LinearSweep, PairTests, Swept, length, much_larger, slab_words, widen};
use super::fit::{FitMethods, Primitive};
use super::frame::{Frame, RelativeFrame};
use super::kind::{Volume, VolumeKind};
use super::node::{MAX_FIELDS, Node, WIDTH};
use super::obb::{Boxes, aligned_boxes};
use super::probe::{LocalBox, LocalRay, slabs};
use super::refit::{FitFromBelow, FromBelow, box_areas, pack_slabs};
use super::separating_planes::RoundBoxes;
use crate::numeric::error_bounds::{DIAGONAL_LENGTH, REFIT_BOX_ROUNDING, REFIT_DIAGONAL_ROUNDING, SQUARE_ROUNDING};
use crate::shape::KDop;
use crate::simd::{Simd, SimdLevel, dispatched};

/// The number of directions, each of which has two planes.
const N: usize = 9;

/// A k-DOP of one tree in the other tree's frame, by its intervals along [`KDop::DIRECTIONS`]. Fields of a child in a
/// node: nine middles, nine half extents, reference. Along sums and differences of axes, offsets are `sqrt(2)` times
/// distances.
#[derive(Clone, Copy)]
pub(crate) struct PackedKDop {
    middles: [f32; N],
    half_extents: [f32; N],
}

/// A lower bound on the reciprocal of the length of a sum of two axes.
const PER_DIAGONAL: f32 = 1.0 / DIAGONAL_LENGTH;

/// The factor from a distance to an offset along direction `k`: at least the length of the direction's vector.
const fn scale(k: usize) -> f32 {
    if k < 3 { 1.0 } else { DIAGONAL_LENGTH }
}

/// The coordinates of a vector along the directions, up to rounding.
#[inline(always)]
fn offsets([x, y, z]: [f32; 3]) -> [f32; N] {
    [x, y, z, y + z, z + x, x + y, y - z, z - x, x - y]
}

/// A direction as a weighted sum of the three of [`KDop::DIRECTIONS`] nearest to it: their indices and factors.
#[inline(always)]
fn decomposed(direction: [f32; 3]) -> [(usize, f32); 3] {
    let size = direction.map(f32::abs);
    // The axis of the largest coordinate, and the two axes after it.
    let i = if size[0] >= size[1] && size[0] >= size[2] {
        0
    } else if size[1] >= size[2] {
        1
    } else {
        2
    };
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    // Both the sum and the difference of two axes have the index of the third axis.
    let pair = |p: usize, q: usize, factor: f32| {
        let third = 3 - p - q;
        let first = (third + 1) % 3;
        if (direction[p] < 0.0) == (direction[q] < 0.0) {
            (3 + third, factor.copysign(direction[p]))
        } else {
            (6 + third, factor.copysign(direction[first]))
        }
    };
    let (a, b, c) = (size[i], size[j], size[k]);
    if a >= b + c {
        [(i, (a - b - c).copysign(direction[i])), pair(i, j, b), pair(i, k, c)]
    } else {
        [pair(i, j, 0.5 * (a + b - c)), pair(i, k, 0.5 * (a + c - b)), pair(j, k, 0.5 * (b + c - a))]
    }
}

impl PairTests for PackedKDop {
    const NODES: Option<VolumeKind> = Some(VolumeKind::KDop);

    type Posed = [[f32; 8]; 2 * N];

    /// Bounds the k-DOPs along the target's directions.
    #[inline(always)]
    fn posed<S: Simd>(s: S, node: &Node<'_>, to: &RelativeFrame) -> Self::Posed {
        let rows: [S::F32x8; 2 * N] = node.rows(s);
        let translation = offsets(to.translation);
        let unit = s.splat(to.unit);
        let mut posed = [[0.0; 8]; 2 * N];
        for (k, direction) in KDop::DIRECTIONS.iter().enumerate() {
            // The direction in the source's frame.
            let mut local = [0.0; 3];
            for (row, d) in to.rotation.iter().zip(direction) {
                for x in 0..3 {
                    local[x] += row[x] * *d as f32;
                }
            }
            let (mut middle, mut half_extent) = (s.splat(0.0), s.splat(0.0));
            for (own, factor) in decomposed(local) {
                middle = s.mul_add(rows[own], s.splat(factor), middle);
                half_extent = s.mul_add(rows[N + own], s.splat(factor.abs()), half_extent);
            }
            posed[k] = s.to_array(s.mul_add(middle, unit, s.splat(translation[k])));
            posed[N + k] = s.to_array(s.mul(half_extent, unit));
        }
        posed
    }

    #[inline(always)]
    fn single(posed: &Self::Posed, lane: usize, _: &RelativeFrame) -> Self {
        let mut single = Self { middles: [0.0; N], half_extents: [0.0; N] };
        for k in 0..N {
            (single.middles[k], single.half_extents[k]) = (posed[k][lane & 7], posed[N + k][lane & 7]);
        }
        single
    }

    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32) -> (u8, u8) {
        let rows: [S::F32x8; 2 * N] = node.rows(s);
        let gaps = self.gaps(s, &rows, margin);
        let mut greatest = gaps[0];
        for gap in &gaps[1..] {
            greatest = s.max(*gap, greatest);
        }
        (node.lanes() & !s.bits(s.gt(greatest, s.splat(0.0))), self.larger(s, &rows))
    }

    /// The greatest of four bounds, one from each of four orthogonal triples of directions: the axes; and each axis
    /// with the sum and the difference of the other two. The gaps along a triple are the components of a vector no
    /// longer than the distance.
    #[inline(always)]
    fn lower_bounds_sq<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32, scale: f32, _: f32) -> (S::F32x8, u8) {
        let rows: [S::F32x8; 2 * N] = node.rows(s);
        let gaps = self.gaps(s, &rows, margin);
        (s.mul(gaps_sq(s, gaps), s.splat(scale * SQUARE_ROUNDING)), self.larger(s, &rows))
    }

    #[inline(always)]
    fn center(&self) -> [f32; 3] {
        let [x, y, z, ..] = self.middles;
        [x, y, z]
    }

    #[inline(always)]
    fn turning_radius(&self) -> f32 {
        let [x, y, z, ..] = self.half_extents;
        length(&[x, y, z])
    }

    #[inline(always)]
    fn sweep<S: Simd>(&self, s: S, node: &Node<'_>, path: &LinearSweep, margin: f32) -> Swept<S> {
        let rows: [S::F32x8; 2 * N] = node.rows(s);
        let (offset, displacement) = (offsets(path.offset), offsets(path.displacement));
        let mut swept = Swept::anytime(s);
        for k in 0..N {
            let t = s.sub(rows[k], s.splat(self.middles[k] + offset[k]));
            let radius = s.add(rows[N + k], s.splat(self.half_extents[k] + margin * scale(k)));
            swept.clip(s, t, s.splat(displacement[k]), radius, path);
        }
        swept.finish(s, self.larger(s, &rows))
    }
}

impl PackedKDop {
    /// The gaps to eight k-DOPs along the directions, less the margin; negative where intervals overlap.
    #[inline(always)]
    fn gaps<S: Simd>(&self, s: S, rows: &[S::F32x8; 2 * N], margin: f32) -> [S::F32x8; N] {
        let mut gaps = [s.splat(0.0); N];
        for k in 0..N {
            let along = s.abs(s.sub(rows[k], s.splat(self.middles[k])));
            gaps[k] = s.sub(along, s.add(rows[N + k], s.splat(self.half_extents[k] + margin * scale(k))));
        }
        gaps
    }

    #[inline(always)]
    fn larger<S: Simd>(&self, s: S, rows: &[S::F32x8; 2 * N]) -> u8 {
        let [x, y, z, ..] = self.half_extents;
        much_larger(s, &[rows[N], rows[N + 1], rows[N + 2]], [x, y, z])
    }
}

/// Squared lower bounds on distances, given the gaps along the directions.
#[inline(always)]
fn gaps_sq<S: Simd>(s: S, gaps: [S::F32x8; N]) -> S::F32x8 {
    let mut squares = gaps;
    for k in 0..N {
        // Converted to a distance before it is squared, because its own square might overflow.
        let gap = s.max(gaps[k], s.splat(0.0));
        let gap = if k < 3 { gap } else { s.mul(gap, s.splat(PER_DIAGONAL)) };
        squares[k] = s.mul(gap, gap);
    }
    let mut greatest = s.add(squares[0], s.add(squares[1], squares[2]));
    for x in 0..3 {
        greatest = s.max(s.add(squares[x], s.add(squares[3 + x], squares[6 + x])), greatest);
    }
    greatest
}

dispatched! {
    fn fit(primitives: &[Primitive], frame: &Frame) -> KDop = |s| PackedKDop::around(s, primitives, frame);
}

impl BoundingVolume for PackedKDop {
    const KIND: VolumeKind = VolumeKind::KDop;
    const FIELDS: usize = 2 * N + 1;
    const LENGTHS: usize = N;
    type Fit = KDop;
    type FitMethod = FromBelow<Self>;
    type Measured = super::PackedAabb;

    fn fit(level: SimdLevel, primitives: &[Primitive], _: FitMethods, frame: &Frame) -> KDop {
        fit(level, primitives, frame)
    }

    fn pack(fit: &KDop, words: &mut [u32]) {
        for k in 0..N {
            [words[k], words[N + k]] = slab_words(fit.lower[k], fit.upper[k]);
        }
    }

    fn unpack(words: &[u32], frame: &Frame) -> Volume {
        let origin = KDop::offsets(&frame.origin);
        let end = |sign: f64| {
            std::array::from_fn(|k| origin[k] + frame.unit * (widen(words[k]) + sign * widen(words[N + k])))
        };
        Volume::KDop(KDop { lower: end(-1.0), upper: end(1.0) })
    }

    fn encloses(words: &[u32], point: &Point3<f64>) -> bool {
        let offsets = KDop::offsets(point);
        (0..N).all(|k| (offsets[k] - widen(words[k])).abs() <= widen(words[N + k]))
    }

    /// Areas of the boxes between the first three pairs of planes.
    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH] {
        box_areas(words, children, N)
    }

    #[inline(always)]
    fn boxes<S: Simd>(s: S, node: &Node<'_>) -> Boxes<S> {
        let rows: [S::F32x8; 2 * N] = node.rows(s);
        aligned_boxes(s, [rows[0], rows[1], rows[2]], [rows[N], rows[N + 1], rows[N + 2]])
    }

    #[inline(always)]
    fn round_boxes<S: Simd>(s: S, node: &Node<'_>, lane: Option<usize>) -> RoundBoxes<S> {
        let rows: [S::F32x8; 2 * N] = node.rows_of(s, lane);
        let half_extents = [rows[N], rows[N + 1], rows[N + 2]];
        RoundBoxes::aligned(s, [rows[0], rows[1], rows[2]], half_extents, s.splat(0.0))
    }

    #[inline(always)]
    fn distance_sq<S: Simd>(s: S, node: &Node<'_>, point: &[f32; 3]) -> S::F32x8 {
        let point = Self { middles: offsets(*point), half_extents: [0.0; N] };
        gaps_sq(s, point.gaps(s, &node.rows(s), 0.0))
    }

    #[inline(always)]
    fn ray_entry<S: Simd>(s: S, node: &Node<'_>, ray: &LocalRay, within: [f32; 2]) -> (u8, S::F32x8) {
        let rows: [S::F32x8; 2 * N] = node.rows(s);
        let (start, direction) = (offsets(ray.start), offsets(ray.direction));
        let reach = ray.reach(offsets, scale);
        let zero = s.splat(0.0);
        let (mut t, mut reciprocal, mut half_extents, mut margins) = ([zero; N], [zero; N], [zero; N], [zero; N]);
        for k in 0..N {
            t[k] = s.sub(rows[k], s.splat(start[k]));
            reciprocal[k] = s.splat(1.0 / direction[k]);
            (half_extents[k], margins[k]) = (rows[N + k], s.splat(reach[k]));
        }
        let (apart, entry) = slabs(s, t, reciprocal, half_extents, margins, within);
        (node.lanes() & !s.bits(apart), entry)
    }

    /// Tests the box's intervals along the directions.
    #[inline(always)]
    fn overlaps_box<S: Simd>(s: S, node: &Node<'_>, query: &LocalBox) -> u8 {
        let mut single = Self { middles: offsets(query.center), half_extents: [0.0; N] };
        for (axis, half_extent) in query.half_extents.iter().enumerate() {
            let along = offsets([query.axes[0][axis], query.axes[1][axis], query.axes[2][axis]]);
            for (sum, along) in single.half_extents.iter_mut().zip(along) {
                *sum += along.abs() * half_extent;
            }
        }
        single.overlaps(s, node, query.margin).0
    }
}

/// `Bounds` holds the bounds along three groups of directions, each laid out as an axis-aligned box: the least offsets,
/// negated, and the greatest offsets.
impl FitFromBelow for PackedKDop {
    type Exact = KDop;

    #[inline(always)]
    fn around<S: Simd>(_: S, primitives: &[Primitive], frame: &Frame) -> KDop {
        let mut kdop = KDop { lower: [f64::INFINITY; N], upper: [f64::NEG_INFINITY; N] };
        for point in primitives.iter().flat_map(Primitive::points) {
            let offsets = KDop::offsets(&frame.to_local(&point));
            kdop = Self::joined(kdop, KDop { lower: offsets, upper: offsets });
        }
        kdop
    }

    #[inline(always)]
    fn joined(mut a: KDop, b: KDop) -> KDop {
        for k in 0..N {
            a.lower[k] = if b.lower[k] < a.lower[k] { b.lower[k] } else { a.lower[k] };
            a.upper[k] = if b.upper[k] > a.upper[k] { b.upper[k] } else { a.upper[k] };
        }
        a
    }

    #[inline(always)]
    fn pack_exact<S: Simd>(_: S, children: &[KDop], _: &Frame, rows: &mut [[u32; WIDTH]; MAX_FIELDS]) -> KDop {
        let mut around = children[0];
        for (lane, child) in children.iter().enumerate() {
            for k in 0..N {
                [rows[k][lane & 7], rows[N + k][lane & 7]] = slab_words(child.lower[k], child.upper[k]);
            }
            around = Self::joined(around, *child);
        }
        around
    }

    type Bounds = [[[f32; 4]; 2]; 3];
    type Registers<S: Simd> = [S::F32x8; 3];
    const UNSET: Self::Bounds = [[[0.0; 4]; 2]; 3];

    #[inline(always)]
    fn triangle<S: Simd>(s: S, corners: [&[f32; 4]; 3]) -> [S::F32x8; 3] {
        let signs = s.load_halves(&[-1.0; 4], &[1.0; 4]);
        let mut bounds = [s.splat(f32::NEG_INFINITY); 3];
        for [x, y, z, _] in corners {
            let rows = [[*x, *y, *z, 0.0], [y + z, z + x, x + y, 0.0], [y - z, z - x, x - y, 0.0]];
            for group in 0..3 {
                bounds[group] = s.max(s.mul(s.load_halves(&rows[group], &rows[group]), signs), bounds[group]);
            }
        }
        bounds
    }

    #[inline(always)]
    fn join<S: Simd>(s: S, a: [S::F32x8; 3], b: [S::F32x8; 3]) -> [S::F32x8; 3] {
        [s.max(a[0], b[0]), s.max(a[1], b[1]), s.max(a[2], b[2])]
    }

    #[inline(always)]
    fn load<S: Simd>(s: S, bounds: &Self::Bounds) -> [S::F32x8; 3] {
        let [a, b, c] = bounds;
        [s.load_halves(&a[0], &a[1]), s.load_halves(&b[0], &b[1]), s.load_halves(&c[0], &c[1])]
    }

    #[inline(always)]
    fn store<S: Simd>(s: S, bounds: [S::F32x8; 3]) -> Self::Bounds {
        let mut stored = Self::UNSET;
        for group in 0..3 {
            let [a, b, c, d, e, f, g, h] = s.to_array(bounds[group]);
            stored[group] = [[a, b, c, d], [e, f, g, h]];
        }
        stored
    }

    #[inline(always)]
    fn pack_bounds<S: Simd>(s: S, bounds: &[Self::Bounds], words: &mut [u32]) -> (Self::Bounds, [f32; WIDTH]) {
        let children = bounds.len();
        let mut around = Self::UNSET;
        let mut all = [[s.splat(0.0); 3]; 6];
        for group in 0..3 {
            let mut of_group = [[[0.0; 4]; 2]; WIDTH];
            for (own, bounds) in of_group.iter_mut().zip(bounds) {
                *own = bounds[group];
            }
            let rounding = if group == 0 { REFIT_BOX_ROUNDING } else { REFIT_DIAGONAL_ROUNDING };
            let (rows, joined) = pack_slabs(s, &of_group[..children], rounding);
            let [a, b, c, d, e, f, g, h] = s.to_array(joined);
            around[group] = [[a, b, c, d], [e, f, g, h]];
            let [x, y, z, u, v, w] = rows;
            (all[group], all[3 + group]) = ([x, y, z], [u, v, w]);
        }
        let mut rows = [s.splat(0.0); 2 * N];
        for (row, from) in rows.iter_mut().zip(all.as_flattened()) {
            *row = *from;
        }
        s.store_rows(&rows, words, children);
        (around, Self::areas(words, children))
    }
}
