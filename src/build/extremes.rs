//! Which corners of triangles lie farthest out along some directions.

use nalgebra::Matrix3;

use super::items::{Item, corners_by_two};
use super::kernels::{axis_rows, corner_twice};
use crate::simd::vectors::twice64;
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
    fn run<S: Simd>(self, s: S) -> [u32; 6] {
        let rows = axis_rows(self.axes);
        let rows = [twice64(s, rows[0]), twice64(s, rows[1]), twice64(s, rows[2])];
        let [below_all, above_all] = [s.splat64(f64::NEG_INFINITY), s.splat64(f64::INFINITY)];
        let (mut least, mut greatest) = (above_all, below_all);
        // Corners' numbers are kept as f64, where they are exact.
        let (mut least_at, mut greatest_at) = (s.splat64(0.0), s.splat64(0.0));
        let (mut number, two) = (s.load64(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]), s.splat64(2.0));
        let (twos, last) = corners_by_two(self.items);
        let again = last.map(corner_twice);
        for corners in twos.iter().chain(again.as_ref()) {
            let corners = s.widen(corners);
            let (x, y, z) = (s.spread64(corners, 0), s.spread64(corners, 1), s.spread64(corners, 2));
            let along = s.add64(s.mul64(rows[0], x), s.mul64(rows[1], y));
            let along = s.add64(along, s.mul64(rows[2], z));
            least_at = s.where_gt64(least, along, number, least_at);
            least = s.min64(along, least);
            greatest_at = s.where_gt64(along, greatest, number, greatest_at);
            greatest = s.max64(along, greatest);
            number = s.add64(number, two);
        }
        let [least, greatest] = [s.to_array64(least), s.to_array64(greatest)];
        let [least_at, greatest_at] = [s.to_array64(least_at), s.to_array64(greatest_at)];
        // Every second corner is in the upper half; of equals the first.
        let pick = |along: [f64; 2], at: [f64; 2]| {
            let is_upper = along[1] > along[0] || (along[1] == along[0] && at[1] < at[0]);
            at[usize::from(is_upper)] as u32
        };
        // An odd last corner was seen twice, once under a number too many.
        let last = 3 * self.items.len() as u32 - 1;
        let mut found = [0; 6];
        for k in 0..3 {
            found[k] = pick([greatest[k], greatest[k + 4]], [greatest_at[k], greatest_at[k + 4]]).min(last);
            found[k + 3] = pick([-least[k], -least[k + 4]], [least_at[k], least_at[k + 4]]).min(last);
        }
        found
    }
}
