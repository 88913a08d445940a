//! The data of a triangle that splits across the coordinate axes, rotations and clustering need: its bounds and its
//! centroid, without the corners.

use bytemuck::{Pod, Zeroable};
use nalgebra::Point3;

use crate::parallel;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::fit::primitives::{Primitive, by_blocks};

/// The least coordinates, negated so that a maximum joins both ends, and the greatest ones; the fourth lanes are idle.
pub(super) type Ends = [[f32; 4]; 2];

pub(super) const NOTHING: Ends = [[f32::NEG_INFINITY; 4]; 2];

/// A triangle's bounds and centroid. The fourth lanes of the ends hold the low and high 16 bits of the index in the
/// mesh, each converted to a float: passes compute with whole registers, and the bits of the index itself would be
/// those of a denormal.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(16))]
pub(super) struct TriangleBounds {
    pub(super) ends: Ends,
    /// Three times the centroid, rounded; the fourth lane is 0.
    pub(super) corner_sum: [f32; 4],
}

impl TriangleBounds {
    pub(super) fn of(primitive: &Primitive) -> Self {
        let [a, b, c] = &primitive.corners;
        let (mut ends, mut corner_sum) = (NOTHING, [0.0; 4]);
        for k in 0..3 {
            let (lower, upper) = if a[k] < b[k] { (a[k], b[k]) } else { (b[k], a[k]) };
            ends[0][k] = -if c[k] < lower { c[k] } else { lower };
            ends[1][k] = if c[k] > upper { c[k] } else { upper };
            // In f64, for in f32 the order of the corners would decide between centroids that are the same.
            corner_sum[k] = primitive.corner_sum_along(k) as f32;
        }
        [ends[0][3], ends[1][3]] = [a[3], b[3]];
        Self { ends, corner_sum }
    }

    /// A triangle with the same bounds and index, whose corners are the ends of the bounds.
    pub(super) fn as_primitive(&self) -> Primitive {
        let [[x, y, z, low], upper] = self.ends;
        Primitive { corners: [[-x, -y, -z, low], upper, [upper[0], upper[1], upper[2], 0.0]] }
    }

    pub(super) fn face(&self) -> u32 {
        ((self.ends[1][3] as u32) << 16) | self.ends[0][3] as u32
    }
}

/// Fewer triangles than this are not worth a second thread.
const MIN_LEN: usize = 1 << 12;

/// The triangles in order, each with its index as its face.
pub(super) fn gather(vertices: &[Point3<f32>], triangles: &[[u32; 3]]) -> Vec<TriangleBounds> {
    let bounds = |face: usize| TriangleBounds::of(&Primitive::of_face(vertices, triangles, face as u32));
    parallel::map_range(0..triangles.len(), MIN_LEN, bounds)
}

pub(super) fn joined(a: Ends, b: Ends) -> Ends {
    std::array::from_fn(|end| std::array::from_fn(|k| if b[end][k] > a[end][k] { b[end][k] } else { a[end][k] }))
}

/// The side lengths of bounds.
pub(super) fn lengths(ends: &Ends) -> [f64; 3] {
    std::array::from_fn(|k| f64::from(ends[1][k]) + f64::from(ends[0][k]))
}

/// Half the surface area of bounds.
pub(super) fn half_area(ends: &Ends) -> f64 {
    let [x, y, z] = lengths(ends);
    x * y + y * z + z * x
}

/// The bounds of all triangles.
pub(super) fn bounds(level: SimdLevel, items: &[TriangleBounds]) -> Ends {
    by_blocks(items, |block| bounds_of_block(level, block), joined)
}

/// The bounds of all triangles, and the sum of their `corner_sum`s.
pub(super) fn bounds_and_sum(level: SimdLevel, items: &[TriangleBounds]) -> (Ends, [f64; 4]) {
    let join = |(ends, a): (Ends, [f64; 4]), (others, b): (Ends, [f64; 4])| {
        (joined(ends, others), std::array::from_fn(|k| a[k] + b[k]))
    };
    by_blocks(items, |block| bounds_and_sum_of_block(level, block), join)
}

