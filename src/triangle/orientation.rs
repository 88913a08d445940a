//! Signs of orientation determinants: filtered in f64, and exact.
//!
//! The exact ones are those of the crate `robust`, whose expansions are exact unless a product of three coordinate
//! differences leaves f64's range. It does not if every coordinate is zero or has a magnitude in `1e-90 ..= 1e100`: all
//! are then multiples of 2^-352, so each partial product is a multiple of 2^-1056, no bit is lost below the smallest
//! subnormal 2^-1074, and the largest sum is below 1e303. For the same reason the filter's bound holds near zero, where
//! products may be subnormal but are exact. Beyond that range, and for NaN, a sign may be wrong; nothing panics.

use nalgebra::{Point3, Vector3};
use robust::{Coord, Coord3D};

use super::Triangle;
use crate::numeric::error_bounds::ORIENTATION_ERROR;

/// The side of a triangle's plane on which each point lies, where f64 is certain: positive on the side of the normal
/// `(b - a) x (c - a)`, negative on the other, and 0.0 for on the plane *or undecided*.
#[inline]
pub(super) fn filtered_sides<const N: usize>(plane: &Triangle, points: &[Point3<f64>; N]) -> [f64; N] {
    let [a, b, c] = plane.vertices;
    let (u, v) = (b - a, c - a);
    points.map(|p| filtered_triple(&(p - a), &u, &v).unwrap_or(0.0))
}

/// The triple product `d . (u x v)`; `None` if f64 is not certain of its sign.
#[inline(always)]
pub(crate) fn filtered_triple(d: &Vector3<f64>, u: &Vector3<f64>, v: &Vector3<f64>) -> Option<f64> {
    let (triple, error) = triple_and_error(d, u, v);
    (triple.abs() > error).then_some(triple)
}

/// The triple product `d . (u x v)`, and a bound on its rounding error. Each component may be a rounded difference of
/// coordinates.
#[inline(always)]
pub(crate) fn triple_and_error(d: &Vector3<f64>, u: &Vector3<f64>, v: &Vector3<f64>) -> (f64, f64) {
    let (yz, zy) = (u.y * v.z, u.z * v.y);
    let (zx, xz) = (u.z * v.x, u.x * v.z);
    let (xy, yx) = (u.x * v.y, u.y * v.x);
    let triple = d.x * (yz - zy) + d.y * (zx - xz) + d.z * (xy - yx);
    let magnitude =
        d.x.abs() * (yz.abs() + zy.abs()) + d.y.abs() * (zx.abs() + xz.abs()) + d.z.abs() * (xy.abs() + yx.abs());
    (triple, ORIENTATION_ERROR * magnitude)
}

/// Decides the sides that [`filtered_sides`] left at 0.0; those that are still 0.0 lie on the plane.
#[inline]
pub(super) fn decide_sides<const N: usize>(sides: &mut [f64; N], plane: &Triangle, points: &[Point3<f64>; N]) {
    let [a, b, c] = &plane.vertices;
    for (side, p) in sides.iter_mut().zip(points) {
        if *side == 0.0 {
            *side = orient3d(a, b, c, p);
        }
    }
}

/// The exact sign of `((b - a) x (c - a)) . (d - a)`: positive if `d` sees `abc` counterclockwise.
pub(crate) fn orient3d(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>) -> f64 {
    // Flat parts along the axes are common, and are the slowest case of the predicate.
    if (0..3).any(|k| a[k] == b[k] && a[k] == c[k] && a[k] == d[k]) {
        return 0.0;
    }
    let coord = |p: &Point3<f64>| Coord3D { x: p.x, y: p.y, z: p.z };
    -robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// The exact sign of the turn `abc`, projected along the coordinate axis `axis`.
pub(crate) fn orient2d(axis: usize, a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>) -> f64 {
    let coord = |p: &Point3<f64>| match axis {
        0 => Coord { x: p.y, y: p.z },
        1 => Coord { x: p.z, y: p.x },
        _ => Coord { x: p.x, y: p.y },
    };
    robust::orient2d(coord(a), coord(b), coord(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One term of the triple product is a difference of products of 53-bit numbers, which rounding makes wrong;
    /// another term is exact and about as large as that error. Wherever the filter is certain of a sign, exact integers
    /// give the same sign: for each term, and at two scales.
    #[test]
    fn the_filter_is_not_certain_of_rounding_errors() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (1 << 52) + i128::from(state >> 13)
        };
        let (mut certain, mut misled) = (0, 0);
        for _ in 0..100 {
            let (y, z) = (random(), random());
            for (a, b, sign) in [(1, 1, 1), (1, 0, -1), (0, 1, 1), (-1, 1, 1), (1 << 30, -7, 1), (3, 1 << 20, -1)] {
                let exact = (y * (z + b) - z * (y + a) - sign * (z + b)).signum() as f64;
                for (axis, scale) in (0..3).flat_map(|axis| [(axis, 1.0), (axis, 2_f64.powi(-60))]) {
                    let vector = |components: [f64; 3]| Vector3::from_fn(|k, _| components[(k + 3 - axis) % 3]);
                    let far = 2_f64.powi(40);
                    let d = vector([far, sign as f64 * far, 0.0]);
                    let u = vector([scale, scale * y as f64, scale * z as f64]);
                    let v = vector([0.0, scale * (y + a) as f64, scale * (z + b) as f64]);
                    match filtered_triple(&d, &u, &v) {
                        Some(triple) => {
                            certain += 1;
                            assert_eq!(triple.signum(), exact, "{d} {u} {v}");
                        }
                        None => misled += usize::from(d.dot(&u.cross(&v)) * exact < 0.0),
                    }
                }
            }
        }
        assert!(certain > 100 && misled > 100, "{certain} certain, {misled} misled");
    }
}
