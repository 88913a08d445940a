//! Which triangles and edges are near a convex shape's surface, for contact manifolds.

use nalgebra::{Matrix3, Point3, Vector3};

use super::convex::{Core, Frustum};
use super::convex_core::INSCRIBED;
use super::{ConvexShape, Obb};
use crate::numeric::error_bounds::{NARROW_BAND_ROUNDING, SHAPE_BAND_ROUNDING};
use crate::simd::vectors::{
    Vector8, cross_fused, difference, dot_fused, in_lanes, lanes_in, narrowed, norm, on_line, splatted, without,
};
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::triangle::Triangle;

impl ConvexShape {
    /// A sphere around the core: its center and its radius.
    pub(crate) fn core_ball(&self) -> (Point3<f64>, f64) {
        let Obb { center, half_extents, .. } = self.core_obb();
        (*center, half_extents.norm())
    }
}

/// Tests of what is near a convex shape's surface: within a margin of the shape, and not deeper inside than the margin.
/// All tests are cheap and conservative: they never leave out what is near.
pub(crate) struct SurfaceBand<'a> {
    shape: &'a ConvexShape,
    margin: f64,
    /// The rotation into the frame of the core's box.
    to_box: Matrix3<f64>,
    depths: CoreDepths,
}

/// The data from which the depth of a point inside a core is computed.
enum CoreDepths {
    Cuboid,
    /// A segment or a point: its start, and the vector to its end (zero for a point).
    Segment(Point3<f64>, Vector3<f64>),
    /// The unit normals of the facets of a polytope, and their heights above the shape's center; none if the polytope
    /// is flat or a normal would be too inexact.
    Facets(Vec<(Vector3<f64>, f64)>),
    Frustum(FrustumDepths),
}

impl<'a> SurfaceBand<'a> {
    pub(crate) fn new(shape: &'a ConvexShape, margin: f64) -> Self {
        let depths = match &shape.core {
            Core::Polytope(polytope) if polytope.is_cuboid => CoreDepths::Cuboid,
            Core::Polytope(polytope) => match *polytope.vertices() {
                [start] => CoreDepths::Segment(start, Vector3::zeros()),
                [start, end] => CoreDepths::Segment(start, end - start),
                ref vertices => {
                    let facet = |(corners, normal): (&[usize; 3], &Vector3<f64>)| {
                        (*normal, (vertices[corners[0]] - shape.center()).dot(normal))
                    };
                    CoreDepths::Facets(
                        polytope.facets().iter().zip(polytope.edges_and_normals().1).map(facet).collect(),
                    )
                }
            },
            Core::Frustum(frustum) => CoreDepths::Frustum(frustum.depths()),
        };
        Self { shape, margin, to_box: shape.core_obb().axes.transpose(), depths }
    }

    /// The indices of the triangles that may have contacts with the shape at a gap or a depth of at most the margin:
    /// those that may be within the margin of the shape, and have a corner that may be no deeper inside than the
    /// margin.
    pub(crate) fn near(&self, level: SimdLevel, triangles: &[(Triangle, u32)]) -> Vec<u32> {
        let Self { shape, margin, .. } = self;
        let reach = shape.extent + shape.radius + margin;
        let scale = if reach > 0.0 { reach.recip() } else { 1.0 };
        dispatch(level, Near { band: &self.narrow(scale), center: shape.center(), scale, triangles })
    }

