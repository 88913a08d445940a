//! The distance between two triangles in exact integers, by a formulation of its own: it is the distance from the
//! origin to the convex hull of the nine differences `a_i - b_j`. By Carathéodory's theorem the origin is in the hull
//! if and only if it is in the simplex of some two to four of them; otherwise the nearest point is inside a simplex of
//! one to three.

use std::array::from_fn;

use bvtree::triangle::Triangle;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// What the oracle computes in: i64 where coordinates are small integers, `BigInt` for any f64.
pub trait Integer: Clone + Signed + PartialOrd {}
impl<T: Clone + Signed + PartialOrd> Integer for T {}

type Vector<T> = [T; 3];

/// The nine differences of two triangles with integer coordinates.
pub fn differences<T: Integer>(a: &[Vector<T>; 3], b: &[Vector<T>; 3]) -> [Vector<T>; 9] {
    from_fn(|i| from_fn(|k| a[i / 3][k].clone() - b[i % 3][k].clone()))
}

/// Whether the origin is in the convex hull.
pub fn hull_holds_origin<T: Integer>(w: &[Vector<T>; 9]) -> bool {
    let pair = |i: usize, j: usize| is_zero(&cross(&w[i], &w[j])) && !dot(&w[i], &w[j]).is_positive();
    let triple = |i: usize, j: usize, k: usize| {
        let weights = [cross(&w[i], &w[j]), cross(&w[j], &w[k]), cross(&w[k], &w[i])];
        let normal = sum(&weights);
        !is_zero(&normal) && dot(&weights[0], &w[k]).is_zero() && weights.iter().all(|x| !dot(x, &normal).is_negative())
    };
    let quadruple = |i: usize, j: usize, k: usize, l: usize| {
        let weights = [det(w, j, k, l), -det(w, i, k, l), det(w, i, j, l), -det(w, i, j, k)];
        // Weights of one sign and not all zero have a sum that is not zero: the four are affinely independent.
        !weights.iter().all(T::is_zero)
            && (weights.iter().all(|x| !x.is_negative()) || weights.iter().all(|x| !x.is_positive()))
    };
    (0..9).any(|i| {
        (0..9).any(|j| {
            pair(i, j)
                || (j + 1..9).any(|k| (i < j && triple(i, j, k)) || (k + 1..9).any(|l| i < j && quadruple(i, j, k, l)))
        })
    })
}

/// The squared distance from the origin to the convex hull as numerator and positive denominator.
pub fn hull_distance_sq<T: Integer>(w: &[Vector<T>; 9]) -> (T, T) {
    if hull_holds_origin(w) {
        return (T::zero(), T::one());
    }
    let mut best = (dot(&w[0], &w[0]), T::one());
    let mut offer = |num: T, den: T| {
        if num.clone() * best.1.clone() < best.0.clone() * den.clone() {
            best = (num, den);
        }
    };
    for i in 0..9 {
        offer(dot(&w[i], &w[i]), T::one());
        for j in i + 1..9 {
            let edge = minus(&w[j], &w[i]);
            let (at, length_sq) = (-dot(&w[i], &edge), dot(&edge, &edge));
            if at.is_positive() && at < length_sq {
                let n = cross(&w[i], &w[j]);
                offer(dot(&n, &n), length_sq);
            }
            for k in j + 1..9 {
                let weights = [cross(&w[i], &w[j]), cross(&w[j], &w[k]), cross(&w[k], &w[i])];
                let normal = sum(&weights);
                if !is_zero(&normal) && weights.iter().all(|x| !dot(x, &normal).is_negative()) {
                    let height = det(w, i, j, k);
                    offer(height.clone() * height, dot(&normal, &normal));
                }
            }
        }
    }
    best
}

/// Both triangles' coordinates times `2^shift`, which makes them integers.
pub fn to_integers(a: &Triangle, b: &Triangle) -> ([[Vector<BigInt>; 3]; 2], i32) {
    let parts = |x: f64| {
        let (bits, negative) = (x.to_bits(), x.is_sign_negative());
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, (bits & ((1 << 52) - 1)) as i64);
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let tail = if mantissa == 0 { 0 } else { mantissa.trailing_zeros() as i32 };
        (if negative { -(mantissa >> tail) } else { mantissa >> tail }, exponent.max(1) - 1075 + tail)
    };
    let coordinates = || [a, b].into_iter().flat_map(|t| t.vertices).flat_map(|p| [p.x, p.y, p.z]);
    let shift = -coordinates().filter(|x| *x != 0.0).map(|x| parts(x).1).min().unwrap_or(0);
    let integer = |x: f64| match parts(x) {
        (0, _) => BigInt::zero(),
        (mantissa, exponent) => BigInt::from(mantissa) << (exponent + shift),
    };
    ([a, b].map(|t| t.vertices.map(|p| [p.x, p.y, p.z].map(integer))), shift)
}

/// The exact verdict.
pub fn intersects(a: &Triangle, b: &Triangle) -> bool {
    let ([a, b], _) = to_integers(a, b);
    let w = differences(&a, &b);
    // Of four products of differences there are no more than 36 in a sum.
    small(&w, 29).map_or_else(|| hull_holds_origin(&w), |w| hull_holds_origin(&w))
}

/// The distance, exact up to a few roundings.
pub fn distance(a: &Triangle, b: &Triangle) -> f64 {
    let ([a, b], shift) = to_integers(a, b);
    let w = differences(&a, &b);
    // Of ten products of differences there are no more than 3888 in a sum.
    let (num, den) = small(&w, 11)
        .map_or_else(|| hull_distance_sq(&w), |w| <[i128; 2]>::from(hull_distance_sq(&w)).map(BigInt::from).into());
    // 160 bits of quotient, an even exponent, then the root.
    let up = (160 + den.bits() as i64 - num.bits() as i64 + 1) / 2 * 2;
    let quotient = if up >= 0 { (num << up) / den } else { num / (den << -up) };
    let root = quotient.sqrt().to_f64().unwrap();
    let exponent = -shift - (up / 2) as i32;
    root * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// The differences in machine integers, if none has more than so many bits.
fn small(w: &[Vector<BigInt>; 9], bits: u64) -> Option<[Vector<i128>; 9]> {
    let is_small = w.iter().flatten().all(|x| x.bits() <= bits);
    is_small.then(|| w.each_ref().map(|w| w.each_ref().map(|x| x.to_i128().unwrap_or(0))))
}

fn dot<T: Integer>(u: &Vector<T>, v: &Vector<T>) -> T {
    let [x, y, z]: [T; 3] = from_fn(|k| u[k].clone() * v[k].clone());
    x + y + z
}

fn cross<T: Integer>(u: &Vector<T>, v: &Vector<T>) -> Vector<T> {
    from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        u[i].clone() * v[j].clone() - u[j].clone() * v[i].clone()
    })
}

fn minus<T: Integer>(u: &Vector<T>, v: &Vector<T>) -> Vector<T> {
    from_fn(|k| u[k].clone() - v[k].clone())
}

fn sum<T: Integer>(v: &[Vector<T>; 3]) -> Vector<T> {
    from_fn(|k| v[0][k].clone() + v[1][k].clone() + v[2][k].clone())
}

fn det<T: Integer>(w: &[Vector<T>; 9], i: usize, j: usize, k: usize) -> T {
    dot(&cross(&w[i], &w[j]), &w[k])
}

fn is_zero<T: Integer>(v: &Vector<T>) -> bool {
    v.iter().all(T::is_zero)
}
