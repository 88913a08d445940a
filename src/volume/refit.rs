//! The interface between a refit and a kind of volume: how the kind's volumes are fitted to vertices at new positions.
//!
//! A kind is fitted in one of two ways, as its [`FitMethod`](super::BoundingVolume::FitMethod) says: from the bounds of
//! a node's children ([`FitFromBelow`]), or from all vertices below the volume ([`FitFromVertices`]).
//! [`refit`](crate::refit) goes through the tree.

use std::marker::PhantomData;

use super::bounding_volume::BoundingVolume;
use super::fit::Primitive;
use super::frame::Frame;
use super::moved_vertices::{Landmarks, LaneCorners, Points, Positions};
use super::node::{MAX_FIELDS, WIDTH};
use crate::enum_names::parsed_names;
use crate::simd::Simd;

/// The axes that a refit gives to oriented boxes of several triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObbAxes {
    /// The builder's axes, unchanged: the fastest choice, for small deformations.
    Kept,
    /// The builder's axes, rotated as the box's vertices have rotated since the tree was built.
    #[default]
    Turned,
    /// Eigenvectors of the covariance of the box's vertices.
    Refitted,
}

parsed_names!(ObbAxes, "OBB axes", Kept = "kept", Turned = "turned", Refitted = "refitted");

/// Marks a kind whose volumes are fitted as in [`FitFromBelow`].
pub(crate) struct FromBelow<V>(PhantomData<V>);

/// Marks a kind whose volumes are fitted as in [`FitFromVertices`].
pub(crate) struct FromVertices<V>(PhantomData<V>);

/// A kind of volume that can be fitted from the bounds of a node's children.
///
/// A builder uses exact bounds, so that volumes are those of [`BoundingVolume::fit`] to the last bit. A refit uses
/// bounds in f32 in the frame's coordinates; its volumes are as tight up to rounding.
pub(crate) trait FitFromBelow: BoundingVolume {
    /// Exact bounds of some triangles.
    type Exact: Copy + Send;

    /// The exact bounds of triangles, at least one.
    fn around<S: Simd>(simd: S, primitives: &[Primitive], frame: &Frame) -> Self::Exact;

    /// The exact bounds around both `a` and `b`.
    fn joined(a: Self::Exact, b: Self::Exact) -> Self::Exact;

    /// Packs the volumes of a node's children, one row per field except the reference; returns the bounds around all of
    /// them. Lanes past the children are unspecified.
    fn pack_exact<S: Simd>(
        simd: S,
        children: &[Self::Exact],
        frame: &Frame,
        rows: &mut [[u32; WIDTH]; MAX_FIELDS],
    ) -> Self::Exact;

    /// Bounds of some vertices.
    type Bounds: Copy + Send + Sync + 'static;

    /// The bounds in SIMD registers.
    type Registers<S: Simd>: Copy;

    /// A placeholder that bounds nothing in particular.
    const UNSET: Self::Bounds;

    /// The bounds of a triangle. The fourth numbers of its corners are zeros.
    fn triangle<S: Simd>(simd: S, corners: [&[f32; 4]; 3]) -> Self::Registers<S>;

    /// The bounds around both `a` and `b`.
    fn join<S: Simd>(simd: S, a: Self::Registers<S>, b: Self::Registers<S>) -> Self::Registers<S>;

    fn load<S: Simd>(simd: S, bounds: &Self::Bounds) -> Self::Registers<S>;

    fn store<S: Simd>(simd: S, bounds: Self::Registers<S>) -> Self::Bounds;

    /// Packs the children's bounds into a node's words; returns the bounds around all of them, and the children's
    /// surface areas up to a factor.
    fn pack_bounds<S: Simd>(simd: S, bounds: &[Self::Bounds], words: &mut [u32]) -> (Self::Bounds, [f32; WIDTH]);
}

/// A kind of volume that a refit fits to all vertices below it, where it encloses several triangles.
pub(crate) trait FitFromVertices: BoundingVolume {
    /// The box of a part's vertices, or `()` for a kind that does not need it.
    type PartBox: PartBox;

    /// What a refit uses of the volume before the mesh deformed: a sphere's centre, or an oriented box's axes.
    type AtRest: Send + Sync;

    /// Records a volume's centre or axes before the mesh deforms, and landmarks among the vertices below the volume,
    /// which may be reordered.
    fn at_rest(
        words: &[u32],
        frame: &Frame,
        obb_axes: ObbAxes,
        vertices: &mut [u32],
        positions: &Positions<'_>,
    ) -> (Landmarks, Self::AtRest);

    /// Fits the volume of several triangles.
    fn fit_part<S: Simd>(
        simd: S,
        frame: &Frame,
        part: MovedPart<'_, Self::AtRest>,
        part_box: &Self::PartBox,
    ) -> Self::Fit;

    /// Fits a volume to the triangle in each lane that `is_single` marks, and writes these volumes into a node's words.
    fn fit_triangles<S: Simd>(
        simd: S,
        frame: &Frame,
        corners: &LaneCorners,
        is_single: &[bool; WIDTH],
        words: &mut [u32],
        children: usize,
    );
}

