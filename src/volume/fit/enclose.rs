//! Smallest enclosing volumes once the free choice is made: box axes or ball centre given.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::shape::{Aabb, Obb, Sphere};

/// Inflation of an oriented box's half extents, relative to the size of the point set. The roundings of
/// [`obb_with_axes`] and of the containment test sum to less than six machine epsilons.
const OBB_INFLATION: f64 = 8.0 * f64::EPSILON;

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

/// The middle of the points' AABB and half its longest side, to bring the points to unit size about the origin; `None`
/// when they are all one, none at all, or not finite.
pub(super) fn center_and_size(points: &[Point3<f64>]) -> Option<(Point3<f64>, f64)> {
    let aabb = aabb(points);
    let size = aabb.half_extents().amax();
    (size > 0.0 && size.is_finite() && !points.is_empty()).then(|| (aabb.center(), size))
}

/// The smallest box with the given orthonormal axes (columns) around the points.
///
/// For each point `p` and axis `k`, `axes.column(k).dot(&(p - center)).abs() <= half_extents[k]` holds as evaluated in
/// f64: each half extent is enlarged by a few machine epsilons of the set's size. No points give a box of zero size at
/// the origin.
pub fn obb_with_axes(points: &[Point3<f64>], axes: &Matrix3<f64>) -> Obb {
    let Some(&first) = points.first() else {
        return Obb { center: Point3::origin(), axes: *axes, half_extents: Vector3::zeros() };
    };
    // Projections relative to one of the points: their rounding errors scale with the set's size, not with its
    // distance from the origin.
    let (lower, upper) = projections(points, &first, axes);
    let middle = (lower + upper) * 0.5;
    let center = first + axes * middle;

    // The centre was rounded; measure from where it is.
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

/// The smallest ball with the given centre around the points; radius zero for no points.
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
    Sphere { center: *center, radius: sqrt_up(radius_sq) }
}

/// The least f64 whose square, rounded, is not below `square`; it is then not below the rounded root either.
pub(super) fn sqrt_up(square: f64) -> f64 {
    let root = square.sqrt();
    if root * root < square { root.next_up() } else { root }
}
