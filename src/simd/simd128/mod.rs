//! Registers of 128 bits: eight f32 in two of them and eight f64 in four, for all architectures that have such
//! registers.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

use super::operations::{Simd, in_each};

/// Operations on a register of four f32 or two f64, each like the one of [`Simd`](Simd) with the same name.
pub(super) trait Registers: Copy {
    type F32x4: Copy;
    type F64x2: Copy;
    type Mask: Copy;

    fn splat(self, x: f32) -> Self::F32x4;
    /// Four f32, given by their bits.
    fn load(self, from: &[u32; 4]) -> Self::F32x4;
    /// Prefetches the cache line at an address, valid or not, if there is an instruction for it.
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
    /// `a` in lanes where the mask is true, zero in the others.
    fn keep(self, mask: Self::Mask, a: Self::F32x4) -> Self::F32x4;
    /// The lanes of the mask as the lowest four bits.
    fn bits(self, mask: Self::Mask) -> u8;
    /// The mask with the lowest four bits as its lanes.
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
    fn div64(self, a: Self::F64x2, b: Self::F64x2) -> Self::F64x2;
    fn sqrt64(self, a: Self::F64x2) -> Self::F64x2;
    fn abs64(self, a: Self::F64x2) -> Self::F64x2;
    fn max64(self, a: Self::F64x2, b: Self::F64x2) -> Self::F64x2;
    fn min64(self, a: Self::F64x2, b: Self::F64x2) -> Self::F64x2;
    /// Two registers: lane 0 of `a` in both lanes, and lane 1 of `a` in both lanes.
    fn spread64(self, a: Self::F64x2) -> [Self::F64x2; 2];
    fn where_gt64(self, a: Self::F64x2, b: Self::F64x2, one: Self::F64x2, other: Self::F64x2) -> Self::F64x2;
    /// Whether `a > b` in each lane, as the lowest two bits.
    fn gt64(self, a: Self::F64x2, b: Self::F64x2) -> u8;
}

/// The token for the 128-bit registers of the target architecture.
#[cfg(target_arch = "x86_64")]
pub(super) const HERE: Simd128<sse2::Sse2> = Simd128(sse2::Sse2);
#[cfg(target_arch = "aarch64")]
pub(super) const HERE: Simd128<neon::Neon> = Simd128(neon::Neon);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) const HERE: Simd128<wasm::Wasm> = Simd128(wasm::Wasm);

/// Eight lanes in registers of 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Simd128<R>(R);

type F32x8<R> = [<R as Registers>::F32x4; 2];
type F64x8<R> = [<R as Registers>::F64x2; 4];
type Mask<R> = [<R as Registers>::Mask; 2];

/// The two halves, or the four quarters, of eight numbers.
macro_rules! parts {
    ($from:expr, $count:literal) => {
        // Eight is a multiple, so nothing is left over.
        $from.as_chunks::<{ 8 / $count }>().0
    };
}

impl<R: Registers> Simd for Simd128<R> {
    type F32x8 = F32x8<R>;
    type F64x8 = F64x8<R>;
    type Mask = Mask<R>;

    #[inline(always)]
    fn load_rows<const N: usize>(self, from: &[u32], stride: usize, lanes: usize) -> [F32x8<R>; N] {
        assert!(from.len() >= (N - 1) * stride + 8);
        let lanes = self.mask((0xff_u32 >> (8 - lanes.min(8))) as u8);
        let mut rows = [self.splat(0.0); N];
        for (i, row) in rows.iter_mut().enumerate() {
            // SAFETY: the slice holds the last row's eight words, hence every row's.
            let [low, high] = unsafe { &*from.as_ptr().add(i * stride).cast::<[[u32; 4]; 2]>() };
            *row = [self.0.keep(lanes[0], self.0.load(low)), self.0.keep(lanes[1], self.0.load(high))];
        }
        rows
    }

    #[inline(always)]
    fn store_rows<const N: usize>(self, rows: &[F32x8<R>; N], to: &mut [u32], lanes: usize) {
        assert!(lanes <= 8 && to.len() >= N * lanes);
        for (i, row) in rows.iter().enumerate() {
            let (row, to) = (self.to_array(*row), &mut to[i * lanes..(i + 1) * lanes]);
            for lane in 0..lanes {
                to[lane] = row[lane].to_bits();
            }
        }
    }

    #[inline(always)]
    fn load_halves(self, low: &[f32; 4], high: &[f32; 4]) -> F32x8<R> {
        [self.0.load(bytemuck::cast_ref(low)), self.0.load(bytemuck::cast_ref(high))]
    }

    #[inline(always)]
    fn transposed(self, [p, q, r, s]: &[F32x8<R>; 4]) -> [F32x8<R>; 3] {
        let low = self.0.transposed([p[0], q[0], r[0], s[0]]);
        let high = self.0.transposed([p[1], q[1], r[1], s[1]]);
        [[low[0], high[0]], [low[1], high[1]], [low[2], high[2]]]
    }

    #[inline(always)]
    fn prefetch<const N: usize>(self, words: &[u32]) {
        for line in 0..N {
            self.0.prefetch(words.as_ptr().wrapping_add(16 * line));
        }
    }

    #[inline(always)]
    fn to_array(self, a: F32x8<R>) -> [f32; 8] {
        let ([p, q, r, s], [t, u, v, w]) = (self.0.to_array(a[0]), self.0.to_array(a[1]));
        [p, q, r, s, t, u, v, w]
    }