dispatched! {
    fn bounds_of_block(items: &[TriangleBounds]) -> Ends = |s| bounds_by(s, items);
    fn bounds_and_sum_of_block(items: &[TriangleBounds]) -> (Ends, [f64; 4]) = |s| bounds_and_sum_by(s, items);
}

#[inline(always)]
pub(super) fn loaded<S: Simd>(s: S, ends: &Ends) -> S::F32x8 {
    let [row] = s.load_rows(bytemuck::cast_slice(ends.as_flattened()), 0, 8);
    row
}

#[inline(always)]
pub(super) fn stored<S: Simd>(s: S, ends: S::F32x8) -> Ends {
    bytemuck::cast(s.to_array(ends))
}

#[inline(always)]
pub(super) fn bounds_by<S: Simd>(s: S, items: &[TriangleBounds]) -> Ends {
    // Two accumulators, because with a single one each maximum would wait for the previous one.
    let mut ends = [loaded(s, &NOTHING); 2];
    let (twos, last) = items.as_chunks::<2>();
    for [a, b] in twos {
        ends = [s.max(loaded(s, &a.ends), ends[0]), s.max(loaded(s, &b.ends), ends[1])];
    }
    for item in last {
        ends[0] = s.max(loaded(s, &item.ends), ends[0]);
    }
    stored(s, s.max(ends[1], ends[0]))
}

#[inline(always)]
pub(super) fn bounds_and_sum_by<S: Simd>(s: S, items: &[TriangleBounds]) -> (Ends, [f64; 4]) {
    let (mut ends, mut sums) = ([loaded(s, &NOTHING); 2], [s.splat64(0.0); 2]);
    let (fours, rest) = items.as_chunks::<4>();
    for [a, b, c, d] in fours {
        ends = [s.max(loaded(s, &a.ends), ends[0]), s.max(loaded(s, &b.ends), ends[1])];
        ends = [s.max(loaded(s, &c.ends), ends[0]), s.max(loaded(s, &d.ends), ends[1])];
        sums[0] = s.add64(sums[0], s.widen(&pair(&a.corner_sum, &b.corner_sum)));
        sums[1] = s.add64(sums[1], s.widen(&pair(&c.corner_sum, &d.corner_sum)));
    }
    for item in rest {
        ends[0] = s.max(loaded(s, &item.ends), ends[0]);
        sums[0] = s.add64(sums[0], s.widen(&pair(&item.corner_sum, &[0.0; 4])));
    }
    let [a, b, c, d, e, f, g, h] = s.to_array64(s.add64(sums[0], sums[1]));
    (stored(s, s.max(ends[1], ends[0])), [a + e, b + f, c + g, d + h])
}

#[inline(always)]
fn pair([a, b, c, d]: &[f32; 4], [e, f, g, h]: &[f32; 4]) -> [f32; 8] {
    [*a, *b, *c, *d, *e, *f, *g, *h]
}

/// The triangle that `primitive` returns for each item, in the same memory.
pub(super) fn into_primitives(
    items: Vec<TriangleBounds>,
    primitive: impl Fn(&TriangleBounds) -> Primitive + Sync,
) -> Vec<Primitive> {
    let mut primitives: Vec<Primitive> = bytemuck::cast_vec(items);
    parallel::for_each_mut(&mut primitives, |_, place| *place = primitive(&bytemuck::cast(*place)));
    primitives
}

/// Moves the items for which `is_below` holds to the front; returns their number. `is_below` also gets the item's
/// position before the move.
#[inline(always)]
pub(super) fn partition<S: Simd>(
    s: S,
    items: &mut [TriangleBounds],
    is_below: impl Fn(usize, &TriangleBounds) -> bool,
) -> usize {
    let mut below = 0;
    for i in 0..items.len() {
        let to_front = usize::from(is_below(i, &items[i]));
        // The two items are swapped whichever side the item belongs to, so that no branch is mispredicted. Items are
        // loaded with the same widths as they were stored, because other loads of a recent store would wait.
        let (item, other) = (loaded(s, &items[i].ends), loaded(s, &items[below].ends));
        let sums = s.to_array(s.load_halves(&items[i].corner_sum, &items[below].corner_sum));
        items[i].ends = stored(s, other);
        items[below].ends = stored(s, item);
        items[i].corner_sum.copy_from_slice(&sums[4..]);
        items[below].corner_sum.copy_from_slice(&sums[..4]);
        below += to_front;
    }
    below
}

