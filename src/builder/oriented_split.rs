//! Splits across the axes of a node's own oriented box: covariance axes (Gottschalk, Lin and Manocha 1996).

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::top_down::{Split, Splitter, any_equal};
use crate::numeric::insertion_sort;
use crate::options::SplitRule;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::fit::primitives::{self, Primitive, Ranges, corner_rows};
use crate::volume::fit::{self, Moments};
use crate::volume::{FittedBox, Frame, WIDTH};

pub(super) struct OrientedSplitter<'a> {
    pub(super) level: SimdLevel,
    pub(super) frame: &'a Frame,
}

/// A node's oriented box and the moments from which it was computed.
pub(super) struct Oriented {
    moments: Moments,
    /// The box as it would be stored.
    fit: FittedBox,
}

impl Splitter for OrientedSplitter<'_> {
    type Item = Primitive;
    type Known = Moments;
    type Found = Option<Oriented>;

    fn split(
        &self,
        primitives: &mut [Primitive],
        moments: Option<Moments>,
        rule: SplitRule,
    ) -> Option<Split<Self::Found>> {
        let level = self.level;
        if let [a, b] = primitives {
            // Two triangles with different centroids are separated, one on each side, by any axis along which they
            // differ.
            let apart = a.corner_sum() != b.corner_sum();
            let area = self.frame.area(primitives::bounds(level, primitives).half_area());
            return apart.then_some(Split { middle: 1, area, found: None });
        }
        let moments = moments.unwrap_or_else(|| Moments::of(level, primitives));
        let axes = FittedBox::stored(&fit::eigenvectors(&moments.covariance()));
        let Ranges { lower, upper } = primitives::local_ranges(level, primitives, self.frame, &axes);
        let lengths: [f64; 3] = std::array::from_fn(|k| upper[k] - lower[k]);
        let mut order = [0, 1, 2];
        insertion_sort(&mut order, |&i, &j| lengths[j].total_cmp(&lengths[i]));
        let count = primitives.len();
        let across = |k: usize| {
            let axis = axes.column(k).into_owned();
            // All positions are multiplied by three, so that centroids need no division.
            let at = match rule {
                SplitRule::Mean => 3.0 * moments.mean().dot(&axis),
                SplitRule::Midpoint => {
                    let middle = 0.5 * (lower[k] + upper[k]) * self.frame.unit;
                    3.0 * (middle + axis.dot(&self.frame.origin.coords))
                }
                SplitRule::Median | SplitRule::Sah | SplitRule::SahOwnVolumes => median(primitives, &axis),
            };
            let partition =
                |is_included| CentroidPlane { axis: axis.into(), at, is_included }.partition(level, primitives);
            // If that leaves one side empty, centroids in the plane count as below.
            [false, true].into_iter().map(partition).find(|below| (1..count).contains(below))
        };
        let middle = order.into_iter().find_map(across)?;
        let fit = FittedBox::along(axes, [lower, upper]);
        let area = Ranges { lower, upper }.half_area() as f32;
        Some(Split { middle, area, found: Some(Oriented { moments, fit }) })
    }

    fn known(&self, found: &Self::Found, sides: [&[Primitive]; 2], are_split: [bool; 2]) -> [Option<Moments>; 2] {
        match found {
            // If one side is not split, summing the other side is cheaper than summing both.
            Some(Oriented { moments, .. }) if are_split == [true; 2] => moments.of_parts(self.level, sides).map(Some),
            _ => [None; 2],
        }
    }

    fn fit(found: &Self::Found) -> Option<&FittedBox> {
        found.as_ref().map(|Oriented { fit, .. }| fit)
    }

    fn area_of_distinct(&self, primitives: &[Primitive], _: Option<Moments>) -> Option<f32> {
        are_distinct(primitives).then(|| self.frame.area(primitives::bounds(self.level, primitives).half_area()))
    }
}

