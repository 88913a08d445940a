//! SIMD with eight lanes: a trait, a file for each level that implements it, and the dispatch at run time.
//!
//! | Level | Registers | Where |
//! |---|---|---|
//! | `avx512` | 256 bits for f32, 512 for f64, mask registers | x86-64, if the CPU supports it |
//! | `avx2` | 256 bits | x86-64, if the CPU supports it |
//! | `simd128` | 128 bits: `sse2`, `neon`, `wasm` | every x86-64 and AArch64; WebAssembly compiled for it |
//! | `portable` | plain Rust | other CPUs, debug builds, and `--cfg bvtree_portable` |
//!
//! `--cfg bvtree_max_simd="avx2"` or `"simd128"` leaves the wider levels out, for smaller programs.
//!
//! A value of a `Simd` type proves that the CPU supports the level. Code is written once, generic over the trait, and
//! inlined into `dispatch`'s entry point for each level. Fused products differ between levels in the last bit
//! (`vectors`).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
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
pub(crate) mod vectors;

use crate::enum_names::parsed_names;
pub(crate) use operations::{Simd, Task, dispatched};

/// An instruction set for queries. [`SimdLevel::ALL`] lists them from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SimdLevel {
    /// Plain Rust, for every CPU. In release builds for architectures with `Simd128` it is the same as `Simd128`,
    /// unless `--cfg bvtree_portable` is set.
    Portable,
    /// Registers of 128 bits: SSE2 on every x86-64, NEON on every AArch64, simd128 in WebAssembly compiled for it.
    Simd128,
    /// x86-64 with AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
    Avx2,
    /// x86-64 with AVX-512 (F, VL, DQ, BW) and all of [`SimdLevel::Avx2`].
    Avx512,
}

impl SimdLevel {
    /// Whether this CPU supports the level and this build includes it. An unavailable level is replaced by an available
    /// one.
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

    /// The widest available level.
    pub fn detect() -> Self {
        Self::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or(SimdLevel::Portable)
    }

    #[cfg(test)]
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_available())
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

/// Runs the task with the instructions of a level, or with the narrowest ones if the CPU lacks them.
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

/// Runs the task on a level that needs no detection.
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"),
    any(debug_assertions, bvtree_portable)
))]
fn run_undetected<T: Task>(level: SimdLevel, task: T) -> T::Output {
    match level {
        SimdLevel::Simd128 => task.run(simd128::HERE),
        _ => task.run(portable::Portable),
    }
}

