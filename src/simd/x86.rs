//! AVX2 and AVX-512 on x86-64. The AVX-512 level keeps f32 to 256-bit vectors: it gains the doubled register file, the
//! mask registers and the three-operand logic there, and whole registers of eight f64.
//!
//! Every intrinsic here is sound because the token types are made by `detect` alone.

use std::arch::x86_64::*;
use std::sync::LazyLock;

use super::{RECIP_BELOW, Simd, Task};

/// Proof of AVX2, FMA and the bit instructions of their time.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

/// Proof of AVX-512 F, VL, DQ and BW (and of AVX2 and FMA with it).
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        // Builds ask for every few triangles: one flag instead of ten.
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

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw")
                && Avx2::detect().is_some()
        });
        IS_THERE.then_some(Self(()))
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

/// The operations that both tokens share, and the masks, which differ.
macro_rules! simd_x86 {
    ($token:ty, $mask:ty, first $n:ident => $first:expr, load $p:ident, $l:ident => $load:expr, $wide:ty, $wide_module:ident, $a:ident > $b:ident => $gt:expr, $x:ident | $y:ident => $or:expr,
     $c:ident ? $d:ident : $e:ident => $select:expr, bits $m:ident => $bits:expr, mask $w:ident => $of_bits:expr,
     sign $s:ident => $sign:expr) => {
        impl Simd for $token {
            type F32x8 = __m256;
            type F64x8 = $wide;
            type Mask = $mask;

            #[inline(always)]
            fn splat(self, x: f32) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_set1_ps(x) }
            }

            #[inline(always)]
            fn load_rows<const N: usize>(self, from: &[u32], stride: usize, lanes: usize) -> [__m256; N] {
                assert!(from.len() >= (N - 1) * stride + 8);
                let mut rows = [self.splat(0.0); N];
                let $n = lanes.min(8);
                let $l = $first;
                for (i, row) in rows.iter_mut().enumerate() {
                    // SAFETY: the token proves the CPU feature; the slice holds the last row's eight elements, hence
                    // every row's, and loads need no alignment.
                    *row = unsafe {
                        let $p = from.as_ptr().add(i * stride);
                        $load
                    };
                }
                rows
            }

            #[inline(always)]
            fn prefetch<const N: usize>(self, words: &[u32]) {
                for line in 0..N {
                    // SAFETY: a prefetch is a hint: no address makes it fault.
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(words.as_ptr().wrapping_add(16 * line).cast()) };
                }
            }

            #[inline(always)]
            fn to_array(self, a: __m256) -> [f32; 8] {
                let mut array = [0.0; 8];
                // SAFETY: the token proves the CPU feature; the array has room for eight.
                unsafe { _mm256_storeu_ps(array.as_mut_ptr(), a) };
                array
            }

            #[inline(always)]
            fn add(self, a: __m256, b: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_add_ps(a, b) }
            }

            #[inline(always)]
            fn sub(self, a: __m256, b: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_sub_ps(a, b) }
            }

            #[inline(always)]
            fn mul(self, a: __m256, b: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_mul_ps(a, b) }
            }

            #[inline(always)]
            fn mul_add(self, a: __m256, b: __m256, c: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_fmadd_ps(a, b, c) }
            }

            #[inline(always)]
            fn mul_sub(self, a: __m256, b: __m256, c: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_fmsub_ps(a, b, c) }
            }

            #[inline(always)]
            fn abs(self, a: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), a) }
            }

            #[inline(always)]
            fn max(self, a: __m256, b: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_max_ps(a, b) }
            }

            #[inline(always)]
            fn min(self, a: __m256, b: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_min_ps(a, b) }
            }

            #[inline(always)]
            fn div(self, a: __m256, b: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_div_ps(a, b) }
            }

            #[inline(always)]
            fn sqrt(self, a: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_sqrt_ps(a) }
            }

            #[inline(always)]
            fn recip_below(self, a: __m256) -> __m256 {
                // Off by 1.5 * 2^-12 of it at most.
                // SAFETY: the token proves the CPU feature.
                unsafe { _mm256_mul_ps(_mm256_rcp_ps(a), _mm256_set1_ps(RECIP_BELOW)) }
            }

            #[inline(always)]
            fn gt(self, $a: __m256, $b: __m256) -> $mask {
                // SAFETY: the token proves the CPU feature.
                unsafe { $gt }
            }

            #[inline(always)]
            fn or(self, $x: $mask, $y: $mask) -> $mask {
                // SAFETY: the token proves the CPU feature.
                unsafe { $or }
            }

            #[inline(always)]
            fn select(self, $c: $mask, $d: __m256, $e: __m256) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { $select }
            }

            #[inline(always)]
            fn mask(self, $w: u8) -> $mask {
                $of_bits
            }

            #[inline(always)]
            fn bits(self, $m: $mask) -> u8 {
                $bits
            }

            #[inline(always)]
            fn sign_bits(self, $s: __m256) -> u8 {
                // SAFETY: the token proves the CPU feature.
                unsafe { $sign }
            }

            #[inline(always)]
            fn splat64(self, x: f64) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::splat(x) }
            }

            #[inline(always)]
            fn widen(self, from: &[f32; 8]) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::widen(from) }
            }

            #[inline(always)]
            fn narrow(self, a: $wide) -> __m256 {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::narrow(a) }
            }

            #[inline(always)]
            fn add64(self, a: $wide, b: $wide) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::add(a, b) }
            }

            #[inline(always)]
            fn sub64(self, a: $wide, b: $wide) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::sub(a, b) }
            }

            #[inline(always)]
            fn mul64(self, a: $wide, b: $wide) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::mul(a, b) }
            }

            #[inline(always)]
            fn mul_add64(self, a: $wide, b: $wide, c: $wide) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::mul_add(a, b, c) }
            }

            #[inline(always)]
            fn mul_sub64(self, a: $wide, b: $wide, c: $wide) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::mul_sub(a, b, c) }
            }

            #[inline(always)]
            fn abs64(self, a: $wide) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::abs(a) }
            }

            #[inline(always)]
            fn max64(self, a: $wide, b: $wide) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::max(a, b) }
            }

            #[inline(always)]
            fn min64(self, a: $wide, b: $wide) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::min(a, b) }
            }

            #[inline(always)]
            fn load64(self, from: &[f64; 8]) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::load(from) }
            }

            #[inline(always)]
            fn to_array64(self, a: $wide) -> [f64; 8] {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::to_array(a) }
            }

            #[inline(always)]
            fn spread64(self, a: $wide, k: usize) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::spread(a, k) }
            }

            #[inline(always)]
            fn where_gt64(self, a: $wide, b: $wide, one: $wide, other: $wide) -> $wide {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::where_gt(a, b, one, other) }
            }

            #[inline(always)]
            fn gt64(self, a: $wide, b: $wide) -> u8 {
                // SAFETY: the token proves the CPU feature.
                unsafe { $wide_module::gt(a, b) }
            }
        }
    };
}

