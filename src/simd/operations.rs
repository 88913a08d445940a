//! The operations of a SIMD level, and the macros that implement them line by line.

/// Operations on eight lanes, of f32 for volumes and of f64 for triangles. `max` and `min` return the second operand if
/// either is NaN; comparisons are false for NaN.
pub(crate) trait Simd: Copy {
    type F32x8: Copy;
    type F64x8: Copy;
    /// A truth value for each lane.
    type Mask: Copy;

    fn splat(self, x: f32) -> Self::F32x8;
    /// Loads `N` rows of eight f32, given by their bits, whose starts are `stride` words apart. Lanes from `lanes` on
    /// are zero. Panics if the last row is incomplete.
    ///
    /// The words past a row's lanes are often indices, whose bits are those of denormal f32: Intel's CPUs take about
    /// 150 cycles for every instruction that meets one.
    fn load_rows<const N: usize>(self, from: &[u32], stride: usize, lanes: usize) -> [Self::F32x8; N];
    /// Stores the first `lanes` lanes of each row consecutively. Panics if they do not fit.
    fn store_rows<const N: usize>(self, rows: &[Self::F32x8; N], to: &mut [u32], lanes: usize);
    /// Combines the lower and the upper four lanes.
    fn load_halves(self, low: &[f32; 4], high: &[f32; 4]) -> Self::F32x8;
    /// Transposes lower and upper four lanes separately: lane `i` of the result's row `k` is lane `k` of row `i`.
    fn transposed(self, rows: &[Self::F32x8; 4]) -> [Self::F32x8; 3];
    /// Prefetches `N` cache lines from the first word of the slice on; they may reach past its end.
    fn prefetch<const N: usize>(self, words: &[u32]);
    fn to_array(self, a: Self::F32x8) -> [f32; 8];
    fn add(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn sub(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn mul(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    /// `a * b + c`, fused if the level has such an instruction.
    fn mul_add(self, a: Self::F32x8, b: Self::F32x8, c: Self::F32x8) -> Self::F32x8;
    /// `a * b - c`, fused if the level has such an instruction.
    fn mul_sub(self, a: Self::F32x8, b: Self::F32x8, c: Self::F32x8) -> Self::F32x8;
    fn abs(self, a: Self::F32x8) -> Self::F32x8;
    fn max(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn min(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn div(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    fn sqrt(self, a: Self::F32x8) -> Self::F32x8;
    /// A lower bound on `1 / a`, smaller by a thousandth at most, for `a` in `1e-30 ..= 1e30`.
    fn recip_below(self, a: Self::F32x8) -> Self::F32x8;
    /// Whether `a > b`, by lane.
    fn gt(self, a: Self::F32x8, b: Self::F32x8) -> Self::Mask;
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// `a` in lanes where the mask is true, `b` in the others.
    fn select(self, mask: Self::Mask, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    /// The mask as bits: bit `i` is lane `i`.
    fn bits(self, mask: Self::Mask) -> u8;
    /// A mask of bits: lane `i` is bit `i`.
    fn mask(self, bits: u8) -> Self::Mask;
    /// The sign bits of the lanes: bit `i` is lane `i`.
    fn sign_bits(self, a: Self::F32x8) -> u8;

    fn splat64(self, x: f64) -> Self::F64x8;
    /// Widens without loss.
    fn widen(self, from: &[f32; 8]) -> Self::F64x8;
    /// Rounds to nearest.
    fn narrow(self, a: Self::F64x8) -> Self::F32x8;
    fn add64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    fn sub64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    fn mul64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    /// `a * b + c`, fused if the level has such an instruction.
    fn mul_add64(self, a: Self::F64x8, b: Self::F64x8, c: Self::F64x8) -> Self::F64x8;
    /// `a * b - c`, fused if the level has such an instruction.
    fn mul_sub64(self, a: Self::F64x8, b: Self::F64x8, c: Self::F64x8) -> Self::F64x8;
    fn div64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    fn sqrt64(self, a: Self::F64x8) -> Self::F64x8;
    fn abs64(self, a: Self::F64x8) -> Self::F64x8;
    fn max64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    fn min64(self, a: Self::F64x8, b: Self::F64x8) -> Self::F64x8;
    fn load64(self, from: &[f64; 8]) -> Self::F64x8;
    fn to_array64(self, a: Self::F64x8) -> [f64; 8];
    /// Copies lane `k` (0 to 3) to the lower four lanes, and lane `4 + k` to the upper four.
    fn spread64(self, a: Self::F64x8, k: usize) -> Self::F64x8;
    /// `one` in lanes where `a > b`, `other` in the others.
    fn where_gt64(self, a: Self::F64x8, b: Self::F64x8, one: Self::F64x8, other: Self::F64x8) -> Self::F64x8;
    /// Whether `a > b` as bits: bit `i` is lane `i`.
    fn gt64(self, a: Self::F64x8, b: Self::F64x8) -> u8;
}

/// Factor that makes a reciprocal with a relative error of 0.00037 a lower bound.
pub(super) const RECIP_BELOW: f32 = 1.0 - 0.0004;

/// Work that is compiled for every level; `run` must be `#[inline(always)]`.
pub(crate) trait Task {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Defines functions that take a SIMD level and arguments, and evaluate an expression that is compiled for every level.
/// Functions called in it must be `#[inline(always)]`. Generic parameters are in brackets.
macro_rules! dispatched {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident$([$($generic:tt)*])?($($argument:ident: $type:ty),* $(,)?) -> $output:ty =
            |$simd:ident| $expression:expr;
    )*) => {$(
        $(#[$attribute])*
        $visibility fn $name$(<$($generic)*>)?(level: $crate::simd::SimdLevel, $($argument: $type),*) -> $output {
            struct Arguments<T>(T);
            impl$(<$($generic)*>)? $crate::simd::Task for Arguments<($($type,)*)> {
                type Output = $output;

                #[inline(always)]
                fn run<S: $crate::simd::Simd>(self, $simd: S) -> $output {
                    let ($($argument,)*) = self.0;
                    $expression
                }
            }
            $crate::simd::dispatch(level, Arguments(($($argument,)*)))
        }
    )*};
}
pub(crate) use dispatched;

/// Implements each of a token's methods by an expression of intrinsics.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")), allow(unused_macros))]
macro_rules! instructions {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty = $expression:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($argument: $type),*) -> $result {
            // SAFETY: the token proves that the CPU has these instructions, and they touch no memory.
            #[allow(unused_unsafe, reason = "WebAssembly's are safe")]
            unsafe { $expression }
        }
    )*};
}

/// Implements methods by those of the inner token, applied to each of several registers.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")), allow(unused_macros))]
macro_rules! in_each {
    ($registers:tt: $(fn $name:ident$arguments:tt -> $result:ty;)*) => {$(
        $crate::simd::operations::in_each!(@method $registers $name $arguments $result);
    )*};
    (@method [$($i:literal)*] $name:ident ($($argument:ident: $type:ty),*) $result:ty) => {
        $crate::simd::operations::in_each!(@body [$($i)*] $name [$($argument: $type),*] [$($argument)*] $result);
    };
    (@body [$($i:literal)*] $name:ident [$($parameter:tt)*] $arguments:tt $result:ty) => {
        #[inline(always)]
        fn $name(self, $($parameter)*) -> $result {
            [$($crate::simd::operations::in_each!(@register self $name $i $arguments)),*]
        }
    };
    (@register $self:ident $name:ident $i:literal [$($argument:ident)*]) => {
        $self.0.$name($($argument[$i]),*)
    };
}

#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    allow(unused_imports)
)]
pub(super) use {in_each, instructions};
