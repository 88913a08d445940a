//! The passes of [`fit::ritter`](crate::volume::fit::ritter) over a node's triangles, two corners at a time.

use nalgebra::Point3;

use super::farthest::length_sq;
use super::kernels::corner_twice;
use super::primitives::{self, Primitive};
use crate::simd::vectors::twice64;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::fit::{self, Growing};

/// The centres of the two balls of which [`fit::ritter`](crate::volume::fit::ritter) takes the smaller one: Ritter's own, and
/// the middle of the AABB.
pub(crate) fn centers(level: SimdLevel, primitives: &[Primitive]) -> [Point3<f64>; 2] {
    dispatch(level, Centers(primitives))
}

struct Centers<'a>(&'a [Primitive]);

impl Task for Centers<'_> {
    type Output = [Point3<f64>; 2];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [Point3<f64>; 2] {
        let ends = ends(s, self.0);
        [grown(s, self.0, Growing::new(&ends)).center, fit::middle(&ends)]
    }
}

/// The corners with the least and the greatest coordinate, for each axis; the first of equals.
#[inline(always)]
fn ends<S: Simd>(s: S, primitives: &[Primitive]) -> [[Point3<f64>; 2]; 3] {
    let (mut least, mut greatest) = (s.splat(f32::INFINITY), s.splat(f32::NEG_INFINITY));
    // Numbers of two corners each, as bits.
    let (mut least_at, mut greatest_at) = (s.splat(0.0), s.splat(0.0));
    let (twos, last) = primitives::corners_by_two(primitives);
    let again = last.map(corner_twice);
    for (number, two) in (0..).zip(twos.iter().chain(again.as_ref())) {
        let number = s.splat(f32::from_bits(number));
        let [corners] = s.load_rows(bytemuck::cast_slice(two), 8, 8);
        least_at = s.select(s.gt(least, corners), number, least_at);
        least = s.min(corners, least);
        greatest_at = s.select(s.gt(corners, greatest), number, greatest_at);
        greatest = s.max(corners, greatest);
    }
    let (least, greatest) = (s.to_array(least), s.to_array(greatest).map(|x| -x));
    let outermost = [(least, s.to_array(least_at)), (greatest, s.to_array(greatest_at))];
    [0, 1, 2].map(|k| {
        outermost.map(|(value, at)| {
            let [first, second] = [k, k + 4].map(|lane| 2 * at[lane].to_bits() as usize + lane / 4);
            // A last corner seen twice wins in the first half, where its number is right.
            let in_second = value[k + 4] < value[k] || (value[k + 4] == value[k] && second < first);
            let corner = if in_second { second } else { first };
            primitives[corner / 3].points()[corner % 3]
        })
    })
}

/// The ball that has taken in all corners in order.
#[inline(always)]
fn grown<S: Simd>(s: S, primitives: &[Primitive], mut ball: Growing) -> Growing {
    let lanes = |ball: &Growing| {
        let Point3 { coords } = ball.center;
        (twice64(s, [coords.x, coords.y, coords.z, 0.0]), s.splat64(ball.radius_sq))
    };
    let (mut center, mut radius_sq) = lanes(&ball);
    let (twos, last) = primitives::corners_by_two(primitives);
    for two in twos {
        let distances_sq = length_sq(s, s.sub64(s.widen(two), center));
        // The second may be outside, or inside, only because of the first.
        if s.gt64(distances_sq, radius_sq) != 0 {
            let [a, b, c, _, d, e, f, _] = two.map(f64::from);
            ball.take_in(&Point3::new(a, b, c));
            ball.take_in(&Point3::new(d, e, f));
            (center, radius_sq) = lanes(&ball);
        }
    }
    if let Some([x, y, z, _]) = last {
        ball.take_in(&Point3::new(f64::from(*x), f64::from(*y), f64::from(*z)));
    }
    ball
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::fit::primitives::gather;

    /// Triangles whose corners have coordinates on a grid of so many steps, around somewhere.
    fn triangles(count: u32, steps: [u32; 3], around: f32, random: &mut u64) -> Vec<Primitive> {
        let mut coordinate = |steps: u32| {
            *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            around + ((*random >> 33) as u32 % (steps + 1)) as f32 / (steps + 1) as f32
        };
        let vertices: Vec<Point3<f32>> = (0..3 * count).map(|_| Point3::from(steps.map(&mut coordinate))).collect();
        let triangles: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        gather(&vertices, &triangles)
    }

    #[test]
    fn the_smaller_ball_is_the_reference_to_the_last_bit() {
        let mut random = 1;
        let cases = if cfg!(debug_assertions) { 20 } else { 1000 };
        for case in 0..cases {
            // In space, flat, collinear, with many ties, one point.
            for steps in [[1 << 20; 3], [1 << 20, 99, 0], [0, 1000, 0], [2, 1, 2], [0; 3]] {
                for around in [0.0, -0.5, 1e7] {
                    let primitives = triangles(2 + case % 40, steps, around, &mut random);
                    let points: Vec<_> = primitives.iter().flat_map(Primitive::points).collect();
                    let expected = fit::ritter(&points).radius;
                    for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
                        let balls = centers(level, &primitives).map(|center| fit::sphere_with_center(&points, &center));
                        assert_eq!(balls[0].radius.min(balls[1].radius), expected, "{level}, {points:?}");
                    }
                }
            }
        }
    }
}
