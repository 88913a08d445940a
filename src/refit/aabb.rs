//! Axis-aligned boxes, refitted: the same to the bit that a builder makes.

use super::cost::box_areas;
use super::pass::{AtRest, Below, Box32, NO_BOX, Pass, Refit8, joined};
use crate::packed::{Aabb8, WIDTH, length_word, rounded};
use crate::simd::Simd;

impl Refit8 for Aabb8 {
    type Below = Box32;
    type Rest = ();
    const AT_REST: Option<AtRest<()>> = None;

    #[inline(always)]
    fn node<S: Simd>(
        _: S,
        pass: &Pass<'_, Self>,
        number: usize,
        words: &mut [u32],
        below: &[Box32],
    ) -> (Box32, [u32; WIDTH]) {
        let node = &pass.plan.nodes[number];
        let children = node.children as usize;
        let (mut all, mut next) = (NO_BOX, number + 1);
        let (mut lower, mut upper, mut tests) = ([[0.0; WIDTH]; 3], [[0.0; WIDTH]; 3], [0; WIDTH]);
        for lane in 0..children {
            let bounds;
            (bounds, tests[lane]) = match pass.below(node, words, lane, &mut next) {
                Below::Leaf { first } => pass.leaf_box(first),
                Below::Node { number: child, children } => (below[child - number - 1], children),
            };
            all = joined(&all, &bounds);
            for x in 0..3 {
                (lower[x][lane], upper[x][lane]) = (bounds[0][x], bounds[1][x]);
            }
        }
        let scale = 1.0 / pass.frame.unit;
        for x in 0..3 {
            let (origin, mut packed) = (pass.frame.origin[x], [[0; WIDTH]; 2]);
            // No branches, so that the compiler makes eight lanes of it.
            for lane in 0..WIDTH {
                let lower = (f64::from(lower[x][lane]) - origin) * scale;
                let upper = (f64::from(upper[x][lane]) - origin) * scale;
                let center = rounded((lower + upper) * 0.5);
                let (above, below) = (upper - f64::from(center), f64::from(center) - lower);
                let reach = if above > below { above } else { below };
                (packed[0][lane], packed[1][lane]) = (center.to_bits(), length_word(reach));
            }
            words[x * children..][..children].copy_from_slice(&packed[0][..children]);
            words[(3 + x) * children..][..children].copy_from_slice(&packed[1][..children]);
        }
        (all, tests)
    }

    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f64; WIDTH] {
        box_areas(words, children, 3)
    }
}