    /// The band in f32, relative to the center and multiplied by a scale.
    fn narrow(&self, scale: f64) -> NarrowBand {
        let Self { shape, margin, depths, .. } = self;
        let (Obb { center, axes, half_extents }, deep) = (shape.core_obb(), shape.radius - margin);
        let of_point = |point: &Point3<f64>| narrowed(&((point - shape.center()) * scale));
        let support = match &shape.core {
            Core::Polytope(polytope) => Support::Vertices(polytope.vertices().iter().map(of_point).collect()),
            Core::Frustum(frustum) => Support::Discs {
                centers: [of_point(&frustum.centers[0]), of_point(&frustum.centers[1])],
                radii: [(frustum.radii[0] * scale) as f32, (frustum.radii[1] * scale) as f32],
                axis: narrowed(&frustum.axis),
            },
        };
        let depths = match depths {
            CoreDepths::Cuboid => NarrowDepths::Cuboid,
            CoreDepths::Segment(start, rest) => {
                let length_sq = rest.norm_squared() * scale * scale;
                let per_length_sq = if length_sq > 0.0 { length_sq.recip() } else { 0.0 } as f32;
                NarrowDepths::Segment { start: of_point(start), rest: narrowed(&(rest * scale)), per_length_sq }
            }
            CoreDepths::Facets(facets) => {
                let facet = |(normal, height): &(Vector3<f64>, f64)| (narrowed(normal), (height * scale) as f32);
                NarrowDepths::Facets(facets.iter().map(facet).collect())
            }
            CoreDepths::Frustum(of) if of.taper.is_nan() || of.taper.abs() > STEEPEST => NarrowDepths::Unknown,
            CoreDepths::Frustum(of) => NarrowDepths::Frustum {
                start: of_point(&of.start),
                axis: narrowed(&of.axis),
                height: (of.height * scale) as f32,
                radius: (of.radius * scale) as f32,
                taper: of.taper as f32,
                cosine: of.cosine as f32,
            },
        };
        NarrowBand {
            axes: [0, 1, 2].map(|k| narrowed(&axes.column(k).into_owned())),
            middle: narrowed(&(self.to_box * (center - shape.center()) * scale)),
            half_extents: narrowed(&(half_extents * scale)),
            reach: ((shape.radius + margin) * scale) as f32,
            deep: ((if deep > 0.0 { deep * TILTED } else { deep }) * scale) as f32,
            support,
            depths,
        }
    }

    /// The sides that a point is beyond, a bit for each, of the core's box enlarged by the rounding radius and the
    /// margin. A triangle or an edge whose corners are all beyond one side has no contact.
    pub(crate) fn sides_beyond(&self, point: &Point3<f64>) -> u8 {
        let Self { shape, margin, to_box, .. } = self;
        let Obb { center, half_extents, .. } = shape.core_obb();
        let corner = to_box * (point - center);
        // Four times, for faces that count as a little larger than they are.
        let rounding = 4.0 * SHAPE_BAND_ROUNDING * (corner.amax().max(shape.extent) + shape.radius + margin);
        let limits = half_extents.add_scalar(shape.radius + margin + rounding);
        (0..3).fold(0, |sides, k| {
            let [below, above] = [corner[k] < -limits[k], corner[k] > limits[k]];
            sides | (u8::from(below) << (2 * k)) | (u8::from(above) << (2 * k + 1))
        })
    }

    /// A lower bound on the height of the shape's center above a contact on a mesh edge, along the contact's direction
    /// from the mesh to the shape. `slope` is the sine of the largest angle between the opposite of that direction and
    /// one in which the contact's point of the core is the core's farthest.
    pub(crate) fn least_height(&self, slope: f64) -> f64 {
        let Self { shape, margin, .. } = self;
        let (_, radius) = shape.core_ball();
        // The center is as deep inside the core as this for certain.
        let depth = match &self.depths {
            CoreDepths::Cuboid => shape.core_obb().half_extents.min(),
            CoreDepths::Segment(..) => 0.0,
            CoreDepths::Facets(facets) if facets.is_empty() => 0.0,
            CoreDepths::Facets(facets) => facets.iter().map(|(_, height)| *height).fold(f64::INFINITY, f64::min),
            CoreDepths::Frustum(frustum) => -frustum.distances_from(&shape.center())[1],
        };
        let depth = if depth > 0.0 { depth } else { 0.0 };
        let rounding = SHAPE_BAND_ROUNDING * (shape.extent + shape.radius + margin);
        shape.radius - margin + depth - 2.0 * slope * radius - rounding
    }

    pub(crate) fn center(&self) -> Point3<f64> {
        self.shape.center()
    }

