//! The levels of instructions, and the run-time choice among them.

use super::operations::Task;
#[cfg(any(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    debug_assertions,
    bvtree_portable
))]
use super::portable::Portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use super::simd128;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::enum_names::parsed_names;

/// A SIMD level: an instruction set that queries can run on. [`SimdLevel::ALL`] has the widest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SimdLevel {
    /// Plain Rust, for every CPU. Release builds go without where every CPU has the instructions of `Simd128`: there it
    /// is the same as that (`--cfg bvtree_portable` keeps it).
    Portable,
    /// Registers of 128 bits: SSE2 on every x86-64, NEON on every AArch64, simd128 where the program is WebAssembly
    /// compiled for it.
    Simd128,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 (F, VL, DQ, BW).
    Avx512,
}

impl SimdLevel {
    /// Whether this CPU can run it, and it was compiled. What is not available runs with other instructions.
    pub fn is_available(self) -> bool {
        match self {
            SimdLevel::Portable => cfg!(any(
                not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
                debug_assertions,
                bvtree_portable
            )),
            SimdLevel::Simd128 => {
                cfg!(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))
            }
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

parsed_names!(
    SimdLevel,
    "SIMD level",
    Portable = "portable" | "off",
    Simd128 = "simd128",
    Avx2 = "avx2",
    Avx512 = "avx512"
);

/// Runs the task with the given level's instructions, or with the least there are where the CPU lacks them.
pub(crate) fn dispatch<T: Task>(level: SimdLevel, task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    match level {
        SimdLevel::Avx512 => {
            if let Some(simd) = avx512::Avx512::detect() {
                return simd.run(task);
            }
        }
        SimdLevel::Avx2 => {
            if let Some(simd) = avx2::Avx2::detect() {
                return simd.run(task);
            }
        }
        _ => {}
    }
    run_undetected(level, task)
}

/// Runs the task without a look at the CPU.
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"),
    any(debug_assertions, bvtree_portable)
))]
fn run_undetected<T: Task>(level: SimdLevel, task: T) -> T::Output {
    match level {
        SimdLevel::Simd128 => task.run(simd128::HERE),
        _ => task.run(Portable),
    }
}

/// Portable code, which is longer and takes longer to compile, is for tests where every CPU has better.
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"),
    not(any(debug_assertions, bvtree_portable))
))]
fn run_undetected<T: Task>(_: SimdLevel, task: T) -> T::Output {
    task.run(simd128::HERE)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")))]
fn run_undetected<T: Task>(_: SimdLevel, task: T) -> T::Output {
    task.run(Portable)
}
