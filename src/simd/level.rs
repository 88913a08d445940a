//! The levels of instructions, and the run-time choice among them.

use super::operations::Task;
use super::portable::Portable;
use super::simd128;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
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
