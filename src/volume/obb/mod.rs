//! Oriented boxes: how they are stored, tested against a ray, a point or a box, fitted and refitted.
//!
//! `pair.rs` has the tests of two oriented boxes.

mod pair;

use nalgebra::{Matrix3, Point3, Vector3};

use super::aabb::PackedAabb;
use super::bounding_volume::{BoundingVolume, PairTests, length_word, widen};
use super::box_pair::distance_sq_to_box;
use super::fit::{self, FitMethods, LeafBoxes, ObbFit, Primitive, batched_obb_fit, obb_of};
use super::frame::Frame;
use super::kind::{Volume, VolumeKind};
use super::moved_vertices::{Landmarks, LaneCorners, Points, Positions};
use super::node::{MAX_FIELDS, Node, WIDTH};
use super::probe::{LocalBox, LocalRay, slabs};
use super::refit::{FitFromVertices, FromVertices, MovedPart, ObbAxes, box_areas, put};
use super::separating_planes::RoundBoxes;
use crate::numeric::denormals::rounded;
use crate::numeric::insertion_sort;
use crate::shape::Obb;
use crate::simd::vectors::{Vector8, difference, dot_fused, splatted};
use crate::simd::{Simd, SimdLevel};
use crate::triangle::Triangle;
use pair::axes;
pub(crate) use pair::{Boxes, aligned_boxes};

/// An oriented box. Fields of a child in a node: x, y, z of two axes and the centre (`a0x a1x cx, a0y a1y cy, a0z a1z
/// cz`), the half extents, the reference. The third axis is the cross product of the two.
#[derive(Clone, Copy, Default)]
pub(crate) struct PackedObb {
    /// `coordinates[x][k]`: coordinate x of axis k, and of the centre for k = 3.
    coordinates: [[f32; 4]; 3],
    half_extents: [f32; 3],
}

impl PackedObb {
    /// A box that is not stored in any node; the columns of `axes` are its axes.
    #[inline(always)]
    pub(super) fn new(center: &Vector3<f64>, axes: &Matrix3<f64>, half_extents: &Vector3<f64>) -> Self {
        let row = |x: usize| [axes[(x, 0)], axes[(x, 1)], axes[(x, 2)], center[x]].map(rounded);
        let half_extents = [0, 1, 2].map(|k| f32::from_bits(length_word(half_extents[k])));
        Self { coordinates: [row(0), row(1), row(2)], half_extents }
    }

    /// A query's box, for tests against the boxes of nodes.
    #[inline(always)]
    pub(super) fn of(query: &LocalBox) -> Self {
        let coordinates = std::array::from_fn(|x| {
            let [a, b, c] = query.axes[x];
            [a, b, c, query.center[x]]
        });
        Self { coordinates, half_extents: query.half_extents }
    }
}

/// A box's axes as they are stored, and the ranges of points along them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FittedBox {
    axes: Matrix3<f64>,
    lower: Vector3<f64>,
    upper: Vector3<f64>,
}

impl FittedBox {
    /// Rounds the axes (columns, orthonormal) to the stored precision; `ranges` returns the points' ranges along the
    /// rounded axes.
    #[inline(always)]
    pub(crate) fn new(axes: &Matrix3<f64>, ranges: impl FnOnce(&Matrix3<f64>) -> [[f64; 3]; 2]) -> Self {
        let axes = Self::stored(axes);
        Self::along(axes, ranges(&axes))
    }

    /// Rounds axes to the stored precision: two are in f32, and the third is their cross product.
    #[inline(always)]
    pub(crate) fn stored(axes: &Matrix3<f64>) -> Matrix3<f64> {
        let axes = axes.map(|x| f64::from(rounded(x)));
        with_third(axes.column(0).into(), axes.column(1).into())
    }

    /// The box with the given axes, already rounded by [`Self::stored`], and the points' ranges along them.
    #[inline(always)]
    pub(crate) fn along(axes: Matrix3<f64>, ranges: [[f64; 3]; 2]) -> Self {
        let [lower, upper] = ranges.map(Vector3::from);
        Self { axes, lower, upper }
    }

