//! The corners of triangles that lie farthest out along some directions.

use nalgebra::Matrix3;

use super::primitives::{Primitive, axis_rows, corner_twice, corners_by_two};
use crate::simd::vectors::twice64;
use crate::simd::{Simd, SimdLevel, dispatched};

/// Directions whose extremes are found: the axes, the diagonals of faces and those of the cube; three lanes are idle.
const DIRECTIONS: [[f32; 16]; 3] = [
    [1., 0., 0., 1., 1., 1., 1., 0., 0., 1., 1., 1., 1., 0., 0., 0.],
    [0., 1., 0., 1., -1., 0., 0., 1., 1., 1., 1., -1., -1., 0., 0., 0.],
    [0., 0., 1., 0., 0., 1., -1., 1., -1., 1., -1., 1., -1., 0., 0., 0.],
];

dispatched! {
    /// Indices of the corners that are extremal along 13 directions: those of least projection on each direction, then
    /// those of greatest. Corner `i` of primitive `p` has the index `3 * p + i`.
    pub(crate) fn extremes(primitives: &[Primitive]) -> [u32; 26] = |s| extremes_by(s, primitives);
    fn block_bounds(primitives: &[Primitive]) -> Vec<[[f32; 4]; 2]> = |s| block_bounds_by(s, primitives);
    fn outermost(blocks: &Blocks<'_>, axes: &Matrix3<f64>) -> [u32; 6] = |s| outermost_by(s, blocks, axes);
}

#[inline(always)]
fn extremes_by<S: Simd>(_: S, primitives: &[Primitive]) -> [u32; 26] {
    let (mut least, mut greatest) = ([f32::INFINITY; 16], [f32::NEG_INFINITY; 16]);
    let (mut least_at, mut greatest_at) = ([0u32; 16], [0u32; 16]);
    let mut number = 0;
    for primitive in primitives {
        for corner in &primitive.corners {
            for k in 0..16 {
                let [x, y, z] = [DIRECTIONS[0][k], DIRECTIONS[1][k], DIRECTIONS[2][k]];
                let along = x * corner[0] + y * corner[1] + z * corner[2];
                least_at[k] = if along < least[k] { number } else { least_at[k] };
                least[k] = if along < least[k] { along } else { least[k] };
                greatest_at[k] = if along > greatest[k] { number } else { greatest_at[k] };
                greatest[k] = if along > greatest[k] { along } else { greatest[k] };
            }
            number += 1;
        }
    }
    std::array::from_fn(|i| if i < 13 { least_at[i] } else { greatest_at[i - 13] })
}

/// Number of triangles in a block. A block's bounds show whether the block may contain an outermost corner.
const BLOCK: usize = 16;

/// Many triangles whose outermost corners are queried repeatedly.
pub(crate) struct Blocks<'a> {
    level: SimdLevel,
    primitives: &'a [Primitive],
    /// The least and the greatest coordinates of each block's corners; the fourth lanes are idle.
    bounds: Vec<[[f32; 4]; 2]>,
}

impl<'a> Blocks<'a> {
    pub(crate) fn of(level: SimdLevel, primitives: &'a [Primitive]) -> Self {
        Self { level, primitives, bounds: block_bounds(level, primitives) }
    }

    /// Indices of the corners farthest along each axis (column), then of those farthest in the opposite directions; of
    /// equally far corners, the first.
    pub(crate) fn outermost(&self, axes: &Matrix3<f64>) -> [u32; 6] {
        outermost(self.level, self, axes)
    }
}

#[inline(always)]
fn block_bounds_by<S: Simd>(s: S, all: &[Primitive]) -> Vec<[[f32; 4]; 2]> {
    let mut bounds = vec![[[0.0; 4]; 2]; all.len().div_ceil(BLOCK)];
    for (bounds, primitives) in bounds.iter_mut().zip(all.chunks(BLOCK)) {
        let (mut lower, mut upper) = (s.splat(f32::INFINITY), s.splat(f32::NEG_INFINITY));
        for primitive in primitives {
            // The first two corners in eight lanes, then the last two.
            let rows: [S::F32x8; 2] = s.load_rows(primitive.words(), 4, 8);
            lower = s.min(s.min(rows[0], rows[1]), lower);
            upper = s.max(s.max(rows[0], rows[1]), upper);
        }
        let (lower, upper) = (s.to_array(lower), s.to_array(upper));
        for k in 0..4 {
            let (a, b, c, d) = (lower[k], lower[4 + k], upper[k], upper[4 + k]);
            bounds[0][k] = if b < a { b } else { a };
            bounds[1][k] = if d > c { d } else { c };
        }
    }
    bounds
}