/// Eight words of it, from `8 - n` on, have all bits of the first `n` set and none of the others.
static FIRST: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

simd_x86!(
    Avx2, __m256,
    // The last `n` of these and then what comes.
    // SAFETY: the token proves the CPU feature; there are eight words from each place up to the eighth.
    first n => unsafe { _mm256_loadu_si256(FIRST.as_ptr().add(8 - n).cast()) },
    load p, lanes => _mm256_maskload_ps(p.cast(), lanes),
    [__m256d; 2], two_halves,
    a > b => _mm256_cmp_ps::<_CMP_GT_OQ>(a, b),
    x | y => _mm256_or_ps(x, y),
    m ? a : b => _mm256_blendv_ps(b, a, m),
    // SAFETY: the token proves the CPU feature.
    bits m => unsafe { _mm256_movemask_ps(m) } as u8,
    // SAFETY: the token proves the CPU feature.
    mask w => unsafe {
        let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(i32::from(w)), lanes), lanes))
    },
    sign s => _mm256_movemask_ps(s) as u8
);
simd_x86!(
    Avx512, __mmask8,
    first n => (0xff_u32 >> (8 - n)) as __mmask8,
    load p, lanes => _mm256_maskz_loadu_ps(lanes, p.cast()),
    __m512d, whole,
    a > b => _mm256_cmp_ps_mask::<_CMP_GT_OQ>(a, b),
    x | y => _kor_mask8(x, y),
    m ? a : b => _mm256_mask_blend_ps(m, b, a),
    bits m => m,
    mask w => w,
    sign s => _mm256_movepi32_mask(_mm256_castps_si256(s))
);

