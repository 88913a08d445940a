//! What an architecture does with one register of 128 bits.

/// Operations on a register of four f32 or two f64, each as [`Simd`](crate::simd::Simd)'s of the same name.
pub(in crate::simd) trait Registers: Copy {
    type F32x4: Copy;
    type F64x2: Copy;
    type Mask: Copy;

    fn splat(self, x: f32) -> Self::F32x4;
    /// Four f32, given by their bits.
    fn load(self, from: &[u32; 4]) -> Self::F32x4;
    /// Starts to bring a cache line into the cache, wherever it lies, where there is an instruction for that.
    #[inline(always)]
    fn prefetch(self, _line: *const u32) {}
    fn to_array(self, a: Self::F32x4) -> [f32; 4];
    fn transposed(self, rows: [Self::F32x4; 4]) -> [Self::F32x4; 3];
    fn add(self, a: Self::F32x4, b: Self::F32x4) -> Self::F32x4;
    fn sub(self, a: Self::F32x4, b: Self::F32x4) -> Self::F32x4;
    fn mul(self, a: Self::F32x4, b: Self::F32x4) -> Self::F32x4;
    fn mul_add(self, a: Self::F32x4, b: Self::F32x4, c: Self::F32x4) -> Self::F32x4;
    fn mul_sub(self, a: Self::F32x4, b: Self::F32x4, c: Self::F32x4) -> Self::F32x4;
    fn abs(self, a: Self::F32x4) -> Self::F32x4;
    fn max(self, a: Self::F32x4, b: Self::F32x4) -> Self::F32x4;
    fn min(self, a: Self::F32x4, b: Self::F32x4) -> Self::F32x4;
    fn div(self, a: Self::F32x4, b: Self::F32x4) -> Self::F32x4;
    fn sqrt(self, a: Self::F32x4) -> Self::F32x4;
    fn recip_below(self, a: Self::F32x4) -> Self::F32x4;
    fn gt(self, a: Self::F32x4, b: Self::F32x4) -> Self::Mask;
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn select(self, mask: Self::Mask, a: Self::F32x4, b: Self::F32x4) -> Self::F32x4;
    /// `a` where the mask is true, elsewhere zero.
    fn keep(self, mask: Self::Mask, a: Self::F32x4) -> Self::F32x4;
    /// In the lowest four.
    fn bits(self, mask: Self::Mask) -> u8;
    /// By the lowest four.
    fn mask(self, bits: u8) -> Self::Mask;
    fn sign_bits(self, a: Self::F32x4) -> u8;

    fn splat64(self, x: f64) -> Self::F64x2;
    fn load64(self, from: &[f64; 2]) -> Self::F64x2;
    fn to_array64(self, a: Self::F64x2) -> [f64; 2];
    fn widen(self, a: Self::F32x4) -> [Self::F64x2; 2];
    fn narrow(self, low: Self::F64x2, high: Self::F64x2) -> Self::F32x4;
    fn add64(self, a: Self::F64x2, b: Self::F64x2) -> Self::F64x2;
    fn sub64(self, a: Self::F64x2, b: Self::F64x2) -> Self::F64x2;
    fn mul64(self, a: Self::F64x2, b: Self::F64x2) -> Self::F64x2;
    fn mul_add64(self, a: Self::F64x2, b: Self::F64x2, c: Self::F64x2) -> Self::F64x2;
    fn mul_sub64(self, a: Self::F64x2, b: Self::F64x2, c: Self::F64x2) -> Self::F64x2;
    fn abs64(self, a: Self::F64x2) -> Self::F64x2;
    fn max64(self, a: Self::F64x2, b: Self::F64x2) -> Self::F64x2;
    fn min64(self, a: Self::F64x2, b: Self::F64x2) -> Self::F64x2;
    /// Lane 0 in both, and lane 1 in both.
    fn spread64(self, a: Self::F64x2) -> [Self::F64x2; 2];
    fn where_gt64(self, a: Self::F64x2, b: Self::F64x2, one: Self::F64x2, other: Self::F64x2) -> Self::F64x2;
    /// In the lowest two.
    fn gt64(self, a: Self::F64x2, b: Self::F64x2) -> u8;
}
