//! Splits across the coordinate axes: at the mean, the midpoint or the median, or by the surface area heuristic.

use std::marker::PhantomData;

use nalgebra::Point3;

use super::exhaustive_sah;
use super::sah::{self, BinnedPlane, SahBounds, SahBox, SahSphere, TriedAxes};
use super::top_down::{Split, Splitter, any_equal};
use super::triangle_bounds::{
    self, Ends, TriangleBounds, bounds_and_sum_by, half_area, joined, lengths, partition, partition_by_bits,
};
use crate::numeric::insertion_sort;
use crate::options::SplitRule;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::fit::primitives::{BLOCK, Primitive};
use crate::volume::{AreaShape, FittedBox, Frame};

/// Axes shorter than this fraction of the longest one are not tried by the surface area heuristic.
const NOT_SHORT: f64 = 0.3;
/// Like [`NOT_SHORT`], for trees of spheres whose splits are judged by the areas of boxes.
const NEAR_LONGEST: f64 = 0.7;

pub(super) struct AlignedSplitter<'a> {
    pub(super) level: SimdLevel,
    pub(super) vertices: &'a [Point3<f32>],
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) frame: &'a Frame,
    /// The shape whose area the heuristic compares.
    pub(super) area_shape: AreaShape,
}

impl Splitter for AlignedSplitter<'_> {
    type Item = TriangleBounds;
    type Known = Ends;
    /// The bounds of the triangles below and above the plane, if they are known.
    type Found = Option<[Ends; 2]>;

    fn split(&self, items: &mut [TriangleBounds], known: Option<Ends>, rule: SplitRule) -> Option<Split<Self::Found>> {
        let split = |middle: usize, ends: &Ends, found| Split { middle, area: self.frame.area(half_area(ends)), found };
        if let [a, b] = &items[..] {
            // Two triangles with different centroids are separated, one on each side, by any axis along which they
            // differ.
            return self.differ(a, b).then(|| split(1, &joined(a.ends, b.ends), None));
        }
        let ends = match rule {
            SplitRule::Mean => {
                let (ends, middle) = self.at_mean(items);
                if middle > 0 {
                    return Some(split(middle, &ends, None));
                }
                ends
            }
            _ => known.unwrap_or_else(|| triangle_bounds::bounds(self.level, items)),
        };
        let found = match (rule, self.area_shape) {
            (SplitRule::SahOwnVolumes, AreaShape::Sphere) => self.by_area::<SahSphere>(items, &ends, NOT_SHORT),
            // An axis that is long for a box's area is even longer for a sphere's.
            (SplitRule::Sah, AreaShape::Sphere) => self.by_area::<SahBox>(items, &ends, NEAR_LONGEST),
            (SplitRule::Sah | SplitRule::SahOwnVolumes, AreaShape::Box) => {
                self.by_area::<SahBox>(items, &ends, NOT_SHORT)
            }
            (SplitRule::Midpoint, _) => self.at_midpoint(items, &ends),
            (SplitRule::Mean | SplitRule::Median, _) => None,
        };
        // Triangles that rounded centroids do not separate may still be separated by exact ones.
        let (middle, found) = found.or_else(|| Some((self.at_median(items, &ends)?, None)))?;
        Some(split(middle, &ends, found))
    }

    fn known(&self, found: &Self::Found, _: [&[TriangleBounds]; 2], _: [bool; 2]) -> [Option<Ends>; 2] {
        found.map_or([None; 2], |ends| ends.map(Some))
    }

    fn fit(_: &Self::Found) -> Option<&FittedBox> {
        None
    }

    fn area_of_distinct(&self, items: &[TriangleBounds], known: Option<Ends>) -> Option<f32> {
        self.are_distinct(items)
            .then(|| self.frame.area(half_area(&known.unwrap_or_else(|| triangle_bounds::bounds(self.level, items)))))
    }
}