/// Eight f64 as two AVX registers. Callers promise AVX2 and FMA.
mod two_halves {
    use std::arch::x86_64::*;

    type Wide = [__m256d; 2];

    #[inline(always)]
    pub(super) unsafe fn splat(x: f64) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe { [_mm256_set1_pd(x); 2] }
    }

    #[inline(always)]
    pub(super) unsafe fn widen(from: &[f32; 8]) -> Wide {
        // SAFETY: as promised by the caller; both halves of the array have four elements; loads need no alignment.
        unsafe { [_mm256_cvtps_pd(_mm_loadu_ps(from.as_ptr())), _mm256_cvtps_pd(_mm_loadu_ps(from.as_ptr().add(4)))] }
    }

    #[inline(always)]
    pub(super) unsafe fn narrow(a: Wide) -> __m256 {
        // SAFETY: as promised by the caller.
        unsafe { _mm256_set_m128(_mm256_cvtpd_ps(a[1]), _mm256_cvtpd_ps(a[0])) }
    }

    #[inline(always)]
    pub(super) unsafe fn add(a: Wide, b: Wide) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe { [_mm256_add_pd(a[0], b[0]), _mm256_add_pd(a[1], b[1])] }
    }

    #[inline(always)]
    pub(super) unsafe fn sub(a: Wide, b: Wide) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe { [_mm256_sub_pd(a[0], b[0]), _mm256_sub_pd(a[1], b[1])] }
    }

    #[inline(always)]
    pub(super) unsafe fn mul(a: Wide, b: Wide) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe { [_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1])] }
    }

    #[inline(always)]
    pub(super) unsafe fn mul_add(a: Wide, b: Wide, c: Wide) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe { [_mm256_fmadd_pd(a[0], b[0], c[0]), _mm256_fmadd_pd(a[1], b[1], c[1])] }
    }

    #[inline(always)]
    pub(super) unsafe fn mul_sub(a: Wide, b: Wide, c: Wide) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe { [_mm256_fmsub_pd(a[0], b[0], c[0]), _mm256_fmsub_pd(a[1], b[1], c[1])] }
    }

    #[inline(always)]
    pub(super) unsafe fn abs(a: Wide) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe { [_mm256_andnot_pd(_mm256_set1_pd(-0.0), a[0]), _mm256_andnot_pd(_mm256_set1_pd(-0.0), a[1])] }
    }

    #[inline(always)]
    pub(super) unsafe fn max(a: Wide, b: Wide) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe { [_mm256_max_pd(a[0], b[0]), _mm256_max_pd(a[1], b[1])] }
    }

    #[inline(always)]
    pub(super) unsafe fn min(a: Wide, b: Wide) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe { [_mm256_min_pd(a[0], b[0]), _mm256_min_pd(a[1], b[1])] }
    }

    #[inline(always)]
    pub(super) unsafe fn load(from: &[f64; 8]) -> Wide {
        // SAFETY: as promised by the caller; both halves of the array have four elements; loads need no alignment.
        unsafe { [_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from.as_ptr().add(4))] }
    }

    #[inline(always)]
    pub(super) unsafe fn to_array(a: Wide) -> [f64; 8] {
        let mut to = [0.0; 8];
        // SAFETY: as promised by the caller; both halves of the array have four elements; stores need no alignment.
        unsafe {
            _mm256_storeu_pd(to.as_mut_ptr(), a[0]);
            _mm256_storeu_pd(to.as_mut_ptr().add(4), a[1]);
        }
        to
    }

    #[inline(always)]
    pub(super) unsafe fn spread(a: Wide, k: usize) -> Wide {
        // SAFETY: as promised by the caller.
        unsafe {
            match k & 3 {
                0 => [_mm256_permute4x64_pd::<0x00>(a[0]), _mm256_permute4x64_pd::<0x00>(a[1])],
                1 => [_mm256_permute4x64_pd::<0x55>(a[0]), _mm256_permute4x64_pd::<0x55>(a[1])],
                2 => [_mm256_permute4x64_pd::<0xaa>(a[0]), _mm256_permute4x64_pd::<0xaa>(a[1])],
                _ => [_mm256_permute4x64_pd::<0xff>(a[0]), _mm256_permute4x64_pd::<0xff>(a[1])],
            }
        }
    }

    #[inline(always)]
    pub(super) unsafe fn where_gt(a: Wide, b: Wide, one: Wide, other: Wide) -> Wide {
        let mut lanes = other;
        for half in 0..2 {
            // SAFETY: as promised by the caller.
            lanes[half] =
                unsafe { _mm256_blendv_pd(other[half], one[half], _mm256_cmp_pd::<_CMP_GT_OQ>(a[half], b[half])) };
        }
        lanes
    }

    #[inline(always)]
    pub(super) unsafe fn gt(a: Wide, b: Wide) -> u8 {
        // SAFETY: as promised by the caller.
        unsafe {
            let low = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(a[0], b[0]));
            let high = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(a[1], b[1]));
            (low | (high << 4)) as u8
        }
    }
}

