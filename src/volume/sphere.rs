//! Spheres: how they are stored, tested, fitted and refitted.

use nalgebra::{Matrix3, Point3, Vector3};

use super::bounding_volume::{
    AreaShape, BoundingVolume, LinearSweep, MUCH_LARGER, PairTests, Swept, length_word, widen,
};
use super::box_pair::distance_sq_to_box;
use super::fit::{self, FitMethods, Primitive, sphere_of};
use super::frame::{Frame, RelativeFrame};
use super::kind::{Volume, VolumeKind};
use super::moved_vertices::{Landmarks, LaneCorners, Positions};
use super::node::{Node, WIDTH};
use super::obb::{Boxes, aligned_boxes};
use super::probe::{LocalBox, LocalRay};
use super::refit::{Box32, FitFromVertices, FromVertices, MovedPart, NEGLIGIBLE, ObbAxes};
use super::separating_planes::RoundBoxes;
use crate::numeric::denormals::rounded;
use crate::numeric::error_bounds::{REFIT_SPHERE_ROUNDING, SQUARE_ROUNDING};
use crate::shape::Sphere;
use crate::simd::vectors::{difference, dot_fused, dot_unfused, norm, splatted};
use crate::simd::{Simd, SimdLevel};

/// A sphere. Fields of a child in a node: centre, radius, reference.
#[derive(Clone, Copy)]
pub(crate) struct PackedSphere {
    center: [f32; 3],
    radius: f32,
}

/// A sphere around points in local coordinates: its centre, rounded to the stored precision, and the squared distance
/// from there to the farthest point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FittedSphere {
    center: Point3<f64>,
    radius_sq: f64,
}

impl FittedSphere {
    /// The smallest of the spheres about the given centres, or the first of several equally small ones. The centres are
    /// rounded to f32; `farthest_sq` gets the rounded ones and returns the squared distance of the farthest point from
    /// each.
    #[inline(always)]
    pub(crate) fn new<const N: usize>(
        centers: [Point3<f64>; N],
        farthest_sq: impl FnOnce(&[Point3<f64>; N]) -> [f64; N],
    ) -> Self {
        let centers = centers.map(|center| Self::stored(&center));
        Self::smallest(&centers, farthest_sq(&centers))
    }

    /// The centre rounded to the stored precision.
    #[inline(always)]
    pub(crate) fn stored(center: &Point3<f64>) -> Point3<f64> {
        center.map(|x| f64::from(rounded(x)))
    }

    /// The smallest of the spheres with the given stored centres, or the first of several equally small ones;
    /// `farthest_sq` holds the squared distance of the farthest point from each centre.
    #[inline(always)]
    pub(crate) fn smallest<const N: usize>(centers: &[Point3<f64>; N], farthest_sq: [f64; N]) -> Self {
        let mut smallest = Self { center: Point3::origin(), radius_sq: f64::INFINITY };
        for (center, radius_sq) in centers.iter().zip(farthest_sq) {
            if radius_sq < smallest.radius_sq {
                smallest = Self { center: *center, radius_sq };
            }
        }
        smallest
    }
}

impl BoundingVolume for PackedSphere {
    const KIND: VolumeKind = VolumeKind::Sphere;
    const FIELDS: usize = 5;
    const LENGTHS: usize = 1;
    type Fit = FittedSphere;
    type FitMethod = FromVertices<Self>;
    type Measured = Self;
    const AREA_SHAPE: AreaShape = AreaShape::Sphere;

    fn fit(level: SimdLevel, primitives: &[Primitive], methods: FitMethods, frame: &Frame) -> FittedSphere {
        sphere_of(level, primitives, methods, frame)
    }

    fn pack(fit: &FittedSphere, words: &mut [u32]) {
        for (word, x) in words.iter_mut().zip(fit.center.iter()) {
            *word = (*x as f32).to_bits();
        }
        words[3] = length_word(fit.radius_sq.sqrt());
    }

    fn unpack(words: &[u32], frame: &Frame) -> Volume {
        let (center, radius) = parts(words);
        Volume::Sphere(Sphere { center: frame.to_mesh(&center), radius: radius * frame.unit })
    }