/// The median of three times the offsets of the triangles' centroids along the axis.
fn median(primitives: &[Primitive], axis: &Vector3<f64>) -> f64 {
    let offset = |primitive: &Primitive| {
        let [x, y, z] = primitive.corner_sum();
        axis[0] * x + axis[1] * y + axis[2] * z
    };
    let mut offsets: Vec<f64> = primitives.iter().map(offset).collect();
    let middle = offsets.len() / 2;
    *offsets.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Whether no two of up to eight triangles have the same centroid.
fn are_distinct(primitives: &[Primitive]) -> bool {
    if !any_equal(primitives, f64::NAN, |primitive| primitive.corner_sum_along(0)) {
        return true;
    }
    let sums: SmallVec<[_; WIDTH]> = primitives.iter().map(Primitive::corner_sum).collect();
    (1..sums.len()).all(|i| !sums[..i].contains(&sums[i]))
}

/// A plane across an axis. `at` is three times its offset, to be compared with sums of three corners.
#[derive(Clone, Copy)]
struct CentroidPlane {
    axis: [f64; 3],
    at: f64,
    /// Whether centroids in the plane count as below.
    is_included: bool,
}

impl CentroidPlane {
    /// Moves the triangles below the plane to the front; returns their number.
    fn partition(self, level: SimdLevel, primitives: &mut [Primitive]) -> usize {
        partition_by_bits(primitives, |primitives| below(level, self, primitives))
    }
}

dispatched! {
    fn below(plane: CentroidPlane, primitives: &[Primitive]) -> u64 = |s| below_by(s, plane, primitives);
}

/// A bit for each of up to [`WORD`] triangles, set for those below the plane.
#[inline(always)]
fn below_by<S: Simd>(
    s: S,
    CentroidPlane { axis: [x, y, z], at, is_included }: CentroidPlane,
    all: &[Primitive],
) -> u64 {
    let (axis, at) = ([s.splat64(x), s.splat64(y), s.splat64(z)], s.splat64(at));
    let mut below = [0; WORD / WIDTH];
    for (bits, primitives) in below.iter_mut().zip(all.chunks(WIDTH)) {
        let primitive = |lane: usize| primitives.get(lane).unwrap_or(&primitives[0]);
        // The same operations as in [`median`], so that results agree to the last bit.
        let mut sum = corner_rows(s, |lane| &primitive(lane).corners[0]);
        for k in 1..3 {
            let corner = corner_rows(s, |lane| &primitive(lane).corners[k]);
            sum = [s.add64(sum[0], corner[0]), s.add64(sum[1], corner[1]), s.add64(sum[2], corner[2])];
        }
        let along = s.add64(s.mul64(axis[0], sum[0]), s.mul64(axis[1], sum[1]));
        let along = s.add64(along, s.mul64(axis[2], sum[2]));
        *bits = if is_included { !s.gt64(along, at) } else { s.gt64(at, along) };
    }
    u64::from_le_bytes(below)
}

const WORD: usize = u64::BITS as usize;

/// Moves the primitives with a set bit to the front; returns their number. `bits` returns the bits of up to [`WORD`]
/// primitives.
#[inline(always)]
fn partition_by_bits(primitives: &mut [Primitive], mut bits: impl FnMut(&[Primitive]) -> u64) -> usize {
    if primitives.len() <= WORD {
        return partition_by_word(primitives, bits(primitives));
    }
    let mut words = SmallVec::<[u64; 16]>::new();
    words.extend(primitives.chunks(WORD).map(bits));
    let last = primitives.len() % WORD;
    if last > 0
        && let Some(word) = words.last_mut()
    {
        *word &= (1 << last) - 1;
    }
    let front: usize = words.iter().map(|word| word.count_ones() as usize).sum();
    // As many primitives are too far back as too far forward; only these are moved.
    for (ahead, behind) in positions(&words, 0, 0).zip(positions(&words, front, u64::MAX)) {
        exchange(primitives, ahead, behind);
    }
    front
}

/// [`partition_by_bits`] for up to [`WORD`] primitives.
#[inline(always)]
fn partition_by_word(primitives: &mut [Primitive], bits: u64) -> usize {
    let first = |count: usize| u64::MAX.checked_shr((WORD - count) as u32).unwrap_or(0);
    let bits = bits & first(primitives.len());
    let front = bits.count_ones() as usize;
    let (mut ahead, mut behind) = (!bits & first(front), bits & !first(front));
    while behind != 0 {
        exchange(primitives, ahead.trailing_zeros() as usize, behind.trailing_zeros() as usize);
        (ahead, behind) = (ahead & (ahead - 1), behind & (behind - 1));
    }
    front
}

/// The positions from `from` on of the zero bits if `like` is 0, or of the one bits if `like` is `u64::MAX`.
#[inline(always)]
fn positions(words: &[u64], from: usize, like: u64) -> impl Iterator<Item = usize> + '_ {
    let mut at = from / WORD;
    let word = move |at: usize| words.get(at).map(|word| !(word ^ like));
    let mut left = word(at).unwrap_or(0) & (u64::MAX << (from % WORD));
    std::iter::from_fn(move || {
        while left == 0 {
            at += 1;
            left = word(at)?;
        }
        let position = at * WORD + left.trailing_zeros() as usize;
        left &= left - 1;
        Some(position)
    })
}

#[inline(always)]
fn exchange(primitives: &mut [Primitive], one: usize, other: usize) {
    // Corner by corner, because a swap of whole primitives would go through memory.
    for corner in 0..3 {
        let moved = primitives[one].corners[corner];
        primitives[one].corners[corner] = primitives[other].corners[corner];
        primitives[other].corners[corner] = moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::fit::primitives::soup;

    #[test]
    fn each_item_comes_to_its_side() {
        for triangles in [1, 2, 63, 64, 65, 128, 300, 2000] {
            let vertex = |i: u32| [i as f32, 0.0, 0.0].into();
            let primitives = soup(triangles, vertex);
            // None, all, the front, the back, some.
            let rules: [fn(u32, u32) -> bool; 6] = [
                |_, _| false,
                |_, _| true,
                |face, triangles| face < triangles / 3,
                |face, triangles| face >= triangles / 3,
                |face, _| face % 5 == 2,
                |face, _| face.wrapping_mul(0x9e37_79b1) >> 31 == 0,
            ];
            for rule in rules {
                let is_below = |primitive: &Primitive| rule(primitive.face(), triangles);
                let bits = |primitives: &[Primitive]| {
                    // Bits without a primitive have no effect.
                    let bit = |(i, primitive)| u64::from(is_below(primitive)) << i;
                    primitives
                        .iter()
                        .enumerate()
                        .map(bit)
                        .fold(u64::MAX.checked_shl(primitives.len() as u32).unwrap_or(0), |a, b| a | b)
                };
                let mut parted = primitives.clone();
                let front = partition_by_bits(&mut parted, bits);
                assert!(parted.iter().enumerate().all(|(i, primitive)| is_below(primitive) == (i < front)));
                parted.sort_unstable_by_key(Primitive::face);
                assert!(parted.iter().zip(&primitives).all(|(a, b)| a.corners == b.corners));
            }
        }
    }
}
