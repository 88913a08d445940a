//! The interface of a kind of bounding volume, in two traits: [`PairTests`] for queries of two trees,
//! [`BoundingVolume`] for everything else; and the linear sweep of one volume past eight others.

use nalgebra::Point3;

use super::fit::{FitMethods, LeafBoxes, Primitive};
use super::frame::{Frame, RelativeFrame};
use super::kind::{Volume, VolumeKind};
use super::node::{MAX_FIELDS, Node, WIDTH};
use super::obb::Boxes;
use super::probe::{LocalBox, LocalRay};
use super::separating_planes::RoundBoxes;
use crate::numeric::denormals::rounded;
use crate::numeric::error_bounds::LENGTH_ROUNDING;
use crate::simd::{Simd, SimdLevel};

/// A volume is much larger than another if its longest extent is more than this many times the other's.
pub(super) const MUCH_LARGER: f32 = 2.0;

/// The tests of a single volume of one tree against the children of a wide node of another tree. `Self` is the single
/// volume, converted into the wide node's frame and unit.
pub(crate) trait PairTests: Copy {
    /// The kind of both trees' volumes; `None` if nodes of any kind are read, each as its own kind.
    const NODES: Option<VolumeKind>;

    /// The volumes of a node's children in the other tree's frame, field by field.
    type Posed;