/// Eight f64 as one AVX-512 register. Callers promise AVX-512 F.
mod whole {
    use std::arch::x86_64::*;

    #[inline(always)]
    pub(super) unsafe fn splat(x: f64) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_set1_pd(x) }
    }

    #[inline(always)]
    pub(super) unsafe fn widen(from: &[f32; 8]) -> __m512d {
        // SAFETY: as promised by the caller; the array has eight elements; loads need no alignment.
        unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(from.as_ptr())) }
    }

    #[inline(always)]
    pub(super) unsafe fn narrow(a: __m512d) -> __m256 {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_cvtpd_ps(a) }
    }

    #[inline(always)]
    pub(super) unsafe fn add(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_add_pd(a, b) }
    }

    #[inline(always)]
    pub(super) unsafe fn sub(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_sub_pd(a, b) }
    }

    #[inline(always)]
    pub(super) unsafe fn mul(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_mul_pd(a, b) }
    }

    #[inline(always)]
    pub(super) unsafe fn mul_add(a: __m512d, b: __m512d, c: __m512d) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_fmadd_pd(a, b, c) }
    }

    #[inline(always)]
    pub(super) unsafe fn mul_sub(a: __m512d, b: __m512d, c: __m512d) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_fmsub_pd(a, b, c) }
    }

    #[inline(always)]
    pub(super) unsafe fn abs(a: __m512d) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_abs_pd(a) }
    }

    #[inline(always)]
    pub(super) unsafe fn max(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_max_pd(a, b) }
    }

    #[inline(always)]
    pub(super) unsafe fn min(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_min_pd(a, b) }
    }

    #[inline(always)]
    pub(super) unsafe fn load(from: &[f64; 8]) -> __m512d {
        // SAFETY: as promised by the caller; the array has eight elements; loads need no alignment.
        unsafe { _mm512_loadu_pd(from.as_ptr()) }
    }

    #[inline(always)]
    pub(super) unsafe fn to_array(a: __m512d) -> [f64; 8] {
        let mut to = [0.0; 8];
        // SAFETY: as promised by the caller; the array has eight elements; stores need no alignment.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), a) };
        to
    }

    #[inline(always)]
    pub(super) unsafe fn spread(a: __m512d, k: usize) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe {
            match k & 3 {
                0 => _mm512_permutex_pd::<0x00>(a),
                1 => _mm512_permutex_pd::<0x55>(a),
                2 => _mm512_permutex_pd::<0xaa>(a),
                _ => _mm512_permutex_pd::<0xff>(a),
            }
        }
    }

    #[inline(always)]
    pub(super) unsafe fn where_gt(a: __m512d, b: __m512d, one: __m512d, other: __m512d) -> __m512d {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b), other, one) }
    }

    #[inline(always)]
    pub(super) unsafe fn gt(a: __m512d, b: __m512d) -> u8 {
        // SAFETY: as promised by the caller.
        unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b) }
    }
}
