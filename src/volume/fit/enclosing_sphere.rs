//! Enclosing spheres: Ritter's, typically 5 to 20% larger than the smallest, and the exact smallest sphere.
//!
//! Ritter's passes and the search for the farthest corner have a second version for a node's triangles, which handles
//! two corners at a time.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::enclose::{center_and_size, extremes, sphere_with_center};
use super::primitives::{Primitive, by_blocks, corner_twice, corners_by_two};
use crate::shape::Sphere;
use crate::simd::vectors::twice64;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::Frame;

/// Ritter's sphere, or the sphere about the middle of the points' AABB if that is smaller; for three points, the
/// smallest sphere.
///
/// The radius is measured again from the final centre. Up to rounding, the result is therefore no larger than Ritter's
/// own sphere or the sphere around the AABB. Without points, the radius is zero and the centre is the origin. After
/// Ritter 1990, "An efficient bounding sphere", Graphics Gems.
pub fn ritter(points: &[Point3<f64>]) -> Sphere {
    if let [a, b, c] = points {
        return sphere_with_center(points, &triangle_sphere_center(&[*a, *b, *c]));
    }
    let ends = extremes(points, |point| [point.x, point.y, point.z]).map(|pair| [pair.least, pair.greatest]);
    let Some(&first) = points.first() else {
        return Sphere { center: Point3::origin(), radius: 0.0 };
    };
    let ends = ends.map(|pair| pair.map(|index| points.get(index).copied().unwrap_or(first)));
    smaller(grown(points, GrowingSphere::new(&ends)), sphere_with_center(points, &middle(&ends)))
}

/// Ritter's second pass; the radius is then reduced to the least possible one about the final centre.
pub(super) fn grown(points: &[Point3<f64>], mut sphere: GrowingSphere) -> Sphere {
    points.iter().for_each(|point| sphere.take_in(point));
    sphere_with_center(points, &sphere.center)
}

pub(super) fn smaller(a: Sphere, b: Sphere) -> Sphere {
    if b.radius < a.radius { b } else { a }
}

/// The sphere of Ritter's second pass: moved and enlarged just enough for each point outside.
#[derive(Clone, Copy)]
pub(crate) struct GrowingSphere {
    pub(crate) center: Point3<f64>,
    radius: f64,
    pub(crate) radius_sq: f64,
}

impl GrowingSphere {
    /// The sphere whose diameter is the longest of three segments, each between the two points that are extremal along
    /// an axis.
    #[inline(always)]
    pub(crate) fn new(ends: &[[Point3<f64>; 2]; 3]) -> Self {
        let mut widest = Sphere { center: ends[0][0], radius: -1.0 };
        for [least, greatest] in ends {
            let radius = 0.5 * (greatest - least).norm();
            if radius > widest.radius {
                widest = Sphere { center: nalgebra::center(least, greatest), radius };
            }
        }
        widest.into()
    }

    #[inline(always)]
    pub(crate) fn take_in(&mut self, point: &Point3<f64>) {
        let offset = point - self.center;
        let distance_sq = offset.norm_squared();
        if distance_sq > self.radius_sq {
            let distance = distance_sq.sqrt();
            self.radius = 0.5 * (self.radius + distance);
            self.radius_sq = self.radius * self.radius;
            self.center += offset * ((distance - self.radius) / distance);
        }
    }
}

impl From<Sphere> for GrowingSphere {
    #[inline(always)]
    fn from(Sphere { center, radius }: Sphere) -> Self {
        Self { center, radius, radius_sq: radius * radius }
    }
}

/// The middle of the box around points that are extremal along the coordinate axes.
#[inline(always)]
pub(crate) fn middle([x, y, z]: &[[Point3<f64>; 2]; 3]) -> Point3<f64> {
    Point3::new((x[0].x + x[1].x) * 0.5, (y[0].y + y[1].y) * 0.5, (z[0].z + z[1].z) * 0.5)
}

