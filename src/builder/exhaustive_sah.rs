//! The surface area heuristic's plane between few triangles: one above each centroid is tried, a lane for each.

use std::marker::PhantomData;

use super::partition::partition_by_word;
use super::sah::Axes;
use super::sah_bounds::SahBounds;
use crate::simd::vectors::{Vector8, lane_of};
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::WIDTH;
use crate::volume::fit::Primitive;
use crate::volume::fit::Ranges;
use crate::volume::fit::corner_rows_f32;

/// Blocks of eight triangles, or of planes above them, at most.
const BLOCKS: usize = 2;
/// Most triangles that count as few.
pub(super) const FEW: usize = BLOCKS * WIDTH;

/// As the surface area heuristic of many triangles, with all planes that tell these apart.
pub(super) fn partition<B: SahBounds>(
    level: SimdLevel,
    primitives: &mut [Primitive],
    axes: &Axes,
) -> Option<(usize, [Ranges; 2])> {
    let Plane { above, sides } = dispatch(level, Cheapest::<B> { primitives, axes, side: PhantomData })?;
    Some((partition_by_word(primitives, u64::from(!above)), sides.map(|[lower, upper]| Ranges::of_ends(lower, upper))))
}

/// A bit for each triangle above the plane, and what is around those below and above it.
struct Plane {
    above: u16,
    sides: [[[f32; 4]; 2]; 2],
}

struct Cheapest<'a, B> {
    primitives: &'a [Primitive],
    axes: &'a Axes,
    side: PhantomData<B>,
}

impl<B: SahBounds> Task for Cheapest<'_, B> {
    type Output = Option<Plane>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Option<Plane> {
        let Self { primitives, axes, .. } = self;
        let few = Few::of(s, primitives);
        let (mut best, mut least) = (None, f64::INFINITY);
        for &k in axes.tried() {
            for block in 0..primitives.len().div_ceil(WIDTH).min(BLOCKS) {
                let planes = &few.sums[k % 3][block];
                let sides = Sides::of(s, row(s, planes), k % 3, &few, primitives.len());
                let costs = sides.costs::<B>(s);
                for (lane, &plane) in planes.iter().enumerate() {
                    // No number where nothing is above.
                    if costs[lane] < least {
                        let above = few.above(s, k % 3, plane);
                        (best, least) = (Some(Plane { above, sides: sides.of_lane(s, lane) }), costs[lane]);
                    }
                }
            }
        }
        best
    }
}

/// Coordinates of triangles.
type Rows = [[[f32; WIDTH]; BLOCKS]; 3];

/// Triangles, a lane for each: the ends of their boxes, and the sums of their corners seen from one of these. The first
/// one again in idle lanes.
struct Few {
    lower: Rows,
    upper: Rows,
    sums: Rows,
}

impl Few {
    #[inline(always)]
    fn of<S: Simd>(s: S, primitives: &[Primitive]) -> Self {
        let none = [[[0.0; WIDTH]; BLOCKS]; 3];
        let mut few = Self { lower: none, upper: none, sums: none };
        for block in 0..primitives.len().div_ceil(WIDTH).min(BLOCKS) {
            few.put(s, primitives, block);
        }
        few
    }

    #[inline(always)]
    fn put<S: Simd>(&mut self, s: S, primitives: &[Primitive], block: usize) {
        let mut corners = [[s.splat(0.0); 3]; 3];
        for (i, corners) in corners.iter_mut().enumerate() {
            *corners =
                corner_rows_f32(s, |lane| &primitives.get(WIDTH * block + lane).unwrap_or(&primitives[0]).corners[i]);
        }
        let [a, b, c] = corners;
        for k in 0..3 {
            self.lower[k][block] = s.to_array(s.min(s.min(a[k], b[k]), c[k]));
            self.upper[k][block] = s.to_array(s.max(s.max(a[k], b[k]), c[k]));
            // Near the origin, for rounding not to make different sums equal.
            let origin = s.splat(primitives[0].corners[0][k]);
            let sums = s.add(s.add(s.sub(a[k], origin), s.sub(b[k], origin)), s.sub(c[k], origin));
            self.sums[k][block] = s.to_array(sums);
        }
    }

