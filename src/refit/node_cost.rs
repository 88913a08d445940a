//! What visits to one node cost: its volumes' areas times the tests in them.

use crate::simd::Simd;
use crate::volume::WIDTH;

/// What visits to a node's volumes cost: the tests in each, by its area.
#[inline(always)]
pub(super) fn node_cost<S: Simd>(s: S, areas: &[f32; WIDTH], tests: &[f32; WIDTH]) -> f64 {
    let costs = s.to_array64(s.mul64(s.widen(areas), s.widen(tests)));
    let mut sums = [0.0; 4];
    for lane in 0..4 {
        sums[lane] = costs[lane] + costs[4 + lane];
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// The areas, but for a factor, of boxes whose half extents' rows begin with a certain one.
#[inline(always)]
pub(super) fn box_areas(words: &[u32], children: usize, first_row: usize) -> [f32; WIDTH] {
    let mut half_extents = [[0.0; WIDTH]; 3];
    for (k, row) in half_extents.iter_mut().enumerate() {
        for lane in 0..children {
            row[lane & 7] = f32::from_bits(words[(first_row + k) * children + lane]);
        }
    }
    let ([x, y, z], mut areas) = (half_extents, [0.0; WIDTH]);
    for lane in 0..WIDTH {
        areas[lane] = x[lane] * (y[lane] + z[lane]) + y[lane] * z[lane];
    }
    areas
}
