//! The eigenvectors of eight covariances at once, a lane for each.

use super::frame_eight::{Axes8, inverse_roots, inverses, perpendicular, scaled, turned, where_gt};
use crate::simd::Simd;
use crate::simd::vectors::{Vector8x64, cross_unfused64, dot_unfused64};

/// As [`eigenvectors`](super::eigenvectors), of eight matrices given by their entries xx, xy, xz, yy, yz and zz: none
/// of them denormal but for zeros.
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
    // The deviator with eigenvalues whose squares' sum is 6.
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
    // The Jacobi rotation that makes the plane's part diagonal.
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

/// The unit eigenvectors whose eigenvalues have the greatest magnitude; see `isolated_eigenvector` in
/// [`covariance`](super::covariance).
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
