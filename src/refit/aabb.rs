//! Axis-aligned boxes, refitted.

use super::node_cost::box_areas;
use super::pass::{AtRest, Below, Box32, Pass, Refit8, Told};
use super::singles::{Corners, NEGLIGIBLE, narrowed};
use crate::packed::{Aabb8, WIDTH};
use crate::simd::Simd;

/// What rounding to f32 may add to a half extent, in the frame's unit: 4e-8 of an end, and as
/// much each for the centre, the difference of both and this sum.
const ROUNDING: f32 = 2.5e-7;

impl Refit8 for Aabb8 {
    type Below = Box32;
    type Rest = ();
    const AT_REST: Option<AtRest<()>> = None;

    #[inline(always)]
    fn node<S: Simd>(s: S, pass: &Pass<'_, Self>, number: usize, words: &mut [u32], below: &[Box32]) -> Told<Box32> {
        let node = &pass.plan.nodes[number];
        let children = node.children as usize;
        let (mut corners, mut tests, mut next) = (Corners::default(), [0; WIDTH], number + 1);
        for (lane, tests) in tests.iter_mut().enumerate().take(children) {
            match pass.below(node, words, lane, &mut next) {
                Below::Leaf { first } => *tests = corners.put_leaf(pass, lane, first),
                Below::Node { number: child, children } => {
                    *tests = children;
                    corners.put_box(lane, &below[child - number - 1]);
                }
            }
        }
        corners.fill(children);
        let (lower, upper) = corners.boxes(s);
        let mut half = [s.splat(0.0); 3];
        let mut packed = [[0.0; WIDTH]; 6];
        for x in 0..3 {
            let mut ends = [s.splat(0.0); 2];
            for (end, wide) in ends.iter_mut().zip([s.to_array(lower[x]), s.to_array(upper[x])]) {
                *end = narrowed(s, &wide, &pass.frame, x);
            }
            let center = s.mul(s.add(ends[0], ends[1]), s.splat(0.5));
            let is_normal = s.gt(s.abs(center), s.splat(NEGLIGIBLE));
            let center = s.select(is_normal, center, s.splat(0.0));
            let reach = s.max(s.sub(ends[1], center), s.sub(center, ends[0]));
            half[x] = s.add(reach, s.splat(ROUNDING));
            (packed[x], packed[3 + x]) = (s.to_array(center), s.to_array(half[x]));
        }
        for (row, packed) in packed.iter().enumerate() {
            for lane in 0..WIDTH {
                if lane < children {
                    words[row * children + lane] = packed[lane].to_bits();
                }
            }
        }
        let areas = s.add(s.mul(half[0], s.add(half[1], half[2])), s.mul(half[1], half[2]));
        Told { below: corners.joined(s, &lower, &upper), areas: s.to_array(areas), tests }
    }

    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH] {
        box_areas(words, children, 3)
    }
}
