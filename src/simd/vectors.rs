//! Vectors of eight lanes, coordinate by coordinate: what is computed from them everywhere, in f32 and, where a name
//! ends in 64, in f64.

use super::operations::Simd;

/// Eight points or directions.
pub(crate) type Vector8<S> = [<S as Simd>::F32x8; 3];

/// The same one in all lanes.
#[inline(always)]
pub(crate) fn splatted<S: Simd>(s: S, [x, y, z]: [f32; 3]) -> Vector8<S> {
    [s.splat(x), s.splat(y), s.splat(z)]
}

/// That of a lane, of 0 to 7.
#[inline(always)]
pub(crate) fn lane_of<S: Simd>(s: S, a: &Vector8<S>, lane: usize) -> [f32; 3] {
    [s.to_array(a[0])[lane & 7], s.to_array(a[1])[lane & 7], s.to_array(a[2])[lane & 7]]
}

#[inline(always)]
pub(crate) fn difference<S: Simd>(s: S, a: &Vector8<S>, b: &Vector8<S>) -> Vector8<S> {
    [s.sub(a[0], b[0]), s.sub(a[1], b[1]), s.sub(a[2], b[2])]
}

#[inline(always)]
pub(crate) fn negative<S: Simd>(s: S, a: &Vector8<S>) -> Vector8<S> {
    difference(s, &[s.splat(0.0); 3], a)
}

#[inline(always)]
pub(crate) fn dot<S: Simd>(s: S, a: &Vector8<S>, b: &Vector8<S>) -> S::F32x8 {
    s.mul_add(a[2], b[2], s.mul_add(a[1], b[1], s.mul(a[0], b[0])))
}

#[inline(always)]
pub(crate) fn cross<S: Simd>(s: S, a: &Vector8<S>, b: &Vector8<S>) -> Vector8<S> {
    [
        s.mul_sub(a[1], b[2], s.mul(a[2], b[1])),
        s.mul_sub(a[2], b[0], s.mul(a[0], b[2])),
        s.mul_sub(a[0], b[1], s.mul(a[1], b[0])),
    ]
}

#[inline(always)]
pub(crate) fn norm<S: Simd>(s: S, a: &Vector8<S>) -> S::F32x8 {
    s.sqrt(dot(s, a, a))
}

/// Directions, of less than unit length where a vector is next to none.
#[inline(always)]
pub(crate) fn normalized<S: Simd>(s: S, vectors: &Vector8<S>) -> Vector8<S> {
    let length = s.max(norm(s, vectors), s.splat(1e-10));
    [s.div(vectors[0], length), s.div(vectors[1], length), s.div(vectors[2], length)]
}

/// Four numbers in both halves: two corners are worked at a time, each with an idle lane.
#[inline(always)]
pub(crate) fn twice64<S: Simd>(s: S, [x, y, z, w]: [f64; 4]) -> S::F64x8 {
    s.load64(&[x, y, z, w, x, y, z, w])
}

/// Eight points or directions.
pub(crate) type Vector8x64<S> = [<S as Simd>::F64x8; 3];

#[inline(always)]
pub(crate) fn difference64<S: Simd>(s: S, a: &Vector8x64<S>, b: &Vector8x64<S>) -> Vector8x64<S> {
    [s.sub64(a[0], b[0]), s.sub64(a[1], b[1]), s.sub64(a[2], b[2])]
}

#[inline(always)]
pub(crate) fn dot64<S: Simd>(s: S, a: &Vector8x64<S>, b: &Vector8x64<S>) -> S::F64x8 {
    s.mul_add64(a[2], b[2], s.mul_add64(a[1], b[1], s.mul64(a[0], b[0])))
}

#[inline(always)]
pub(crate) fn cross64<S: Simd>(s: S, a: &Vector8x64<S>, b: &Vector8x64<S>) -> Vector8x64<S> {
    [
        s.mul_sub64(a[1], b[2], s.mul64(a[2], b[1])),
        s.mul_sub64(a[2], b[0], s.mul64(a[0], b[2])),
        s.mul_sub64(a[0], b[1], s.mul64(a[1], b[0])),
    ]
}
