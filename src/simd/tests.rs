//! All levels do the same: what is not fused to the last bit, NaN and infinities included.

use super::{Simd, SimdLevel, Task, dispatch};

/// Numbers with which every pair of kinds meets in some lane, by turns.
const NUMBERS: [f32; 11] =
    [1.5, -2.25, 0.0, -0.0, 3.0e30, -1.0e-20, 7.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.1];

/// Eight of them, the first by `start` and each next by `step` farther on.
fn eight(start: usize, step: usize) -> [f32; 8] {
    std::array::from_fn(|i| NUMBERS[(start + i * step) % NUMBERS.len()])
}

/// Bits of all results but fused ones; of NaN, of which there are many, one.
struct Results {
    a: [f32; 8],
    b: [f32; 8],
}

fn bits32(lanes: [f32; 8]) -> impl Iterator<Item = u64> {
    lanes.into_iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits().into() })
}

fn bits64(lanes: [f64; 8]) -> impl Iterator<Item = u64> {
    lanes.into_iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() })
}

impl Task for Results {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Vec<u64> {
        let mut found = Vec::new();
        let words = [self.a.map(f32::to_bits), self.b.map(f32::to_bits)];
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
        let halves = [self.a, self.b].map(|row| s.load_halves(row.first_chunk().unwrap(), row.last_chunk().unwrap()));
        found.extend(halves.into_iter().flat_map(|row| bits32(s.to_array(row))));
        found.extend(s.transposed(&[a, b, b, s.splat(9.0)]).into_iter().flat_map(|row| bits32(s.to_array(row))));

        let (a, b) = (s.widen(&self.a), s.load64(&self.b.map(|x| f64::from(x) / 3.0)));
        for result in [s.add64(a, b), s.sub64(a, b), s.mul64(a, b), s.max64(a, b), s.min64(a, b), s.abs64(a)] {
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
}

#[test]
fn levels_agree() {
    for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
        for start in 0..NUMBERS.len() {
            for step in 1..NUMBERS.len() {
                let results = |level| dispatch(level, Results { a: eight(0, 1), b: eight(start, step) });
                assert_eq!(results(level), results(SimdLevel::Portable), "{level}");
            }
        }
    }
}

/// `a * b + c`, `a * b - c`, both in f64, and reciprocals.
struct Rounded([f32; 8]);

impl Task for Rounded {
    type Output = [[f64; 8]; 5];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        let [a]: [S::F32x8; 1] = s.load_rows(&self.0.map(f32::to_bits), 8, 8);
        let (b, c) = (s.splat(3.3), s.splat(0.7));
        let (a64, b64, c64) = (s.widen(&self.0), s.splat64(3.3), s.splat64(0.7));
        [
            s.to_array(s.mul_add(a, b, c)).map(f64::from),
            s.to_array(s.mul_sub(a, b, c)).map(f64::from),
            s.to_array64(s.mul_add64(a64, b64, c64)),
            s.to_array64(s.mul_sub64(a64, b64, c64)),
            s.to_array(s.recip_below(a)).map(f64::from),
        ]
    }
}

#[test]
fn fused_or_not_results_are_near_and_reciprocals_below() {
    for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
        for exponent in -29..=29 {
            let a: [f32; 8] = std::array::from_fn(|i| (1.0 + i as f32 * 0.13) * 10.0_f32.powi(exponent));
            let [add, sub, add64, sub64, below] = dispatch(level, Rounded(a));
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