/// The centre of a triangle's smallest sphere: the middle of the longest edge, or the circumcentre of an acute
/// triangle.
#[inline(always)]
pub(crate) fn triangle_sphere_center([a, b, c]: &[Point3<f64>; 3]) -> Point3<f64> {
    let (bc, ca, ab) = ((c - b).norm_squared(), (a - c).norm_squared(), (b - a).norm_squared());
    // There is no branch, so that the compiler can vectorise this.
    let (faces_a, faces_b) = ((bc >= ca) & (bc >= ab), ca >= ab);
    let (mut apex, mut p, mut q) = (*a, *b, *c);
    for k in 0..3 {
        let later = if faces_b { [b[k], c[k], a[k]] } else { [c[k], a[k], b[k]] };
        [apex[k], p[k], q[k]] = if faces_a { [a[k], b[k], c[k]] } else { later };
    }
    // The angle at the apex is the largest, at least 60 degrees, so nothing cancels in the square of its sine.
    let (u, v) = (p - apex, q - apex);
    let uv = u.dot(&v);
    let (over_uu, over_vv) = (uv / u.norm_squared(), uv / v.norm_squared());
    let sine_sq = 1.0 - over_uu * over_vv;
    // The sine is smaller, or NaN, only where squares underflow.
    let is_acute = (uv > 0.0) & (sine_sq > 0.5);
    let around = apex + (u * (1.0 - over_uu) + v * (1.0 - over_vv)) * (0.5 / sine_sq);
    let mut center = nalgebra::center(&p, &q);
    for k in 0..3 {
        center[k] = if is_acute { around[k] } else { center[k] };
    }
    center
}

dispatched! {
    /// The centres of the two spheres from which [`ritter`] takes the smaller one for more than one triangle.
    pub(crate) fn ritter_centers(primitives: &[Primitive]) -> [Point3<f64>; 2] = |s| ritter_centers_by(s, primitives);
    fn farthest_sq_of_block[const N: usize](
        primitives: &[Primitive],
        frame: &Frame,
        from: &[Point3<f64>; N],
    ) -> [f64; N] = |s| farthest_sq_by(s, primitives, frame, from);
}

#[inline(always)]
fn ritter_centers_by<S: Simd>(s: S, primitives: &[Primitive]) -> [Point3<f64>; 2] {
    let ends = ends(s, primitives);
    [grown_by_two(s, primitives, GrowingSphere::new(&ends)).center, middle(&ends)]
}

/// The corners with the least and the greatest coordinate, for each axis; the first of equal ones.
#[inline(always)]
fn ends<S: Simd>(s: S, primitives: &[Primitive]) -> [[Point3<f64>; 2]; 3] {
    let (mut least, mut greatest) = (s.splat(f32::INFINITY), s.splat(f32::NEG_INFINITY));
    // Indices of two corners each, as bits.
    let (mut least_at, mut greatest_at) = (s.splat(0.0), s.splat(0.0));
    let (twos, last) = corners_by_two(primitives);
    let again = last.map(corner_twice);
    for (number, two) in (0..).zip(twos.iter().chain(again.as_ref())) {
        let number = s.splat(f32::from_bits(number));
        let [corners] = s.load_rows(bytemuck::cast_slice(two), 8, 8);
        least_at = s.select(s.gt(least, corners), number, least_at);
        least = s.min(corners, least);
        greatest_at = s.select(s.gt(corners, greatest), number, greatest_at);
        greatest = s.max(corners, greatest);
    }
    let (least, greatest) = (s.to_array(least), s.to_array(greatest).map(|x| -x));
    let outermost = [(least, s.to_array(least_at)), (greatest, s.to_array(greatest_at))];
    [0, 1, 2].map(|k| {
        outermost.map(|(value, at)| {
            let [first, second] = [k, k + 4].map(|lane| 2 * at[lane].to_bits() as usize + lane / 4);
            // A last corner that is seen twice wins in the first half, where its index is right.
            let in_second = value[k + 4] < value[k] || (value[k + 4] == value[k] && second < first);
            let corner = if in_second { second } else { first };
            primitives[corner / 3].points()[corner % 3]
        })
    })
}

/// The sphere after it has taken in all corners in order.
#[inline(always)]
fn grown_by_two<S: Simd>(s: S, primitives: &[Primitive], mut sphere: GrowingSphere) -> GrowingSphere {
    let lanes = |sphere: &GrowingSphere| {
        let Point3 { coords } = sphere.center;
        (twice64(s, [coords.x, coords.y, coords.z, 0.0]), s.splat64(sphere.radius_sq))
    };
    let (mut center, mut radius_sq) = lanes(&sphere);
    let (twos, last) = corners_by_two(primitives);
    for two in twos {
        let distances_sq = length_sq(s, s.sub64(s.widen(two), center));
        // The second corner may be outside, or inside, only because of the first.
        if s.gt64(distances_sq, radius_sq) != 0 {
            let [a, b, c, _, d, e, f, _] = two.map(f64::from);
            sphere.take_in(&Point3::new(a, b, c));
            sphere.take_in(&Point3::new(d, e, f));
            (center, radius_sq) = lanes(&sphere);
        }
    }
    if let Some([x, y, z, _]) = last {
        sphere.take_in(&Point3::new(f64::from(*x), f64::from(*y), f64::from(*z)));
    }
    sphere
}