/// Runs the task on the narrowest level; release builds omit portable code where SIMD is guaranteed.
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"),
    not(any(debug_assertions, bvtree_portable))
))]
fn run_undetected<T: Task>(_: SimdLevel, task: T) -> T::Output {
    task.run(simd128::HERE)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")))]
fn run_undetected<T: Task>(_: SimdLevel, task: T) -> T::Output {
    task.run(portable::Portable)
}

#[cfg(test)]
mod tests {
    use super::{Simd, SimdLevel, dispatched};

    /// Numbers of several classes; in turn, every pair of classes meets in some lane.
    const NUMBERS: [f32; 11] =
        [1.5, -2.25, 0.0, -0.0, 3.0e30, -1.0e-20, 7.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.1];

    /// Eight of the numbers: the first has the index `start`, each next one an index greater by `step`.
    fn eight(start: usize, step: usize) -> [f32; 8] {
        std::array::from_fn(|i| NUMBERS[(start + i * step) % NUMBERS.len()])
    }

    fn bits32(lanes: [f32; 8]) -> impl Iterator<Item = u64> {
        lanes.into_iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits().into() })
    }

    fn bits64(lanes: [f64; 8]) -> impl Iterator<Item = u64> {
        lanes.into_iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() })
    }

    dispatched! {
        fn results(a: [f32; 8], b: [f32; 8]) -> Vec<u64> = |s| results_by(s, a, b);
        fn rounded(a: [f32; 8]) -> [[f64; 8]; 5] = |s| rounded_by(s, a);
    }

    /// The bits of all results except fused ones; all NaNs have the same bits.
    #[inline(always)]
    fn results_by<S: Simd>(s: S, left: [f32; 8], right: [f32; 8]) -> Vec<u64> {
        let mut found = Vec::new();
        let words = [left.map(f32::to_bits), right.map(f32::to_bits)];
        let [a, b]: [S::F32x8; 2] = s.load_rows(words.as_flattened(), 8, 8);
        for result in
            [s.add(a, b), s.sub(a, b), s.mul(a, b), s.div(a, b), s.max(a, b), s.min(a, b), s.abs(a), s.sqrt(a)]
        {
            found.extend(bits32(s.to_array(result)));
        }
        let greater = s.gt(a, b);
        found.extend(bits32(s.to_array(s.select(greater, a, s.splat(5.0)))));
        let masks = [greater, s.or(greater, s.gt(b, a)), s.mask(0xa6)];
        found.extend(masks.map(|mask| u64::from(s.bits(mask))));
        found.push(s.sign_bits(a).into());
        for lanes in 1..=8 {
            let rows: [S::F32x8; 2] = s.load_rows(words.as_flattened(), 3, lanes);
            found.extend(rows.into_iter().flat_map(|row| bits32(s.to_array(row))));
            let mut stored = [7; 18];
            s.store_rows(&rows, &mut stored[1..], lanes);
            found.extend(stored.map(u64::from));
        }
        let halves = [left, right].map(|row| s.load_halves(row.first_chunk().unwrap(), row.last_chunk().unwrap()));
        found.extend(halves.into_iter().flat_map(|row| bits32(s.to_array(row))));
        found.extend(s.transposed(&[a, b, b, s.splat(9.0)]).into_iter().flat_map(|row| bits32(s.to_array(row))));

        let (a, b) = (s.widen(&left), s.load64(&right.map(|x| f64::from(x) / 3.0)));
        for result in [s.add64(a, b), s.sub64(a, b), s.mul64(a, b), s.div64(a, b), s.max64(a, b), s.min64(a, b)] {
            found.extend(bits64(s.to_array64(result)));
        }
        for result in [s.sqrt64(b), s.abs64(a)] {
            found.extend(bits64(s.to_array64(result)));
        }
        for k in 0..4 {
            found.extend(bits64(s.to_array64(s.spread64(b, k))));
        }
        found.extend(bits64(s.to_array64(s.where_gt64(a, b, s.splat64(1.0), s.splat64(2.0)))));
        found.extend(bits32(s.to_array(s.narrow(b))));
        found.push(s.gt64(a, b).into());
        found
    }

    #[test]
    fn levels_agree() {
        for level in SimdLevel::available() {
            for start in 0..NUMBERS.len() {
                for step in 1..NUMBERS.len() {
                    let found = |level| results(level, eight(0, 1), eight(start, step));
                    assert_eq!(found(level), found(SimdLevel::Portable), "{level}");
                }
            }
        }
    }

    /// The results of `a * b + c`, `a * b - c`, both in f64, and of reciprocals.
    #[inline(always)]
    fn rounded_by<S: Simd>(s: S, numbers: [f32; 8]) -> [[f64; 8]; 5] {
        let [a]: [S::F32x8; 1] = s.load_rows(&numbers.map(f32::to_bits), 8, 8);
        let (b, c) = (s.splat(3.3), s.splat(0.7));
        let (a64, b64, c64) = (s.widen(&numbers), s.splat64(3.3), s.splat64(0.7));
        [
            s.to_array(s.mul_add(a, b, c)).map(f64::from),
            s.to_array(s.mul_sub(a, b, c)).map(f64::from),
            s.to_array64(s.mul_add64(a64, b64, c64)),
            s.to_array64(s.mul_sub64(a64, b64, c64)),
            s.to_array(s.recip_below(a)).map(f64::from),
        ]
    }

    #[test]
    fn fused_or_not_results_are_near_and_reciprocals_below() {
        for level in SimdLevel::available() {
            for exponent in -29..=29 {
                let a: [f32; 8] = std::array::from_fn(|i| (1.0 + i as f32 * 0.13) * 10.0_f32.powi(exponent));
                let [add, sub, add64, sub64, below] = rounded(level, a);
                for (i, a) in a.map(f64::from).into_iter().enumerate() {
                    let near =
                        |found: f64, exact: f64, epsilon: f64| (found - exact).abs() <= 2.0 * epsilon * (3.3 * a + 0.7);
                    let (b, c) = (f64::from(3.3_f32), f64::from(0.7_f32));
                    let epsilon = f64::from(f32::EPSILON);
                    assert!(near(add[i], a * b + c, epsilon) && near(sub[i], a * b - c, epsilon), "{level}, {a}");
                    assert!(near(add64[i], a * 3.3 + 0.7, f64::EPSILON), "{level}, {a}");
                    assert!(near(sub64[i], a * 3.3 - 0.7, f64::EPSILON), "{level}, {a}");
                    assert!(below[i] <= 1.0 / a && below[i] >= 0.999 / a, "{level}, {a}");
                }
            }
        }
    }
}