dispatched! {
    /// Moves the items with a set bit to the front; returns their number.
    pub(super) fn partition_by_bits(items: &mut [TriangleBounds], bits: &[u64]) -> usize =
        |s| partition(s, items, |i, _| bits[i / 64] >> (i % 64) & 1 != 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::fit::primitives::{BLOCK, bounds as bounds_of_primitives, soup};

    fn coordinate(i: u32) -> f32 {
        (u64::from(i).pow(2) * 7919 % 1013) as f32 / 1013.0 - 0.3
    }

    #[test]
    fn one_pass_finds_what_corners_tell() {
        // Numbers that fill twos and fours or not, and more than a block.
        for triangles in [1, 2, 3, 4, 5, 8, 9, 2 * BLOCK as u32 + 3] {
            let vertex = |i: u32| [coordinate(3 * i), coordinate(5 * i + 1), coordinate(7 * i + 2)].into();
            let primitives = soup(triangles, vertex);
            let items: Vec<TriangleBounds> = primitives.iter().map(TriangleBounds::of).collect();
            for level in SimdLevel::available() {
                let (ends, found) = bounds_and_sum(level, &items);
                assert_eq!(ends[0][..3], bounds(level, &items)[0][..3]);
                let ranges = bounds_of_primitives(level, &primitives);
                for k in 0..3 {
                    assert_eq!([ranges.lower[k], ranges.upper[k]], [-f64::from(ends[0][k]), f64::from(ends[1][k])]);
                    let sum: f64 = primitives.iter().map(|primitive| primitive.corner_sum_along(k)).sum();
                    // A rounding of a number up to 2.1.
                    assert!((found[k] - sum).abs() <= f64::from(triangles) * 1.1 * f64::from(f32::EPSILON));
                }
            }
        }
    }

    #[test]
    fn faces_are_kept_in_lanes_without_a_denormal() {
        for face in [0, 1, 0xffff, 0x1_0000, 0x7fff_0001, u32::MAX] {
            let mut primitive = soup(1, |i| [coordinate(i); 3].into())[0];
            [primitive.corners[0][3], primitive.corners[1][3]] = [face as u16, (face >> 16) as u16].map(f32::from);
            let item = TriangleBounds::of(&primitive);
            assert_eq!(item.face(), face);
            assert!(bytemuck::cast_slice::<_, f32>(&[item]).iter().all(|lane| !lane.is_subnormal()));
        }
    }

    #[test]
    fn each_item_comes_to_its_side() {
        for triangles in [1, 2, 3, 64, 65, 300] {
            let primitives = soup(triangles, |i| [coordinate(i), 0.0, 0.0].into());
            let items: Vec<TriangleBounds> = primitives.iter().map(TriangleBounds::of).collect();
            // None, all, the front, the back, some.
            let rules: [fn(u32, u32) -> bool; 5] = [
                |_, _| false,
                |_, _| true,
                |face, triangles| face < triangles / 3,
                |face, triangles| face >= triangles / 3,
                |face, _| face.wrapping_mul(0x9e37_79b1) >> 31 == 0,
            ];
            for (rule, level) in
                rules.into_iter().flat_map(|rule| SimdLevel::available().map(move |level| (rule, level)))
            {
                let mut parted = items.clone();
                let mut bits = vec![0; triangles as usize / 64 + 1];
                for item in &items {
                    let face = item.face();
                    bits[face as usize / 64] |= u64::from(rule(face, triangles)) << (face % 64);
                }
                let below = partition_by_bits(level, &mut parted, &bits);
                assert!(parted.iter().enumerate().all(|(i, item)| rule(item.face(), triangles) == (i < below)));
                parted.sort_unstable_by_key(TriangleBounds::face);
                assert!(parted.iter().zip(&items).all(|(a, b)| a.ends == b.ends && a.corner_sum == b.corner_sum));
            }
        }
    }
}
