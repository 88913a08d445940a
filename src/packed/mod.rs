//! Wide nodes as they lie in memory and in the file: up to eight child volumes, field by field, in f32.
//!
//! A node with `k` children is `FIELDS` rows of `k` words, so it takes no room for children it lacks; SIMD loads of a
//! short row leave zeros in the lanes past it. Volumes are in the tree's [`Frame`]: relative
//! to the mesh's middle and in a power-of-two unit near the mesh's size. Rounding goes outward: a packed volume
//! encloses its triangles exactly, as [`Volume8::encloses`] checks; a volume test of two trees takes the roundings of
//! the pose into account by the margin in [`ToFrame`].

mod aabb;
mod any_box;
mod apart;
mod box_pair;
mod node_ref;
mod obb;
mod planes;
#[cfg(test)]
mod planes_tests;
mod probe;
mod round_boxes;
mod separating_axis;
mod sphere;
mod sweep;
#[cfg(test)]
mod sweep_tests;
#[cfg(test)]
mod tests;
mod to_frame;

use nalgebra::Point3;

use crate::shape::Aabb;
use crate::simd::Simd;
use crate::volume::{Volume, VolumeKind};

pub(crate) use aabb::Aabb8;
pub(crate) use any_box::AnyBox8;
pub(crate) use apart::Across;
pub(crate) use node_ref::NodeRef;
pub(crate) use obb::{BoxFit, Obb8};
pub(crate) use planes::{EightPlanes, EightTriangles, Plane, Planes};
pub(crate) use probe::{LocalBox, LocalPoint, LocalRay, Probed8};
pub(crate) use sphere::{BallFit, Sphere8};
pub(crate) use sweep::{LinearSweep, Swept};
pub(crate) use to_frame::ToFrame;

/// The most children of a node.
pub(crate) const WIDTH: usize = 8;

/// Words of a child in trees of the kind.
#[inline(always)]
pub(crate) fn fields(kind: VolumeKind) -> usize {
    match kind {
        VolumeKind::Aabb => Aabb8::FIELDS,
        VolumeKind::Obb => Obb8::FIELDS,
        VolumeKind::Sphere => Sphere8::FIELDS,
    }
}

/// A volume is much larger than another if its longest extent is more than this many times the other's.
const MUCH_LARGER: f32 = 2.0;

/// What rounding may add to a squared length in f32, as a factor.
const SQUARE_ROUNDING: f32 = 1.0 - 1e-5;

/// Zero words after the last node, so that a SIMD load of its last row stays inside.
pub(crate) const PADDING: usize = WIDTH;

/// Where and in which unit a tree's volumes are stored: `stored = (x - origin) / unit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) origin: Point3<f64>,
    /// A power of two, at least the mesh's half diagonal (1 for a mesh without extent).
    pub(crate) unit: f64,
}

impl Frame {
    /// About the middle of the bounds, in the least unit.
    pub(crate) fn of(bounds: &Aabb) -> Self {
        if bounds.is_empty() {
            return Self { origin: Point3::origin(), unit: 1.0 };
        }
        Self { origin: bounds.center(), unit: power_of_two_from(bounds.half_extents().norm()) }
    }

    /// Whether the unit is a power of two and no point of the bounds farther from the origin than that, so that local coordinates
    /// are at most 1.
    pub(crate) fn is_for(&self, bounds: &Aabb) -> bool {
        let Self { origin, unit } = *self;
        let is_power_of_two = unit.is_normal() && unit > 0.0 && unit.to_bits().trailing_zeros() >= 52;
        let reach = if bounds.is_empty() {
            0.0
        } else if bounds.center() == origin {
            // As the unit was chosen: an offset's square may round up.
            bounds.half_extents().norm()
        } else {
            (bounds.half_extents() + (bounds.center() - origin).abs()).norm()
        };
        is_power_of_two && reach <= unit && origin.iter().all(|x| x.is_finite())
    }