    fn encloses(words: &[u32], point: &Point3<f64>) -> bool {
        let (center, radius) = parts(words);
        (point - center).norm() <= radius
    }

    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH] {
        let mut areas = [0.0; WIDTH];
        for (area, &radius) in areas.iter_mut().zip(&words[3 * children..4 * children]) {
            *area = f32::from_bits(radius) * f32::from_bits(radius);
        }
        areas
    }

    /// The cubes around the spheres.
    #[inline(always)]
    fn boxes<S: Simd>(s: S, node: &Node<'_>) -> Boxes<S> {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        aligned_boxes(s, [x, y, z], [radius; 3])
    }

    /// A sphere is a box without extent that is rounded by its radius.
    #[inline(always)]
    fn round_boxes<S: Simd>(s: S, node: &Node<'_>, lane: Option<usize>) -> RoundBoxes<S> {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows_of(s, lane);
        RoundBoxes::aligned(s, [x, y, z], [s.splat(0.0); 3], radius)
    }

    #[inline(always)]
    fn distance_sq<S: Simd>(s: S, node: &Node<'_>, point: &[f32; 3]) -> S::F32x8 {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let t = difference(s, &[x, y, z], &splatted(s, *point));
        let distance = s.sub(s.sqrt(dot_fused(s, &t, &t)), radius);
        let distance = s.max(distance, s.splat(0.0));
        s.mul(distance, distance)
    }

    /// The chord of the ray in a sphere is taken to be as long as the diameter.
    #[inline(always)]
    fn ray_entry<S: Simd>(s: S, node: &Node<'_>, ray: &LocalRay, within: [f32; 2]) -> (u8, S::F32x8) {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let t = difference(s, &[x, y, z], &splatted(s, ray.start));
        let direction = splatted(s, ray.direction);
        let along = dot_fused(s, &t, &direction);
        let mut across = t;
        for x in 0..3 {
            across[x] = s.sub(t[x], s.mul(along, direction[x]));
        }
        let radii = s.add(radius, s.splat(ray.margin));
        let entry = s.max(s.sub(along, radii), s.splat(within[0]));
        let exit = s.min(s.add(along, radii), s.splat(within[1]));
        let apart = s.or(s.gt(dot_fused(s, &across, &across), s.mul(radii, radii)), s.gt(entry, exit));
        (node.lanes() & !s.bits(apart), entry)
    }

    #[inline(always)]
    fn overlaps_box<S: Simd>(s: S, node: &Node<'_>, query: &LocalBox) -> u8 {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let from_center = difference(s, &[x, y, z], &splatted(s, query.center));
        let mut t = [s.splat(0.0); 3];
        // These are loops, because a chain of iterators would be compiled without the SIMD level's instructions.
        for k in 0..3 {
            for (row, axis) in query.axes.iter().enumerate() {
                t[k] = s.mul_add(from_center[row], s.splat(axis[k]), t[k]);
            }
        }
        let distance_sq = distance_sq_to_box(s, t, query.half_extents.map(|h| s.splat(h)));
        let radii = s.add(radius, s.splat(query.margin));
        node.lanes() & !s.bits(s.gt(distance_sq, s.mul(radii, radii)))
    }
}

impl PairTests for PackedSphere {
    const NODES: Option<VolumeKind> = Some(VolumeKind::Sphere);

    type Posed = [[f32; 8]; 4];

    #[inline(always)]
    fn posed<S: Simd>(s: S, node: &Node<'_>, to: &RelativeFrame) -> Self::Posed {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let [x, y, z] = to.transform(s, [x, y, z]);
        [s.to_array(x), s.to_array(y), s.to_array(z), s.to_array(s.mul(radius, s.splat(to.unit)))]
    }

    #[inline(always)]
    fn single(posed: &Self::Posed, lane: usize, _: &RelativeFrame) -> Self {
        let field = |row: usize| posed[row][lane & 7];
        Self { center: [field(0), field(1), field(2)], radius: field(3) }
    }

