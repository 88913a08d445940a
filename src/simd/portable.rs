//! The portable twin: plain arrays, which the compiler vectorises as far as the target allows.

use std::array::from_fn;

use super::operations::{RECIP_BELOW, Simd};

/// Needs nothing of the CPU.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Simd for Portable {
    type F32x8 = [f32; 8];
    type F64x8 = [f64; 8];
    type Mask = u8;

    #[inline(always)]
    fn splat(self, x: f32) -> [f32; 8] {
        [x; 8]
    }

    #[inline(always)]
    fn load_rows<const N: usize>(self, from: &[u32], stride: usize, lanes: usize) -> [[f32; 8]; N] {
        from_fn(|row| {
            let from = &from[row * stride..row * stride + 8];
            from_fn(|i| f32::from_bits(if i < lanes { from[i] } else { 0 }))
        })
    }

    #[inline(always)]
    fn store_rows<const N: usize>(self, rows: &[[f32; 8]; N], to: &mut [u32], lanes: usize) {
        for (i, row) in rows.iter().enumerate() {
            to[i * lanes..(i + 1) * lanes].copy_from_slice(&row.map(f32::to_bits)[..lanes]);
        }
    }

    #[inline(always)]
    fn load_halves(self, low: &[f32; 4], high: &[f32; 4]) -> [f32; 8] {
        from_fn(|i| if i < 4 { low[i] } else { high[i - 4] })
    }

    #[inline(always)]
    fn transposed(self, rows: &[[f32; 8]; 4]) -> [[f32; 8]; 3] {
        from_fn(|k| from_fn(|i| rows[i & 3][(i & 4) + k]))
    }

    #[inline(always)]
    fn prefetch<const N: usize>(self, _: &[u32]) {}

    #[inline(always)]
    fn to_array(self, a: [f32; 8]) -> [f32; 8] {
        a
    }

    #[inline(always)]
    fn add(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn sub(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] - b[i])
    }

    #[inline(always)]
    fn mul(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] * b[i])
    }

    #[inline(always)]
    fn mul_add(self, a: [f32; 8], b: [f32; 8], c: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    fn mul_sub(self, a: [f32; 8], b: [f32; 8], c: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] * b[i] - c[i])
    }

    #[inline(always)]
    fn abs(self, a: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i].abs())
    }

    #[inline(always)]
    fn max(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn min(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn div(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] / b[i])
    }

    #[inline(always)]
    fn sqrt(self, a: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i].sqrt())
    }

    #[inline(always)]
    fn recip_below(self, a: [f32; 8]) -> [f32; 8] {
        from_fn(|i| RECIP_BELOW / a[i])
    }

    #[inline(always)]
    fn gt(self, a: [f32; 8], b: [f32; 8]) -> u8 {
        (0..8).fold(0, |mask, i| mask | (u8::from(a[i] > b[i]) << i))
    }

    #[inline(always)]
    fn or(self, a: u8, b: u8) -> u8 {
        a | b
    }

    #[inline(always)]
    fn select(self, mask: u8, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| if mask >> i & 1 == 1 { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn bits(self, mask: u8) -> u8 {
        mask
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> u8 {
        bits
    }

    #[inline(always)]
    fn sign_bits(self, a: [f32; 8]) -> u8 {
        (0..8).fold(0, |mask, i| mask | (u8::from(a[i].is_sign_negative()) << i))
    }

    #[inline(always)]
    fn splat64(self, x: f64) -> [f64; 8] {
        [x; 8]
    }

    #[inline(always)]
    fn widen(self, from: &[f32; 8]) -> [f64; 8] {
        from_fn(|i| f64::from(from[i]))
    }

    #[inline(always)]
    fn narrow(self, a: [f64; 8]) -> [f32; 8] {
        from_fn(|i| a[i] as f32)
    }

    #[inline(always)]
    fn add64(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn sub64(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        from_fn(|i| a[i] - b[i])
    }

    #[inline(always)]
    fn mul64(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        from_fn(|i| a[i] * b[i])
    }

    #[inline(always)]
    fn mul_add64(self, a: [f64; 8], b: [f64; 8], c: [f64; 8]) -> [f64; 8] {
        from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    fn mul_sub64(self, a: [f64; 8], b: [f64; 8], c: [f64; 8]) -> [f64; 8] {
        from_fn(|i| a[i] * b[i] - c[i])
    }

    #[inline(always)]
    fn abs64(self, a: [f64; 8]) -> [f64; 8] {
        from_fn(|i| a[i].abs())
    }

    #[inline(always)]
    fn max64(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn min64(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn load64(self, from: &[f64; 8]) -> [f64; 8] {
        *from
    }

    #[inline(always)]
    fn to_array64(self, a: [f64; 8]) -> [f64; 8] {
        a
    }

    #[inline(always)]
    fn spread64(self, a: [f64; 8], k: usize) -> [f64; 8] {
        from_fn(|i| a[(i & 4) + (k & 3)])
    }

    #[inline(always)]
    fn where_gt64(self, a: [f64; 8], b: [f64; 8], one: [f64; 8], other: [f64; 8]) -> [f64; 8] {
        from_fn(|i| if a[i] > b[i] { one[i] } else { other[i] })
    }

    #[inline(always)]
    fn gt64(self, a: [f64; 8], b: [f64; 8]) -> u8 {
        (0..8).fold(0, |mask, i| mask | (u8::from(a[i] > b[i]) << i))
    }
}