/// The smallest sphere around a point set, and the points that prove that none is smaller.
#[derive(Clone, Debug, PartialEq)]
pub struct SmallestSphere {
    /// The sphere, which encloses all points.
    pub sphere: Sphere,
    /// One to four of the points, on the sphere's surface, whose convex hull contains the sphere's centre (both up to
    /// rounding): no smaller sphere encloses even these. Empty for no points.
    pub support: SmallVec<[Point3<f64>; 4]>,
}

/// The smallest sphere around the points, up to rounding.
///
/// Keeps the smallest sphere of at most four support points, exchanges some of them for the point farthest outside, and
/// ends when no point is outside or the sphere no longer grows: the basis exchange of Welzl 1991, "Smallest enclosing
/// disks (spheres and ellipsoids)", with the pivot rule of Gärtner 1999, "Fast and robust smallest enclosing spheres".
/// Ends on any input; linear in practice.
pub fn smallest_sphere(points: &[Point3<f64>]) -> SmallestSphere {
    let Some(&first) = points.first() else {
        return SmallestSphere { sphere: sphere_with_center(&[], &Point3::origin()), support: SmallVec::new() };
    };
    // The supports are computed at unit size relative to one of them, so nothing overflows and few digits are lost.
    let Some((_, size)) = center_and_size(points) else {
        return SmallestSphere { sphere: sphere_with_center(points, &first), support: SmallVec::from_slice(&[first]) };
    };

    let mut basis = Basis { points: SmallVec::from_slice(&[first]), center: first, radius_sq: 0.0 };
    while let Some(next) = basis.with(&farthest(points, &basis.center), size)
        && next.radius_sq > basis.radius_sq
    {
        basis = next;
    }
    SmallestSphere { sphere: sphere_with_center(points, &basis.center), support: basis.points }
}

/// The point farthest from `center`; `center` itself if all points equal it.
fn farthest(points: &[Point3<f64>], center: &Point3<f64>) -> Point3<f64> {
    let mut greatest = (0.0, *center);
    for point in points {
        let distance_sq = (point - center).norm_squared();
        if distance_sq > greatest.0 {
            greatest = (distance_sq, *point);
        }
    }
    greatest.1
}

/// Up to four points and the smallest sphere that has them on its surface.
#[derive(Clone, Debug)]
struct Basis {
    points: SmallVec<[Point3<f64>; 4]>,
    center: Point3<f64>,
    /// The squared radius, in units of the point set's size.
    radius_sq: f64,
}

impl Basis {
    /// The basis of the smallest sphere around this basis's points and `pivot`, with `pivot` on its surface; `None` if
    /// `pivot` is one of the points, or if no such sphere is smaller than this basis's sphere enlarged to enclose
    /// `pivot`.
    fn with(&self, pivot: &Point3<f64>, size: f64) -> Option<Self> {
        if self.points.contains(pivot) {
            return None;
        }
        let offsets: SmallVec<[_; 4]> = self.points.iter().map(|point| (point - pivot) / size).collect();
        // Every subset is tried together with the pivot. Each sphere is enlarged to enclose all the points, so that a
        // badly conditioned one loses. The present sphere is enlarged too, in case the pivot is outside it by rounding
        // alone and no sphere through the pivot is smaller.
        let mut least_sq = ((pivot - self.center) / size).norm_squared();
        let mut best = None;
        for subset in 1..1_usize << offsets.len() {
            let members: SmallVec<[_; 4]> = chosen(&offsets, subset).copied().collect();
            let Some(center) = circumcenter(&members) else { continue };
            let distances_sq = offsets.iter().map(|offset| (offset - center).norm_squared());
            let radius_sq = distances_sq.fold(center.norm_squared(), f64::max);
            if radius_sq < least_sq {
                least_sq = radius_sq;
                best = Some((subset, center));
            }
        }
        let (subset, center) = best?;
        let points = chosen(&self.points, subset).chain([pivot]).copied().collect();
        Some(Self { points, center: pivot + center * size, radius_sq: least_sq })
    }
}

/// The items whose bits are set in `subset`.
fn chosen<T>(items: &[T], subset: usize) -> impl Iterator<Item = &T> {
    items.iter().enumerate().filter(move |(i, _)| subset >> i & 1 == 1).map(|(_, item)| item)
}

/// How far outside its support's hull a sphere's centre may lie, as a barycentric coordinate. Among cospherical
/// supports whose spheres differ by rounding alone, only one whose hull contains the centre proves that the sphere is
/// the smallest.
const CENTER_TOLERANCE: f64 = 1e-9;