    #[inline(always)]
    pub(crate) fn to_local(self, point: &Point3<f64>) -> Point3<f64> {
        // A power of two's reciprocal is exact, and multiplying is quicker.
        Point3::from((point - self.origin) * (1.0 / self.unit))
    }

    /// Eight points in local coordinates.
    #[inline(always)]
    pub(crate) fn local<S: Simd>(&self, s: S, points: &[[f32; 8]; 3]) -> [S::F64x8; 3] {
        let (mut local, scale) = ([s.splat64(0.0); 3], s.splat64(1.0 / self.unit));
        for k in 0..3 {
            local[k] = s.mul64(s.sub64(s.widen(&points[k]), s.splat64(self.origin[k])), scale);
        }
        local
    }

    pub(crate) fn to_mesh(self, local: &Point3<f64>) -> Point3<f64> {
        self.origin + local.coords * self.unit
    }
}

/// The least power of two not below `x`; 1 for 0.
fn power_of_two_from(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let below = f64::from_bits(x.to_bits() & EXPONENT);
    if x == 0.0 {
        1.0
    } else if below < x {
        2.0 * below
    } else {
        below
    }
}

/// A wide node in place.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    /// From the node's first word to the end of the nodes, padding included.
    words: &'a [u32],
    stride: usize,
    kind: VolumeKind,
}

impl<'a> Node<'a> {
    /// The node that an inner reference names, in a tree of the kind. Panics if it lies outside, which validation excludes.
    #[inline(always)]
    pub(crate) fn at(nodes: &'a [u32], kind: VolumeKind, inner: NodeRef) -> Self {
        Self { words: &nodes[inner.first_child() * fields(kind)..], stride: inner.children(), kind }
    }

    /// Starts to bring the node that an inner reference names into the cache.
    #[inline(always)]
    pub(crate) fn prefetch<S: Simd>(simd: S, nodes: &[u32], kind: VolumeKind, inner: NodeRef) {
        let words = &nodes[inner.first_child() * fields(kind)..];
        // Sixteen words to a cache line, as if the node were full.
        if fields(kind) > 8 { simd.prefetch::<8>(words) } else { simd.prefetch::<4>(words) }
    }

    #[inline(always)]
    pub(crate) fn kind(&self) -> VolumeKind {
        self.kind
    }

    #[inline(always)]
    fn rows<S: Simd, const N: usize>(&self, simd: S) -> [S::F32x8; N] {
        simd.load_rows(self.words, self.stride, self.stride)
    }

    /// As [`Node::rows`], or one lane of the rows in all eight.
    #[inline(always)]
    fn rows_of<S: Simd, const N: usize>(&self, simd: S, lane: Option<usize>) -> [S::F32x8; N] {
        let Some(lane) = lane else { return self.rows(simd) };
        let mut rows = [simd.splat(0.0); N];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = simd.splat(f32::from_bits(self.words[i * self.stride + lane]));
        }
        rows
    }

    /// One child's words, the reference included; zeros behind.
    pub(crate) fn fields(&self, lane: usize) -> [u32; 16] {
        let fields = fields(self.kind);
        std::array::from_fn(|row| if row < fields { self.words[row * self.stride + lane] } else { 0 })
    }

    /// A bit for each lane that is a child.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> u8 {
        0xff >> (WIDTH - self.stride)
    }

    /// The child's reference, the last of its fields.
    #[inline(always)]
    pub(crate) fn child(&self, lane: usize) -> NodeRef {
        NodeRef::from_word(self.words[(fields(self.kind) - 1) * self.stride + lane])
    }

    /// A bit for each child that is a leaf.
    #[inline(always)]
    pub(crate) fn leaves<S: Simd>(&self, simd: S) -> u8 {
        let [refs] =
            simd.load_rows::<1>(&self.words[(fields(self.kind) - 1) * self.stride..], self.stride, self.stride);
        simd.sign_bits(refs)
    }
}

