//! AVX2: eight f32 in a register, eight f64 in two.

use std::arch::x86_64::*;
use std::sync::LazyLock;

use super::operations::{RECIP_BELOW, Simd, Task, instructions};

/// Proof that the CPU has AVX2, FMA and the bit instructions that came with them; only [`Avx2::detect`] creates it.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        if cfg!(bvtree_max_simd = "simd128") {
            return None;
        }
        // Builds query this for every few triangles, so it is one flag instead of ten.
        static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
        });
        IS_THERE.then_some(Self(()))
    }

    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn entry<T: Task>(simd: Avx2, task: T) -> T::Output {
            task.run(simd)
        }
        // SAFETY: the token proves every listed feature.
        unsafe { entry(self, task) }
    }
}

type F32x8 = __m256;
type F64x8 = [__m256d; 2];

/// A table of masks: of the eight words from `8 - n` on, the first `n` have all bits set and the others none.
static FIRST: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

impl Simd for Avx2 {
    type F32x8 = F32x8;
    type F64x8 = F64x8;
    type Mask = __m256;

    #[inline(always)]
    fn load_rows<const N: usize>(self, from: &[u32], stride: usize, lanes: usize) -> [F32x8; N] {
        assert!(from.len() >= (N - 1) * stride + 8);
        // SAFETY: the token proves the instructions; from each of the first nine words on there are eight.
        let lanes = unsafe { _mm256_loadu_si256(FIRST.as_ptr().add(8 - lanes.min(8)).cast()) };
        let mut rows = [self.splat(0.0); N];
        for (i, row) in rows.iter_mut().enumerate() {
            // SAFETY: as above; the slice holds the last row's eight words, hence every row's; loads need no alignment.
            *row = unsafe { _mm256_maskload_ps(from.as_ptr().add(i * stride).cast(), lanes) };
        }
        rows
    }

    #[inline(always)]
    fn store_rows<const N: usize>(self, rows: &[F32x8; N], to: &mut [u32], lanes: usize) {
        assert!(lanes <= 8 && to.len() >= N * lanes);
        // SAFETY: the token proves the instructions; from each of the first nine words on there are eight.
        let mask = unsafe { _mm256_loadu_si256(FIRST.as_ptr().add(8 - lanes).cast()) };
        for (i, row) in rows.iter().enumerate() {
            // SAFETY: as above; the slice has room for that many lanes of each row; stores need no alignment.
            unsafe { _mm256_maskstore_ps(to.as_mut_ptr().add(i * lanes).cast(), mask, *row) };
        }
    }

    #[inline(always)]
    fn load_halves(self, low: &[f32; 4], high: &[f32; 4]) -> F32x8 {
        // SAFETY: the token proves the instructions; both arrays have four elements; loads need no alignment.
        unsafe { _mm256_set_m128(_mm_loadu_ps(high.as_ptr()), _mm_loadu_ps(low.as_ptr())) }
    }

    #[inline(always)]
    fn transposed(self, [p, q, r, s]: &[F32x8; 4]) -> [F32x8; 3] {
        // SAFETY: the token proves the instructions, and they touch no memory.
        unsafe {
            let (first, second) = (_mm256_unpacklo_ps(*p, *q), _mm256_unpacklo_ps(*r, *s));
            let (third, fourth) = (_mm256_unpackhi_ps(*p, *q), _mm256_unpackhi_ps(*r, *s));
            let rows = [_mm256_shuffle_ps::<0x44>(first, second), _mm256_shuffle_ps::<0xee>(first, second)];
            [rows[0], rows[1], _mm256_shuffle_ps::<0x44>(third, fourth)]
        }
    }

    #[inline(always)]
    fn prefetch<const N: usize>(self, words: &[u32]) {
        for line in 0..N {
            // SAFETY: a prefetch is a hint: no address makes it fault.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(words.as_ptr().wrapping_add(16 * line).cast()) };
        }
    }

    #[inline(always)]
    fn to_array(self, a: F32x8) -> [f32; 8] {
        let mut array = [0.0; 8];
        // SAFETY: the token proves the instruction; the array has room for eight; stores need no alignment.
        unsafe { _mm256_storeu_ps(array.as_mut_ptr(), a) };
        array
    }