impl AlignedSplitter<'_> {
    /// Partitions at the mean of the centroids across the longest axis that separates them; returns the bounds and the
    /// number of triangles below the plane, which is 0 if no axis separates them.
    fn at_mean(&self, items: &mut [TriangleBounds]) -> (Ends, usize) {
        if items.len() <= BLOCK {
            return partition_at_mean(self.level, items);
        }
        let (ends, sum) = triangle_bounds::bounds_and_sum(self.level, items);
        (ends, partition_at(self.level, items, axes_by_length(&ends), sum.map(|sum| sum / items.len() as f64)))
    }

    fn at_midpoint(&self, items: &mut [TriangleBounds], ends: &Ends) -> Option<(usize, Option<[Ends; 2]>)> {
        let at = std::array::from_fn(|k| 1.5 * (f64::from(ends[1][k]) - f64::from(ends[0][k])));
        let middle = partition_at(self.level, items, axes_by_length(ends), at);
        (middle > 0).then_some((middle, None))
    }

    /// Partitions by the plane of least cost; `None` if no plane tried separates the centroids. Also returns the bounds
    /// of the triangles on each side. Axes shorter than `axis_ratio` times the longest are not tried.
    fn by_area<B: SahBounds>(
        &self,
        items: &mut [TriangleBounds],
        ends: &Ends,
        axis_ratio: f64,
    ) -> Option<(usize, Option<[Ends; 2]>)> {
        let axes = TriedAxes::new(&lengths(ends), axis_ratio);
        if items.len() <= exhaustive_sah::SMALL_SET {
            let plane = exhaustive_sah::cheapest_plane(self.level, PhantomData::<B>, items, &axes)?;
            let below = [!u64::from(plane.above)];
            return Some((partition_by_bits(self.level, items, &below), Some(plane.sides)));
        }
        let plane = sah::cheapest_plane::<B>(self.level, items, axes, ends)?;
        Some((partition_below(self.level, items, &plane), Some(plane.sides)))
    }

    /// Partitions at the median of the exact centroids across the longest axis that separates them.
    fn at_median(&self, items: &mut [TriangleBounds], ends: &Ends) -> Option<usize> {
        let count = items.len();
        axes_by_length(ends).into_iter().find_map(|k| {
            let offset = |item: &TriangleBounds| self.primitive(item).corner_sum_along(k);
            let offsets: Vec<f64> = items.iter().map(offset).collect();
            let at = *offsets.clone().select_nth_unstable_by(count / 2, f64::total_cmp).1;
            // If the median is also the least offset, the triangles at the median go below the plane.
            let is_included = offsets.iter().all(|&offset| offset >= at);
            let is_below = |&offset: &f64| offset < at || is_included && offset == at;
            let word =
                |offsets: &[f64]| offsets.iter().rev().fold(0, |word, offset| word << 1 | u64::from(is_below(offset)));
            let bits: Vec<u64> = offsets.chunks(64).map(word).collect();
            let below = partition_by_bits(self.level, items, &bits);
            (below < count).then_some(below)
        })
    }

    fn primitive(&self, item: &TriangleBounds) -> Primitive {
        Primitive::of_face(self.vertices, self.triangles, item.face())
    }

    /// Whether two triangles have different centroids.
    fn differ(&self, a: &TriangleBounds, b: &TriangleBounds) -> bool {
        a.corner_sum != b.corner_sum || self.primitive(a).corner_sum() != self.primitive(b).corner_sum()
    }

    /// Whether no two of up to eight triangles have the same centroid.
    fn are_distinct(&self, items: &[TriangleBounds]) -> bool {
        !any_equal(items, f32::NAN, |item| item.corner_sum[0])
            || (1..items.len()).all(|i| items[..i].iter().all(|other| self.differ(other, &items[i])))
    }
}

#[inline(always)]
fn axes_by_length(ends: &Ends) -> [usize; 3] {
    let lengths = lengths(ends);
    let mut order = [0, 1, 2];
    insertion_sort(&mut order, |&i, &j| lengths[j].total_cmp(&lengths[i]));
    order
}

dispatched! {
    fn partition_at_mean(items: &mut [TriangleBounds]) -> (Ends, usize) = |s| partition_at_mean_by(s, items);
    /// Partitions across the first of the axes that separates the centroids. `at` holds three times the position of the
    /// plane along each axis. Returns the number of triangles below the plane, or 0 if no axis separates them.
    fn partition_at(items: &mut [TriangleBounds], axes: [usize; 3], at: [f64; 4]) -> usize =
        |s| partition_at_by(s, items, axes, at);
    fn partition_below(items: &mut [TriangleBounds], plane: &BinnedPlane) -> usize =
        |s| partition(s, items, |_, item| plane.is_below(item));
}

#[inline(always)]
fn partition_at_mean_by<S: Simd>(s: S, items: &mut [TriangleBounds]) -> (Ends, usize) {
    let (ends, sum) = bounds_and_sum_by(s, items);
    let count = items.len() as f64;
    let [x, y, z, _] = sum;
    (ends, partition_at_by(s, items, axes_by_length(&ends), [x / count, y / count, z / count, 0.0]))
}

#[inline(always)]
fn partition_at_by<S: Simd>(s: S, items: &mut [TriangleBounds], axes: [usize; 3], at: [f64; 4]) -> usize {
    for k in axes {
        let (k, plane) = (k & 3, at[k & 3] as f32);
        let below = partition(s, items, |_, item| item.corner_sum[k] < plane);
        if (1..items.len()).contains(&below) {
            return below;
        }
    }
    0
}
