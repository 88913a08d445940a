//! Arithmetic on eight 3D vectors in parallel, with a row of lanes for each coordinate: in f32, and in f64 if the name
//! ends in 64.
//!
//! Products exist in two forms. *Fused* ones round once where the CPU has fused multiply-add, so their last bits differ
//! between SIMD levels: only tests with an error bound may use them. *Unfused* ones round after every operation and are
//! equal on every machine: everything that is stored in a cooked file or a refitted tree uses them.

use nalgebra::Vector3;

use super::operations::Simd;

/// Eight points or directions in f32.
pub(crate) type Vector8<S> = [<S as Simd>::F32x8; 3];

/// Eight points or directions in f64.
pub(crate) type Vector8x64<S> = [<S as Simd>::F64x8; 3];

/// The coordinates of a vector in f32.
#[inline(always)]
pub(crate) fn narrowed(vector: &Vector3<f64>) -> [f32; 3] {
    [vector.x as f32, vector.y as f32, vector.z as f32]
}

/// Transposes up to eight tuples of vectors into lanes: the bit patterns of the scaled coordinates, rounded to f32.
#[inline(always)]
pub(crate) fn in_lanes<const N: usize>(
    eight: impl Iterator<Item = [Vector3<f64>; N]>,
    scale: f64,
) -> [[[u32; 8]; 3]; N] {
    let mut words = [[[0; 8]; 3]; N];
    for (lane, vectors) in eight.take(8).enumerate() {
        for (rows, vector) in words.iter_mut().zip(&vectors) {
            for (row, x) in rows.iter_mut().zip(narrowed(&(vector * scale))) {
                row[lane] = x.to_bits();
            }
        }
    }
    words
}

/// The indices of the lanes whose bits are set in a row of eight lanes, which begins at index `8 * row`.
#[inline(always)]
pub(crate) fn lanes_in(row: usize, mut bits: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(row * 8 + lane)
    })
}

/// One vector in all lanes.
#[inline(always)]
pub(crate) fn splatted<S: Simd>(s: S, [x, y, z]: [f32; 3]) -> Vector8<S> {
    [s.splat(x), s.splat(y), s.splat(z)]
}

/// The vector in a lane from 0 to 7.
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

/// Points on eight lines: `start` plus `times` times `along`.
#[inline(always)]
pub(crate) fn on_line<S: Simd>(s: S, start: &Vector8<S>, along: &Vector8<S>, times: S::F32x8) -> Vector8<S> {
    [s.mul_add(along[0], times, start[0]), s.mul_add(along[1], times, start[1]), s.mul_add(along[2], times, start[2])]
}

/// Eight vectors: `a` minus `times` times `along`.
#[inline(always)]
pub(crate) fn without<S: Simd>(s: S, a: &Vector8<S>, along: &Vector8<S>, times: S::F32x8) -> Vector8<S> {
    difference(s, a, &[s.mul(along[0], times), s.mul(along[1], times), s.mul(along[2], times)])
}

#[inline(always)]
pub(crate) fn dot_fused<S: Simd>(s: S, a: &Vector8<S>, b: &Vector8<S>) -> S::F32x8 {
    s.mul_add(a[2], b[2], s.mul_add(a[1], b[1], s.mul(a[0], b[0])))
}

#[inline(always)]
pub(crate) fn dot_unfused<S: Simd>(s: S, a: &Vector8<S>, b: &Vector8<S>) -> S::F32x8 {
    s.add(s.add(s.mul(a[0], b[0]), s.mul(a[1], b[1])), s.mul(a[2], b[2]))
}

#[inline(always)]
pub(crate) fn cross_fused<S: Simd>(s: S, a: &Vector8<S>, b: &Vector8<S>) -> Vector8<S> {
    [
        s.mul_sub(a[1], b[2], s.mul(a[2], b[1])),
        s.mul_sub(a[2], b[0], s.mul(a[0], b[2])),
        s.mul_sub(a[0], b[1], s.mul(a[1], b[0])),
    ]
}

/// The lengths of eight vectors, by [`dot_fused`].
#[inline(always)]
pub(crate) fn norm<S: Simd>(s: S, a: &Vector8<S>) -> S::F32x8 {
    s.sqrt(dot_fused(s, a, a))
}

/// The directions of eight vectors, as unit vectors; shorter than 1 for vectors shorter than 1e-10.
#[inline(always)]
pub(crate) fn normalized<S: Simd>(s: S, vectors: &Vector8<S>) -> Vector8<S> {
    let length = s.max(norm(s, vectors), s.splat(1e-10));
    [s.div(vectors[0], length), s.div(vectors[1], length), s.div(vectors[2], length)]
}

/// Four numbers in both halves of the eight lanes: kernels work on two corners at a time, each with an idle fourth
/// lane.
#[inline(always)]
pub(crate) fn twice64<S: Simd>(s: S, [x, y, z, w]: [f64; 4]) -> S::F64x8 {
    s.load64(&[x, y, z, w, x, y, z, w])
}

#[inline(always)]
pub(crate) fn difference64<S: Simd>(s: S, a: &Vector8x64<S>, b: &Vector8x64<S>) -> Vector8x64<S> {
    [s.sub64(a[0], b[0]), s.sub64(a[1], b[1]), s.sub64(a[2], b[2])]
}

#[inline(always)]
pub(crate) fn dot_fused64<S: Simd>(s: S, a: &Vector8x64<S>, b: &Vector8x64<S>) -> S::F64x8 {
    s.mul_add64(a[2], b[2], s.mul_add64(a[1], b[1], s.mul64(a[0], b[0])))
}

#[inline(always)]
pub(crate) fn dot_unfused64<S: Simd>(s: S, a: &Vector8x64<S>, b: &Vector8x64<S>) -> S::F64x8 {
    s.add64(s.add64(s.mul64(a[0], b[0]), s.mul64(a[1], b[1])), s.mul64(a[2], b[2]))
}

#[inline(always)]
pub(crate) fn cross_fused64<S: Simd>(s: S, a: &Vector8x64<S>, b: &Vector8x64<S>) -> Vector8x64<S> {
    [
        s.mul_sub64(a[1], b[2], s.mul64(a[2], b[1])),
        s.mul_sub64(a[2], b[0], s.mul64(a[0], b[2])),
        s.mul_sub64(a[0], b[1], s.mul64(a[1], b[0])),
    ]
}

#[inline(always)]
pub(crate) fn cross_unfused64<S: Simd>(s: S, a: &Vector8x64<S>, b: &Vector8x64<S>) -> Vector8x64<S> {
    [
        s.sub64(s.mul64(a[1], b[2]), s.mul64(a[2], b[1])),
        s.sub64(s.mul64(a[2], b[0]), s.mul64(a[0], b[2])),
        s.sub64(s.mul64(a[0], b[1]), s.mul64(a[1], b[0])),
    ]
}
