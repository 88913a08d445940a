//! Covariance of points, of a surface and of a convex hull's surface; its eigenvectors, for one matrix or for eight in
//! SIMD lanes; and the boxes along them.

use nalgebra::{Matrix3, Point3, Vector3};

use super::enclose::{
    Axes8, inverse_roots, inverses, obb_with_axes, perpendicular, perpendicular_basis, quick_frame_in_plane, scaled,
    turned, where_gt,
};
use crate::shape::Obb;
use crate::shape::convex_hull::convex_hull;
use crate::simd::Simd;
use crate::simd::vectors::{Vector8x64, cross_unfused64, dot_unfused64};
use crate::triangle::Triangle;

/// The box along the eigenvectors of the points' covariance about their mean.
///
/// Every occurrence counts: a point given twice weighs twice. Points without a preferred direction (one point, the
/// corners of a cube) give an axis-aligned box.
pub fn obb_by_vertex_covariance(points: &[Point3<f64>]) -> Obb {
    obb_with_axes(points, &eigenvectors(&covariance(points, &mean(points))))
}

/// The points' mean; the origin for no points.
pub fn mean(points: &[Point3<f64>]) -> Point3<f64> {
    let Some(&first) = points.first() else { return Point3::origin() };
    // Summed relative to one of the points, so that distance from the origin costs no digits.
    let mut sum = [0.0; 3];
    for point in points {
        for k in 0..3 {
            sum[k] += point[k] - first[k];
        }
    }
    first + Vector3::from(sum) / points.len() as f64
}

