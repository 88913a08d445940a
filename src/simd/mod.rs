//! Eight lanes behind one seam: a trait, a file for each level that implements it, and the run-time choice.
//!
//! | Level | Registers | Where |
//! |---|---|---|
//! | `avx512` | of 256 bits for f32 and 512 for f64, masks in their own | x86-64, if the CPU has it |
//! | `avx2` | of 256 bits | x86-64, if the CPU has it |
//! | `simd128` | of 128 bits: `sse2`, `neon`, `wasm` | every x86-64 and AArch64; WebAssembly compiled for it |
//! | `portable` | plain Rust | everywhere |
//!
//! A value of a `Simd` type proves that the CPU supports it. Code is written once, generic over the trait and
//! inlined into `dispatch`'s entry point for the chosen level. Results may differ between levels in the last bit
//! (fused or separate multiply-add): only tests that tolerate rounding belong here.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
// Some architectures have no such registers.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    allow(unused_imports, unused_macros)
)]
mod instructions;
mod portable;
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    allow(dead_code, unused_imports, unused_macros)
)]
mod simd128;
#[cfg(test)]
mod tests;
pub(crate) mod vectors;

use portable::Portable;

use crate::menu::menu;

/// An instruction set that queries can run on. [`SimdLevel::ALL`] has the widest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SimdLevel {
    /// Plain Rust, on every CPU.
    Portable,
    /// Registers of 128 bits: SSE2 on every x86-64, NEON on every AArch64, simd128 where the program is WebAssembly compiled
    /// for it.
    Simd128,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 (F, VL, DQ, BW).
    Avx512,
}

impl SimdLevel {
    /// Whether this CPU can run it.
    pub fn is_available(self) -> bool {
        match self {
            SimdLevel::Portable => true,
            SimdLevel::Simd128 => simd128::HERE.is_some(),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => avx2::Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => avx512::Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            SimdLevel::Avx2 | SimdLevel::Avx512 => false,
        }
    }

    /// The best level of this CPU.
    pub fn detect() -> Self {
        Self::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or(SimdLevel::Portable)
    }
}

menu!(SimdLevel, "SIMD level", Portable = "portable" | "off", Simd128 = "simd128", Avx2 = "avx2", Avx512 = "avx512");

/// Operations on eight lanes, of f32 for volumes and of f64 for triangles. `max` and `min` give the second operand where
/// either is NaN; comparisons are false for NaN.
pub(crate) trait Simd: Copy {
    type F32x8: Copy;
    type F64x8: Copy;
    /// A truth value for each lane.
    type Mask: Copy;

    fn splat(self, x: f32) -> Self::F32x8;
    /// The first `lanes` (8 at most) of eight f32, given by their bits, from each of `N` places `stride` apart; zeros in the
    /// other lanes. Panics if the last row's eight are not all there.
    ///
    /// What lies past a row's lanes is often no number but an index, whose bits are those of a denormal f32: Intel's CPUs
    /// take some 150 cycles for every instruction that meets one.
    fn load_rows<const N: usize>(self, from: &[u32], stride: usize, lanes: usize) -> [Self::F32x8; N];
    /// Starts to bring `N` cache lines from the slice's first word on into the cache; they may reach past its end.
    fn prefetch<const N: usize>(self, words: &[u32]);
    fn to_array(self, a: Self::F32x8) -> [f32; 8];
    fn add(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn sub(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn mul(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    /// `a * b + c`, fused where the CPU does it.
    fn mul_add(self, a: Self::F32x8, b: Self::F32x8, c: Self::F32x8) -> Self::F32x8;
    /// `a * b - c`, fused where the CPU does it.
    fn mul_sub(self, a: Self::F32x8, b: Self::F32x8, c: Self::F32x8) -> Self::F32x8;
    fn abs(self, a: Self::F32x8) -> Self::F32x8;
    fn max(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn min(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn div(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn sqrt(self, a: Self::F32x8) -> Self::F32x8;
    /// Not above `1 / a`, and less by a thousandth of it at most; of `a` in 1e-30 ..= 1e30.
    fn recip_below(self, a: Self::F32x8) -> Self::F32x8;
    /// Where `a > b`.
    fn gt(self, a: Self::F32x8, b: Self::F32x8) -> Self::Mask;
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Where the mask is true `a`, elsewhere `b`, bit by bit.
    fn select(self, mask: Self::Mask, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    /// Bit `i` is set where lane `i` is true.
    fn bits(self, mask: Self::Mask) -> u8;
    /// True where the lane's bit is set.
    fn mask(self, bits: u8) -> Self::Mask;
    /// Bit `i` is the sign bit of lane `i`.
    fn sign_bits(self, a: Self::F32x8) -> u8;

    fn splat64(self, x: f64) -> Self::F64x8;
    /// Widens without loss.
    fn widen(self, from: &[f32; 8]) -> Self::F64x8;
    /// Rounds to nearest.
    fn narrow(self, a: Self::F64x8) -> Self::F32x8;
    fn add64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    fn sub64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    fn mul64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    /// `a * b + c`, fused where the CPU does it.
    fn mul_add64(self, a: Self::F64x8, b: Self::F64x8, c: Self::F64x8) -> Self::F64x8;
    /// `a * b - c`, fused where the CPU does it.
    fn mul_sub64(self, a: Self::F64x8, b: Self::F64x8, c: Self::F64x8) -> Self::F64x8;
    fn abs64(self, a: Self::F64x8) -> Self::F64x8;
    fn max64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    fn min64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    fn load64(self, from: &[f64; 8]) -> Self::F64x8;
    fn to_array64(self, a: Self::F64x8) -> [f64; 8];
    /// Lane `k`, of 0 to 3, in all of the lower four, and lane `4 + k` in all of the upper four.
    fn spread64(self, a: Self::F64x8, k: usize) -> Self::F64x8;
    /// Where `a > b` the one, elsewhere the other.
    fn where_gt64(self, a: Self::F64x8, b: Self::F64x8, one: Self::F64x8, other: Self::F64x8) -> Self::F64x8;
    /// Bit `i` is set where lane `i` has `a > b`.
    fn gt64(self, a: Self::F64x8, b: Self::F64x8) -> u8;
}

/// Takes a reciprocal that may be off by 0.00037 of itself below the true one.
const RECIP_BELOW: f32 = 1.0 - 0.0004;

/// Work written once for every level; `run` must be `#[inline(always)]`.
pub(crate) trait Task {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Runs the task with the given level's instructions, or portably where the CPU lacks them.
pub(crate) fn dispatch<T: Task>(level: SimdLevel, task: T) -> T::Output {
    match level {
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512 => {
            if let Some(simd) = avx512::Avx512::detect() {
                return simd.run(task);
            }
        }
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => {
            if let Some(simd) = avx2::Avx2::detect() {
                return simd.run(task);
            }
        }
        SimdLevel::Simd128 => {
            if let Some(simd) = simd128::HERE {
                return task.run(simd);
            }
        }
        _ => {}
    }
    task.run(Portable)
}
