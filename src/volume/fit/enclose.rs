//! The smallest volumes with given axes or a given centre, and orthonormal frames to use as axes, computed singly or
//! for eight SIMD lanes together. Only `+ - * / sqrt` are used, without fused products, so results are the same on
//! every machine.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::numeric::error_bounds::{MIN_PLANE_SINE, MIN_PLANE_SINE_SQ, OBB_INFLATION};
use crate::shape::{Aabb, Obb, Sphere};
use crate::simd::Simd;
use crate::simd::vectors::{Vector8x64, cross_unfused64};

/// The axis-aligned box of the points, exact; the empty box for no points.
pub fn aabb(points: &[Point3<f64>]) -> Aabb {
    let mut aabb = Aabb::empty();
    let (lower, upper) = (&mut aabb.lower.coords, &mut aabb.upper.coords);
    for point in points {
        for k in 0..3 {
            // Comparisons, unlike `f64::min`, compile to a single instruction.
            lower[k] = if point[k] < lower[k] { point[k] } else { lower[k] };
            upper[k] = if point[k] > upper[k] { point[k] } else { upper[k] };
        }
    }
    aabb
}

/// The middle of the points' AABB and half its longest side, to scale the points to unit size about the origin; `None`
/// if the points are equal, not finite, or none.
pub(super) fn center_and_size(points: &[Point3<f64>]) -> Option<(Point3<f64>, f64)> {
    let aabb = aabb(points);
    let size = aabb.half_extents().amax();
    (size > 0.0 && size.is_finite() && !points.is_empty()).then(|| (aabb.center(), size))
}

/// The smallest box with the given orthonormal axes (columns) around the points.
///
/// For each point `p` and axis `k`, `axes.column(k).dot(&(p - center)).abs() <= half_extents[k]` holds as evaluated in
/// f64: each half extent is enlarged by `8 * f64::EPSILON` times the size of the point set. No points give a box of
/// zero size at the origin.
pub fn obb_with_axes(points: &[Point3<f64>], axes: &Matrix3<f64>) -> Obb {
    let Some(&first) = points.first() else {
        return Obb { center: Point3::origin(), axes: *axes, half_extents: Vector3::zeros() };
    };
    // Relative to one of the points: rounding errors scale with the set's size, not its distance from the origin.
    let (lower, upper) = projections(points, &first, axes);
    let middle = (lower + upper) * 0.5;
    let center = first + axes * middle;

    // Measured from the centre after it was rounded.
    let middle = axes.tr_mul(&(center - first));
    let size = lower.abs().sup(&upper.abs()).sum();
    let inflation = if size > 0.0 { OBB_INFLATION * size + f64::MIN_POSITIVE } else { 0.0 };
    let half_extents = (upper - middle).sup(&(middle - lower)).add_scalar(inflation);
    Obb { center, axes: *axes, half_extents }
}

/// Least and greatest projections of `point - origin` on each axis; zeros for no points. `origin` is one of the points.
pub(super) fn projections(
    points: &[Point3<f64>],
    origin: &Point3<f64>,
    axes: &Matrix3<f64>,
) -> (Vector3<f64>, Vector3<f64>) {
    // Four lanes, the last idle, so that a point's projections fill whole SIMD registers.
    let row = |i: usize| [axes[(i, 0)], axes[(i, 1)], axes[(i, 2)], 0.0];
    let (row_x, row_y, row_z) = (row(0), row(1), row(2));
    let mut lower = [0.0; 4];
    let mut upper = [0.0; 4];
    for point in points {
        let (x, y, z) = (point.x - origin.x, point.y - origin.y, point.z - origin.z);
        for k in 0..4 {
            let t = row_x[k] * x + row_y[k] * y + row_z[k] * z;
            lower[k] = if t < lower[k] { t } else { lower[k] };
            upper[k] = if t > upper[k] { t } else { upper[k] };
        }
    }
    ([lower[0], lower[1], lower[2]].into(), [upper[0], upper[1], upper[2]].into())
}

