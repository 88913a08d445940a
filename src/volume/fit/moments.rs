//! The mean and the covariance of triangles' corners, each counted once per triangle; of a part of them from the whole
//! and the rest.

use nalgebra::{Matrix3, Vector3};

use super::corners;
use super::kernels::by_blocks;
use super::primitives::Primitive;
use crate::simd::vectors::Vector8x64;
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// What rounding may do to the products, of their greatest part; a few times more than it mostly does.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Moments are taken by difference as long as rounding has this part of them at most...
const DOUBT: f64 = 1e-13;
/// ...and as long as eigenvalues differ by a part of which this is the square, or so. Else noise would choose axes that
/// sums, which are mostly exact where a mesh is symmetric, find along its edges.
const CLEAR_SQ: f64 = 1e-11;

/// Indices of the products xx, xy, xz, yy, yz and zz.
const PAIRS: [[usize; 2]; 6] = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];

/// Of a node's corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    corners: f64,
    /// A corner of the node or of one above it, and the mean as seen from it: so little is lost where all are far from
    /// the origin.
    about: Vector3<f64>,
    offset: Vector3<f64>,
    /// Sums of products of offsets from the mean, by [`PAIRS`].
    products: [f64; 6],
    /// What rounding may have done to them.
    doubt: f64,
}

impl Moments {
    pub(crate) fn of(level: SimdLevel, primitives: &[Primitive]) -> Self {
        let corners = 3.0 * primitives.len() as f64;
        let about = primitives.first().map_or([0.0; 4], |primitive| primitive.corners[0]);
        let sums = by_blocks(primitives, |primitives| dispatch(level, Sums { primitives, about: &about }), added);
        let offset = Vector3::new(sums[6], sums[7], sums[8]) / corners;
        let [x, y, z, _] = about.map(f64::from);
        Self {
            corners,
            about: Vector3::new(x, y, z),
            offset,
            products: std::array::from_fn(|p| sums[p] - product(&offset, p) * corners),
            doubt: ROUNDING * (sums[0] + sums[3] + sums[5]),
        }
    }

    /// Of two parts of the triangles of which these are the moments: those of the smaller one are summed, the other's
    /// are what is left.
    pub(crate) fn of_parts(&self, level: SimdLevel, [left, right]: [&[Primitive]; 2]) -> [Self; 2] {
        let is_left_smaller = left.len() < right.len();
        let (smaller, larger) = if is_left_smaller { (left, right) } else { (right, left) };
        let part = Self::of(level, smaller);
        let rest = self.without(&part).unwrap_or_else(|| Self::of(level, larger));
        if is_left_smaller { [part, rest] } else { [rest, part] }
    }

    /// Of the corners that are not in a part of them. `None` where too little is left of the products, or their
    /// axes are in doubt.
    fn without(&self, part: &Self) -> Option<Self> {
        let corners = self.corners - part.corners;
        let to_part = (part.about - self.about) + (part.offset - self.offset);
        let shift = to_part * (-part.corners / corners);
        let between = shift - to_part;
        let weight = corners * part.corners / self.corners;
        let products: [f64; 6] =
            std::array::from_fn(|p| (self.products[p] - part.products[p]) - product(&between, p) * weight);
        let doubt = self.doubt + part.doubt + ROUNDING * self.trace();
        let rest = Self { corners, about: self.about, offset: self.offset + shift, products, doubt };
        (doubt <= DOUBT * rest.trace() && rest.is_clear()).then_some(rest)
    }

    fn trace(&self) -> f64 {
        self.products[0] + self.products[3] + self.products[5]
    }

    /// Whether no two of the eigenvalues are alike, so that their axes are beyond doubt: by the discriminant.
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
        squares > CLEAR_SQ && greatest - 27.0 * determinant * determinant > CLEAR_SQ * greatest
    }

    /// Of the corners, hence of the triangles' centroids too.
    pub(crate) fn mean(&self) -> Vector3<f64> {
        self.about + self.offset
    }

    /// Of which the scale does not matter for its eigenvectors.
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

/// Six sums of products of offsets from a corner, and three of the offsets.
struct Sums<'a> {
    primitives: &'a [Primitive],
    about: &'a [f32; 4],
}

impl Task for Sums<'_> {
    type Output = [f64; 9];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [f64; 9] {
        let [x, y, z, _] = self.about.map(f64::from);
        let about = [s.splat64(x), s.splat64(y), s.splat64(z)];
        let mut sums = [s.splat64(0.0); 9];
        let (eights, rest) = corners::by_eight(self.primitives);
        for eight in eights {
            sums = with_eight(s, sums, &about, &corners::rows(s, eight));
        }
        if !rest.is_empty() {
            // Idle lanes are nowhere but where offsets are seen from.
            sums = with_eight(s, sums, &about, &corners::rest_rows(s, rest, self.about));
        }
        let mut totals = [0.0; 9];
        for k in 0..9 {
            let [a, b, c, d, e, f, g, h] = s.to_array64(sums[k]);
            totals[k] = ((a + e) + (c + g)) + ((b + f) + (d + h));
        }
        totals
    }
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

#[cfg(test)]
#[path = "moments_tests.rs"]
mod tests;
