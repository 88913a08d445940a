//! NEON, which every AArch64 CPU has.

use std::arch::aarch64::*;

use super::Registers;
use crate::simd::operations::{RECIP_BELOW, instructions};

/// A token for NEON, which every CPU of the architecture has.
#[derive(Clone, Copy)]
pub(in crate::simd) struct Neon;

type F32x4 = float32x4_t;
type F64x2 = float64x2_t;

/// The bit of each lane in a mask of four bits.
const LANES: [u32; 4] = [1, 2, 4, 8];

impl Registers for Neon {
    type F32x4 = F32x4;
    type F64x2 = F64x2;
    type Mask = uint32x4_t;

    #[inline(always)]
    fn load(self, from: &[u32; 4]) -> F32x4 {
        // SAFETY: every AArch64 CPU has the instruction; the array has four elements.
        unsafe { vreinterpretq_f32_u32(vld1q_u32(from.as_ptr())) }
    }

    #[inline(always)]
    fn to_array(self, a: F32x4) -> [f32; 4] {
        let mut array = [0.0; 4];
        // SAFETY: as in `load`.
        unsafe { vst1q_f32(array.as_mut_ptr(), a) };
        array
    }

    #[inline(always)]
    fn load64(self, from: &[f64; 2]) -> F64x2 {
        // SAFETY: as in `load`, of two elements.
        unsafe { vld1q_f64(from.as_ptr()) }
    }

    #[inline(always)]
    fn to_array64(self, a: F64x2) -> [f64; 2] {
        let mut array = [0.0; 2];
        // SAFETY: as in `load`, of two elements.
        unsafe { vst1q_f64(array.as_mut_ptr(), a) };
        array
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> uint32x4_t {
        // SAFETY: as in `load`.
        unsafe { vtstq_u32(vdupq_n_u32(u32::from(bits)), vld1q_u32(LANES.as_ptr())) }
    }

    #[inline(always)]
    fn bits(self, mask: uint32x4_t) -> u8 {
        // SAFETY: as in `load`.
        unsafe { vaddvq_u32(vandq_u32(mask, vld1q_u32(LANES.as_ptr()))) as u8 }
    }

    #[inline(always)]
    fn sign_bits(self, a: F32x4) -> u8 {
        // SAFETY: every AArch64 CPU has the instruction.
        self.bits(unsafe { vcltzq_s32(vreinterpretq_s32_f32(a)) })
    }

    instructions! {
        fn splat(x: f32) -> F32x4 = vdupq_n_f32(x);
        fn transposed(rows: [F32x4; 4]) -> [F32x4; 3] = {
            let [p, q, r, s] = rows;
            let (first, second) = (vzip1q_f32(p, q), vzip1q_f32(r, s));
            let (third, fourth) = (vzip2q_f32(p, q), vzip2q_f32(r, s));
            let low = vcombine_f32(vget_low_f32(first), vget_low_f32(second));
            let high = vcombine_f32(vget_high_f32(first), vget_high_f32(second));
            [low, high, vcombine_f32(vget_low_f32(third), vget_low_f32(fourth))]
        };
        fn add(a: F32x4, b: F32x4) -> F32x4 = vaddq_f32(a, b);
        fn sub(a: F32x4, b: F32x4) -> F32x4 = vsubq_f32(a, b);
        fn mul(a: F32x4, b: F32x4) -> F32x4 = vmulq_f32(a, b);
        fn mul_add(a: F32x4, b: F32x4, c: F32x4) -> F32x4 = vfmaq_f32(c, a, b);
        fn mul_sub(a: F32x4, b: F32x4, c: F32x4) -> F32x4 = vfmaq_f32(vnegq_f32(c), a, b);
        fn abs(a: F32x4) -> F32x4 = vabsq_f32(a);
        // NEON's own maximum of a number and NaN is NaN.
        fn max(a: F32x4, b: F32x4) -> F32x4 = vbslq_f32(vcgtq_f32(a, b), a, b);
        fn min(a: F32x4, b: F32x4) -> F32x4 = vbslq_f32(vcltq_f32(a, b), a, b);
        fn div(a: F32x4, b: F32x4) -> F32x4 = vdivq_f32(a, b);
        fn sqrt(a: F32x4) -> F32x4 = vsqrtq_f32(a);
        // NEON's own estimate has only 8 bits.
        fn recip_below(a: F32x4) -> F32x4 = vdivq_f32(vdupq_n_f32(RECIP_BELOW), a);
        fn gt(a: F32x4, b: F32x4) -> uint32x4_t = vcgtq_f32(a, b);
        fn or(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vorrq_u32(a, b);
        fn select(mask: uint32x4_t, a: F32x4, b: F32x4) -> F32x4 = vbslq_f32(mask, a, b);
        fn keep(mask: uint32x4_t, a: F32x4) -> F32x4 =
            vreinterpretq_f32_u32(vandq_u32(mask, vreinterpretq_u32_f32(a)));

        fn splat64(x: f64) -> F64x2 = vdupq_n_f64(x);
        fn widen(a: F32x4) -> [F64x2; 2] = [vcvt_f64_f32(vget_low_f32(a)), vcvt_high_f64_f32(a)];
        fn narrow(low: F64x2, high: F64x2) -> F32x4 = vcvt_high_f32_f64(vcvt_f32_f64(low), high);
        fn add64(a: F64x2, b: F64x2) -> F64x2 = vaddq_f64(a, b);
        fn sub64(a: F64x2, b: F64x2) -> F64x2 = vsubq_f64(a, b);
        fn mul64(a: F64x2, b: F64x2) -> F64x2 = vmulq_f64(a, b);
        fn mul_add64(a: F64x2, b: F64x2, c: F64x2) -> F64x2 = vfmaq_f64(c, a, b);
        fn mul_sub64(a: F64x2, b: F64x2, c: F64x2) -> F64x2 = vfmaq_f64(vnegq_f64(c), a, b);
        fn div64(a: F64x2, b: F64x2) -> F64x2 = vdivq_f64(a, b);
        fn sqrt64(a: F64x2) -> F64x2 = vsqrtq_f64(a);
        fn abs64(a: F64x2) -> F64x2 = vabsq_f64(a);
        fn max64(a: F64x2, b: F64x2) -> F64x2 = vbslq_f64(vcgtq_f64(a, b), a, b);
        fn min64(a: F64x2, b: F64x2) -> F64x2 = vbslq_f64(vcltq_f64(a, b), a, b);
        fn spread64(a: F64x2) -> [F64x2; 2] = [vdupq_laneq_f64::<0>(a), vdupq_laneq_f64::<1>(a)];
        fn where_gt64(a: F64x2, b: F64x2, one: F64x2, other: F64x2) -> F64x2 = vbslq_f64(vcgtq_f64(a, b), one, other);
        fn gt64(a: F64x2, b: F64x2) -> u8 = {
            let mask = vcgtq_f64(a, b);
            ((vgetq_lane_u64::<0>(mask) & 1) | (vgetq_lane_u64::<1>(mask) & 2)) as u8
        };
    }
}
