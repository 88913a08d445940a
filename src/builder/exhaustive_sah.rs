//! The surface area heuristic for up to 16 triangles: tries a plane above each centroid, one in each lane.

use std::marker::PhantomData;

use super::sah::{SahBounds, TriedAxes};
use super::triangle_bounds::{Ends, TriangleBounds};
use crate::simd::vectors::{Vector8, lane_of};
use crate::simd::{Simd, dispatched};
use crate::volume::WIDTH;
use crate::volume::fit::primitives::corner_rows_f32;

/// Maximum number of blocks of eight triangles, or of eight planes above them.
const BLOCKS: usize = 2;
/// Maximum number of triangles of a small set.
pub(super) const SMALL_SET: usize = BLOCKS * WIDTH;

dispatched! {
    /// The cheapest plane above a centroid across the given axes; `None` if no such plane separates the triangles.
    pub(super) fn cheapest_plane[B: SahBounds](
        _side: PhantomData<B>,
        triangles: &[TriangleBounds],
        axes: &TriedAxes,
    ) -> Option<PlaneAboveCentroid> = |s| cheapest_plane_by::<S, B>(s, triangles, axes);
}

/// A bit for each triangle above the plane, and the bounds of the triangles below and above it.
pub(super) struct PlaneAboveCentroid {
    pub(super) above: u16,
    pub(super) sides: [Ends; 2],
}

#[inline(always)]
fn cheapest_plane_by<S: Simd, B: SahBounds>(
    s: S,
    triangles: &[TriangleBounds],
    axes: &TriedAxes,
) -> Option<PlaneAboveCentroid> {
    let set = SmallSet::new(s, triangles);
    let (mut best, mut least) = (None, f64::INFINITY);
    for &k in axes.tried() {
        for block in 0..triangles.len().div_ceil(WIDTH).min(BLOCKS) {
            let planes = &set.sums[k % 3][block];
            let sides = Sides::of(s, row(s, planes), k % 3, &set, triangles.len());
            let costs = sides.costs::<B>(s);
            for (lane, &plane) in planes.iter().enumerate() {
                // The cost is NaN if no triangle is above the plane.
                if costs[lane] < least {
                    let above = set.above(s, k % 3, plane);
                    (best, least) = (Some(PlaneAboveCentroid { above, sides: sides.of_lane(s, lane) }), costs[lane]);
                }
            }
        }
    }
    best
}

type Rows = [[[f32; WIDTH]; BLOCKS]; 3];

/// The ends of the triangles' boxes, the lower ones negated, and the sums of their corners, a lane for each triangle;
/// idle lanes repeat the first triangle.
struct SmallSet {
    lower: Rows,
    upper: Rows,
    sums: Rows,
}

impl SmallSet {
    #[inline(always)]
    fn new<S: Simd>(s: S, triangles: &[TriangleBounds]) -> Self {
        let none = [[[0.0; WIDTH]; BLOCKS]; 3];
        let mut set = Self { lower: none, upper: none, sums: none };
        for block in 0..triangles.len().div_ceil(WIDTH).min(BLOCKS) {
            set.put(s, triangles, block);
        }
        set
    }

