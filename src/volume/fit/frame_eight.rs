//! Eight directions and frames at once, a lane for each, in f64 and without branches. Nothing is fused: the same on
//! every machine.

use crate::simd::Simd;
use crate::simd::vectors::{Vector8x64, cross_unfused64};

/// Columns of eight orthonormal matrices.
pub(crate) type Axes8<S> = [Vector8x64<S>; 3];

#[inline(always)]
pub(super) fn scaled<S: Simd>(s: S, a: &Vector8x64<S>, by: S::F64x8) -> Vector8x64<S> {
    [s.mul64(a[0], by), s.mul64(a[1], by), s.mul64(a[2], by)]
}

/// Where `a > b` the one, elsewhere the other.
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

/// Two unit vectors perpendicular to a unit vector and to each other, as
/// [`perpendicular_basis`](super::frame::perpendicular_basis) has them.
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

/// `u` and `v` turned in their plane.
#[inline(always)]
pub(super) fn turned<S: Simd>(s: S, [u, v]: &[Vector8x64<S>; 2], [cos, sin]: [S::F64x8; 2]) -> [Vector8x64<S>; 2] {
    let mut turned = [*u, *v];
    for k in 0..3 {
        turned[0][k] = s.add64(s.mul64(u[k], cos), s.mul64(v[k], sin));
        turned[1][k] = s.sub64(s.mul64(v[k], cos), s.mul64(u[k], sin));
    }
    turned
}