/// The smallest sphere with the given centre around the points; radius zero for no points.
///
/// For each point `p`, both `(p - center).norm() <= radius` and `(p - center).norm_squared() <= radius * radius` hold
/// as evaluated in f64.
#[inline(always)]
pub fn sphere_with_center(points: &[Point3<f64>], center: &Point3<f64>) -> Sphere {
    let mut radius_sq = 0.0;
    for point in points {
        let distance_sq = (point - center).norm_squared();
        radius_sq = if distance_sq > radius_sq { distance_sq } else { radius_sq };
    }
    // The least f64 whose rounded square is not below `radius_sq`; it is then not below the rounded root either.
    let root = radius_sq.sqrt();
    Sphere { center: *center, radius: if root * root < radius_sq { root.next_up() } else { root } }
}

/// Indices of the points with the least and the greatest projection; of equal projections, the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extremes {
    pub least: usize,
    pub greatest: usize,
}

/// The extremes of each of the `N` numbers that `project` computes for a point; indices of 0 without points.
#[inline(always)]
pub(super) fn extremes<const N: usize>(
    points: &[Point3<f64>],
    project: impl Fn(&Point3<f64>) -> [f64; N],
) -> [Extremes; N] {
    let mut extremes = [Extremes { least: 0, greatest: 0 }; N];
    let mut least = [f64::INFINITY; N];
    let mut greatest = [f64::NEG_INFINITY; N];
    for (index, point) in points.iter().enumerate() {
        let projections = project(point);
        for k in 0..N {
            if projections[k] < least[k] {
                least[k] = projections[k];
                extremes[k].least = index;
            }
            if projections[k] > greatest[k] {
                greatest[k] = projections[k];
                extremes[k].greatest = index;
            }
        }
    }
    extremes
}

/// Two unit vectors `u`, `v` such that `w`, `u`, `v` is a right-handed orthonormal frame; `w` is a unit vector.
pub(super) fn perpendicular_basis(w: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let u = if w.x.abs() > w.y.abs() {
        Vector3::new(-w.z, 0.0, w.x) * (1.0 / (w.x * w.x + w.z * w.z).sqrt())
    } else {
        Vector3::new(0.0, w.z, -w.y) * (1.0 / (w.y * w.y + w.z * w.z).sqrt())
    };
    [u, w.cross(&u)]
}

/// Normalises a vector, however short; NaN for a zero vector.
pub(super) fn unit(vector: &Vector3<f64>) -> Vector3<f64> {
    let norm_sq = vector.norm_squared();
    // The square of a short vector is denormal or zero, and its root has few correct digits or none.
    if norm_sq >= f64::MIN_POSITIVE { vector / norm_sq.sqrt() } else { (vector / vector.amax()).normalize() }
}

/// The frame whose first axis is along `edge` and whose second is in the plane of `edge` and `aside`; `None` if the
/// sine of the angle between the two is at most 1e-10, or one of them is zero.
pub(super) fn frame_in_plane(edge: &Vector3<f64>, aside: &Vector3<f64>) -> Option<Matrix3<f64>> {
    let first = unit(edge);
    let normal = first.cross(&unit(aside));
    let sine = normal.norm();
    // A sliver's normal has few correct digits, but its cross products with the edge are still orthonormal.
    let second = (normal / sine).cross(&first);
    let second = second / second.norm();
    // False for the NaN of a zero vector.
    (sine > MIN_PLANE_SINE).then(|| Matrix3::from_columns(&[first, second, first.cross(&second)]))
}

/// [`frame_in_plane`] with half the roots and a sixth of the divisions, without a branch, and whether the frame is
/// valid. The axes are orthonormal to twelve digits, more than f32 stores.
#[inline(always)]
pub(crate) fn quick_frame_in_plane(edge: &Vector3<f64>, aside: &Vector3<f64>) -> (Matrix3<f64>, bool) {
    let normal = edge.cross(aside);
    // The two roots are independent, so neither waits for the other.
    let (edge_sq, normal_sq) = (edge.norm_squared(), normal.norm_squared());
    let first = edge * (1.0 / edge_sq.sqrt());
    // A sliver's normal, accurate to six digits, leans by a millionth, and is shorter by the square of that.
    let second = (normal * (1.0 / normal_sq.sqrt())).cross(&first);
    let is_defined = normal_sq > MIN_PLANE_SINE_SQ * edge_sq * aside.norm_squared();
    (Matrix3::from_columns(&[first, second, first.cross(&second)]), is_defined)
}

