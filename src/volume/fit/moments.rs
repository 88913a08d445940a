//! Mean, covariance and summed normal of a node's triangles. A vertex counts once for each triangle that it is a corner
//! of. When a node is split, only its smaller part is summed: the moments of the larger part are the difference.

use nalgebra::{Matrix3, Vector3};

use super::primitives::{Primitive, by_blocks, by_eight, rest_rows, rows, sum};
use crate::numeric::error_bounds::{MAX_MOMENT_ERROR, MIN_DISCRIMINANT, MOMENT_ROUNDING};
use crate::simd::vectors::Vector8x64;
use crate::simd::{Simd, SimdLevel, dispatched};

/// Indices of the products xx, xy, xz, yy, yz and zz.
const PAIRS: [[usize; 2]; 6] = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    corners: f64,
    /// A corner of the node or of an ancestor. The mean is stored relative to this corner, so that few digits are lost
    /// far from the origin.
    about: Vector3<f64>,
    offset: Vector3<f64>,
    /// Sums of products of offsets from the mean, in the order of [`PAIRS`].
    products: [f64; 6],
    /// A bound on the rounding error of the products.
    doubt: f64,
}

impl Moments {
    pub(crate) fn of(level: SimdLevel, primitives: &[Primitive]) -> Self {
        let corners = 3.0 * primitives.len() as f64;
        let about = primitives.first().map_or([0.0; 4], |primitive| primitive.corners[0]);
        let sums = by_blocks(primitives, |primitives| sums(level, primitives, &about), added);
        let offset = Vector3::new(sums[6], sums[7], sums[8]) / corners;
        let [x, y, z, _] = about.map(f64::from);
        Self {
            corners,
            about: Vector3::new(x, y, z),
            offset,
            products: std::array::from_fn(|p| sums[p] - product(&offset, p) * corners),
            doubt: MOMENT_ROUNDING * (sums[0] + sums[3] + sums[5]),
        }
    }

    /// The moments of two parts of the node: those of the smaller part are summed, those of the larger part are the
    /// difference, or are summed too if the difference would be inaccurate.
    pub(crate) fn of_parts(&self, level: SimdLevel, [left, right]: [&[Primitive]; 2]) -> [Self; 2] {
        let is_left_smaller = left.len() < right.len();
        let (smaller, larger) = if is_left_smaller { (left, right) } else { (right, left) };
        let part = Self::of(level, smaller);
        let rest = self.without(&part).unwrap_or_else(|| Self::of(level, larger));
        if is_left_smaller { [part, rest] } else { [rest, part] }
    }

    /// The moments of the corners not in a part; `None` if too little is left, or the axes would be inaccurate.
    fn without(&self, part: &Self) -> Option<Self> {
        let corners = self.corners - part.corners;
        let to_part = (part.about - self.about) + (part.offset - self.offset);
        let shift = to_part * (-part.corners / corners);
        let between = shift - to_part;
        let weight = corners * part.corners / self.corners;
        let products: [f64; 6] =
            std::array::from_fn(|p| (self.products[p] - part.products[p]) - product(&between, p) * weight);
        let doubt = self.doubt + part.doubt + MOMENT_ROUNDING * self.trace();
        let rest = Self { corners, about: self.about, offset: self.offset + shift, products, doubt };
        (doubt <= MAX_MOMENT_ERROR * rest.trace() && rest.is_clear()).then_some(rest)
    }

    fn trace(&self) -> f64 {
        self.products[0] + self.products[3] + self.products[5]
    }

    /// Whether the discriminant shows that all eigenvalues differ clearly, so that the axes are accurate.
    fn is_clear(&self) -> bool {
        let per_trace = 1.0 / self.trace();
        if !per_trace.is_normal() {
            return false;
        }
        let [xx, xy, xz, yy, yz, zz] = self.products.map(|product| product * per_trace);
        let [xx, yy, zz] = [xx, yy, zz].map(|product| product - 1.0 / 3.0);
        let squares = 0.5 * (xx * xx + yy * yy + zz * zz) + (xy * xy + xz * xz + yz * yz);
        let determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
        let greatest = 4.0 * squares * squares * squares;
        squares > MIN_DISCRIMINANT && greatest - 27.0 * determinant * determinant > MIN_DISCRIMINANT * greatest
    }

    /// The mean of the corners, which is also the mean of the triangles' centroids.
    pub(crate) fn mean(&self) -> Vector3<f64> {
        self.about + self.offset
    }

    /// The covariance times the number of corners, since eigenvectors do not depend on the scale.
    pub(crate) fn covariance(&self) -> Matrix3<f64> {
        let [xx, xy, xz, yy, yz, zz] = self.products;
        Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }
}

#[inline(always)]
fn product(of: &Vector3<f64>, p: usize) -> f64 {
    of[PAIRS[p][0]] * of[PAIRS[p][1]]
}

fn added(a: [f64; 9], b: [f64; 9]) -> [f64; 9] {
    std::array::from_fn(|k| a[k] + b[k])
}

dispatched! {
    fn sums(primitives: &[Primitive], about: &[f32; 4]) -> [f64; 9] = |s| sums_by(s, primitives, about);
    fn scaled_normal_of_block(primitives: &[Primitive]) -> [f64; 4] = |s| scaled_normal_by(s, primitives);
}

