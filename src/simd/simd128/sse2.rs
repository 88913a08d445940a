//! SSE2, which every x86-64 CPU has. It has no fused multiply-add, and lanes are selected by bit operations.

use std::arch::x86_64::*;

use super::Registers;
use crate::simd::operations::{RECIP_BELOW, instructions};

/// A token for SSE2, which every CPU of the architecture has.
#[derive(Clone, Copy)]
pub(in crate::simd) struct Sse2;

type F32x4 = __m128;
type F64x2 = __m128d;

impl Registers for Sse2 {
    type F32x4 = F32x4;
    type F64x2 = F64x2;
    type Mask = __m128;

    #[inline(always)]
    fn load(self, from: &[u32; 4]) -> F32x4 {
        // SAFETY: every x86-64 CPU has the instruction; the array has four elements; loads need no alignment.
        unsafe { _mm_loadu_ps(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn prefetch(self, line: *const u32) {
        // SAFETY: a prefetch is a hint: no address makes it fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
    }

    #[inline(always)]
    fn to_array(self, a: F32x4) -> [f32; 4] {
        let mut array = [0.0; 4];
        // SAFETY: as in `load`; stores need no alignment either.
        unsafe { _mm_storeu_ps(array.as_mut_ptr(), a) };
        array
    }

    #[inline(always)]
    fn load64(self, from: &[f64; 2]) -> F64x2 {
        // SAFETY: as in `load`, of two elements.
        unsafe { _mm_loadu_pd(from.as_ptr()) }
    }

    #[inline(always)]
    fn to_array64(self, a: F64x2) -> [f64; 2] {
        let mut array = [0.0; 2];
        // SAFETY: as in `to_array`, of two elements.
        unsafe { _mm_storeu_pd(array.as_mut_ptr(), a) };
        array
    }

    instructions! {
        fn splat(x: f32) -> F32x4 = _mm_set1_ps(x);
        fn transposed(rows: [F32x4; 4]) -> [F32x4; 3] = {
            let [p, q, r, s] = rows;
            let (first, second) = (_mm_unpacklo_ps(p, q), _mm_unpacklo_ps(r, s));
            let third = _mm_movelh_ps(_mm_unpackhi_ps(p, q), _mm_unpackhi_ps(r, s));
            [_mm_movelh_ps(first, second), _mm_movehl_ps(second, first), third]
        };
        fn add(a: F32x4, b: F32x4) -> F32x4 = _mm_add_ps(a, b);
        fn sub(a: F32x4, b: F32x4) -> F32x4 = _mm_sub_ps(a, b);
        fn mul(a: F32x4, b: F32x4) -> F32x4 = _mm_mul_ps(a, b);
        fn mul_add(a: F32x4, b: F32x4, c: F32x4) -> F32x4 = _mm_add_ps(_mm_mul_ps(a, b), c);
        fn mul_sub(a: F32x4, b: F32x4, c: F32x4) -> F32x4 = _mm_sub_ps(_mm_mul_ps(a, b), c);
        fn abs(a: F32x4) -> F32x4 = _mm_andnot_ps(_mm_set1_ps(-0.0), a);
        fn max(a: F32x4, b: F32x4) -> F32x4 = _mm_max_ps(a, b);
        fn min(a: F32x4, b: F32x4) -> F32x4 = _mm_min_ps(a, b);
        fn div(a: F32x4, b: F32x4) -> F32x4 = _mm_div_ps(a, b);
        fn sqrt(a: F32x4) -> F32x4 = _mm_sqrt_ps(a);
        // The relative error of the estimate is at most 1.5 * 2^-12.
        fn recip_below(a: F32x4) -> F32x4 = _mm_mul_ps(_mm_rcp_ps(a), _mm_set1_ps(RECIP_BELOW));
        fn gt(a: F32x4, b: F32x4) -> __m128 = _mm_cmpgt_ps(a, b);
        fn or(a: __m128, b: __m128) -> __m128 = _mm_or_ps(a, b);
        fn select(mask: __m128, a: F32x4, b: F32x4) -> F32x4 = _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
        fn keep(mask: __m128, a: F32x4) -> F32x4 = _mm_and_ps(mask, a);
        fn bits(mask: __m128) -> u8 = _mm_movemask_ps(mask) as u8;
        fn mask(bits: u8) -> __m128 = {
            let lanes = _mm_setr_epi32(1, 2, 4, 8);
            _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(i32::from(bits)), lanes), lanes))
        };
        fn sign_bits(a: F32x4) -> u8 = _mm_movemask_ps(a) as u8;

        fn splat64(x: f64) -> F64x2 = _mm_set1_pd(x);
        fn widen(a: F32x4) -> [F64x2; 2] = [_mm_cvtps_pd(a), _mm_cvtps_pd(_mm_movehl_ps(a, a))];
        fn narrow(low: F64x2, high: F64x2) -> F32x4 = _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
        fn add64(a: F64x2, b: F64x2) -> F64x2 = _mm_add_pd(a, b);
        fn sub64(a: F64x2, b: F64x2) -> F64x2 = _mm_sub_pd(a, b);
        fn mul64(a: F64x2, b: F64x2) -> F64x2 = _mm_mul_pd(a, b);
        fn mul_add64(a: F64x2, b: F64x2, c: F64x2) -> F64x2 = _mm_add_pd(_mm_mul_pd(a, b), c);
        fn mul_sub64(a: F64x2, b: F64x2, c: F64x2) -> F64x2 = _mm_sub_pd(_mm_mul_pd(a, b), c);
        fn div64(a: F64x2, b: F64x2) -> F64x2 = _mm_div_pd(a, b);
        fn sqrt64(a: F64x2) -> F64x2 = _mm_sqrt_pd(a);
        fn abs64(a: F64x2) -> F64x2 = _mm_andnot_pd(_mm_set1_pd(-0.0), a);
        fn max64(a: F64x2, b: F64x2) -> F64x2 = _mm_max_pd(a, b);
        fn min64(a: F64x2, b: F64x2) -> F64x2 = _mm_min_pd(a, b);
        fn spread64(a: F64x2) -> [F64x2; 2] = [_mm_unpacklo_pd(a, a), _mm_unpackhi_pd(a, a)];
        fn where_gt64(a: F64x2, b: F64x2, one: F64x2, other: F64x2) -> F64x2 = {
            let mask = _mm_cmpgt_pd(a, b);
            _mm_or_pd(_mm_and_pd(mask, one), _mm_andnot_pd(mask, other))
        };
        fn gt64(a: F64x2, b: F64x2) -> u8 = _mm_movemask_pd(_mm_cmpgt_pd(a, b)) as u8;
    }
}
