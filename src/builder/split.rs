//! Splits a node's triangles: chooses axis and plane by the [`SplitRule`], then partitions the triangles in place.

use std::marker::PhantomData;

use nalgebra::{Matrix3, Vector3};
use smallvec::SmallVec;

use super::exhaustive_sah;
use super::sah::{self, SahBounds, SahBox, SahSphere, TriedAxes};
use crate::numeric::insertion_sort;
use crate::options::SplitRule;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::fit::primitives::{self, Primitive, Ranges, corner_rows};
use crate::volume::fit::{self, Moments};
use crate::volume::{AreaShape, BoundingVolume, FittedBox, Frame, VolumeKind, WIDTH, for_kind};

/// Axes shorter than this part of the longest are not tried by the surface area heuristic.
const NOT_SHORT: f64 = 0.3;
/// [`NOT_SHORT`] for spheres that are judged by the areas of boxes.
const NEAR_LONGEST: f64 = 0.7;

pub(super) struct Split {
    /// The number of triangles below the plane; they come first.
    pub(super) middle: usize,
    /// Half the surface area of the node's volume, in the unit of the mesh's coordinates squared.
    pub(super) area: f32,
    /// The bounds of the triangles below the plane and of the others, if they are known.
    pub(super) bounds: Option<[Ranges; 2]>,
    /// The node's oriented box, if it was split along one.
    pub(super) oriented: Option<Oriented>,
}

/// Facts about a node's triangles that may be known before it is split.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) bounds: Option<Ranges>,
    pub(super) moments: Option<Moments>,
}

/// Moves the triangles whose centroids lie below the plane to the front; `None` if no axis separates them.
pub(super) fn partition(
    level: SimdLevel,
    primitives: &mut [Primitive],
    Known { bounds, moments }: Known,
    frame: &Frame,
    kind: VolumeKind,
    rule: SplitRule,
) -> Option<Split> {
    if let [a, b] = primitives {
        // Two triangles with different centroids are separated, one on each side, by any axis that tells them apart.
        let apart = a.corner_sum() != b.corner_sum();
        let volume = SplitVolume::axis_aligned(level, primitives, bounds, SplitRule::Midpoint);
        return apart.then(|| Split {
            middle: 1,
            area: volume.ranges.half_area() as f32,
            bounds: None,
            oriented: None,
        });
    }
    let is_oriented = for_kind!(kind, V => V::SPLITS_ALONG_OWN_AXES);
    let volume = match rule {
        SplitRule::Mean | SplitRule::Midpoint | SplitRule::Median if is_oriented => {
            SplitVolume::oriented(level, primitives, moments, frame)
        }
        // If a node is split across an oriented box's axes, the boxes of the two sides have unrelated axes and overlap:
        // where the covariance had no preferred direction, trees were looser than trees of axis-aligned boxes.
        _ => SplitVolume::axis_aligned(level, primitives, bounds, rule),
    };
    let by_area = match (rule, for_kind!(kind, V => V::AREA_SHAPE)) {
        (SplitRule::SahOwnVolumes, AreaShape::Sphere) => {
            partition_by_area::<SahSphere>(level, primitives, &volume.ranges, NOT_SHORT)
        }
        // An axis that is long for a box's area is even longer for a sphere's.
        (SplitRule::Sah, AreaShape::Sphere) => {
            partition_by_area::<SahBox>(level, primitives, &volume.ranges, NEAR_LONGEST)
        }
        (SplitRule::Sah | SplitRule::SahOwnVolumes, AreaShape::Box) => {
            partition_by_area::<SahBox>(level, primitives, &volume.ranges, NOT_SHORT)
        }
        _ => None,
    };
    let (middle, bounds) = match by_area {
        Some((middle, bounds)) => (middle, Some(bounds)),
        None => {
            let mut axes = volume.axes_by_length().into_iter();
            (axes.find_map(|k| partition_across(level, primitives, &volume, k, rule))?, None)
        }
    };
    Some(Split { middle, area: volume.ranges.half_area() as f32, bounds, oriented: volume.oriented })
}

/// Partitions by the plane of least cost; `None` if no plane tried separates the centroids. Also returns the bounds of
/// the triangles on each side. Axes shorter than `axis_ratio` of the longest are not tried.
fn partition_by_area<B: SahBounds>(
    level: SimdLevel,
    primitives: &mut [Primitive],
    ranges: &Ranges,
    axis_ratio: f64,
) -> Option<(usize, [Ranges; 2])> {
    let axes = TriedAxes::new(ranges, axis_ratio);
    if primitives.len() <= exhaustive_sah::SMALL_SET {
        let plane = exhaustive_sah::cheapest_plane(level, PhantomData::<B>, primitives, &axes)?;
        return Some((partition_by_word(primitives, u64::from(!plane.above)), plane.ranges()));
    }
    let plane = sah::cheapest_plane::<B>(level, primitives, axes, ranges)?;
    Some((partition_in_place(primitives, |primitive| plane.is_below(primitive)), plane.ranges()))
}