/// The centre of the smallest sphere through the origin and one to three other points; `None` if the centre is not in
/// the hull of all of these.
fn circumcenter(points: &[Vector3<f64>]) -> Option<Vector3<f64>> {
    let (center, weights) = match points {
        [a] => (a * 0.5, Vector3::new(0.5, 0.0, 0.0)),
        [a, b] => {
            let normal = a.cross(b);
            let weighted = b * a.norm_squared() - a * b.norm_squared();
            let center = weighted.cross(&normal) / (2.0 * normal.norm_squared());
            let weights = Vector3::new(center.cross(b).dot(&normal), a.cross(&center).dot(&normal), 0.0);
            (center, weights / normal.norm_squared())
        }
        [a, b, c] => {
            let [bc, ca, ab] = [b.cross(c), c.cross(a), a.cross(b)];
            let volume = a.dot(&bc);
            let center = (bc * a.norm_squared() + ca * b.norm_squared() + ab * c.norm_squared()) / (2.0 * volume);
            (center, Vector3::new(center.dot(&bc), center.dot(&ca), center.dot(&ab)) / volume)
        }
        _ => return None,
    };
    // These comparisons fail for the NaN of linearly dependent points.
    let inside = weights.min() >= -CENTER_TOLERANCE && weights.sum() <= 1.0 + CENTER_TOLERANCE;
    (inside && center.iter().all(|x| x.is_finite())).then_some(center)
}

/// The squares of the distances from some points to the corner farthest from each, in the frame's coordinates.
pub(crate) fn farthest_sq<const N: usize>(
    level: SimdLevel,
    primitives: &[Primitive],
    frame: &Frame,
    from: &[Point3<f64>; N],
) -> [f64; N] {
    let farther = |a: [f64; N], b: [f64; N]| std::array::from_fn(|i| a[i].max(b[i]));
    by_blocks(primitives, |primitives| farthest_sq_of_block(level, primitives, frame, from), farther)
}

#[inline(always)]
fn farthest_sq_by<S: Simd, const N: usize>(
    s: S,
    primitives: &[Primitive],
    Frame { origin, unit }: &Frame,
    from: &[Point3<f64>; N],
) -> [f64; N] {
    let origin = twice64(s, [origin.x, origin.y, origin.z, 0.0]);
    // Scaling by a power of two is exact, so it may come last.
    let from = from.map(|from| twice64(s, [from.x * unit, from.y * unit, from.z * unit, 0.0]));
    let mut farthest_sq = [s.splat64(0.0); N];
    let (twos, last) = corners_by_two(primitives);
    let again = last.map(corner_twice);
    for two in twos.iter().chain(again.as_ref()) {
        let corners = s.sub64(s.widen(two), origin);
        for (farthest_sq, &from) in farthest_sq.iter_mut().zip(&from) {
            *farthest_sq = s.max64(length_sq(s, s.sub64(corners, from)), *farthest_sq);
        }
    }
    farthest_sq.map(|farthest_sq| {
        let farthest_sq = s.to_array64(farthest_sq);
        let scale = 1.0 / unit;
        farthest_sq[0].max(farthest_sq[4]) * scale * scale
    })
}

/// The squared length of each half's vector, in its four lanes.
#[inline(always)]
pub(crate) fn length_sq<S: Simd>(s: S, offsets: S::F64x8) -> S::F64x8 {
    let squares = s.mul64(offsets, offsets);
    let sum = s.add64(s.spread64(squares, 0), s.spread64(squares, 1));
    s.add64(sum, s.spread64(squares, 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::fit::primitives::soup;
    use crate::volume::tests::Random;

    #[test]
    fn the_smaller_sphere_is_the_reference_to_the_last_bit() {
        let mut random = Random(1);
        let cases = if cfg!(debug_assertions) { 20 } else { 1000 };
        for case in 0..cases {
            // In space, flat, collinear, with many ties, one point.
            for steps in [[1 << 20; 3], [1 << 20, 99, 0], [0, 1000, 0], [2, 1, 2], [0; 3]] {
                for around in [0.0, -0.5, 1e7] {
                    // Coordinates on a grid with this number of steps.
                    let mut coordinate = |steps: usize| around + random.below(steps + 1) as f32 / (steps + 1) as f32;
                    let primitives = soup(2 + case % 40, |_| steps.map(&mut coordinate).into());
                    let points: Vec<_> = primitives.iter().flat_map(Primitive::points).collect();
                    let expected = ritter(&points).radius;
                    for level in SimdLevel::available() {
                        let spheres =
                            ritter_centers(level, &primitives).map(|center| sphere_with_center(&points, &center));
                        assert_eq!(spheres[0].radius.min(spheres[1].radius), expected, "{level}, {points:?}");
                    }
                }
            }
        }
    }
}