#[inline(always)]
fn outermost_by<S: Simd>(s: S, Blocks { primitives, bounds, .. }: &Blocks<'_>, axes: &Matrix3<f64>) -> [u32; 6] {
    let rows = axis_rows(axes);
    // The upper half holds the opposite directions.
    let mut both_ways = [s.splat64(0.0); 3];
    for x in 0..3 {
        let [a, b, c, _] = rows[x];
        both_ways[x] = s.load64(&[a, b, c, 0.0, -a, -b, -c, 0.0]);
    }
    let rows = [twice64(s, rows[0]), twice64(s, rows[1]), twice64(s, rows[2])];

    // The extent of the blocks that reach farthest.
    let (mut farthest, mut blocks) = (s.splat64(f64::NEG_INFINITY), s.splat64(0.0));
    for (number, bounds) in bounds.iter().enumerate() {
        let reach = reach(s, &both_ways, bounds);
        blocks = s.where_gt64(reach, farthest, s.splat64(number as f64), blocks);
        farthest = s.max64(reach, farthest);
    }
    let mut promising = Ends::nothing(s);
    for (lane, &number) in s.to_array64(blocks).iter().enumerate() {
        if lane % 4 < 3 {
            promising.see(s, &rows, primitives, number as usize);
        }
    }
    let [least, greatest] = [s.to_array64(promising.least), s.to_array64(promising.greatest)];
    let mut reached = [f64::INFINITY; 8];
    for k in 0..3 {
        reached[k] = greatest[k].max(greatest[4 + k]);
        reached[4 + k] = (-least[k]).max(-least[4 + k]);
    }
    // The other blocks that may reach as far: bounds are rounded in the same way as corners, so their order is kept.
    let reached = s.load64(&reached);
    let mut ends = Ends::nothing(s);
    for (number, bounds) in bounds.iter().enumerate() {
        if s.gt64(reached, reach(s, &both_ways, bounds)) != 0xff {
            ends.see(s, &rows, primitives, number);
        }
    }
    ends.corners(s, primitives)
}

/// The greatest offsets of the points within a block's bounds along the axes.
#[inline(always)]
fn reach<S: Simd>(s: S, rows: &[S::F64x8; 3], [lower, upper]: &[[f32; 4]; 2]) -> S::F64x8 {
    let mut terms = *rows;
    for x in 0..3 {
        let (lower, upper) = (s.splat64(f64::from(lower[x])), s.splat64(f64::from(upper[x])));
        terms[x] = s.max64(s.mul64(rows[x], lower), s.mul64(rows[x], upper));
    }
    s.add64(s.add64(terms[0], terms[1]), terms[2])
}

/// The outermost corners so far, as offsets and as indices in f64, which are exact. The lower half is for corners of
/// even index in their block, the upper half for the others.
struct Ends<S: Simd> {
    least: S::F64x8,
    greatest: S::F64x8,
    least_at: S::F64x8,
    greatest_at: S::F64x8,
}

impl<S: Simd> Ends<S> {
    #[inline(always)]
    fn nothing(s: S) -> Self {
        let (zero, inf) = (s.splat64(0.0), s.splat64(f64::INFINITY));
        Self { least: inf, greatest: s.sub64(zero, inf), least_at: zero, greatest_at: zero }
    }

    /// Adds a block's corners, two by two.
    #[inline(always)]
    fn see(&mut self, s: S, rows: &[S::F64x8; 3], primitives: &[Primitive], block: usize) {
        let first = block * BLOCK;
        let corner = (3 * first) as f64;
        let next = corner + 1.0;
        let mut number = s.load64(&[corner, corner, corner, corner, next, next, next, next]);
        let (twos, last) = corners_by_two(&primitives[first..primitives.len().min(first + BLOCK)]);
        let again = last.map(corner_twice);
        for corners in twos.iter().chain(again.as_ref()) {
            let corners = s.widen(corners);
            let (x, y, z) = (s.spread64(corners, 0), s.spread64(corners, 1), s.spread64(corners, 2));
            let along = s.add64(s.mul64(rows[0], x), s.mul64(rows[1], y));
            let along = s.add64(along, s.mul64(rows[2], z));
            self.least_at = s.where_gt64(self.least, along, number, self.least_at);
            self.least = s.min64(along, self.least);
            self.greatest_at = s.where_gt64(along, self.greatest, number, self.greatest_at);
            self.greatest = s.max64(along, self.greatest);
            number = s.add64(number, s.splat64(2.0));
        }
    }

    #[inline(always)]
    fn corners(&self, s: S, primitives: &[Primitive]) -> [u32; 6] {
        let [least, greatest] = [s.to_array64(self.least), s.to_array64(self.greatest)];
        let [least_at, greatest_at] = [s.to_array64(self.least_at), s.to_array64(self.greatest_at)];
        // Every second corner is in the upper half; the first of equal ones counts.
        let pick = |along: [f64; 2], at: [f64; 2]| {
            let is_upper = along[1] > along[0] || (along[1] == along[0] && at[1] < at[0]);
            at[usize::from(is_upper)] as u32
        };
        // An odd last corner was seen twice, the second time with an index that is too large by one.
        let last = 3 * primitives.len() as u32 - 1;
        let mut found = [0; 6];
        for k in 0..3 {
            found[k] = pick([greatest[k], greatest[k + 4]], [greatest_at[k], greatest_at[k + 4]]).min(last);
            found[k + 3] = pick([-least[k], -least[k + 4]], [least_at[k], least_at[k + 4]]).min(last);
        }
        found
    }
}