    /// Whether this box has a greater volume or a greater surface area than `other`.
    pub(crate) fn is_looser_than(&self, other: &Self) -> bool {
        let measures = |fit: &Self| {
            let [x, y, z] = (fit.upper - fit.lower).into();
            [x * y * z, x * y + y * z + z * x]
        };
        let ([volume, area], [least_volume, least_area]) = (measures(self), measures(other));
        volume > least_volume || area > least_area
    }
}

impl BoundingVolume for PackedObb {
    const KIND: VolumeKind = VolumeKind::Obb;
    const FIELDS: usize = 13;
    const LENGTHS: usize = 3;
    type Fit = FittedBox;
    type FitMethod = FromVertices<Self>;
    /// Axis-aligned boxes are measured in place of oriented ones: this takes a fraction of the time and gave better
    /// trees.
    type Measured = PackedAabb;
    const SPLITS_ALONG_OWN_AXES: bool = true;

    fn fit(level: SimdLevel, primitives: &[Primitive], methods: FitMethods, frame: &Frame) -> FittedBox {
        obb_of(level, primitives, methods, frame)
    }

    fn fit_leaves<'a>(
        level: SimdLevel,
        triangle: impl Fn(usize) -> &'a Primitive,
        methods: FitMethods,
        frame: &Frame,
    ) -> Option<LeafBoxes> {
        let triangles = || std::array::from_fn(&triangle);
        match methods.obb {
            ObbFit::VertexCovariance => Some(fit::leaves_along_covariance(level, triangles(), frame)),
            ObbFit::Tight | ObbFit::TightVolume => Some(fit::leaves_along_longest_edge(level, triangles(), frame)),
            _ => None,
        }
    }

    fn fits_small_sets(methods: FitMethods) -> bool {
        matches!(methods.obb, ObbFit::VertexCovariance | ObbFit::Tight | ObbFit::TightVolume)
    }

    fn fit_small_sets(
        level: SimdLevel,
        sets: [&[Primitive]; WIDTH],
        methods: FitMethods,
        frame: &Frame,
    ) -> [[u32; WIDTH]; MAX_FIELDS] {
        let axes = match methods.obb {
            ObbFit::Tight => batched_obb_fit::Axes::Area,
            ObbFit::TightVolume => batched_obb_fit::Axes::Volume,
            _ => batched_obb_fit::Axes::Covariance,
        };
        batched_obb_fit::fit(level, sets, axes, frame)
    }

    #[inline(always)]
    fn pack(fit: &FittedBox, words: &mut [u32]) {
        let FittedBox { axes, lower, upper } = fit;
        let center = (axes * ((lower + upper) * 0.5)).map(|x| f64::from(rounded(x)));
        let along = axes.tr_mul(&center);
        for x in 0..3 {
            for k in 0..2 {
                words[3 * x + k] = (axes[(x, k)] as f32).to_bits();
            }
            words[3 * x + 2] = (center[x] as f32).to_bits();
            words[9 + x] = length_word((upper[x] - along[x]).max(along[x] - lower[x]));
        }
    }

    fn unpack(words: &[u32], frame: &Frame) -> Volume {
        let (axes, center, half_extents) = parts(words);
        let (center, half_extents) = (frame.to_mesh(&center.into()), half_extents * frame.unit);
        Volume::Obb(Obb { center, axes, half_extents })
    }

    fn encloses(words: &[u32], point: &Point3<f64>) -> bool {
        let (axes, center, half_extents) = parts(words);
        let along = axes.transpose() * (point.coords - center);
        (0..3).all(|k| along[k].abs() <= half_extents[k])
    }

    fn axes_deviation(words: &[u32]) -> f64 {
        let (axes, ..) = parts(words);
        (axes.transpose() * axes - Matrix3::identity()).amax()
    }

    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH] {
        box_areas(words, children, 9)
    }

    #[inline(always)]
    fn boxes<S: Simd>(s: S, node: &Node<'_>) -> Boxes<S> {
        node.rows(s)
    }

    #[inline(always)]
    fn round_boxes<S: Simd>(s: S, node: &Node<'_>, lane: Option<usize>) -> RoundBoxes<S> {
        let rows: Boxes<S> = node.rows_of(s, lane);
        let (centers, half_extents) = ([rows[2], rows[5], rows[8]], [rows[9], rows[10], rows[11]]);
        RoundBoxes { centers, axes: axes(s, &rows), half_extents, rounding: s.splat(0.0) }
    }

    #[inline(always)]
    fn distance_sq<S: Simd>(s: S, node: &Node<'_>, point: &[f32; 3]) -> S::F32x8 {
        let rows: Boxes<S> = node.rows(s);
        distance_sq_to_box(s, along(s, &axes(s, &rows), &centers_from(s, &rows, point)), [rows[9], rows[10], rows[11]])
    }

    #[inline(always)]
    fn ray_entry<S: Simd>(s: S, node: &Node<'_>, ray: &LocalRay, within: [f32; 2]) -> (u8, S::F32x8) {
        let rows: Boxes<S> = node.rows(s);
        let axes = axes(s, &rows);
        let t = along(s, &axes, &centers_from(s, &rows, &ray.start));
        let one = s.splat(1.0);
        let [x, y, z] = along(s, &axes, &splatted(s, ray.direction));
        let reciprocal = [s.div(one, x), s.div(one, y), s.div(one, z)];
        let (apart, entry) = slabs(s, t, reciprocal, [rows[9], rows[10], rows[11]], ray.reach_along(s, &axes), within);
        (node.lanes() & !s.bits(apart), entry)
    }

    #[inline(always)]
    fn overlaps_box<S: Simd>(s: S, node: &Node<'_>, query: &LocalBox) -> u8 {
        Self::of(query).overlaps(s, node, query.margin).0
    }
}