    /// A bit for each triangle above a plane across axis `k`.
    #[inline(always)]
    fn above<S: Simd>(&self, s: S, k: usize, plane: f32) -> u16 {
        let mut above = 0;
        for block in 0..BLOCKS {
            above |= u16::from(s.bits(s.gt(row(s, &self.sums[k][block]), s.splat(plane)))) << (WIDTH * block);
        }
        above
    }
}

#[inline(always)]
fn row<S: Simd>(s: S, row: &[f32; WIDTH]) -> S::F32x8 {
    let [row] = s.load_rows(bytemuck::cast_slice(row), 0, WIDTH);
    row
}

/// What is on both sides of the planes above eight centroids: how many triangles, and the ends of their boxes.
struct Sides<S: Simd> {
    triangles: [S::F32x8; 2],
    lower: [Vector8<S>; 2],
    upper: [Vector8<S>; 2],
}

impl<S: Simd> Sides<S> {
    /// Of planes across axis `k` and the first so many triangles.
    #[inline(always)]
    fn of(s: S, planes: S::F32x8, k: usize, few: &Few, count: usize) -> Self {
        let (zero, one, far) = (s.splat(0.0), s.splat(1.0), s.splat(f32::INFINITY));
        let near = s.splat(f32::NEG_INFINITY);
        let mut sides = Self { triangles: [zero; 2], lower: [[far; 3]; 2], upper: [[near; 3]; 2] };
        for i in 0..count.min(FEW) {
            let is_above = s.gt(s.splat(few.sums[k].as_flattened()[i]), planes);
            sides.triangles[0] = s.add(sides.triangles[0], s.select(is_above, zero, one));
            sides.triangles[1] = s.add(sides.triangles[1], s.select(is_above, one, zero));
            for k in 0..3 {
                let lower = s.splat(few.lower[k].as_flattened()[i]);
                let upper = s.splat(few.upper[k].as_flattened()[i]);
                sides.lower[0][k] = s.min(s.select(is_above, far, lower), sides.lower[0][k]);
                sides.lower[1][k] = s.min(s.select(is_above, lower, far), sides.lower[1][k]);
                sides.upper[0][k] = s.max(s.select(is_above, near, upper), sides.upper[0][k]);
                sides.upper[1][k] = s.max(s.select(is_above, upper, near), sides.upper[1][k]);
            }
        }
        sides
    }

    #[inline(always)]
    fn costs<B: SahBounds>(&self, s: S) -> [f64; WIDTH] {
        let mut costs = s.splat64(0.0);
        for side in 0..2 {
            let mut lengths = [s.splat64(0.0); 3];
            for (k, length) in lengths.iter_mut().enumerate() {
                let upper = s.widen(&s.to_array(self.upper[side][k]));
                *length = s.sub64(upper, s.widen(&s.to_array(self.lower[side][k])));
            }
            let triangles = s.widen(&s.to_array(self.triangles[side]));
            costs = s.add64(costs, s.mul64(triangles, B::areas(s, &lengths)));
        }
        s.to_array64(costs)
    }

    /// Of one plane, the ends on both sides.
    #[inline(always)]
    fn of_lane(&self, s: S, lane: usize) -> [[[f32; 4]; 2]; 2] {
        let mut sides = [[[0.0; 4]; 2]; 2];
        for (side, ends) in sides.iter_mut().zip([[&self.lower[0], &self.upper[0]], [&self.lower[1], &self.upper[1]]]) {
            for (end, rows) in side.iter_mut().zip(ends) {
                let [x, y, z] = lane_of(s, rows, lane);
                *end = [x, y, z, 0.0];
            }
        }
        sides
    }
}

#[cfg(test)]
#[path = "exhaustive_sah_tests.rs"]
mod tests;