    /// A lower bound on the distance of a triangle's vertices from the core of a cylinder or a cone, negative if one
    /// may be inside; minus infinity for other cores.
    pub(crate) fn distance_of_vertices(&self, triangle: &Triangle) -> f64 {
        let CoreDepths::Frustum(frustum) = &self.depths else { return f64::NEG_INFINITY };
        let distances = triangle.vertices.iter().map(|vertex| frustum.distances_from(vertex)[0]);
        distances.fold(f64::INFINITY, f64::min)
    }
}

/// The taper beyond which a cone is almost a disc, and depths inside it are too inexact.
const STEEPEST: f64 = 1e3;
/// The cosine of 10 degrees, rounded down: a contact's direction may be off the shortest one from the core by this
/// angle, and the gap along it may be larger than the distance by the cosine's inverse.
const TILTED: f64 = 0.984;
/// Triangles with a larger coordinate are never left out; products of four coordinates up to this are far from
/// overflow.
const FARTHEST: f32 = 1e8;

/// A [`SurfaceBand`] in f32, with coordinates of at most about one.
struct NarrowBand {
    /// The axes of the core's box; `middle` is its center in their frame.
    axes: [[f32; 3]; 3],
    middle: [f32; 3],
    half_extents: [f32; 3],
    /// The distance from the core within which contacts are; below the distance `deep` there are none.
    reach: f32,
    deep: f32,
    support: Support,
    depths: NarrowDepths,
}

/// The points or discs that decide how far a core reaches along a direction.
enum Support {
    Vertices(Vec<[f32; 3]>),
    Discs { centers: [[f32; 3]; 2], radii: [f32; 2], axis: [f32; 3] },
}

/// [`CoreDepths`] in f32.
enum NarrowDepths {
    Cuboid,
    Segment { start: [f32; 3], rest: [f32; 3], per_length_sq: f32 },
    Facets(Vec<([f32; 3], f32)>),
    Frustum { start: [f32; 3], axis: [f32; 3], height: f32, radius: f32, taper: f32, cosine: f32 },
    Unknown,
}

struct Near<'a> {
    band: &'a NarrowBand,
    center: Point3<f64>,
    scale: f64,
    triangles: &'a [(Triangle, u32)],
}

impl Task for Near<'_> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Vec<u32> {
        let Self { band, center, scale, triangles } = self;
        let mut near = Vec::with_capacity(triangles.len());
        for (row, eight) in triangles.chunks(8).enumerate() {
            let offsets = eight.iter().map(|(triangle, _)| triangle.vertices.map(|vertex| vertex - center));
            let words = in_lanes(offsets, scale);
            let [a, b, c, d, e, f, g, h, i] = s.load_rows(words.as_flattened().as_flattened(), 8, 8);
            let bits = !band.are_away(s, &[[a, b, c], [d, e, f], [g, h, i]]) & (u8::MAX >> (8 - eight.len()));
            near.extend(lanes_in(row, bits).map(|index| index as u32));
        }
        near
    }
}

