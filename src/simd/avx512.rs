//! AVX-512: f32 stays in registers of 256 bits and gains more registers, mask registers and three-operand logic; eight
//! f64 fill a register.

use std::arch::x86_64::*;
use std::sync::LazyLock;

use super::avx2::Avx2;
use super::operations::{Simd, Task, instructions};

/// Proof that the CPU has AVX-512 F, VL, DQ and BW, and AVX2 and FMA; only [`Avx512::detect`] creates it.
#[derive(Clone, Copy)]
pub(super) struct Avx512(Avx2);

impl Avx512 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        if cfg!(any(bvtree_max_simd = "simd128", bvtree_max_simd = "avx2")) {
            return None;
        }
        static TOKEN: LazyLock<Option<Avx512>> = LazyLock::new(|| {
            let is_there = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw");
            Avx2::detect().filter(|_| is_there).map(Avx512)
        });
        *TOKEN
    }

    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq,avx512bw")]
        fn entry<T: Task>(simd: Avx512, task: T) -> T::Output {
            task.run(simd)
        }
        // SAFETY: the token proves every listed feature.
        unsafe { entry(self, task) }
    }
}

type F32x8 = __m256;
type F64x8 = __m512d;

/// Implements methods by those of the inner token.
macro_rules! as_within {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[inline(always)]
        fn $name(self, $($argument: $type),*) -> $result {
            self.0.$name($($argument),*)
        }
    )*};
}

impl Simd for Avx512 {
    type F32x8 = F32x8;
    type F64x8 = F64x8;
    type Mask = __mmask8;

    #[inline(always)]
    fn load_rows<const N: usize>(self, from: &[u32], stride: usize, lanes: usize) -> [F32x8; N] {
        assert!(from.len() >= (N - 1) * stride + 8);
        let lanes = (0xff_u32 >> (8 - lanes.min(8))) as __mmask8;
        let mut rows = [self.splat(0.0); N];
        for (i, row) in rows.iter_mut().enumerate() {
            // SAFETY: the token proves the instruction; the slice holds the last row's eight words, hence every row's;
            // loads need no alignment.
            *row = unsafe { _mm256_maskz_loadu_ps(lanes, from.as_ptr().add(i * stride).cast()) };
        }
        rows
    }

    #[inline(always)]
    fn store_rows<const N: usize>(self, rows: &[F32x8; N], to: &mut [u32], lanes: usize) {
        assert!(lanes <= 8 && to.len() >= N * lanes);
        let mask = (0xff_u32 >> (8 - lanes)) as __mmask8;
        for (i, row) in rows.iter().enumerate() {
            // SAFETY: the token proves the instruction; the slice has room for every row; stores need no alignment.
            unsafe { _mm256_mask_storeu_ps(to.as_mut_ptr().add(i * lanes).cast(), mask, *row) };
        }
    }

    #[inline(always)]
    fn prefetch<const N: usize>(self, words: &[u32]) {
        self.0.prefetch::<N>(words);
    }

    as_within! {
        fn splat(x: f32) -> F32x8;
        fn load_halves(low: &[f32; 4], high: &[f32; 4]) -> F32x8;
        fn transposed(rows: &[F32x8; 4]) -> [F32x8; 3];
        fn to_array(a: F32x8) -> [f32; 8];
        fn add(a: F32x8, b: F32x8) -> F32x8;
        fn sub(a: F32x8, b: F32x8) -> F32x8;
        fn mul(a: F32x8, b: F32x8) -> F32x8;
        fn mul_add(a: F32x8, b: F32x8, c: F32x8) -> F32x8;
        fn mul_sub(a: F32x8, b: F32x8, c: F32x8) -> F32x8;
        fn abs(a: F32x8) -> F32x8;
        fn max(a: F32x8, b: F32x8) -> F32x8;
        fn min(a: F32x8, b: F32x8) -> F32x8;
        fn div(a: F32x8, b: F32x8) -> F32x8;
        fn sqrt(a: F32x8) -> F32x8;
        fn recip_below(a: F32x8) -> F32x8;
    }

    instructions! {
        fn gt(a: F32x8, b: F32x8) -> __mmask8 = _mm256_cmp_ps_mask::<_CMP_GT_OQ>(a, b);
        fn or(a: __mmask8, b: __mmask8) -> __mmask8 = _kor_mask8(a, b);
        fn select(mask: __mmask8, a: F32x8, b: F32x8) -> F32x8 = _mm256_mask_blend_ps(mask, b, a);
        fn bits(mask: __mmask8) -> u8 = mask;
        fn mask(bits: u8) -> __mmask8 = bits;
        fn sign_bits(a: F32x8) -> u8 = _mm256_movepi32_mask(_mm256_castps_si256(a));

        fn splat64(x: f64) -> F64x8 = _mm512_set1_pd(x);
        fn narrow(a: F64x8) -> F32x8 = _mm512_cvtpd_ps(a);
        fn add64(a: F64x8, b: F64x8) -> F64x8 = _mm512_add_pd(a, b);
        fn sub64(a: F64x8, b: F64x8) -> F64x8 = _mm512_sub_pd(a, b);
        fn mul64(a: F64x8, b: F64x8) -> F64x8 = _mm512_mul_pd(a, b);
        fn mul_add64(a: F64x8, b: F64x8, c: F64x8) -> F64x8 = _mm512_fmadd_pd(a, b, c);
        fn mul_sub64(a: F64x8, b: F64x8, c: F64x8) -> F64x8 = _mm512_fmsub_pd(a, b, c);
        fn div64(a: F64x8, b: F64x8) -> F64x8 = _mm512_div_pd(a, b);
        fn sqrt64(a: F64x8) -> F64x8 = _mm512_sqrt_pd(a);
        fn abs64(a: F64x8) -> F64x8 = _mm512_abs_pd(a);
        fn max64(a: F64x8, b: F64x8) -> F64x8 = _mm512_max_pd(a, b);
        fn min64(a: F64x8, b: F64x8) -> F64x8 = _mm512_min_pd(a, b);
        fn spread64(a: F64x8, k: usize) -> F64x8 = match k & 3 {
            0 => _mm512_permutex_pd::<0x00>(a),
            1 => _mm512_permutex_pd::<0x55>(a),
            2 => _mm512_permutex_pd::<0xaa>(a),
            _ => _mm512_permutex_pd::<0xff>(a),
        };
        fn where_gt64(a: F64x8, b: F64x8, one: F64x8, other: F64x8) -> F64x8 =
            _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b), other, one);
        fn gt64(a: F64x8, b: F64x8) -> u8 = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b);
    }

    #[inline(always)]
    fn widen(self, from: &[f32; 8]) -> F64x8 {
        // SAFETY: the token proves the instructions; the array has eight elements; loads need no alignment.
        unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(from.as_ptr())) }
    }

    #[inline(always)]
    fn load64(self, from: &[f64; 8]) -> F64x8 {
        // SAFETY: as in `widen`.
        unsafe { _mm512_loadu_pd(from.as_ptr()) }
    }

    #[inline(always)]
    fn to_array64(self, a: F64x8) -> [f64; 8] {
        let mut to = [0.0; 8];
        // SAFETY: the token proves the instruction; the array has eight elements; stores need no alignment.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), a) };
        to
    }
}