    #[inline(always)]
    fn put<S: Simd>(&mut self, s: S, triangles: &[TriangleBounds], block: usize) {
        let triangle = |lane: usize| triangles.get(WIDTH * block + lane).unwrap_or(&triangles[0]);
        let lower = corner_rows_f32(s, |lane| &triangle(lane).ends[0]);
        let upper = corner_rows_f32(s, |lane| &triangle(lane).ends[1]);
        let sums = corner_rows_f32(s, |lane| &triangle(lane).corner_sum);
        for k in 0..3 {
            self.lower[k][block] = s.to_array(lower[k]);
            self.upper[k][block] = s.to_array(upper[k]);
            self.sums[k][block] = s.to_array(sums[k]);
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

/// Both sides of the planes above eight centroids: the number of triangles and the ends of their boxes, the lower ones
/// negated.
struct Sides<S: Simd> {
    triangles: [S::F32x8; 2],
    lower: [Vector8<S>; 2],
    upper: [Vector8<S>; 2],
}

impl<S: Simd> Sides<S> {
    /// The sides of planes across axis `k`, for the first `count` triangles.
    #[inline(always)]
    fn of(s: S, planes: S::F32x8, k: usize, set: &SmallSet, count: usize) -> Self {
        let (zero, one, none) = (s.splat(0.0), s.splat(1.0), s.splat(f32::NEG_INFINITY));
        let mut sides = Self { triangles: [zero; 2], lower: [[none; 3]; 2], upper: [[none; 3]; 2] };
        for i in 0..count.min(SMALL_SET) {
            let is_above = s.gt(s.splat(set.sums[k].as_flattened()[i]), planes);
            sides.triangles[0] = s.add(sides.triangles[0], s.select(is_above, zero, one));
            sides.triangles[1] = s.add(sides.triangles[1], s.select(is_above, one, zero));
            for k in 0..3 {
                let lower = s.splat(set.lower[k].as_flattened()[i]);
                let upper = s.splat(set.upper[k].as_flattened()[i]);
                sides.lower[0][k] = s.max(s.select(is_above, none, lower), sides.lower[0][k]);
                sides.lower[1][k] = s.max(s.select(is_above, lower, none), sides.lower[1][k]);
                sides.upper[0][k] = s.max(s.select(is_above, none, upper), sides.upper[0][k]);
                sides.upper[1][k] = s.max(s.select(is_above, upper, none), sides.upper[1][k]);
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
                *length = s.add64(upper, s.widen(&s.to_array(self.lower[side][k])));
            }
            let triangles = s.widen(&s.to_array(self.triangles[side]));
            costs = s.add64(costs, s.mul64(triangles, B::areas(s, &lengths)));
        }
        s.to_array64(costs)
    }

    /// The ends of the boxes on both sides of the plane in `lane`.
    #[inline(always)]
    fn of_lane(&self, s: S, lane: usize) -> [Ends; 2] {
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
mod tests {
    use super::*;
    use crate::builder::sah::SahBox;
    use crate::builder::triangle_bounds::{bounds, half_area, lengths};
    use crate::simd::SimdLevel;
    use crate::volume::fit::primitives::soup;
    use crate::volume::tests::Random;

    /// Triangles with corners on a grid, on which sums are exact.
    fn on_grid(triangles: u32, grid: usize, scale: f32, random: &mut Random) -> Vec<TriangleBounds> {
        let primitives = soup(triangles, |_| [0; 3].map(|_| scale * random.below(grid) as f32).into());
        primitives.iter().map(TriangleBounds::of).collect()
    }

    fn cost(below: &[TriangleBounds], above: &[TriangleBounds]) -> f64 {
        [below, above].into_iter().map(|side| side.len() as f64 * SahBox::of_triangles(side).area()).sum()
    }

    /// The least cost of all planes above a centroid that have triangles above them.
    fn least_cost(triangles: &[TriangleBounds]) -> Option<f64> {
        let planes = (0..3).flat_map(|k| triangles.iter().map(move |triangle| (k, triangle.corner_sum[k])));
        let costs = planes.filter_map(|(k, plane)| {
            let (below, above): (Vec<TriangleBounds>, Vec<TriangleBounds>) =
                triangles.iter().partition(|triangle| triangle.corner_sum[k] <= plane);
            (!above.is_empty()).then(|| cost(&below, &above))
        });
        costs.min_by(f64::total_cmp)
    }

    #[test]
    fn no_plane_costs_less() {
        let mut random = Random(1);
        for count in 2..=SMALL_SET as u32 {
            // A grid with two steps has many equal centroids, one with a single step only equal ones.
            for grid in [1, 2, 5, 1000] {
                let triangles = on_grid(count, grid, 1.0, &mut random);
                let axes = TriedAxes::new(&lengths(&bounds(SimdLevel::detect(), &triangles)), 0.0);
                let expected = least_cost(&triangles);
                let mut first = None;
                for level in SimdLevel::available() {
                    let found = cheapest_plane(level, PhantomData::<SahBox>, &triangles, &axes);
                    assert_eq!(found.is_some(), expected.is_some(), "{count} triangles on {grid}");
                    let Some(plane) = found else { continue };
                    let sides = [0, 1].map(|side| {
                        let is_there = |&i: &usize| plane.above >> i & 1 == side;
                        (0..triangles.len()).filter(is_there).map(|i| triangles[i]).collect::<Vec<_>>()
                    });
                    assert_eq!(Some(cost(&sides[0], &sides[1])), expected, "{count} triangles on {grid}, {level}");
                    for (side, ends) in sides.iter().zip(&plane.sides) {
                        assert_eq!(SahBox::of_triangles(side).area(), half_area(ends));
                    }
                    // Bits past the triangles are unspecified.
                    let above = u64::from(plane.above) & ((1 << count) - 1);
                    assert_eq!(*first.get_or_insert(above), above, "{level}");
                }
            }
        }
    }

    /// Sums beyond the range of f32 may give no plane, but never an empty side.
    #[test]
    fn sums_beyond_f32_leave_no_side_empty() {
        let triangles = on_grid(9, 3, 1.5e38, &mut Random(7));
        let axes = TriedAxes::new(&lengths(&bounds(SimdLevel::detect(), &triangles)), 0.3);
        for level in SimdLevel::available() {
            if let Some(plane) = cheapest_plane(level, PhantomData::<SahBox>, &triangles, &axes) {
                assert!((1..9).contains(&(plane.above & 0x1ff).count_ones()));
            }
        }
    }
}
