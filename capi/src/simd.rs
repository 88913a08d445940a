//! SIMD instruction sets.

use bvtree::SimdLevel;

use crate::status::Error;

/// Instruction set to use. Results are the same with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtSimd {
    /// The best instructions of this CPU.
    BVT_SIMD_DETECT = 0,
    /// Instructions that every CPU has.
    BVT_SIMD_PORTABLE = 1,
    /// Registers of 128 bits.
    BVT_SIMD_128 = 2,
    /// x86-64 with AVX2 and FMA.
    BVT_SIMD_AVX2 = 3,
    /// x86-64 with AVX-512.
    BVT_SIMD_AVX512 = 4,
}

/// Converts a number to a level; a level that the CPU lacks is replaced by one that it has.
pub(crate) fn level(simd: u32) -> Result<SimdLevel, Error> {
    match simd {
        0 => Ok(SimdLevel::detect()),
        1 => Ok(SimdLevel::Portable),
        2 => Ok(SimdLevel::Simd128),
        3 => Ok(SimdLevel::Avx2),
        4 => Ok(SimdLevel::Avx512),
        _ => Err(Error::argument(format_args!("{simd} is no BvtSimd"))),
    }
}

/// Returns the best instruction set of this CPU.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_simd_detect() -> BvtSimd {
    match SimdLevel::detect() {
        SimdLevel::Simd128 => BvtSimd::BVT_SIMD_128,
        SimdLevel::Avx2 => BvtSimd::BVT_SIMD_AVX2,
        SimdLevel::Avx512 => BvtSimd::BVT_SIMD_AVX512,
        _ => BvtSimd::BVT_SIMD_PORTABLE,
    }
}