impl NarrowBand {
    /// The triangles that certainly have no contact, as bits.
    #[inline(always)]
    fn are_away<S: Simd>(&self, s: S, corners: &[Vector8<S>; 3]) -> u8 {
        let [a, b, c] = corners;
        let zero = s.splat(0.0);
        let mut largest = s.splat(1.0);
        for corner in corners {
            for &x in corner {
                largest = s.max(largest, s.abs(x));
            }
        }
        let rounding = s.mul(largest, s.splat(NARROW_BAND_ROUNDING));
        let (reach, deep) = (s.add(s.splat(self.reach), rounding), s.sub(s.splat(self.deep), rounding));

        // The box along its axes.
        let mut in_box = [[zero; 3]; 3];
        for (corner, along) in corners.iter().zip(&mut in_box) {
            for (k, along) in along.iter_mut().enumerate() {
                *along = s.sub(dot_fused(s, &splatted(s, self.axes[k]), corner), s.splat(self.middle[k]));
            }
        }
        let mut away = s.gt(zero, zero);
        let [p, q, r] = &in_box;
        for (k, half) in self.half_extents.iter().enumerate() {
            let limit = s.add(s.splat(*half), reach);
            let [lower, upper] = [s.min(s.min(p[k], q[k]), r[k]), s.max(s.max(p[k], q[k]), r[k])];
            away = s.or(away, s.or(s.gt(lower, limit), s.gt(s.sub(zero, upper), limit)));
        }

        // The core along the triangle's normal.
        let [to_b, to_c] = [difference(s, b, a), difference(s, c, a)];
        let (normal, size) = (cross_fused(s, &to_b, &to_c), s.max(norm(s, &to_b), norm(s, &to_c)));
        let height = dot_fused(s, &normal, a);
        let room = s.mul_add(s.add(reach, rounding), norm(s, &normal), s.mul(s.mul(rounding, largest), size));
        let [low, high] = self.support.heights(s, &normal);
        away = s.or(away, s.or(s.gt(height, s.add(high, room)), s.gt(s.sub(low, room), height)));

        let [p, q, r] = [
            self.distances_of(s, a, &in_box[0]),
            self.distances_of(s, b, &in_box[1]),
            self.distances_of(s, c, &in_box[2]),
        ];
        away = s.or(away, s.gt(s.sub(p[0], s.add(size, rounding)), reach));
        away = s.or(away, self.are_beyond_middle(s, corners, &in_box, reach));
        // Of rounded shapes, what is near the core is deep.
        let is_deep = s.gt(deep, s.max(s.max(p[1], q[1]), r[1]));
        s.bits(s.or(away, is_deep)) & s.bits(s.gt(s.splat(FARTHEST), largest))
    }

    /// Whether triangles are farther than `distance` from the core along the direction in which their middle is
    /// outside: away from the core's nearest point, or the normal of the facet that the middle is highest above.
    /// `in_box` are their corners in the frame of the core's box.
    #[inline(always)]
    fn are_beyond_middle<S: Simd>(
        &self,
        s: S,
        corners: &[Vector8<S>; 3],
        in_box: &[Vector8<S>; 3],
        distance: S::F32x8,
    ) -> S::Mask {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        // The direction, and the greatest height of the core along it.
        let (corners, direction, height) = match &self.depths {
            NarrowDepths::Cuboid => {
                let middle = middle_of(s, in_box);
                let mut nearest = middle;
                for k in 0..3 {
                    let half = self.half_extents[k];
                    nearest[k] = s.min(s.max(middle[k], s.splat(-half)), s.splat(half));
                }
                let direction = difference(s, &middle, &nearest);
                (in_box, direction, dot_fused(s, &nearest, &direction))
            }
            NarrowDepths::Segment { start, rest, per_length_sq } => {
                let middle = middle_of(s, corners);
                let nearest = nearest_on_segment(s, &middle, [*start, *rest], *per_length_sq);
                let direction = difference(s, &middle, &nearest);
                (corners, direction, dot_fused(s, &nearest, &direction))
            }
            NarrowDepths::Facets(facets) => {
                let middle = middle_of(s, corners);
                let (mut highest, mut direction, mut own) = (s.splat(f32::NEG_INFINITY), [zero; 3], zero);
                for (normal, height) in facets {
                    let (normal, height) = (splatted(s, *normal), s.splat(*height));
                    let above = s.sub(dot_fused(s, &normal, &middle), height);
                    let is_higher = s.gt(above, highest);
                    highest = s.max(highest, above);
                    own = s.select(is_higher, height, own);
                    for k in 0..3 {
                        direction[k] = s.select(is_higher, normal[k], direction[k]);
                    }
                }
                (corners, direction, own)
            }
            NarrowDepths::Frustum { start, axis, height, radius, taper, .. } => {
                let axis = splatted(s, *axis);
                let (along, outward) = about_axis(s, &middle_of(s, corners), &splatted(s, *start), &axis);
                let across = norm(s, &outward);
                // The side's nearest point, seen along the discs; beyond an end of it, the disc's.
                let (radius, height) = (s.splat(*radius), s.splat(*height));
                let up = s.mul_add(s.sub(across, radius), s.splat(*taper), along);
                let up = s.mul(up, s.splat((1.0 + taper * taper).recip()));
                let end = s.min(s.max(up, zero), height);
                let limit = s.mul_add(s.splat(*taper), end, radius);
                let is_end = s.or(s.gt(zero, up), s.gt(up, height));
                let at = s.select(is_end, s.min(across, limit), limit);
                let (rise, run) = (s.sub(along, end), s.sub(one, s.div(at, s.max(across, s.splat(1e-10)))));
                let direction = [
                    s.mul_add(outward[0], run, s.mul(axis[0], rise)),
                    s.mul_add(outward[1], run, s.mul(axis[1], rise)),
                    s.mul_add(outward[2], run, s.mul(axis[2], rise)),
                ];
                let [_, high] = self.support.heights(s, &direction);
                (corners, direction, high)
            }
            NarrowDepths::Unknown => return s.mask(0),
        };
        let [p, q, r] = [
            dot_fused(s, &corners[0], &direction),
            dot_fused(s, &corners[1], &direction),
            dot_fused(s, &corners[2], &direction),
        ];
        s.gt(s.sub(s.min(s.min(p, q), r), height), s.mul(distance, norm(s, &direction)))
    }