/// The points' covariance matrix: the mean of the products of their deviations from `mean`; zero for no points.
pub fn covariance(points: &[Point3<f64>], mean: &Point3<f64>) -> Matrix3<f64> {
    let mut sum = [0.0; 6];
    for point in points {
        let (x, y, z) = (point.x - mean.x, point.y - mean.y, point.z - mean.z);
        for (sum, product) in sum.iter_mut().zip([x * x, x * y, x * z, y * y, y * z, z * z]) {
            *sum += product;
        }
    }
    let [xx, xy, xz, yy, yz, zz] = sum.map(|sum| sum / points.len().max(1) as f64);
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Orthonormal right-handed eigenvectors (columns, in no particular order) of a symmetric matrix.
///
/// Only the lower triangle is read. The method takes a few Newton steps and uses `+ - * / sqrt` alone, so results are
/// the same on every machine. A matrix that is a multiple of the identity up to rounding, or has a non-finite entry,
/// gives the identity.
///
/// The eigenvalue farthest from the other two is well separated, whatever the matrix; its eigenvector is a cross
/// product, and the rest is a 2x2 problem in the plane perpendicular to it. After Smith 1961, "Eigenvalues of a
/// symmetric 3x3 matrix", and Eberly 2014, "A robust eigensolver for 3x3 symmetric matrices".
pub fn eigenvectors(symmetric: &Matrix3<f64>) -> Matrix3<f64> {
    let Some(deviator) = unit_deviator(symmetric) else { return Matrix3::identity() };
    let first = isolated_eigenvector(&deviator);
    let [u, v] = perpendicular_basis(&first);

    let (image_u, image_v) = (deviator * u, deviator * v);
    let [cos, sin] = diagonalizing_rotation([u.dot(&image_u), u.dot(&image_v), v.dot(&image_v)]);
    Matrix3::from_columns(&[first, u * cos - v * sin, u * sin + v * cos])
}

/// [`eigenvectors`] of the covariance of a triangle's corners, in less time: the triangle's normal is one of them.
pub fn triangle_covariance_axes(corners: &[Point3<f64>; 3]) -> Matrix3<f64> {
    let (axes, are_known) = proper_triangle_axes(corners);
    let [a, b, c] = corners;
    let (edge, aside) = (b - a, c - a);
    // The square of a tiny or huge triangle's edge or normal is denormal or infinite, and its axes are wrong.
    let is_of_range = [edge, edge.cross(&aside)].iter().all(|vector| vector.norm_squared().is_normal());
    if are_known && is_of_range { axes } else { eigenvectors(&covariance(corners, &mean(corners))) }
}

/// [`triangle_covariance_axes`] without a branch, and whether the result is valid: it is not if the corners are nearly
/// collinear.
#[inline(always)]
pub(crate) fn proper_triangle_axes(corners: &[Point3<f64>; 3]) -> (Matrix3<f64>, bool) {
    let [a, b, c] = corners;
    let (ab, ac) = (b - a, c - a);
    let (plane, is_defined) = quick_frame_in_plane(&ab, &ac);
    let (u, v) = (plane.column(0).into_owned(), plane.column(1).into_owned());
    // The corners in the plane's frame, from a: (0, 0), (bu, 0) and (cu, cv).
    let (bu, cu, cv) = (ab.dot(&u), ac.dot(&u), ac.dot(&v));
    let (mean_u, mean_v) = ((bu + cu) / 3.0, cv / 3.0);
    let offsets = [[-mean_u, -mean_v], [bu - mean_u, -mean_v], [cu - mean_u, cv - mean_v]];
    let sum = |i: usize, j: usize| offsets.iter().map(|offset| offset[i] * offset[j]).sum::<f64>();
    let [cos, sin] = diagonalizing_rotation([sum(0, 0), sum(0, 1), sum(1, 1)]);
    let axes = [u * cos - v * sin, u * sin + v * cos, plane.column(2).into_owned()];
    (Matrix3::from_columns(&axes), is_defined)
}

/// `(A - m I) / p`, where `m` is the mean eigenvalue of the matrix `A`, and `p` makes the squares of the eigenvalues
/// add up to 6, so that the greatest magnitude lies within [sqrt 3, 2]; `None` if `A` is a multiple of the identity up
/// to rounding, or not finite.
fn unit_deviator(symmetric: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    let [xx, xy, xz] = [symmetric.m11, symmetric.m21, symmetric.m31];
    let [yy, yz, zz] = [symmetric.m22, symmetric.m32, symmetric.m33];
    let entries = [xx, xy, xz, yy, yz, zz];
    let scale = entries.iter().fold(0.0, |scale, entry| if entry.abs() > scale { entry.abs() } else { scale });
    if !(scale >= f64::MIN_POSITIVE && entries.iter().sum::<f64>().is_finite()) {
        return None;
    }
    let per_scale = 1.0 / scale;
    let [xx, xy, xz, yy, yz, zz] = entries.map(|entry| entry * per_scale);
    let mean = (xx + yy + zz) / 3.0;
    let [xx, yy, zz] = [xx - mean, yy - mean, zz - mean];
    let p = (((xx * xx + yy * yy + zz * zz) + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0).sqrt();
    if p < 4.0 * f64::EPSILON {
        return None;
    }
    Some(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) * (1.0 / p))
}

/// The unit eigenvector of the eigenvalue of greatest magnitude, which is at least sqrt 3 away from the others.
fn isolated_eigenvector(deviator: &Matrix3<f64>) -> Vector3<f64> {
    // The characteristic polynomial is b^3 - 3b - det. Of |b| = 2 cos(acos(det / 2) / 3) the parabola through its
    // values at 0, 1 and 2 is a guess within 0.001, and Newton squares the error at each step.
    let det = deviator.determinant();
    let target = det.abs().min(2.0);
    let mut b = 1.732_050_807_568_877_2 + (0.160_694_271_784_5 - 0.013_359_837_781_6 * target) * target;
    for _ in 0..3 {
        b -= ((b * b - 3.0) * b - target) / (3.0 * (b * b - 1.0));
    }
    let shifted = deviator - Matrix3::from_diagonal_element(if det < 0.0 { -b } else { b });

    // The columns of the shifted matrix span the plane perpendicular to the eigenvector.
    let [x, y, z] = [shifted.column(0), shifted.column(1), shifted.column(2)];
    let [xy, yz, zx] = [x.cross(&y), y.cross(&z), z.cross(&x)];
    let [xy_sq, yz_sq, zx_sq] = [xy.norm_squared(), yz.norm_squared(), zx.norm_squared()];
    let (longest, longest_sq) = if xy_sq >= yz_sq && xy_sq >= zx_sq {
        (xy, xy_sq)
    } else if yz_sq >= zx_sq {
        (yz, yz_sq)
    } else {
        (zx, zx_sq)
    };
    longest * (1.0 / longest_sq.sqrt())
}

/// Cosine and sine of the Jacobi rotation that diagonalises the symmetric matrix ((xx, xy), (xy, yy)).
#[inline(always)]
fn diagonalizing_rotation([xx, xy, yy]: [f64; 3]) -> [f64; 2] {
    let difference = yy - xx;
    let twice_off = 2.0 * xy;
    let divisor = difference.abs() + (difference * difference + twice_off * twice_off).sqrt();
    let tan = twice_off / if difference < 0.0 { -divisor } else { divisor };
    let tan = if divisor < f64::MIN_POSITIVE { 0.0 } else { tan };
    let cos = 1.0 / (1.0 + tan * tan).sqrt();
    [cos, tan * cos]
}

/// The box along the eigenvectors of the covariance of all points of the triangles' surface.
///
/// Triangles whose areas sum to zero are fitted by their vertices instead. After Gottschalk, Lin and Manocha 1996,
/// "OBBTree", section 4, with the authors' erratum.
pub fn obb_by_surface_covariance(triangles: &[Triangle]) -> Obb {
    let points: Vec<_> = triangles.iter().flat_map(|triangle| triangle.vertices).collect();
    match surface_covariance(triangles) {
        Some(covariance) => obb_with_axes(&points, &eigenvectors(&covariance)),
        None => obb_by_vertex_covariance(&points),
    }
}

/// The covariance of the surface's points about their mean; `None` without area.
pub fn surface_covariance(triangles: &[Triangle]) -> Option<Matrix3<f64>> {
    let origin = triangles.first()?.vertices[0];
    let mut total_area = 0.0;
    let mut moment = Vector3::zeros();
    for triangle in triangles {
        let area = area(triangle);
        total_area += area;
        moment += (centroid(triangle) - origin) * area;
    }
    if total_area == 0.0 {
        return None;
    }
    let mean = origin + moment / total_area;

    // The integral of x x^T over a triangle is area / 12 * (9 m m^T + p p^T + q q^T + r r^T).
    let mut sum = Matrix3::zeros();
    for triangle in triangles {
        let weight = area(triangle) / total_area / 12.0;
        let to_centroid = centroid(triangle) - mean;
        sum += to_centroid * to_centroid.transpose() * (9.0 * weight);
        for vertex in &triangle.vertices {
            let to_vertex = vertex - mean;
            sum += to_vertex * to_vertex.transpose() * weight;
        }
    }
    Some(sum)
}

fn area(triangle: &Triangle) -> f64 {
    let [p, q, r] = &triangle.vertices;
    0.5 * (q - p).cross(&(r - p)).norm()
}

fn centroid(triangle: &Triangle) -> Point3<f64> {
    let [p, q, r] = &triangle.vertices;
    p + ((q - p) + (r - p)) / 3.0
}

/// The box along the eigenvectors of the covariance of the surface of the points' convex hull.
///
/// Points in one plane have no hull; their box is that of [`obb_by_vertex_covariance`]. After Gottschalk, Lin and
/// Manocha 1996, "OBBTree", section 4.
pub fn obb_by_hull_covariance(points: &[Point3<f64>]) -> Obb {
    let finite = points.iter().all(|point| point.iter().all(|x| x.is_finite()));
    match surface_covariance(&if finite { convex_hull(points) } else { Vec::new() }) {
        Some(covariance) => obb_with_axes(points, &eigenvectors(&covariance)),
        None => obb_by_vertex_covariance(points),
    }
}

/// The [`eigenvectors`] of eight matrices with the entries xx, xy, xz, yy, yz and zz, which may be zero but not
/// denormal.
#[inline(always)]
pub(crate) fn eigenvectors_of_eight<S: Simd>(s: S, entries: &[S::F64x8; 6]) -> Axes8<S> {
    let (zero, one) = (s.splat64(0.0), s.splat64(1.0));
    let mut scale = s.splat64(f64::MIN_POSITIVE);
    for &entry in entries {
        scale = s.max64(s.abs64(entry), scale);
    }
    let (mut entries, per_scale) = (*entries, inverses(s, scale));
    for entry in &mut entries {
        *entry = s.mul64(*entry, per_scale);
    }
    // The deviator, scaled so that the squares of its eigenvalues add up to 6.
    let [xx, xy, xz, yy, yz, zz] = entries;
    let mean = s.mul64(s.add64(s.add64(xx, yy), zz), s.splat64(1.0 / 3.0));
    let (diagonal, aside) = ([s.sub64(xx, mean), s.sub64(yy, mean), s.sub64(zz, mean)], [xy, xz, yz]);
    let squares =
        s.add64(dot_unfused64(s, &diagonal, &diagonal), s.mul64(s.splat64(2.0), dot_unfused64(s, &aside, &aside)));
    let sixth = s.mul64(squares, s.splat64(1.0 / 6.0));
    let least = s.splat64(16.0 * f64::EPSILON * f64::EPSILON);
    let per_root = inverse_roots(s, s.max64(sixth, least));
    let ([xx, yy, zz], [xy, xz, yz]) = (scaled(s, &diagonal, per_root), scaled(s, &aside, per_root));

    let first = isolated(s, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
    let plane = perpendicular(s, &first);
    let mut images = plane;
    for (image, axis) in images.iter_mut().zip(&plane) {
        *image = [
            dot_unfused64(s, &[xx, xy, xz], axis),
            dot_unfused64(s, &[xy, yy, yz], axis),
            dot_unfused64(s, &[xz, yz, zz], axis),
        ];
    }
    // The Jacobi rotation that diagonalises the part in the plane.
    let difference = s.sub64(dot_unfused64(s, &plane[1], &images[1]), dot_unfused64(s, &plane[0], &images[0]));
    let twice_off = s.mul64(s.splat64(2.0), dot_unfused64(s, &plane[0], &images[1]));
    let length_sq = s.add64(s.mul64(difference, difference), s.mul64(twice_off, twice_off));
    let length = s.mul64(length_sq, inverse_roots(s, s.max64(length_sq, s.splat64(f64::MIN_POSITIVE))));
    let divisor = s.add64(s.abs64(difference), length);
    let tan = s.mul64(twice_off, inverses(s, s.max64(divisor, s.splat64(f64::MIN_POSITIVE))));
    let tan = s.where_gt64(zero, difference, s.sub64(zero, tan), tan);
    let cos = inverse_roots(s, s.add64(one, s.mul64(tan, tan)));
    let [second, third] = turned(s, &plane, [cos, s.sub64(zero, s.mul64(tan, cos))]);

    // Coordinate axes for a multiple of the identity.
    let units = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    [
        where_gt(s, [sixth, least], &first, &units[0]),
        where_gt(s, [sixth, least], &second, &units[1]),
        where_gt(s, [sixth, least], &third, &units[2]),
    ]
}

/// The unit eigenvectors whose eigenvalues have the greatest magnitude, computed as in [`isolated_eigenvector`].
#[inline(always)]
fn isolated<S: Simd>(s: S, deviator: Axes8<S>) -> Vector8x64<S> {
    let (zero, three) = (s.splat64(0.0), s.splat64(3.0));
    let [x, y, z] = deviator;
    let determinant = dot_unfused64(s, &x, &cross_unfused64(s, &y, &z));
    let target = s.min64(s.abs64(determinant), s.splat64(2.0));
    let guess = s.sub64(s.splat64(0.160_694_271_784_5), s.mul64(s.splat64(0.013_359_837_781_6), target));
    let mut b = s.add64(s.splat64(1.732_050_807_568_877_2), s.mul64(guess, target));
    for _ in 0..3 {
        let square = s.mul64(b, b);
        let value = s.sub64(s.mul64(s.sub64(square, three), b), target);
        let slope = s.mul64(three, s.sub64(square, s.splat64(1.0)));
        b = s.sub64(b, s.mul64(value, inverses(s, slope)));
    }
    let eigenvalue = s.where_gt64(zero, determinant, s.sub64(zero, b), b);
    let (mut x, mut y, mut z) = (x, y, z);
    x[0] = s.sub64(x[0], eigenvalue);
    y[1] = s.sub64(y[1], eigenvalue);
    z[2] = s.sub64(z[2], eigenvalue);
    let (mut longest, mut length_sq) = ([zero; 3], zero);
    for product in [cross_unfused64(s, &x, &y), cross_unfused64(s, &y, &z), cross_unfused64(s, &z, &x)] {
        let own_sq = dot_unfused64(s, &product, &product);
        longest = where_gt(s, [own_sq, length_sq], &product, &longest);
        length_sq = s.max64(own_sq, length_sq);
    }
    scaled(s, &longest, inverse_roots(s, s.max64(length_sq, s.splat64(f64::MIN_POSITIVE))))
}
