//! Corners of triangles eight at a time: a row for each coordinate, a lane for each corner.

use super::primitives::Primitive;
use crate::simd::Simd;
use crate::simd::vectors::{Vector8, Vector8x64};

/// All corners by eights, and those that are left over.
#[inline(always)]
pub(crate) fn by_eight(primitives: &[Primitive]) -> (&[[[f32; 4]; 8]], &[[f32; 4]]) {
    bytemuck::cast_slice::<Primitive, [f32; 4]>(primitives).as_chunks()
}

/// Corners that follow each other; which lane has which does not matter to those who ask.
#[inline(always)]
pub(crate) fn rows<S: Simd>(s: S, eight: &[[f32; 4]; 8]) -> Vector8x64<S> {
    widened(s, &s.load_rows(bytemuck::cast_slice(eight.as_flattened()), 8, 8))
}

/// The rest, and in the idle lanes a corner that does no harm there.
#[inline(always)]
pub(crate) fn rest_rows<S: Simd>(s: S, rest: &[[f32; 4]], idle: &[f32; 4]) -> Vector8x64<S> {
    corner_rows(s, |lane| rest.get(lane).unwrap_or(idle))
}

/// Of each lane the corner asked for.
#[inline(always)]
pub(crate) fn corner_rows<'a, S: Simd>(s: S, corner: impl Fn(usize) -> &'a [f32; 4]) -> Vector8x64<S> {
    widened(s, &halves(s, corner))
}

/// As [`corner_rows`], in f32.
#[inline(always)]
pub(crate) fn corner_rows_f32<'a, S: Simd>(s: S, corner: impl Fn(usize) -> &'a [f32; 4]) -> Vector8<S> {
    s.transposed(&halves(s, corner))
}

#[inline(always)]
fn halves<'a, S: Simd>(s: S, corner: impl Fn(usize) -> &'a [f32; 4]) -> [S::F32x8; 4] {
    [
        s.load_halves(corner(0), corner(4)),
        s.load_halves(corner(1), corner(5)),
        s.load_halves(corner(2), corner(6)),
        s.load_halves(corner(3), corner(7)),
    ]
}

#[inline(always)]
fn widened<S: Simd>(s: S, halves: &[S::F32x8; 4]) -> Vector8x64<S> {
    let [x, y, z] = s.transposed(halves);
    [s.widen(&s.to_array(x)), s.widen(&s.to_array(y)), s.widen(&s.to_array(z))]
}