    /// A lower and an upper bound on the distance of points from the core, which is minus the depth for points inside;
    /// the upper one is that of the polytope that stands for the core. Unknown bounds are infinite. `in_box` are the
    /// points in the frame of the core's box.
    #[inline(always)]
    fn distances_of<S: Simd>(&self, s: S, point: &Vector8<S>, in_box: &Vector8<S>) -> [S::F32x8; 2] {
        let (zero, infinity) = (s.splat(0.0), s.splat(f32::INFINITY));
        let (outer, inner) = match &self.depths {
            NarrowDepths::Cuboid => {
                let half = splatted(s, self.half_extents);
                let [x, y, z] = difference(s, &[s.abs(in_box[0]), s.abs(in_box[1]), s.abs(in_box[2])], &half);
                let inner = s.max(s.max(x, y), z);
                let outer = norm(s, &[s.max(x, zero), s.max(y, zero), s.max(z, zero)]);
                return [s.select(s.gt(inner, zero), outer, inner); 2];
            }
            NarrowDepths::Segment { start, rest, per_length_sq } => {
                let nearest = nearest_on_segment(s, point, [*start, *rest], *per_length_sq);
                return [norm(s, &difference(s, point, &nearest)); 2];
            }
            NarrowDepths::Facets(facets) => {
                let mut highest = s.splat(f32::NEG_INFINITY);
                for (normal, height) in facets {
                    let above = s.sub(dot_fused(s, &splatted(s, *normal), point), s.splat(*height));
                    highest = s.max(highest, above);
                }
                (highest, if facets.is_empty() { infinity } else { highest })
            }
            NarrowDepths::Frustum { start, axis, height, radius, taper, cosine } => {
                let (axis, cosine) = (splatted(s, *axis), s.splat(*cosine));
                let (along, outward) = about_axis(s, point, &splatted(s, *start), &axis);
                let across = norm(s, &outward);
                let radius = s.mul_add(s.splat(*taper), along, s.splat(*radius));
                let ends = s.max(s.sub(zero, along), s.sub(along, s.splat(*height)));
                let outer = s.max(ends, s.mul(s.sub(across, radius), cosine));
                let inner = s.max(ends, s.mul(s.sub(across, s.mul(radius, s.splat(INSCRIBED as f32))), cosine));
                (outer, inner)
            }
            NarrowDepths::Unknown => (s.splat(f32::NEG_INFINITY), infinity),
        };
        // Outside, the polytope's planes say less.
        [outer, s.select(s.gt(zero, inner), inner, infinity)]
    }
}