    /// Two spheres are apart if the distance between the centres exceeds the sum of both radii and the margin.
    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32) -> (u8, u8) {
        let (distance_sq, radius) = self.center_distances_sq(s, node);
        let radii = s.add(radius, s.splat(self.radius + margin));
        let apart = s.gt(distance_sq, s.mul(radii, radii));
        (node.lanes() & !s.bits(apart), self.smaller_than(s, radius))
    }

    #[inline(always)]
    fn lower_bounds_sq<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32, scale: f32, _: f32) -> (S::F32x8, u8) {
        let (distance_sq, radius) = self.center_distances_sq(s, node);
        let radii = s.add(radius, s.splat(self.radius + margin));
        // Finite even if a square overflows.
        let distance = s.sqrt(s.min(s.splat(f32::MAX), distance_sq));
        let gap = s.max(s.sub(distance, radii), s.splat(0.0));
        (s.mul(s.mul(gap, gap), s.splat(scale * SQUARE_ROUNDING)), self.smaller_than(s, radius))
    }

    #[inline(always)]
    fn center(&self) -> [f32; 3] {
        self.center
    }

    /// Rotation does not change a sphere.
    #[inline(always)]
    fn turning_radius(&self) -> f32 {
        0.0
    }

    /// Two spheres touch while the moving centre is inside a sphere about the other centre whose radius is the sum of
    /// the radii: within half a chord of the point of the path nearest to the other centre.
    #[inline(always)]
    fn sweep<S: Simd>(&self, s: S, node: &Node<'_>, path: &LinearSweep, margin: f32) -> Swept<S> {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let t = difference(s, &[x, y, z], &splatted(s, path.start(self.center)));
        let direction = splatted(s, path.direction);
        let along = dot_fused(s, &t, &direction);
        // The perpendicular part is computed from components, because a difference of squares would cancel.
        let mut across = t;
        for k in 0..3 {
            across[k] = s.sub(t[k], s.mul(along, direction[k]));
        }
        let across = norm(s, &across);
        let radii = s.add(radius, s.splat(self.radius + margin));
        let product = s.mul(s.sub(radii, across), s.add(radii, across));
        let chord = s.sqrt(s.max(s.mul(product, s.splat(2.0 - SQUARE_ROUNDING)), s.splat(0.0)));
        let mut swept = Swept::anytime(s);
        swept.exclude(s, s.gt(across, radii));
        swept.clip(s, along, s.splat(path.length), chord, path);
        swept.finish(s, self.smaller_than(s, radius))
    }
}

impl PackedSphere {
    /// The squared distances to the eight centres, and the eight radii.
    #[inline(always)]
    fn center_distances_sq<S: Simd>(&self, s: S, node: &Node<'_>) -> (S::F32x8, S::F32x8) {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let t = difference(s, &[x, y, z], &splatted(s, self.center));
        (dot_fused(s, &t, &t), radius)
    }

    #[inline(always)]
    fn smaller_than<S: Simd>(&self, s: S, radius: S::F32x8) -> u8 {
        s.bits(s.gt(radius, s.splat(MUCH_LARGER * self.radius)))
    }
}

/// The centre of a part's sphere before the mesh deformed.
#[derive(Clone, Debug)]
pub(crate) struct CenterAtRest {
    /// The offset from the middle of the landmarks, in their frame.
    offset: Vector3<f64>,
}

impl FitFromVertices for PackedSphere {
    type PartBox = Box32;
    type AtRest = CenterAtRest;

    fn at_rest(
        words: &[u32],
        frame: &Frame,
        _: ObbAxes,
        vertices: &mut [u32],
        positions: &Positions<'_>,
    ) -> (Landmarks, CenterAtRest) {
        let center = frame.to_mesh(&Point3::from([0, 1, 2].map(|x| f64::from(f32::from_bits(words[x])))));
        let at = |vertex: u32| positions.point(vertex);
        let points: Vec<_> = vertices.iter().map(|&vertex| at(vertex)).collect();
        // The axis of greatest spread comes first.
        let axes = fit::eigenvectors(&fit::covariance(&points, &fit::mean(&points)));
        let landmarks = Landmarks::new(vertices, at, &axes);
        let (middle, axes) = landmarks.frame_at_rest(positions);
        let offset = axes.unwrap_or_else(Matrix3::identity).tr_mul(&(center - middle));
        (landmarks, CenterAtRest { offset })
    }

