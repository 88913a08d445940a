//! Which corners of triangles lie farthest out along some directions.

use nalgebra::Matrix3;

use super::items::Item;
use super::kernels::axis_rows;
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Directions of which the extremes are looked for: the coordinate axes, the diagonals of faces and of the cube; three
/// lanes idle.
const DIRECTIONS: [[f32; 16]; 3] = [
    [1., 0., 0., 1., 1., 1., 1., 0., 0., 1., 1., 1., 1., 0., 0., 0.],
    [0., 1., 0., 1., -1., 0., 0., 1., 1., 1., 1., -1., -1., 0., 0., 0.],
    [0., 0., 1., 0., 0., 1., -1., 1., -1., 1., -1., 1., -1., 0., 0., 0.],
];

/// Corners extremal along 13 directions, both ways: the corners' numbers, three for each item.
pub(super) fn extremes(level: SimdLevel, items: &[Item]) -> [u32; 26] {
    dispatch(level, Extremes(items))
}

struct Extremes<'a>(&'a [Item]);

impl Task for Extremes<'_> {
    type Output = [u32; 26];

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> [u32; 26] {
        let (mut least, mut greatest) = ([f32::INFINITY; 16], [f32::NEG_INFINITY; 16]);
        let (mut least_at, mut greatest_at) = ([0u32; 16], [0u32; 16]);
        let mut number = 0;
        for item in self.0 {
            for corner in &item.corners {
                for k in 0..16 {
                    let [x, y, z] = [DIRECTIONS[0][k], DIRECTIONS[1][k], DIRECTIONS[2][k]];
                    let along = x * corner[0] + y * corner[1] + z * corner[2];
                    least_at[k] = if along < least[k] { number } else { least_at[k] };
                    least[k] = if along < least[k] { along } else { least[k] };
                    greatest_at[k] = if along > greatest[k] { number } else { greatest_at[k] };
                    greatest[k] = if along > greatest[k] { along } else { greatest[k] };
                }
                number += 1;
            }
        }
        std::array::from_fn(|i| if i < 13 { least_at[i] } else { greatest_at[i - 13] })
    }
}

/// The corners farthest along each axis (columns), the first of equals, then those least far: their numbers, three for each
/// item.
pub(super) fn outermost(level: SimdLevel, items: &[Item], axes: &Matrix3<f64>) -> [u32; 6] {
    dispatch(level, Outermost { items, axes })
}

struct Outermost<'a> {
    items: &'a [Item],
    axes: &'a Matrix3<f64>,
}

impl Task for Outermost<'_> {
    type Output = [u32; 6];

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> [u32; 6] {
        let rows = axis_rows(self.axes);
        let (mut least, mut greatest) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4]);
        // As wide as what they go with, so that all is done in whole registers.
        let (mut least_at, mut greatest_at) = ([0u64; 4], [0u64; 4]);
        let mut number = 0;
        for item in self.items {
            for corner in &item.corners {
                let [x, y, z] = [corner[0], corner[1], corner[2]].map(f64::from);
                for k in 0..4 {
                    let along = rows[0][k] * x + rows[1][k] * y + rows[2][k] * z;
                    least_at[k] = if along < least[k] { number } else { least_at[k] };
                    least[k] = if along < least[k] { along } else { least[k] };
                    greatest_at[k] = if along > greatest[k] { number } else { greatest_at[k] };
                    greatest[k] = if along > greatest[k] { along } else { greatest[k] };
                }
                number += 1;
            }
        }
        std::array::from_fn(|i| if i < 3 { greatest_at[i] } else { least_at[i - 3] } as u32)
    }
}
