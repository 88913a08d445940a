//! Eight lanes behind one seam: a trait, a file for each level that implements it, and the run-time choice.
//!
//! | Level | Registers | Where |
//! |---|---|---|
//! | `avx512` | of 256 bits for f32 and 512 for f64, masks in their own | x86-64, if the CPU has it |
//! | `avx2` | of 256 bits | x86-64, if the CPU has it |
//! | `simd128` | of 128 bits: `sse2`, `neon`, `wasm` | every x86-64 and AArch64; WebAssembly compiled for it |
//! | `portable` | plain Rust | where there is none of these, and in debug builds |
//!
//! `--cfg bvtree_max_simd="avx2"` or `"simd128"` leaves the wider levels out of the program, for those who count bytes.
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
mod level;
mod operations;
#[cfg(any(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    debug_assertions,
    bvtree_portable
))]
mod portable;
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    allow(dead_code, unused_imports, unused_macros)
)]
mod simd128;
#[cfg(test)]
mod tests;
pub(crate) mod vectors;

pub use level::SimdLevel;
pub(crate) use level::dispatch;
pub(crate) use operations::{Simd, Task};