/// The boxes' centres relative to a point.
#[inline(always)]
fn centers_from<S: Simd>(s: S, rows: &Boxes<S>, point: &[f32; 3]) -> Vector8<S> {
    difference(s, &[rows[2], rows[5], rows[8]], &splatted(s, *point))
}

#[inline(always)]
fn along<S: Simd>(s: S, axes: &[Vector8<S>; 3], vector: &Vector8<S>) -> Vector8<S> {
    [dot_fused(s, &axes[0], vector), dot_fused(s, &axes[1], vector), dot_fused(s, &axes[2], vector)]
}

/// The axes of a part's box before the mesh deformed.
#[derive(Clone, Debug)]
pub(crate) enum AxesAtRest {
    /// The axes are kept in every deformation.
    Kept(Matrix3<f32>),
    /// The axes are given in the landmarks' frame, and turn with it.
    Turned(Matrix3<f32>),
    /// No axes are recorded: each refit takes the eigenvectors of the vertices' covariance.
    Refitted,
}

impl AxesAtRest {
    #[inline(always)]
    fn axes<S: Simd>(
        &self,
        s: S,
        landmarks: &Landmarks,
        positions: &Positions<'_>,
        points: Points<'_>,
    ) -> Matrix3<f64> {
        match self {
            Self::Kept(axes) => axes.map(f64::from),
            Self::Turned(axes) => {
                landmarks.frame(s, positions).1.map_or_else(Matrix3::identity, |frame| frame * axes.map(f64::from))
            }
            Self::Refitted => covariance_axes(points),
        }
    }
}

impl FitFromVertices for PackedObb {
    type PartBox = ();
    type AtRest = AxesAtRest;