    /// Converts a node's children into the other tree's frame. Lanes past the children are unspecified.
    fn posed<S: Simd>(simd: S, node: &Node<'_>, to: &RelativeFrame) -> Self::Posed;

    fn single(posed: &Self::Posed, lane: usize, to: &RelativeFrame) -> Self;

    /// A bit for each child whose volume may touch `self`, and a bit for each lane whose volume is much larger than
    /// `self`. If no child may touch `self`, the second mask may be 0 instead.
    fn overlaps<S: Simd>(&self, simd: S, node: &Node<'_>, margin: f32) -> (u8, u8);

    /// Squared lower bounds on the distances to the eight volumes, in the unit of the node's frame and multiplied by
    /// `scale`, and a bit for each lane whose volume is much larger than `self`. Bounds above `limit` may be looser
    /// than necessary. Lanes past the node's children are unspecified.
    fn lower_bounds_sq<S: Simd>(&self, simd: S, node: &Node<'_>, margin: f32, scale: f32, limit: f32)
    -> (S::F32x8, u8);

    fn center(&self) -> [f32; 3];

    /// An upper bound on how far a rotation about the volume's centre moves any of its points out of the volume, per
    /// radian of rotation. It holds for rotations by at most one radian.
    fn turning_radius(&self) -> f32;

    /// The intervals of the linear sweep's parameter in which `self` may touch each of the eight volumes.
    fn sweep<S: Simd>(&self, simd: S, node: &Node<'_>, path: &LinearSweep, margin: f32) -> Swept<S>;
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AreaShape {
    Box,
    Sphere,
}

/// A kind of bounding volume: its layout in a node, its tests, and how it is fitted and refitted. It is implemented in
/// this folder only, once for each [`VolumeKind`]; [`for_kind!`](super::for_kind) maps a kind to its type.
pub(crate) trait BoundingVolume: PairTests + 'static {
    const KIND: VolumeKind;

    /// Number of `u32` words per child: those of the volume and, last, the child's reference.
    const FIELDS: usize;

    /// Number of rows that hold lengths (half extents or radii), which are never negative. They come just before the
    /// row of references.
    const LENGTHS: usize;

    /// A volume around points in local coordinates, measured in f64.
    type Fit;

    /// The way in which builders and refits fit the volumes of nodes: [`FromBelow`](super::FromBelow) or
    /// [`FromVertices`](super::FromVertices).
    type FitMethod;

    /// The kind whose volumes are measured when a builder decides which nodes to keep.
    type Measured: BoundingVolume;

    /// The shape that the surface area heuristic puts around a set of triangles in place of the fitted volume.
    const AREA_SHAPE: AreaShape = AreaShape::Box;

    /// Whether split rules that use no areas split along the axes of the fitted box.
    const SPLITS_ALONG_OWN_AXES: bool = false;

    /// Whether a volume depends on the bounds of its triangles alone.
    const FITS_BOUNDS: bool = false;

    /// Fits a volume to a node's triangles. The triangles are in mesh coordinates, the volume in the frame's
    /// coordinates.
    fn fit(level: SimdLevel, primitives: &[Primitive], methods: FitMethods, frame: &Frame) -> Self::Fit;

    /// Fits a volume to each of eight triangles, bit for bit the one that [`Self::fit`] gives; `None` if the kind or
    /// the fit method has no such batch.
    fn fit_leaves<'a>(
        _: SimdLevel,
        _triangle: impl Fn(usize) -> &'a Primitive,
        _: FitMethods,
        _: &Frame,
    ) -> Option<LeafBoxes> {
        None
    }

    /// Whether sets of at most [`SMALL_SET`](super::fit::SMALL_SET) triangles are fitted in batches of eight sets.
    fn fits_small_sets(_: FitMethods) -> bool {
        false
    }

    /// Fits a volume to each of eight small sets and returns their words, one row per field; meaningful only if
    /// [`Self::fits_small_sets`] returns true.
    fn fit_small_sets(_: SimdLevel, _: [&[Primitive]; WIDTH], _: FitMethods, _: &Frame) -> [[u32; WIDTH]; MAX_FIELDS] {
        [[0; WIDTH]; MAX_FIELDS]
    }

    /// Writes the volume's words (all but the reference), rounded outward.
    fn pack(fit: &Self::Fit, words: &mut [u32]);

    /// The stored volume in mesh coordinates.
    fn unpack(words: &[u32], frame: &Frame) -> Volume;

    /// Whether the stored volume contains the point (local coordinates), evaluated in f64.
    fn encloses(words: &[u32], point: &Point3<f64>) -> bool;

    /// The largest deviation of stored axes from orthonormal ones; 0 for kinds without axes.
    fn axes_deviation(_words: &[u32]) -> f64 {
        0.0
    }

    /// Surface areas of a node's volumes, up to a factor that depends only on the kind; for k-DOPs, those of their
    /// axis-aligned boxes.
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH];

    /// Oriented boxes around a node's children, as they would be stored in an OBB tree; for two trees of different
    /// kinds.
    fn boxes<S: Simd>(simd: S, node: &Node<'_>) -> Boxes<S>;

    /// Rounded boxes around a node's children, or around one of them in all lanes; for separating planes.
    fn round_boxes<S: Simd>(simd: S, node: &Node<'_>, lane: Option<usize>) -> RoundBoxes<S>;

    /// Squared distances from a [`LocalPoint`](super::LocalPoint)'s coordinates to the volumes of a node's children;
    /// for k-DOPs, lower bounds on them.
    fn distance_sq<S: Simd>(simd: S, node: &Node<'_>, point: &[f32; 3]) -> S::F32x8;

    /// A bit for each volume that the ray may touch between the two positions `within`, and a lower bound on the
    /// position where the ray enters each volume, but no less than the first of the two. Positions of lanes past the
    /// node's children are unspecified.
    fn ray_entry<S: Simd>(simd: S, node: &Node<'_>, ray: &LocalRay, within: [f32; 2]) -> (u8, S::F32x8);

    /// A bit for each volume that the box may touch.
    fn overlaps_box<S: Simd>(simd: S, node: &Node<'_>, query: &LocalBox) -> u8;
}

/// The f32 with these bits, as f64.
pub(super) fn widen(word: u32) -> f64 {
    f64::from(f32::from_bits(word))
}

/// The bits of the least f32 that is not below `length` plus a bound on its f64 rounding error.
#[inline(always)]
pub(super) fn length_word(length: f64) -> u32 {
    let length = length + LENGTH_ROUNDING;
    let nearest = length as f32;
    // The bits of the next f32 above one that is not negative.
    nearest.to_bits() + u32::from(f64::from(nearest) < length)
}

/// The f32 bits of a slab's middle and half extent, rounded outward.
#[inline(always)]
pub(super) fn slab_words(lower: f64, upper: f64) -> [u32; 2] {
    let middle = rounded((lower + upper) * 0.5);
    let (above, below) = (upper - f64::from(middle), f64::from(middle) - lower);
    [middle.to_bits(), length_word(if above > below { above } else { below })]
}

/// A bit for each of eight boxes that is much larger than a single box, given the half extents of all.
#[inline(always)]
pub(super) fn much_larger<S: Simd>(s: S, eight: &[S::F32x8; 3], [x, y, z]: [f32; 3]) -> u8 {
    let size = s.max(eight[0], s.max(eight[1], eight[2]));
    s.bits(s.gt(size, s.splat(MUCH_LARGER * x.max(y).max(z))))
}

/// The straight path of a volume: at parameter `s` its centre has moved by `offset + s * displacement`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearSweep {
    pub(crate) offset: [f32; 3],
    pub(crate) displacement: [f32; 3],
    /// The unit vector along `displacement`; zero if the displacement is zero or nearly so.
    pub(crate) direction: [f32; 3],
    pub(crate) length: f32,
    /// The greatest parameter that matters; the least is 0.
    pub(crate) last: f32,
}

impl LinearSweep {
    #[inline(always)]
    pub(crate) fn new(offset: [f32; 3], displacement: [f32; 3], last: f32) -> Self {
        let length = length(&displacement);
        let scale = if length > TINY { 1.0 / length } else { 0.0 };
        Self { offset, displacement, direction: displacement.map(|x| x * scale), length, last }
    }

    #[inline(always)]
    pub(super) fn start(&self, center: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|k| center[k] + self.offset[k])
    }
}

/// The interval of a linear sweep's parameter in which one volume may touch each of eight others.
pub(crate) struct Swept<S: Simd> {
    /// A lower bound on the parameter of first contact, if the margin passed to [`PairTests::sweep`] is at least the
    /// sum of the volume tests' margins at both ends of the motion.
    pub(crate) entry: S::F32x8,
    /// The negative of an upper bound on the parameter of last contact.
    pub(crate) minus_exit: S::F32x8,
    /// A bit for each lane that is never touched.
    pub(crate) never: u8,
    /// A bit for each lane that is much larger than the single volume.
    pub(crate) larger: u8,
    apart: S::Mask,
}

impl<S: Simd> Swept<S> {
    #[inline(always)]
    pub(super) fn anytime(s: S) -> Self {
        let earliest = s.splat(f32::MIN);
        let apart = s.gt(earliest, earliest);
        Self { entry: earliest, minus_exit: earliest, never: 0, larger: 0, apart }
    }

    /// Keeps the parameters at which the volumes overlap along an axis: their centres are `t` apart at first, the
    /// displacement along the axis is `along`, and they overlap up to a distance of `radius`, the sum of their
    /// projected radii.
    #[inline(always)]
    pub(super) fn clip(&mut self, s: S, t: S::F32x8, along: S::F32x8, radius: S::F32x8, path: &LinearSweep) {
        let speed = s.abs(along);
        let inverse = s.div(s.splat(1.0), s.max(speed, s.splat(TINY)));
        let nearest = s.mul(s.mul(t, s.mul(along, inverse)), inverse);
        let half = s.mul(radius, inverse);
        self.entry = s.max(s.sub(nearest, half), self.entry);
        self.minus_exit = s.max(s.sub(s.splat(0.0), s.add(nearest, half)), self.minus_exit);
        // The parameters are unknown for volumes that hardly move along the axis; these may be apart during the whole
        // sweep.
        self.exclude(s, s.gt(s.sub(s.abs(t), radius), s.mul(speed, s.splat(path.last))));
    }

    #[inline(always)]
    pub(super) fn exclude(&mut self, s: S, apart: S::Mask) {
        self.apart = s.or(self.apart, apart);
    }

    #[inline(always)]
    pub(super) fn finish(mut self, s: S, larger: u8) -> Self {
        let over = s.gt(s.add(self.entry, self.minus_exit), s.splat(0.0));
        self.never = s.bits(s.or(self.apart, over));
        self.larger = larger;
        self
    }
}

/// The least speed along an axis; `clip` replaces smaller speeds by this one.
const TINY: f32 = 1e-30;

#[inline(always)]
pub(super) fn length([x, y, z]: &[f32; 3]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}