    #[inline(always)]
    fn splat(self, x: f32) -> F32x8<R> {
        [self.0.splat(x); 2]
    }

    in_each! {
        [0 1]:
        fn add(a: F32x8<R>, b: F32x8<R>) -> F32x8<R>;
        fn sub(a: F32x8<R>, b: F32x8<R>) -> F32x8<R>;
        fn mul(a: F32x8<R>, b: F32x8<R>) -> F32x8<R>;
        fn mul_add(a: F32x8<R>, b: F32x8<R>, c: F32x8<R>) -> F32x8<R>;
        fn mul_sub(a: F32x8<R>, b: F32x8<R>, c: F32x8<R>) -> F32x8<R>;
        fn abs(a: F32x8<R>) -> F32x8<R>;
        fn max(a: F32x8<R>, b: F32x8<R>) -> F32x8<R>;
        fn min(a: F32x8<R>, b: F32x8<R>) -> F32x8<R>;
        fn div(a: F32x8<R>, b: F32x8<R>) -> F32x8<R>;
        fn sqrt(a: F32x8<R>) -> F32x8<R>;
        fn recip_below(a: F32x8<R>) -> F32x8<R>;
        fn gt(a: F32x8<R>, b: F32x8<R>) -> Mask<R>;
        fn or(a: Mask<R>, b: Mask<R>) -> Mask<R>;
        fn select(mask: Mask<R>, a: F32x8<R>, b: F32x8<R>) -> F32x8<R>;
    }

    in_each! {
        [0 1 2 3]:
        fn add64(a: F64x8<R>, b: F64x8<R>) -> F64x8<R>;
        fn sub64(a: F64x8<R>, b: F64x8<R>) -> F64x8<R>;
        fn mul64(a: F64x8<R>, b: F64x8<R>) -> F64x8<R>;
        fn mul_add64(a: F64x8<R>, b: F64x8<R>, c: F64x8<R>) -> F64x8<R>;
        fn mul_sub64(a: F64x8<R>, b: F64x8<R>, c: F64x8<R>) -> F64x8<R>;
        fn div64(a: F64x8<R>, b: F64x8<R>) -> F64x8<R>;
        fn sqrt64(a: F64x8<R>) -> F64x8<R>;
        fn abs64(a: F64x8<R>) -> F64x8<R>;
        fn max64(a: F64x8<R>, b: F64x8<R>) -> F64x8<R>;
        fn min64(a: F64x8<R>, b: F64x8<R>) -> F64x8<R>;
        fn where_gt64(a: F64x8<R>, b: F64x8<R>, one: F64x8<R>, other: F64x8<R>) -> F64x8<R>;
    }

    #[inline(always)]
    fn bits(self, mask: Mask<R>) -> u8 {
        self.0.bits(mask[0]) | (self.0.bits(mask[1]) << 4)
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> Mask<R> {
        [self.0.mask(bits), self.0.mask(bits >> 4)]
    }

    #[inline(always)]
    fn sign_bits(self, a: F32x8<R>) -> u8 {
        self.0.sign_bits(a[0]) | (self.0.sign_bits(a[1]) << 4)
    }

    #[inline(always)]
    fn splat64(self, x: f64) -> F64x8<R> {
        [self.0.splat64(x); 4]
    }

    #[inline(always)]
    fn widen(self, from: &[f32; 8]) -> F64x8<R> {
        let halves = parts!(from, 2);
        let [p, q] = self.0.widen(self.0.load(&halves[0].map(f32::to_bits)));
        let [r, s] = self.0.widen(self.0.load(&halves[1].map(f32::to_bits)));
        [p, q, r, s]
    }

    #[inline(always)]
    fn narrow(self, a: F64x8<R>) -> F32x8<R> {
        [self.0.narrow(a[0], a[1]), self.0.narrow(a[2], a[3])]
    }

    #[inline(always)]
    fn load64(self, from: &[f64; 8]) -> F64x8<R> {
        let quarters = parts!(from, 4);
        let [p, q] = [self.0.load64(&quarters[0]), self.0.load64(&quarters[1])];
        [p, q, self.0.load64(&quarters[2]), self.0.load64(&quarters[3])]
    }

    #[inline(always)]
    fn to_array64(self, a: F64x8<R>) -> [f64; 8] {
        let ([p, q], [r, s]) = (self.0.to_array64(a[0]), self.0.to_array64(a[1]));
        let ([t, u], [v, w]) = (self.0.to_array64(a[2]), self.0.to_array64(a[3]));
        [p, q, r, s, t, u, v, w]
    }

    #[inline(always)]
    fn spread64(self, a: F64x8<R>, k: usize) -> F64x8<R> {
        let (pair, lane) = (k >> 1 & 1, k & 1);
        let [low, high] = [self.0.spread64(a[pair])[lane], self.0.spread64(a[2 + pair])[lane]];
        [low, low, high, high]
    }

    #[inline(always)]
    fn gt64(self, a: F64x8<R>, b: F64x8<R>) -> u8 {
        let [p, q] = [self.0.gt64(a[0], b[0]), self.0.gt64(a[1], b[1])];
        p | (q << 2) | (self.0.gt64(a[2], b[2]) << 4) | (self.0.gt64(a[3], b[3]) << 6)
    }
}