/// The rotation by the normalised quaternion `(1, half_turn)`: about the vector, by twice the arctangent of its length.
pub(super) fn rotation(half_turn: &Vector3<f64>) -> Matrix3<f64> {
    let (x, y, z) = (half_turn.x, half_turn.y, half_turn.z);
    let s = 2.0 / (1.0 + half_turn.norm_squared());
    Matrix3::new(
        1.0 - s * (y * y + z * z),
        s * (x * y - z),
        s * (x * z + y),
        s * (x * y + z),
        1.0 - s * (x * x + z * z),
        s * (y * z - x),
        s * (x * z - y),
        s * (y * z + x),
        1.0 - s * (x * x + y * y),
    )
}

/// Makes a frame orthonormal again, by the Gram-Schmidt process, after it has lost accuracy in products of rotations or
/// by rounding.
pub(crate) fn orthonormalized(frame: &Matrix3<f64>) -> Matrix3<f64> {
    let first = frame.column(0).normalize();
    let third = first.cross(&frame.column(1)).normalize();
    Matrix3::from_columns(&[first, third.cross(&first), third])
}

/// Columns of eight orthonormal matrices.
pub(crate) type Axes8<S> = [Vector8x64<S>; 3];

#[inline(always)]
pub(super) fn scaled<S: Simd>(s: S, a: &Vector8x64<S>, by: S::F64x8) -> Vector8x64<S> {
    [s.mul64(a[0], by), s.mul64(a[1], by), s.mul64(a[2], by)]
}

/// Selects `one` in the lanes with `a > b`, `other` elsewhere.
#[inline(always)]
pub(super) fn where_gt<S: Simd>(
    s: S,
    [a, b]: [S::F64x8; 2],
    one: &Vector8x64<S>,
    other: &Vector8x64<S>,
) -> Vector8x64<S> {
    let mut chosen = *other;
    for k in 0..3 {
        chosen[k] = s.where_gt64(a, b, one[k], other[k]);
    }
    chosen
}

#[inline(always)]
pub(crate) fn inverses<S: Simd>(s: S, of: S::F64x8) -> S::F64x8 {
    let mut lanes = s.to_array64(of);
    for lane in &mut lanes {
        *lane = 1.0 / *lane;
    }
    s.load64(&lanes)
}

#[inline(always)]
pub(super) fn inverse_roots<S: Simd>(s: S, squares: S::F64x8) -> S::F64x8 {
    let mut lanes = s.to_array64(squares);
    for lane in &mut lanes {
        *lane = 1.0 / lane.sqrt();
    }
    s.load64(&lanes)
}

/// Two unit vectors perpendicular to a unit vector and to each other, computed as in [`perpendicular_basis`].
#[inline(always)]
pub(super) fn perpendicular<S: Simd>(s: S, w: &Vector8x64<S>) -> [Vector8x64<S>; 2] {
    let zero = s.splat64(0.0);
    let (x, y) = (s.abs64(w[0]), s.abs64(w[1]));
    let larger = s.max64(x, y);
    let [to_x, to_y, to_z] = scaled(s, w, inverse_roots(s, s.add64(s.mul64(larger, larger), s.mul64(w[2], w[2]))));
    let aside_of_x = [s.sub64(zero, to_z), zero, to_x];
    let aside_of_y = [zero, to_z, s.sub64(zero, to_y)];
    let u = where_gt(s, [x, y], &aside_of_x, &aside_of_y);
    [u, cross_unfused64(s, w, &u)]
}

/// `u` and `v` rotated in their plane.
#[inline(always)]
pub(super) fn turned<S: Simd>(s: S, [u, v]: &[Vector8x64<S>; 2], [cos, sin]: [S::F64x8; 2]) -> [Vector8x64<S>; 2] {
    let mut turned = [*u, *v];
    for k in 0..3 {
        turned[0][k] = s.add64(s.mul64(u[k], cos), s.mul64(v[k], sin));
        turned[1][k] = s.sub64(s.mul64(v[k], cos), s.mul64(u[k], sin));
    }
    turned
}