/// Partitions by a plane across axis `k`; `None` if the centroids' offsets along it are all the same.
fn partition_across(
    level: SimdLevel,
    primitives: &mut [Primitive],
    volume: &SplitVolume,
    k: usize,
    rule: SplitRule,
) -> Option<usize> {
    let axis = volume.axis(k);
    // All positions are multiplied by three, so that centroids need no division.
    let at = match rule {
        SplitRule::Mean => 3.0 * volume.mean.dot(&Vector3::from(axis)),
        SplitRule::Midpoint => 3.0 * volume.middle(k),
        SplitRule::Median | SplitRule::Sah | SplitRule::SahOwnVolumes => {
            let mut offsets: Vec<f64> = primitives.iter().map(|primitive| along(&axis, primitive)).collect();
            let middle = offsets.len() / 2;
            *offsets.select_nth_unstable_by(middle, f64::total_cmp).1
        }
    };
    let count = primitives.len();
    let partition = |is_included: bool| match (&volume.oriented, is_included) {
        (Some(_), _) => CentroidPlane { axis, at, is_included }.partition(level, primitives),
        (None, false) => partition_in_place(primitives, |primitive| primitive.corner_sum_along(k) < at),
        (None, true) => partition_in_place(primitives, |primitive| primitive.corner_sum_along(k) <= at),
    };
    // Otherwise a plane through the least centroids, which are its lower side.
    [false, true].into_iter().map(partition).find(|below| (1..count).contains(below))
}

/// Three times the offset of the triangle's centroid along the axis.
#[inline(always)]
fn along(axis: &[f64; 3], primitive: &Primitive) -> f64 {
    let [x, y, z] = primitive.corner_sum();
    axis[0] * x + axis[1] * y + axis[2] * z
}

/// A node's oriented box and the moments from which it was computed.
pub(super) struct Oriented {
    pub(super) moments: Moments,
    /// The box as it will be stored.
    pub(super) fit: FittedBox,
}

/// The volume along whose axes a node is split: its oriented or its axis-aligned box.
struct SplitVolume {
    axes: Matrix3<f64>,
    origin: Vector3<f64>,
    ranges: Ranges,
    /// The mean of the centroids, if the rule needs it.
    mean: Vector3<f64>,
    /// The oriented box; `None` for an axis-aligned one.
    pub(super) oriented: Option<Oriented>,
}

impl SplitVolume {
    /// The oriented box of the triangles; `moments` are theirs, if known.
    fn oriented(level: SimdLevel, primitives: &[Primitive], moments: Option<Moments>, frame: &Frame) -> Self {
        let moments = moments.unwrap_or_else(|| Moments::of(level, primitives));
        let axes = FittedBox::stored(&fit::eigenvectors(&moments.covariance()));
        let Ranges { lower, upper } = primitives::local_ranges(level, primitives, frame, &axes);
        let ranges = Ranges { lower: lower.map(|end| end * frame.unit), upper: upper.map(|end| end * frame.unit) };
        let oriented = Oriented { moments, fit: FittedBox::along(axes, [lower, upper]) };
        Self { axes, origin: frame.origin.coords, ranges, mean: moments.mean(), oriented: Some(oriented) }
    }

    /// The axis-aligned box of the triangles; `bounds` are theirs, if known.
    fn axis_aligned(level: SimdLevel, primitives: &[Primitive], bounds: Option<Ranges>, rule: SplitRule) -> Self {
        let (ranges, mean) = match (rule, bounds) {
            (SplitRule::Mean, _) => primitives::bounds_and_mean(level, primitives),
            (_, Some(bounds)) => (bounds, Vector3::zeros()),
            (_, None) => (primitives::bounds(level, primitives), Vector3::zeros()),
        };
        Self { axes: Matrix3::identity(), origin: Vector3::zeros(), ranges, mean, oriented: None }
    }

    fn axis(&self, k: usize) -> [f64; 3] {
        self.axes.column(k).into_owned().into()
    }

    fn middle(&self, k: usize) -> f64 {
        0.5 * (self.ranges.lower[k] + self.ranges.upper[k]) + self.axes.column(k).dot(&self.origin)
    }

    fn axes_by_length(&self) -> [usize; 3] {
        let mut order = [0, 1, 2];
        insertion_sort(&mut order, |&i, &j| self.ranges.length(j).total_cmp(&self.ranges.length(i)));
        order
    }
}

/// A plane across an axis, at three times its offset: sums of corners are not divided by three.
#[derive(Clone, Copy)]
struct CentroidPlane {
    axis: [f64; 3],
    at: f64,
    /// Whether centroids in the plane count as below.
    is_included: bool,
}

impl CentroidPlane {
    /// Moves the triangles below to the front; returns their number.
    fn partition(self, level: SimdLevel, primitives: &mut [Primitive]) -> usize {
        partition_by_bits(primitives, |primitives| below(level, self, primitives))
    }
}

dispatched! {
    fn below(plane: CentroidPlane, primitives: &[Primitive]) -> u64 = |s| below_by(s, plane, primitives);
}

/// A bit for each of up to [`WORD`] triangles, set for those below.
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
        // The same operations as in `along`, so that results agree to the last bit.
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

/// Moves the primitives with a set bit to the front; returns their number. `bits` is called for up to [`WORD`] of them.
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

/// The positions from `from` on whose bits equal those of `like`.
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

/// Moves the primitives for which `below` holds to the front; returns their number.
#[inline(always)]
fn partition_in_place(primitives: &mut [Primitive], below: impl Fn(&Primitive) -> bool) -> usize {
    partition_by_bits(primitives, |primitives| {
        primitives.iter().enumerate().fold(0, |bits, (i, primitive)| bits | u64::from(below(primitive)) << i)
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
                let (mut parted, mut by_bits) = (primitives.clone(), primitives.clone());
                let front = partition_in_place(&mut parted, is_below);
                assert_eq!(partition_by_bits(&mut by_bits, bits), front);
                for mut parted in [parted, by_bits] {
                    assert!(parted.iter().enumerate().all(|(i, primitive)| is_below(primitive) == (i < front)));
                    parted.sort_unstable_by_key(Primitive::face);
                    assert!(parted.iter().zip(&primitives).all(|(a, b)| a.corners == b.corners));
                }
            }
        }
    }
}