    instructions! {
        fn splat(x: f32) -> F32x8 = _mm256_set1_ps(x);
        fn add(a: F32x8, b: F32x8) -> F32x8 = _mm256_add_ps(a, b);
        fn sub(a: F32x8, b: F32x8) -> F32x8 = _mm256_sub_ps(a, b);
        fn mul(a: F32x8, b: F32x8) -> F32x8 = _mm256_mul_ps(a, b);
        fn mul_add(a: F32x8, b: F32x8, c: F32x8) -> F32x8 = _mm256_fmadd_ps(a, b, c);
        fn mul_sub(a: F32x8, b: F32x8, c: F32x8) -> F32x8 = _mm256_fmsub_ps(a, b, c);
        fn abs(a: F32x8) -> F32x8 = _mm256_andnot_ps(_mm256_set1_ps(-0.0), a);
        fn max(a: F32x8, b: F32x8) -> F32x8 = _mm256_max_ps(a, b);
        fn min(a: F32x8, b: F32x8) -> F32x8 = _mm256_min_ps(a, b);
        fn div(a: F32x8, b: F32x8) -> F32x8 = _mm256_div_ps(a, b);
        fn sqrt(a: F32x8) -> F32x8 = _mm256_sqrt_ps(a);
        // The relative error of the estimate is at most 1.5 * 2^-12.
        fn recip_below(a: F32x8) -> F32x8 = _mm256_mul_ps(_mm256_rcp_ps(a), _mm256_set1_ps(RECIP_BELOW));
        fn gt(a: F32x8, b: F32x8) -> __m256 = _mm256_cmp_ps::<_CMP_GT_OQ>(a, b);
        fn or(a: __m256, b: __m256) -> __m256 = _mm256_or_ps(a, b);
        fn select(mask: __m256, a: F32x8, b: F32x8) -> F32x8 = _mm256_blendv_ps(b, a, mask);
        fn bits(mask: __m256) -> u8 = _mm256_movemask_ps(mask) as u8;
        fn mask(bits: u8) -> __m256 = {
            let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let bits = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits)), lanes);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(bits, lanes))
        };
        fn sign_bits(a: F32x8) -> u8 = _mm256_movemask_ps(a) as u8;

        fn splat64(x: f64) -> F64x8 = [_mm256_set1_pd(x); 2];
        fn narrow(a: F64x8) -> F32x8 = _mm256_set_m128(_mm256_cvtpd_ps(a[1]), _mm256_cvtpd_ps(a[0]));
        fn add64(a: F64x8, b: F64x8) -> F64x8 = [_mm256_add_pd(a[0], b[0]), _mm256_add_pd(a[1], b[1])];
        fn sub64(a: F64x8, b: F64x8) -> F64x8 = [_mm256_sub_pd(a[0], b[0]), _mm256_sub_pd(a[1], b[1])];
        fn mul64(a: F64x8, b: F64x8) -> F64x8 = [_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1])];
        fn mul_add64(a: F64x8, b: F64x8, c: F64x8) -> F64x8 =
            [_mm256_fmadd_pd(a[0], b[0], c[0]), _mm256_fmadd_pd(a[1], b[1], c[1])];
        fn mul_sub64(a: F64x8, b: F64x8, c: F64x8) -> F64x8 =
            [_mm256_fmsub_pd(a[0], b[0], c[0]), _mm256_fmsub_pd(a[1], b[1], c[1])];
        fn div64(a: F64x8, b: F64x8) -> F64x8 = [_mm256_div_pd(a[0], b[0]), _mm256_div_pd(a[1], b[1])];
        fn sqrt64(a: F64x8) -> F64x8 = [_mm256_sqrt_pd(a[0]), _mm256_sqrt_pd(a[1])];
        fn abs64(a: F64x8) -> F64x8 =
            [_mm256_andnot_pd(_mm256_set1_pd(-0.0), a[0]), _mm256_andnot_pd(_mm256_set1_pd(-0.0), a[1])];
        fn max64(a: F64x8, b: F64x8) -> F64x8 = [_mm256_max_pd(a[0], b[0]), _mm256_max_pd(a[1], b[1])];
        fn min64(a: F64x8, b: F64x8) -> F64x8 = [_mm256_min_pd(a[0], b[0]), _mm256_min_pd(a[1], b[1])];
        fn spread64(a: F64x8, k: usize) -> F64x8 = match k & 3 {
            0 => [_mm256_permute4x64_pd::<0x00>(a[0]), _mm256_permute4x64_pd::<0x00>(a[1])],
            1 => [_mm256_permute4x64_pd::<0x55>(a[0]), _mm256_permute4x64_pd::<0x55>(a[1])],
            2 => [_mm256_permute4x64_pd::<0xaa>(a[0]), _mm256_permute4x64_pd::<0xaa>(a[1])],
            _ => [_mm256_permute4x64_pd::<0xff>(a[0]), _mm256_permute4x64_pd::<0xff>(a[1])],
        };
        fn where_gt64(a: F64x8, b: F64x8, one: F64x8, other: F64x8) -> F64x8 = [
            _mm256_blendv_pd(other[0], one[0], _mm256_cmp_pd::<_CMP_GT_OQ>(a[0], b[0])),
            _mm256_blendv_pd(other[1], one[1], _mm256_cmp_pd::<_CMP_GT_OQ>(a[1], b[1])),
        ];
        fn gt64(a: F64x8, b: F64x8) -> u8 = {
            let low = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(a[0], b[0]));
            let high = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(a[1], b[1]));
            (low | (high << 4)) as u8
        };
    }

    #[inline(always)]
    fn widen(self, from: &[f32; 8]) -> F64x8 {
        // SAFETY: the token proves the instructions; the array has eight elements; loads need no alignment.
        unsafe { [_mm256_cvtps_pd(_mm_loadu_ps(from.as_ptr())), _mm256_cvtps_pd(_mm_loadu_ps(from.as_ptr().add(4)))] }
    }

    #[inline(always)]
    fn load64(self, from: &[f64; 8]) -> F64x8 {
        // SAFETY: as in `widen`.
        unsafe { [_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from.as_ptr().add(4))] }
    }

    #[inline(always)]
    fn to_array64(self, a: F64x8) -> [f64; 8] {
        let mut to = [0.0; 8];
        // SAFETY: the token proves the instruction; the array has eight elements; stores need no alignment.
        unsafe {
            _mm256_storeu_pd(to.as_mut_ptr(), a[0]);
            _mm256_storeu_pd(to.as_mut_ptr().add(4), a[1]);
        }
        to
    }
}