/// A kind of bounding volume in packed form: how one is stored.
pub(crate) trait Volume8 {
    const KIND: VolumeKind;

    /// Words of a child: the volume and, last, its reference.
    const FIELDS: usize;

    /// A volume around points in local coordinates, as far as it is measured in f64.
    type Fit;

    /// The volume's words (all but the reference), rounded outward.
    fn pack(fit: &Self::Fit, words: &mut [u32]);

    /// The stored volume, in local coordinates.
    fn unpack(words: &[u32]) -> Volume;

    /// Whether the stored volume contains the point (local coordinates), evaluated in f64.
    fn encloses(words: &[u32], point: &Point3<f64>) -> bool;
}

/// The tests of one volume of a tree against eight of another's. `Self` is the one, brought into the wide node's frame and
/// unit.
pub(crate) trait Paired8: Copy {
    /// The kind of both trees; none for volumes of any kind, whose nodes are read accordingly.
    const NODES: Option<VolumeKind>;

    /// Volumes of a node's children seen from the other tree's frame, field by field.
    type Posed;

    /// The children of a node, brought into the other tree's frame; lanes past them are unspecified.
    fn posed<S: Simd>(simd: S, node: &Node<'_>, to: &ToFrame) -> Self::Posed;

    /// One of them.
    fn one(posed: &Self::Posed, lane: usize, to: &ToFrame) -> Self;

    /// A bit for each child whose volume may touch `self`, and one for each lane that is much larger.
    fn overlaps<S: Simd>(&self, simd: S, node: &Node<'_>, margin: f32) -> (u8, u8);

    /// Squares of lower bounds of the distances to the eight volumes, in the node's unit and times `scale`, and a bit for each
    /// lane that is much larger. Above `limit` bounds need not be as great as they could. Lanes past the node's
    /// children are unspecified.
    fn lower_bounds_sq<S: Simd>(&self, simd: S, node: &Node<'_>, margin: f32, scale: f32, limit: f32)
    -> (S::F32x8, u8);

    /// The middle of `self`.
    fn center(&self) -> [f32; 3];

    /// How far a turn about its centre by one radian or less can move a point of the volume out of it, per radian.
    fn turning_radius(&self) -> f32;

    /// When, on its linear sweep past the eight volumes, `self` may touch them.
    fn sweep<S: Simd>(&self, simd: S, node: &Node<'_>, path: &LinearSweep, margin: f32) -> Swept<S>;
}

/// What is less than this, of coordinates in a frame and components of directions, counts for nothing beside rounding.
const NEGLIGIBLE: f64 = 1.0 / (1 << 30) as f64;

/// A coordinate in a frame, or a component of a direction, in f32; nothing where it counts for nothing, so that products of
/// several such don't become denormal.
#[inline(always)]
pub(crate) fn rounded(x: f64) -> f32 {
    // The f64 is chosen, not the f32: rounding what is smaller than any normal f32 is slow already.
    (if x.abs() < NEGLIGIBLE { 0.0 } else { x }) as f32
}

/// An f32 above a number that is not negative: a limit that includes it. A normal one, also above 0.
#[inline(always)]
pub(crate) fn above(x: f64) -> f32 {
    if x < f64::from(f32::MIN_POSITIVE) { f32::MIN_POSITIVE } else { (x as f32).next_up() }
}

/// The f32 that a word stands for, widened.
fn widen(word: u32) -> f64 {
    f64::from(f32::from_bits(word))
}

/// What rounding in f64 may add to a length in local coordinates, which are at most 1 in magnitude.
const ROUNDING: f64 = 4e-15;

/// The word of the least f32 not below `length` and its rounding errors in f64.
#[inline(always)]
fn length_word(length: f64) -> u32 {
    let length = length + ROUNDING;
    let nearest = length as f32;
    (if f64::from(nearest) < length { nearest.next_up() } else { nearest }).to_bits()
}
