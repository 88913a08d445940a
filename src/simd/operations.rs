//! What a level of instructions can do.

/// Operations on eight lanes, of f32 for volumes and of f64 for triangles. `max` and `min` give the second operand
/// where either is NaN; comparisons are false for NaN.
pub(crate) trait Simd: Copy {
    type F32x8: Copy;
    type F64x8: Copy;
    /// A truth value for each lane.
    type Mask: Copy;

    fn splat(self, x: f32) -> Self::F32x8;
    /// The first `lanes` (8 at most) of eight f32, given by their bits, from each of `N` places `stride` apart; zeros
    /// in the other lanes. Panics if the last row's eight are not all there.
    ///
    /// What lies past a row's lanes is often no number but an index, whose bits are those of a denormal f32: Intel's
    /// CPUs take some 150 cycles for every instruction that meets one.
    fn load_rows<const N: usize>(self, from: &[u32], stride: usize, lanes: usize) -> [Self::F32x8; N];
    /// Stores the first `lanes` (8 at most) lanes of each row, one row right after the other. Panics if they don't fit
    /// in.
    fn store_rows<const N: usize>(self, rows: &[Self::F32x8; N], to: &mut [u32], lanes: usize);
    /// Four lanes and four more.
    fn load_halves(self, low: &[f32; 4], high: &[f32; 4]) -> Self::F32x8;
    /// Of the lower and of the upper four lanes by themselves: lane `i` of the result's row `k` is lane `k` of row `i`.
    fn transposed(self, rows: &[Self::F32x8; 4]) -> [Self::F32x8; 3];
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
pub(super) const RECIP_BELOW: f32 = 1.0 - 0.0004;

/// Work written once for every level; `run` must be `#[inline(always)]`.
pub(crate) trait Task {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Methods of a token that are an expression of intrinsics each.
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

/// Methods that do what the token within does, in each of some registers.
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
