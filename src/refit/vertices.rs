//! Passes over all vertices.

use nalgebra::Point3;

use crate::parallel;
use crate::shape::Aabb;
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Vertices that are one thread's work.
pub(super) const VERTICES: usize = 1 << 12;

/// Whether all coordinates are numbers.
pub(super) fn all_finite(positions: &[Point3<f32>]) -> bool {
    const INFINITE: u32 = 0x7f80_0000;
    if positions.len() > VERTICES {
        let (left, right) = positions.split_at(positions.len() / 2);
        let (left, right) = parallel::join(|| all_finite(left), || all_finite(right));
        return left && right;
    }
    let words: &[u32] = bytemuck::cast_slice(positions);
    // Without an early exit, which would keep the loop from being vectorised.
    words.iter().fold(true, |all, word| all & (word & INFINITE != INFINITE))
}

/// The box of finite vertices.
pub(super) fn bounds(level: SimdLevel, vertices: &[Point3<f32>]) -> Aabb {
    dispatch(level, Bounds(vertices))
}

struct Bounds<'a>(&'a [Point3<f32>]);

impl Task for Bounds<'_> {
    type Output = Aabb;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Aabb {
        // Eight vertices fill three rows, in which lanes are x, y and z in turn.
        let (eights, rest) = self.0.as_chunks::<8>();
        let (mut lower, mut upper) = ([s.splat(f32::INFINITY); 3], [s.splat(f32::NEG_INFINITY); 3]);
        for eight in eights {
            let rows: [S::F32x8; 3] = s.load_rows(bytemuck::cast_slice(eight), 8, 8);
            for i in 0..3 {
                lower[i] = s.min(rows[i], lower[i]);
                upper[i] = s.max(rows[i], upper[i]);
            }
        }
        let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        let mut add = |x: usize, low: f32, high: f32| {
            bounds[0][x] = if low < bounds[0][x] { low } else { bounds[0][x] };
            bounds[1][x] = if high > bounds[1][x] { high } else { bounds[1][x] };
        };
        for i in 0..3 {
            let (lower, upper) = (s.to_array(lower[i]), s.to_array(upper[i]));
            for lane in 0..8 {
                add((8 * i + lane) % 3, lower[lane], upper[lane]);
            }
        }
        for vertex in rest {
            for x in 0..3 {
                add(x, vertex[x], vertex[x]);
            }
        }
        let [lower, upper] = bounds.map(|end| Point3::from(end).map(f64::from));
        Aabb { lower, upper }
    }
}
