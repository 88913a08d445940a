//! The portable SIMD level: plain arrays, which the compiler vectorises as far as the target allows.

use std::array::from_fn;

use super::operations::{RECIP_BELOW, Simd};

type F32x8 = [f32; 8];
type F64x8 = [f64; 8];

/// Implements each method by an expression.
macro_rules! expressions {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty = $expression:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($argument: $type),*) -> $result {
            $expression
        }
    )*};
}

/// A token for plain Rust, which every CPU can run.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Simd for Portable {
    type F32x8 = F32x8;
    type F64x8 = F64x8;
    type Mask = u8;

    #[inline(always)]
    fn load_rows<const N: usize>(self, from: &[u32], stride: usize, lanes: usize) -> [F32x8; N] {
        from_fn(|row| {
            let from = &from[row * stride..row * stride + 8];
            from_fn(|i| f32::from_bits(if i < lanes { from[i] } else { 0 }))
        })
    }

    #[inline(always)]
    fn store_rows<const N: usize>(self, rows: &[F32x8; N], to: &mut [u32], lanes: usize) {
        for (i, row) in rows.iter().enumerate() {
            to[i * lanes..(i + 1) * lanes].copy_from_slice(&row.map(f32::to_bits)[..lanes]);
        }
    }

    #[inline(always)]
    fn prefetch<const N: usize>(self, _: &[u32]) {}

    expressions! {
        fn to_array(a: F32x8) -> [f32; 8] = a;
        fn splat(x: f32) -> F32x8 = [x; 8];
        fn load_halves(low: &[f32; 4], high: &[f32; 4]) -> F32x8 =
            from_fn(|i| if i < 4 { low[i] } else { high[i - 4] });
        fn transposed(rows: &[F32x8; 4]) -> [F32x8; 3] = from_fn(|k| from_fn(|i| rows[i & 3][(i & 4) + k]));
        fn add(a: F32x8, b: F32x8) -> F32x8 = from_fn(|i| a[i] + b[i]);
        fn sub(a: F32x8, b: F32x8) -> F32x8 = from_fn(|i| a[i] - b[i]);
        fn mul(a: F32x8, b: F32x8) -> F32x8 = from_fn(|i| a[i] * b[i]);
        fn mul_add(a: F32x8, b: F32x8, c: F32x8) -> F32x8 = from_fn(|i| a[i] * b[i] + c[i]);
        fn mul_sub(a: F32x8, b: F32x8, c: F32x8) -> F32x8 = from_fn(|i| a[i] * b[i] - c[i]);
        fn abs(a: F32x8) -> F32x8 = from_fn(|i| a[i].abs());
        fn max(a: F32x8, b: F32x8) -> F32x8 = from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] });
        fn min(a: F32x8, b: F32x8) -> F32x8 = from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] });
        fn div(a: F32x8, b: F32x8) -> F32x8 = from_fn(|i| a[i] / b[i]);
        fn sqrt(a: F32x8) -> F32x8 = from_fn(|i| a[i].sqrt());
        fn recip_below(a: F32x8) -> F32x8 = from_fn(|i| RECIP_BELOW / a[i]);
        fn gt(a: F32x8, b: F32x8) -> u8 = (0..8).fold(0, |mask, i| mask | (u8::from(a[i] > b[i]) << i));
        fn or(a: u8, b: u8) -> u8 = a | b;
        fn select(mask: u8, a: F32x8, b: F32x8) -> F32x8 = from_fn(|i| if mask >> i & 1 == 1 { a[i] } else { b[i] });
        fn bits(mask: u8) -> u8 = mask;
        fn mask(bits: u8) -> u8 = bits;
        fn sign_bits(a: F32x8) -> u8 = (0..8).fold(0, |mask, i| mask | (u8::from(a[i].is_sign_negative()) << i));

        fn splat64(x: f64) -> F64x8 = [x; 8];
        fn widen(from: &[f32; 8]) -> F64x8 = from_fn(|i| f64::from(from[i]));
        fn narrow(a: F64x8) -> F32x8 = from_fn(|i| a[i] as f32);
        fn add64(a: F64x8, b: F64x8) -> F64x8 = from_fn(|i| a[i] + b[i]);
        fn sub64(a: F64x8, b: F64x8) -> F64x8 = from_fn(|i| a[i] - b[i]);
        fn mul64(a: F64x8, b: F64x8) -> F64x8 = from_fn(|i| a[i] * b[i]);
        fn mul_add64(a: F64x8, b: F64x8, c: F64x8) -> F64x8 = from_fn(|i| a[i] * b[i] + c[i]);
        fn mul_sub64(a: F64x8, b: F64x8, c: F64x8) -> F64x8 = from_fn(|i| a[i] * b[i] - c[i]);
        fn div64(a: F64x8, b: F64x8) -> F64x8 = from_fn(|i| a[i] / b[i]);
        fn sqrt64(a: F64x8) -> F64x8 = from_fn(|i| a[i].sqrt());
        fn abs64(a: F64x8) -> F64x8 = from_fn(|i| a[i].abs());
        fn max64(a: F64x8, b: F64x8) -> F64x8 = from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] });
        fn min64(a: F64x8, b: F64x8) -> F64x8 = from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] });
        fn load64(from: &[f64; 8]) -> F64x8 = *from;
        fn to_array64(a: F64x8) -> [f64; 8] = a;
        fn spread64(a: F64x8, k: usize) -> F64x8 = from_fn(|i| a[(i & 4) + (k & 3)]);
        fn where_gt64(a: F64x8, b: F64x8, one: F64x8, other: F64x8) -> F64x8 =
            from_fn(|i| if a[i] > b[i] { one[i] } else { other[i] });
        fn gt64(a: F64x8, b: F64x8) -> u8 = (0..8).fold(0, |mask, i| mask | (u8::from(a[i] > b[i]) << i));
    }
}