    /// Fits the smaller of two spheres: about the centre that moved with the landmarks, and about the middle of the
    /// vertices' box.
    #[inline(always)]
    fn fit_part<S: Simd>(s: S, frame: &Frame, part: MovedPart<'_, CenterAtRest>, part_box: &Box32) -> FittedSphere {
        let (middle, turn) = part.landmarks.frame(s, part.positions);
        let turned = middle + turn.unwrap_or_else(Matrix3::identity) * part.at_rest.offset;
        let [lower, upper] = part_box.map(|end| Point3::from(end).map(f64::from));
        let centers = [turned, nalgebra::center(&lower, &upper)];
        let centers = centers.map(|center| FittedSphere::stored(&frame.to_local(&center)));
        FittedSphere::smallest(&centers, part.points.farthest_sq(s, frame, &centers))
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
        for (row, packed) in triangle_spheres(s, corners, frame).into_iter().enumerate() {
            let packed = s.to_array(packed);
            for lane in 0..WIDTH {
                if lane < children && is_single[lane] {
                    words[row * children + lane] = packed[lane].to_bits();
                }
            }
        }
    }
}

/// The smallest spheres around eight triangles, up to rounding: rows of centres, and of radii enlarged by the rounding
/// errors.
///
/// The centre is that of [`fit::triangle_sphere_center`]: the middle of the longest edge if the angle opposite is right
/// or obtuse, else the circumcentre.
#[inline(always)]
fn triangle_spheres<S: Simd>(s: S, corners: &LaneCorners, frame: &Frame) -> [S::F32x8; 4] {
    let [a, b, c] = corners.local(s, frame);
    let (bc, ca, ab) = (difference(s, &c, &b), difference(s, &a, &c), difference(s, &b, &a));
    let (bc, ca, ab) = (dot_unfused(s, &bc, &bc), dot_unfused(s, &ca, &ca), dot_unfused(s, &ab, &ab));
    // The apex is the corner opposite to the longest edge.
    let (not_a, not_b) = (s.gt(s.max(ca, ab), bc), s.gt(ab, ca));
    let (mut apex, mut p, mut q) = (a, b, c);
    for k in 0..3 {
        apex[k] = s.select(not_a, s.select(not_b, c[k], b[k]), a[k]);
        p[k] = s.select(not_a, s.select(not_b, a[k], c[k]), b[k]);
        q[k] = s.select(not_a, s.select(not_b, b[k], a[k]), c[k]);
    }
    let (u, v) = (difference(s, &p, &apex), difference(s, &q, &apex));
    let uv = dot_unfused(s, &u, &v);
    let (over_uu, over_vv) = (s.div(uv, dot_unfused(s, &u, &u)), s.div(uv, dot_unfused(s, &v, &v)));
    let (one, half) = (s.splat(1.0), s.splat(0.5));
    let sine_sq = s.sub(one, s.mul(over_uu, over_vv));
    let (is_acute, is_proper) = (s.gt(uv, s.splat(0.0)), s.gt(sine_sq, half));
    let per_sine_sq = s.div(half, sine_sq);
    let mut sphere = [s.splat(0.0); 4];
    for k in 0..3 {
        let around = s.add(s.mul(u[k], s.sub(one, over_uu)), s.mul(v[k], s.sub(one, over_vv)));
        let around = s.add(apex[k], s.mul(around, per_sine_sq));
        let middle = s.mul(s.add(p[k], q[k]), half);
        let center = s.select(is_acute, s.select(is_proper, around, middle), middle);
        sphere[k] = s.select(s.gt(s.abs(center), s.splat(NEGLIGIBLE)), center, s.splat(0.0));
    }
    let center = [sphere[0], sphere[1], sphere[2]];
    let mut distance_sq = s.splat(0.0);
    for corner in [&a, &b, &c] {
        let offset = difference(s, corner, &center);
        distance_sq = s.max(dot_unfused(s, &offset, &offset), distance_sq);
    }
    sphere[3] = s.add(s.mul(s.sqrt(distance_sq), s.splat(1.0 + REFIT_SPHERE_ROUNDING)), s.splat(REFIT_SPHERE_ROUNDING));
    sphere
}

/// The centre and radius in a child's words, as f64.
fn parts(words: &[u32]) -> (Point3<f64>, f64) {
    (Point3::new(widen(words[0]), widen(words[1]), widen(words[2])), widen(words[3]))
}
