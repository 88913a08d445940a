//! WebAssembly's simd128, for programs compiled for it: an engine without simd128 does not start such a module.

use std::arch::wasm32::*;

use super::Registers;
use crate::simd::operations::{RECIP_BELOW, instructions};

/// A token for simd128: a running module proves that the engine has it.
#[derive(Clone, Copy)]
pub(in crate::simd) struct Wasm;

impl Registers for Wasm {
    type F32x4 = v128;
    type F64x2 = v128;
    type Mask = v128;

    instructions! {
        fn load(from: &[u32; 4]) -> v128 = u32x4(from[0], from[1], from[2], from[3]);
        fn to_array(a: v128) -> [f32; 4] = {
            let low = [f32x4_extract_lane::<0>(a), f32x4_extract_lane::<1>(a)];
            [low[0], low[1], f32x4_extract_lane::<2>(a), f32x4_extract_lane::<3>(a)]
        };
        fn load64(from: &[f64; 2]) -> v128 = f64x2(from[0], from[1]);
        fn to_array64(a: v128) -> [f64; 2] = [f64x2_extract_lane::<0>(a), f64x2_extract_lane::<1>(a)];
        fn splat(x: f32) -> v128 = f32x4_splat(x);
        fn transposed(rows: [v128; 4]) -> [v128; 3] = {
            let [p, q, r, s] = rows;
            let (first, second) = (u32x4_shuffle::<0, 4, 1, 5>(p, q), u32x4_shuffle::<0, 4, 1, 5>(r, s));
            let (third, fourth) = (u32x4_shuffle::<2, 6, 3, 7>(p, q), u32x4_shuffle::<2, 6, 3, 7>(r, s));
            let low = u32x4_shuffle::<0, 1, 4, 5>(first, second);
            [low, u32x4_shuffle::<2, 3, 6, 7>(first, second), u32x4_shuffle::<0, 1, 4, 5>(third, fourth)]
        };
        fn add(a: v128, b: v128) -> v128 = f32x4_add(a, b);
        fn sub(a: v128, b: v128) -> v128 = f32x4_sub(a, b);
        fn mul(a: v128, b: v128) -> v128 = f32x4_mul(a, b);
        fn mul_add(a: v128, b: v128, c: v128) -> v128 = f32x4_add(f32x4_mul(a, b), c);
        fn mul_sub(a: v128, b: v128, c: v128) -> v128 = f32x4_sub(f32x4_mul(a, b), c);
        fn abs(a: v128) -> v128 = f32x4_abs(a);
        // `f32x4_pmax` returns its first operand unless the second is greater; with exchanged operands, it returns the
        // second operand of `max` if either is NaN.
        fn max(a: v128, b: v128) -> v128 = f32x4_pmax(b, a);
        fn min(a: v128, b: v128) -> v128 = f32x4_pmin(b, a);
        fn div(a: v128, b: v128) -> v128 = f32x4_div(a, b);
        fn sqrt(a: v128) -> v128 = f32x4_sqrt(a);
        fn recip_below(a: v128) -> v128 = f32x4_div(f32x4_splat(RECIP_BELOW), a);
        fn gt(a: v128, b: v128) -> v128 = f32x4_gt(a, b);
        fn or(a: v128, b: v128) -> v128 = v128_or(a, b);
        fn select(mask: v128, a: v128, b: v128) -> v128 = v128_bitselect(a, b, mask);
        fn keep(mask: v128, a: v128) -> v128 = v128_and(mask, a);
        fn bits(mask: v128) -> u8 = i32x4_bitmask(mask);
        fn mask(bits: u8) -> v128 = {
            let lanes = u32x4(1, 2, 4, 8);
            u32x4_eq(v128_and(u32x4_splat(u32::from(bits)), lanes), lanes)
        };
        fn sign_bits(a: v128) -> u8 = i32x4_bitmask(a);

        fn splat64(x: f64) -> v128 = f64x2_splat(x);
        fn widen(a: v128) -> [v128; 2] =
            [f64x2_promote_low_f32x4(a), f64x2_promote_low_f32x4(u32x4_shuffle::<2, 3, 2, 3>(a, a))];
        fn narrow(low: v128, high: v128) -> v128 =
            u32x4_shuffle::<0, 1, 4, 5>(f32x4_demote_f64x2_zero(low), f32x4_demote_f64x2_zero(high));
        fn add64(a: v128, b: v128) -> v128 = f64x2_add(a, b);
        fn sub64(a: v128, b: v128) -> v128 = f64x2_sub(a, b);
        fn mul64(a: v128, b: v128) -> v128 = f64x2_mul(a, b);
        fn mul_add64(a: v128, b: v128, c: v128) -> v128 = f64x2_add(f64x2_mul(a, b), c);
        fn mul_sub64(a: v128, b: v128, c: v128) -> v128 = f64x2_sub(f64x2_mul(a, b), c);
        fn div64(a: v128, b: v128) -> v128 = f64x2_div(a, b);
        fn sqrt64(a: v128) -> v128 = f64x2_sqrt(a);
        fn abs64(a: v128) -> v128 = f64x2_abs(a);
        fn max64(a: v128, b: v128) -> v128 = f64x2_pmax(b, a);
        fn min64(a: v128, b: v128) -> v128 = f64x2_pmin(b, a);
        fn spread64(a: v128) -> [v128; 2] = [u64x2_shuffle::<0, 0>(a, a), u64x2_shuffle::<1, 1>(a, a)];
        fn where_gt64(a: v128, b: v128, one: v128, other: v128) -> v128 = v128_bitselect(one, other, f64x2_gt(a, b));
        fn gt64(a: v128, b: v128) -> u8 = u64x2_bitmask(f64x2_gt(a, b));
    }
}