/// How far points are along an axis from its start, and their offsets perpendicular to the axis.
#[inline(always)]
fn about_axis<S: Simd>(s: S, point: &Vector8<S>, start: &Vector8<S>, axis: &Vector8<S>) -> (S::F32x8, Vector8<S>) {
    let from = difference(s, point, start);
    let along = dot_fused(s, &from, axis);
    (along, without(s, &from, axis, along))
}

#[inline(always)]
fn middle_of<S: Simd>(s: S, [a, b, c]: &[Vector8<S>; 3]) -> Vector8<S> {
    let mut middle = *a;
    for k in 0..3 {
        middle[k] = s.mul(s.add(s.add(a[k], b[k]), c[k]), s.splat(1.0 / 3.0));
    }
    middle
}

/// The points of a segment that are nearest to some points. The segment is given by its start and the vector to its
/// end.
#[inline(always)]
fn nearest_on_segment<S: Simd>(
    s: S,
    point: &Vector8<S>,
    [start, rest]: [[f32; 3]; 2],
    per_length_sq: f32,
) -> Vector8<S> {
    let (start, rest) = (splatted(s, start), splatted(s, rest));
    let part = s.mul(dot_fused(s, &difference(s, point, &start), &rest), s.splat(per_length_sq));
    let part = s.min(s.max(part, s.splat(0.0)), s.splat(1.0));
    on_line(s, &start, &rest, part)
}

impl Support {
    /// The least and the greatest dot product of directions, of any length, and a point of the core relative to the
    /// shape's center.
    #[inline(always)]
    fn heights<S: Simd>(&self, s: S, direction: &Vector8<S>) -> [S::F32x8; 2] {
        match self {
            Self::Vertices(vertices) => {
                let [mut low, mut high] = [s.splat(f32::INFINITY), s.splat(f32::NEG_INFINITY)];
                for vertex in vertices {
                    let height = dot_fused(s, &splatted(s, *vertex), direction);
                    (low, high) = (s.min(low, height), s.max(high, height));
                }
                [low, high]
            }
            Self::Discs { centers, radii, axis } => {
                let across = norm(s, &cross_fused(s, direction, &splatted(s, *axis)));
                let [p, q] = [s.mul(across, s.splat(radii[0])), s.mul(across, s.splat(radii[1]))];
                let [first, second] = [
                    dot_fused(s, &splatted(s, centers[0]), direction),
                    dot_fused(s, &splatted(s, centers[1]), direction),
                ];
                [s.min(s.sub(first, p), s.sub(second, q)), s.max(s.add(first, p), s.add(second, q))]
            }
        }
    }
}

/// A cylinder or a cone, prepared for computing the depth of points inside it.
struct FrustumDepths {
    start: Point3<f64>,
    axis: Vector3<f64>,
    height: f64,
    radius: f64,
    /// The growth of the radius per unit of height; not finite for a disc.
    taper: f64,
    /// The cosine of the taper's angle.
    cosine: f64,
}

impl FrustumDepths {
    /// A lower and an upper bound on the distance of a point from the core, which is minus the depth for a point
    /// inside. The upper one is known only inside the polytope that stands for the core. Unknown bounds are infinite.
    fn distances_from(&self, point: &Point3<f64>) -> [f64; 2] {
        let Self { start, axis, height, radius, taper, cosine } = self;
        if !taper.is_finite() {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let from = point - start;
        let along = from.dot(axis);
        let (across, radius) = ((from - axis * along).norm(), radius + taper * along);
        let [outer, inner] =
            [1.0, INSCRIBED].map(|part| (-along).max(along - height).max((across - part * radius) * cosine));
        [outer, if inner < 0.0 { inner } else { f64::INFINITY }]
    }
}

impl Frustum {
    /// See [`FrustumDepths`].
    fn depths(&self) -> FrustumDepths {
        let height = (self.centers[1] - self.centers[0]).dot(&self.axis);
        let taper = (self.radii[1] - self.radii[0]) / height;
        let cosine = 1.0_f64.hypot(taper).recip();
        FrustumDepths { start: self.centers[0], axis: self.axis, height, radius: self.radii[0], taper, cosine }
    }
}