    fn at_rest(
        words: &[u32],
        _: &Frame,
        obb_axes: ObbAxes,
        vertices: &mut [u32],
        positions: &Positions<'_>,
    ) -> (Landmarks, AxesAtRest) {
        let (axes, _, half_extents) = parts(words);
        // Each refit rounds the axes again, and a refitted tree may be adopted and refitted any number of times.
        let axes = if obb_axes == ObbAxes::Turned { fit::orthonormalized(&axes) } else { axes };
        let mut order = [0, 1, 2];
        insertion_sort(&mut order, |&i, &j| half_extents[j].total_cmp(&half_extents[i]));
        let by_length = Matrix3::from_columns(&order.map(|k| axes.column(k).into_owned()));
        let at = |vertex: u32| positions.point(vertex);
        let landmarks = Landmarks::new(vertices, at, &by_length);
        let rest = match (obb_axes, landmarks.frame_at_rest(positions).1) {
            (ObbAxes::Refitted, _) => AxesAtRest::Refitted,
            (ObbAxes::Turned, Some(frame)) => AxesAtRest::Turned(frame.tr_mul(&axes).map(rounded)),
            (ObbAxes::Turned, None) | (ObbAxes::Kept, _) => AxesAtRest::Kept(axes.map(rounded)),
        };
        (landmarks, rest)
    }

    #[inline(always)]
    fn fit_part<S: Simd>(s: S, frame: &Frame, part: MovedPart<'_, AxesAtRest>, (): &()) -> FittedBox {
        let axes = part.at_rest.axes(s, part.landmarks, part.positions, part.points);
        let axes = FittedBox::stored(&axes);
        FittedBox::along(axes, part.points.ranges(s, frame, &axes))
    }

    #[inline(always)]
    fn fit_triangles<S: Simd>(
        s: S,
        frame: &Frame,
        corners: &LaneCorners,
        is_single: &[bool; WIDTH],
        words: &mut [u32],
        children: usize,
    ) {
        let coordinates = corners.rows(s);
        let LeafBoxes { rows, fitted } = fit::leaf_boxes::<true>(&coordinates, frame);
        for lane in 0..children {
            if !is_single[lane] {
                continue;
            }
            if fitted[lane] {
                for (row, words) in rows.iter().take(Self::FIELDS - 1).zip(words.chunks_exact_mut(children)) {
                    words[lane] = row[lane];
                }
            } else {
                put(words, children, lane, &line_box(frame, &coordinates.map(|row| row[lane])));
            }
        }
    }
}

fn covariance_axes(points: Points<'_>) -> Matrix3<f64> {
    let count = points.iter().len() as f64;
    let mean = points.iter().fold(Point3::origin(), |sum, point| sum + point.coords) / count;
    let add = |sum, point: Point3<f64>| sum + (point - mean) * (point - mean).transpose();
    fit::eigenvectors(&points.iter().fold(Matrix3::zeros(), add))
}

/// The box of a triangle that is nearly a line or a point.
#[cold]
fn line_box(frame: &Frame, coordinates: &[f32; 9]) -> [u32; MAX_FIELDS] {
    let x = coordinates.map(f64::from);
    let vertices = [Point3::new(x[0], x[1], x[2]), Point3::new(x[3], x[4], x[5]), Point3::new(x[6], x[7], x[8])];
    let axes = ObbFit::Tight.fit_triangles(&[Triangle { vertices }]).axes;
    let fit = FittedBox::new(&axes, |axes| {
        let along = vertices.map(|vertex| axes.tr_mul(&frame.to_local(&vertex).coords));
        [along[0].inf(&along[1]).inf(&along[2]).into(), along[0].sup(&along[1]).sup(&along[2]).into()]
    });
    let mut words = [0; MAX_FIELDS];
    PackedObb::pack(&fit, &mut words);
    words
}

/// The axes, centre and half extents in a child's words, as f64.
pub(crate) fn parts(words: &[u32]) -> (Matrix3<f64>, Vector3<f64>, Vector3<f64>) {
    let column = |k: usize| Vector3::from_fn(|x, _| widen(words[3 * x + k]));
    let half_extents = Vector3::from_fn(|k, _| widen(words[9 + k]));
    (with_third(column(0), column(1)), column(2), half_extents)
}

/// Completes two axes by their cross product.
#[inline(always)]
fn with_third(one: Vector3<f64>, other: Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_columns(&[one, other, one.cross(&other)])
}