/// Six sums of products of offsets from a corner, and three sums of the offsets.
#[inline(always)]
fn sums_by<S: Simd>(s: S, primitives: &[Primitive], about: &[f32; 4]) -> [f64; 9] {
    let [x, y, z, _] = about.map(f64::from);
    let origin = [s.splat64(x), s.splat64(y), s.splat64(z)];
    let mut sums = [s.splat64(0.0); 9];
    let (eights, rest) = by_eight(primitives);
    for eight in eights {
        sums = with_eight(s, sums, &origin, &rows(s, eight));
    }
    if !rest.is_empty() {
        // Idle lanes hold the point to which offsets are relative, so they add nothing.
        sums = with_eight(s, sums, &origin, &rest_rows(s, rest, about));
    }
    let mut totals = [0.0; 9];
    for k in 0..9 {
        let [a, b, c, d, e, f, g, h] = s.to_array64(sums[k]);
        totals[k] = ((a + e) + (c + g)) + ((b + f) + (d + h));
    }
    totals
}

#[inline(always)]
fn with_eight<S: Simd>(s: S, mut sums: [S::F64x8; 9], about: &Vector8x64<S>, eight: &Vector8x64<S>) -> [S::F64x8; 9] {
    let offset = [s.sub64(eight[0], about[0]), s.sub64(eight[1], about[1]), s.sub64(eight[2], about[2])];
    for (p, [i, j]) in PAIRS.into_iter().enumerate() {
        sums[p] = s.add64(sums[p], s.mul64(offset[i], offset[j]));
    }
    for x in 0..3 {
        sums[6 + x] = s.add64(sums[6 + x], offset[x]);
    }
    sums
}

/// The sum of the triangles' normals, each with twice the triangle's area as its length.
pub(crate) fn scaled_normal(level: SimdLevel, primitives: &[Primitive]) -> Vector3<f64> {
    let [x, y, z, _] = by_blocks(primitives, |block| scaled_normal_of_block(level, block), sum);
    Vector3::new(x, y, z)
}

/// [`scaled_normal`] at a SIMD level; the fourth lane is idle.
#[inline(always)]
pub(crate) fn scaled_normal_by<S: Simd>(_: S, primitives: &[Primitive]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for primitive in primitives {
        let [a, b, c] = &primitive.corners;
        let (mut ab, mut ac) = ([0.0; 4], [0.0; 4]);
        for k in 0..4 {
            ab[k] = f64::from(b[k]) - f64::from(a[k]);
            ac[k] = f64::from(c[k]) - f64::from(a[k]);
        }
        // The cross product with its lanes in the order z, x, y.
        for k in 0..3 {
            sum[k] += ab[k] * ac[(k + 1) % 3] - ab[(k + 1) % 3] * ac[k];
        }
    }
    [sum[1], sum[2], sum[0], 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    use crate::volume::fit::primitives::{BLOCK, soup};

    /// Triangles with corners anywhere in a box, which is far from the origin.
    fn primitives(triangles: u32, [x, y, z]: [f32; 3]) -> Vec<Primitive> {
        let coordinate = |i: u32| (u64::from(i).pow(2) * 7919 % 1013) as f32 / 1013.0 + 10.0;
        let vertex = |i: u32| [x * coordinate(3 * i), y * coordinate(5 * i + 1), z * coordinate(7 * i + 2)].into();
        soup(triangles, vertex)
    }

    /// Mean and products, in two passes.
    fn mean_and_products(primitives: &[Primitive]) -> (Vector3<f64>, Matrix3<f64>) {
        let points: Vec<Point3<f64>> = primitives.iter().flat_map(Primitive::points).collect();
        let mean = points.iter().map(|point| point.coords).sum::<Vector3<f64>>() / points.len() as f64;
        (mean, points.iter().map(|point| (point.coords - mean) * (point.coords - mean).transpose()).sum())
    }

    fn assert_are_of(moments: &Moments, primitives: &[Primitive]) {
        let (mean, products) = mean_and_products(primitives);
        assert!((moments.mean() - mean).amax() <= 1e-12 * mean.amax());
        let difference = (moments.covariance() - products).amax();
        assert!(difference <= 2.0 * MAX_MOMENT_ERROR * products.trace(), "{difference} of {products}");
    }

    #[test]
    fn one_pass_finds_what_two_find() {
        // All numbers of leftover corners, and more than a block.
        for triangles in (1..=9).chain([2 * BLOCK as u32 + 3]) {
            let primitives = primitives(triangles, [1.0, 0.1, 3.0]);
            let levels = SimdLevel::available();
            let found: Vec<_> = levels.map(|level| Moments::of(level, &primitives)).collect();
            for moments in &found {
                assert_are_of(moments, &primitives);
                assert_eq!(moments.products, found[0].products);
            }
        }
    }

    #[test]
    fn what_is_left_has_moments_of_its_own() {
        let level = SimdLevel::detect();
        // Long, thin, flat and isotropic sets.
        for size in [[1.0, 0.1, 3.0], [1e-3, 1.0, 1e-3], [1.0, 1.0, 1e-6], [1.0; 3], [1e-30, 2e-30, 1e-30]] {
            let primitives = primitives(1000, size);
            let (mut rest, mut moments) = (&primitives[..], Moments::of(level, &primitives));
            // Ever smaller parts of the set, the larger or the smaller one of two.
            for begin in [300, 10, 1, 200, 400, 50, 12] {
                let [_, right] = moments.of_parts(level, [&rest[..begin], &rest[begin..]]);
                rest = &rest[begin..];
                assert_are_of(&right, rest);
                moments = right;
            }
        }
    }

    #[test]
    fn what_rounding_has_spoilt_is_summed_anew() {
        let level = SimdLevel::detect();
        let (far, near) = (primitives(20, [1.0; 3]), primitives(40, [1e-9; 3]));
        let all: Vec<Primitive> = far.iter().chain(&near).copied().collect();
        let moments = Moments::of(level, &all);
        assert!(moments.without(&Moments::of(level, &far)).is_none());
        let [_, right] = moments.of_parts(level, [&far, &near]);
        assert_eq!(right.products, Moments::of(level, &near).products);
    }
}