/// A part of the mesh, the triangles below a volume, at its new positions.
#[derive(Clone, Copy)]
pub(crate) struct MovedPart<'a, R> {
    pub(crate) landmarks: &'a Landmarks,
    pub(crate) at_rest: &'a R,
    pub(crate) positions: &'a Positions<'a>,
    pub(crate) points: Points<'a>,
}

/// Least and greatest coordinates in the mesh's frame.
pub(crate) type Box32 = [[f32; 3]; 2];

/// What a refit records of a part's box: the box, or nothing for kinds that do not need it.
pub(crate) trait PartBox: Copy + Send + Sync + 'static {
    /// A placeholder until the node is fitted.
    const UNSET: Self;

    /// Records a box. `part_box` is not called for a kind that does not need the box.
    fn of(part_box: impl FnOnce() -> Box32) -> Self;

    fn get(&self) -> Option<&Box32>;
}

impl PartBox for () {
    const UNSET: Self = ();

    #[inline(always)]
    fn of(_: impl FnOnce() -> Box32) -> Self {}

    #[inline(always)]
    fn get(&self) -> Option<&Box32> {
        None
    }
}

impl PartBox for Box32 {
    const UNSET: Self = [[0.0; 3]; 2];

    #[inline(always)]
    fn of(part_box: impl FnOnce() -> Box32) -> Self {
        part_box()
    }

    #[inline(always)]
    fn get(&self) -> Option<&Box32> {
        Some(self)
    }
}

/// Writes a volume's words, except the reference, into one lane of a node's words.
#[inline(always)]
pub(crate) fn put(words: &mut [u32], children: usize, lane: usize, fields: &[u32]) {
    for (row, word) in fields.iter().take(words.len() / children - 1).enumerate() {
        words[row * children + lane] = *word;
    }
}

/// The surface areas, up to a factor, of the boxes whose half extents begin at row `first_row` of a node's words.
#[inline(always)]
pub(super) fn box_areas(words: &[u32], children: usize, first_row: usize) -> [f32; WIDTH] {
    let mut half_extents = [[0.0; WIDTH]; 3];
    for (k, row) in half_extents.iter_mut().enumerate() {
        for lane in 0..children {
            row[lane & 7] = f32::from_bits(words[(first_row + k) * children + lane]);
        }
    }
    let ([x, y, z], mut areas) = (half_extents, [0.0; WIDTH]);
    for lane in 0..WIDTH {
        areas[lane] = x[lane] * (y[lane] + z[lane]) + y[lane] * z[lane];
    }
    areas
}

/// The middles and half extents of up to eight volumes along three directions, the half extents enlarged by `rounding`;
/// and the bounds around all volumes. Bounds are the least offsets, negated, and the greatest offsets.
#[inline(always)]
pub(super) fn pack_slabs<S: Simd>(s: S, bounds: &[[[f32; 4]; 2]], rounding: f32) -> ([S::F32x8; 6], S::F32x8) {
    let last = bounds.len() - 1;
    let zeros = [s.splat(0.0); 4];
    // The rows of a box of the first four and of one of the others; past the children, the last box is repeated.
    let (mut lower, mut upper) = (zeros, zeros);
    let mut around = s.load_halves(&bounds[0][0], &bounds[0][1]);
    for i in 0..4 {
        let (one, other) = (&bounds[i.min(last)], &bounds[(4 + i).min(last)]);
        lower[i] = s.load_halves(&one[0], &other[0]);
        upper[i] = s.load_halves(&one[1], &other[1]);
        around = s.max(around, s.max(s.load_halves(&one[0], &one[1]), s.load_halves(&other[0], &other[1])));
    }
    let (lower, upper) = (s.transposed(&lower), s.transposed(&upper));
    let mut rows = [s.splat(0.0); 6];
    for x in 0..3 {
        let center = s.mul(s.sub(upper[x], lower[x]), s.splat(0.5));
        let is_normal = s.gt(s.abs(center), s.splat(NEGLIGIBLE));
        let center = s.select(is_normal, center, s.splat(0.0));
        let half_extent = s.max(s.sub(upper[x], center), s.add(center, lower[x]));
        (rows[x], rows[3 + x]) = (center, s.add(half_extent, s.splat(rounding)));
    }
    (rows, around)
}

/// Local coordinates of smaller magnitude are set to zero, so that no product of two coordinates is denormal. They are
/// below the rounding errors anyway.
pub(crate) const NEGLIGIBLE: f32 = 1.0 / (1 << 30) as f32;

/// Rounds coordinates to f32 in a frame, given the origin's coordinates and the reciprocal of the unit. The results are
/// at most 1 in magnitude, so rounding, and setting those up to [`NEGLIGIBLE`] to zero, changes them by less than 4e-8.
#[inline(always)]
pub(crate) fn narrowed<S: Simd>(s: S, coordinates: &[f32; WIDTH], origin: S::F64x8, scale: S::F64x8) -> S::F32x8 {
    let local = s.mul64(s.sub64(s.widen(coordinates), origin), scale);
    s.narrow(s.where_gt64(s.abs64(local), s.splat64(f64::from(NEGLIGIBLE)), local, s.splat64(0.0)))
}
