//! How far from some points the triangles' corners reach.

use nalgebra::Point3;

use super::kernels::{by_blocks, corner_twice};
use super::primitives::{self, Primitive};
use crate::simd::vectors::twice64;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::Frame;

/// The squares of the distances from some points to the corner farthest from each, in the frame's coordinates.
pub(crate) fn farthest_sq<const N: usize>(
    level: SimdLevel,
    primitives: &[Primitive],
    frame: &Frame,
    from: &[Point3<f64>; N],
) -> [f64; N] {
    let farther = |a: [f64; N], b: [f64; N]| std::array::from_fn(|i| a[i].max(b[i]));
    by_blocks(primitives, |primitives| dispatch(level, Farthest { primitives, frame, from }), farther)
}

struct Farthest<'a, const N: usize> {
    primitives: &'a [Primitive],
    frame: &'a Frame,
    from: &'a [Point3<f64>; N],
}

impl<const N: usize> Task for Farthest<'_, N> {
    type Output = [f64; N];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [f64; N] {
        let Frame { origin, unit } = self.frame;
        let origin = twice64(s, [origin.x, origin.y, origin.z, 0.0]);
        // Scaling by a power of two is exact, hence may come last.
        let from = self.from.map(|from| twice64(s, [from.x * unit, from.y * unit, from.z * unit, 0.0]));
        let mut farthest_sq = [s.splat64(0.0); N];
        let (twos, last) = primitives::corners_by_two(self.primitives);
        let again = last.map(corner_twice);
        for two in twos.iter().chain(again.as_ref()) {
            let corners = s.sub64(s.widen(two), origin);
            for (farthest_sq, &from) in farthest_sq.iter_mut().zip(&from) {
                *farthest_sq = s.max64(length_sq(s, s.sub64(corners, from)), *farthest_sq);
            }
        }
        farthest_sq.map(|farthest_sq| {
            let farthest_sq = s.to_array64(farthest_sq);
            let scale = 1.0 / unit;
            farthest_sq[0].max(farthest_sq[4]) * scale * scale
        })
    }
}

/// The square of each half's length, in its four lanes.
#[inline(always)]
pub(crate) fn length_sq<S: Simd>(s: S, offsets: S::F64x8) -> S::F64x8 {
    let squares = s.mul64(offsets, offsets);
    let sum = s.add64(s.spread64(squares, 0), s.spread64(squares, 1));
    s.add64(sum, s.spread64(squares, 2))
}
