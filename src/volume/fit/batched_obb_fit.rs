//! Oriented boxes of eight small sets of triangles, one set in each SIMD lane.

use nalgebra::Matrix3;

use super::covariance::eigenvectors_of_eight;
use super::enclose::{Axes8, inverses};
use super::moments::scaled_normal_by;
use super::primitives::{Primitive, corner_rows};
use super::tight_box::{MAX_POINTS, tight_axes_of_eight};
use crate::simd::vectors::{Vector8x64, dot_unfused64};
use crate::simd::{Simd, dispatched};
use crate::volume::{BoundingVolume, FittedBox, Frame, MAX_FIELDS, PackedObb, WIDTH};

/// Maximum number of triangles of a small set.
pub(crate) const SMALL_SET: usize = MAX_POINTS / 3;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axes {
    Covariance,
    /// Axes for small surface area, by a search.
    Area,
    /// Axes for small volume, by a search.
    Volume,
}

dispatched! {
    /// Fits a box to each of eight small sets and returns their words: a row for each field, a lane for each box.
    pub(crate) fn fit(sets: [&[Primitive]; WIDTH], axes: Axes, frame: &Frame) -> [[u32; WIDTH]; MAX_FIELDS] =
        |s| fit_by(s, sets, axes, frame);
}

#[inline(always)]
fn fit_by<S: Simd>(s: S, sets: [&[Primitive]; WIDTH], axes: Axes, frame: &Frame) -> [[u32; WIDTH]; MAX_FIELDS] {
    let mut points = Points::NONE;
    if axes == Axes::Covariance {
        points.put_all(s, &sets);
    } else {
        points.put_once(&sets);
    }
    let mut offsets = [[s.splat64(0.0); 3]; MAX_POINTS];
    let offsets = &mut offsets[..points.most];
    points.offsets(s, offsets);
    let mut along = eigenvectors_of_eight(s, &points.products(s, offsets));
    if axes != Axes::Covariance {
        let mut normals = [[0.0; WIDTH]; 3];
        for (lane, set) in sets.iter().enumerate() {
            let normal = scaled_normal_by(s, set);
            for x in 0..3 {
                normals[x][lane] = normal[x];
            }
        }
        along = tight_axes_of_eight(s, offsets, &along, &loaded(s, &normals), axes == Axes::Volume);
    }
    points.boxes(s, &along, frame, axes != Axes::Covariance)
}

#[inline(always)]
fn loaded<S: Simd>(s: S, [x, y, z]: &[[f64; WIDTH]; 3]) -> Vector8x64<S> {
    [s.load64(x), s.load64(y), s.load64(z)]
}

/// Number of slots of the hash table; more than twice the number of points.
const PLACES: usize = 128;

struct Points {
    /// The points of each set; past a set's last point, one of its points is repeated.
    coordinates: [[[f64; WIDTH]; 3]; MAX_POINTS],
    /// The number of corners that each point stands for; 0 past the last point.
    uses: [[f64; WIDTH]; MAX_POINTS],
    /// Number of points of the largest set.
    most: usize,
}

impl Points {
    const NONE: Self = Self { coordinates: [[[0.0; WIDTH]; 3]; MAX_POINTS], uses: [[0.0; WIDTH]; MAX_POINTS], most: 0 };

    /// Lists each corner once, even if several triangles share it.
    #[inline(always)]
    fn put_once(&mut self, sets: &[&[Primitive]; WIDTH]) {
        let mut counts = [0; WIDTH];
        for (lane, primitives) in sets.iter().enumerate() {
            counts[lane] = self.put(lane, primitives);
            self.most = self.most.max(counts[lane]);
        }
        for (lane, &count) in counts.iter().enumerate() {
            // Repeating the previous point changes nothing, whichever way rounding leads the search.
            for i in count..self.most {
                for x in 0..3 {
                    self.coordinates[i][x][lane] = self.coordinates[count - 1][x][lane];
                }
            }
        }
    }

    /// Lists all corners of all triangles, for sums and ranges, where repeating a corner is cheaper than finding
    /// duplicates.
    #[inline(always)]
    fn put_all<S: Simd>(&mut self, s: S, sets: &[&[Primitive]; WIDTH]) {
        let mut corners = [&[][..]; WIDTH];
        for (lane, primitives) in sets.iter().enumerate() {
            corners[lane] =
                &bytemuck::cast_slice::<Primitive, [f32; 4]>(primitives)[..3 * primitives.len().min(SMALL_SET)];
            self.most = self.most.max(corners[lane].len());
        }
        for i in 0..self.most {
            let corner = |lane: usize| corners[lane].get(i).unwrap_or(&corners[lane][0]);
            for (row, &x) in self.coordinates[i].iter_mut().zip(&corner_rows(s, corner)) {
                *row = s.to_array64(x);
            }
            for (lane, uses) in self.uses[i].iter_mut().enumerate() {
                *uses = if i < corners[lane].len() { 1.0 } else { 0.0 };
            }
        }
    }

    /// Writes a set's distinct corners into a lane, and returns their number.
    #[inline(always)]
    fn put(&mut self, lane: usize, primitives: &[Primitive]) -> usize {
        // A hash table of corner numbers plus one, with linear probing.
        let mut places = [0_u8; PLACES];
        let mut seen = [[0; 3]; MAX_POINTS];
        let mut count = 0;
        for corner in primitives.iter().take(SMALL_SET).flat_map(|primitive| &primitive.corners) {
            let [x, y, z] = [corner[0].to_bits(), corner[1].to_bits(), corner[2].to_bits()];
            // Odd factors mix the bits: the product's highest bits depend on all bits of a coordinate.
            let mixed = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ z.wrapping_mul(0xc2b2_ae3d);
            let mut place = (mixed >> (32 - PLACES.ilog2())) as usize;
            let at = loop {
                let number = usize::from(places[place % PLACES]);
                if number == 0 {
                    places[place % PLACES] = count as u8 + 1;
                    seen[count] = [x, y, z];
                    for (row, &x) in self.coordinates[count].iter_mut().zip(corner) {
                        row[lane] = f64::from(x);
                    }
                    count += 1;
                    break count - 1;
                }
                if seen[number - 1] == [x, y, z] {
                    break number - 1;
                }
                place += 1;
            };
            self.uses[at][lane] += 1.0;
        }
        count
    }

    /// Offsets from each set's first point, in units of the greatest offset; zero if all are zero.
    #[inline(always)]
    fn offsets<S: Simd>(&self, s: S, offsets: &mut [Vector8x64<S>]) {
        let origin = loaded(s, &self.coordinates[0]);
        let mut size = s.splat64(0.0);
        for (offset, point) in offsets.iter_mut().zip(&self.coordinates) {
            let point = loaded(s, point);
            for x in 0..3 {
                offset[x] = s.sub64(point[x], origin[x]);
                size = s.max64(s.abs64(offset[x]), size);
            }
        }
        let mut per_size = s.to_array64(size);
        for size in &mut per_size {
            let inverse = 1.0 / *size;
            *size = if inverse.is_normal() { inverse } else { 0.0 };
        }
        let per_size = s.load64(&per_size);
        for x in offsets.as_flattened_mut() {
            *x = s.mul64(*x, per_size);
        }
    }

    /// The sums of products of offsets from the mean, over each triangle's corners: xx, xy, xz, yy, yz, zz.
    #[inline(always)]
    fn products<S: Simd>(&self, s: S, offsets: &[Vector8x64<S>]) -> [S::F64x8; 6] {
        const PAIRS: [[usize; 2]; 6] = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];
        let zero = s.splat64(0.0);
        let (mut all, mut sum) = (zero, [zero; 3]);
        for (uses, offset) in self.uses.iter().zip(offsets) {
            let uses = s.load64(uses);
            all = s.add64(all, uses);
            for x in 0..3 {
                sum[x] = s.add64(sum[x], s.mul64(uses, offset[x]));
            }
        }
        let per_all = inverses(s, all);
        let mean = [s.mul64(sum[0], per_all), s.mul64(sum[1], per_all), s.mul64(sum[2], per_all)];
        let mut products = [zero; 6];
        for (uses, offset) in self.uses.iter().zip(offsets) {
            let uses = s.load64(uses);
            let from_mean = [s.sub64(offset[0], mean[0]), s.sub64(offset[1], mean[1]), s.sub64(offset[2], mean[2])];
            for (product, [i, j]) in products.iter_mut().zip(PAIRS) {
                *product = s.add64(*product, s.mul64(uses, s.mul64(from_mean[i], from_mean[j])));
            }
        }
        products
    }

    /// The boxes along `axes`; with `never_loose`, the axis-aligned box wherever it has a smaller volume or surface
    /// area.
    #[inline(always)]
    fn boxes<S: Simd>(&self, s: S, axes: &Axes8<S>, frame: &Frame, never_loose: bool) -> [[u32; WIDTH]; MAX_FIELDS] {
        let mut columns = [[[0.0; WIDTH]; 3]; 3];
        for k in 0..3 {
            for x in 0..3 {
                columns[k][x] = s.to_array64(axes[k][x]);
            }
        }
        let mut stored = [Matrix3::identity(); WIDTH];
        for (lane, stored) in stored.iter_mut().enumerate() {
            *stored = FittedBox::stored(&Matrix3::from_fn(|x, k| columns[k][x][lane]));
            for k in 0..3 {
                for x in 0..3 {
                    columns[k][x][lane] = stored[(x, k)];
                }
            }
        }
        let axes = [loaded(s, &columns[0]), loaded(s, &columns[1]), loaded(s, &columns[2])];
        let (inf, scale) = (s.splat64(f64::INFINITY), s.splat64(1.0 / frame.unit));
        let ends = [[inf; 3], [s.sub64(s.splat64(0.0), inf); 3]];
        let (mut turned, mut aligned) = (ends, ends);
        for point in &self.coordinates[..self.most] {
            let mut local = loaded(s, point);
            for (x, local) in local.iter_mut().enumerate() {
                *local = s.mul64(s.sub64(*local, s.splat64(frame.origin[x])), scale);
                aligned = joined_along(s, aligned, x, *local);
            }
            for (k, axis) in axes.iter().enumerate() {
                turned = joined_along(s, turned, k, dot_unfused64(s, axis, &local));
            }
        }
        let (turned, aligned) = (ranges(s, &turned), ranges(s, &aligned));
        let mut rows = [[0; WIDTH]; MAX_FIELDS];
        for lane in 0..WIDTH {
            let of_lane = |ranges: &[[[f64; WIDTH]; 3]; 2]| ranges.map(|ends| ends.map(|row| row[lane]));
            let fit = FittedBox::along(stored[lane], of_lane(&turned));
            let along_axes = FittedBox::along(Matrix3::identity(), of_lane(&aligned));
            let mut words = [0; MAX_FIELDS];
            let is_loose = never_loose && fit.is_looser_than(&along_axes);
            PackedObb::pack(if is_loose { &along_axes } else { &fit }, &mut words);
            for (row, word) in rows.iter_mut().zip(words) {
                row[lane] = word;
            }
        }
        rows
    }
}

type Ends<S> = [Vector8x64<S>; 2];

#[inline(always)]
fn joined_along<S: Simd>(s: S, [mut lower, mut upper]: Ends<S>, k: usize, along: S::F64x8) -> Ends<S> {
    lower[k] = s.min64(along, lower[k]);
    upper[k] = s.max64(along, upper[k]);
    [lower, upper]
}

#[inline(always)]
fn ranges<S: Simd>(s: S, ends: &Ends<S>) -> [[[f64; WIDTH]; 3]; 2] {
    let mut ranges = [[[0.0; WIDTH]; 3]; 2];
    for (rows, ends) in ranges.iter_mut().zip(ends) {
        for k in 0..3 {
            rows[k] = s.to_array64(ends[k]);
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::SimdLevel;
    use crate::volume::fit::primitives::gather;
    use crate::volume::fit::{FitMethods, ObbFit};
    use crate::volume::tests::Random;
    use crate::volume::{MAX_FIELDS, PackedObb};

    /// Sets of 2 to [`SMALL_SET`] triangles: strips of a bent grid with steps of `1 / steps`, and triangles anywhere.
    fn sets(steps: u32, scale: f32) -> Vec<Vec<Primitive>> {
        let mut random = Random(1);
        let mut below = |limit: u32| random.below(limit as usize) as u32;
        let mut sets = Vec::new();
        for number in 0..if cfg!(debug_assertions) { 60 } else { 600 } {
            let triangles = 2 + below(SMALL_SET as u32 - 1);
            let (mut vertices, mut corners) = (Vec::new(), Vec::new());
            if number % 3 == 0 {
                for _ in 0..3 * triangles {
                    vertices.push([0; 3].map(|_| scale * below(steps + 1) as f32 / steps as f32).into());
                }
                corners.extend((0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]));
            } else {
                for i in 0..triangles + 2 {
                    let height = below(steps + 1) as f32 / steps as f32 * (number % 5) as f32 * 0.1;
                    vertices.push([(i / 2) as f32, (i % 2) as f32, height].map(|x| scale * x).into());
                }
                corners.extend((0..triangles).map(|i| [i, i + 1, i + 2]));
            }
            sets.push(gather(&vertices, &corners));
        }
        sets
    }

    fn methods(obb_fit: ObbFit) -> FitMethods {
        FitMethods { obb: obb_fit, sphere: Default::default() }
    }

    fn words(rows: &[[u32; WIDTH]; MAX_FIELDS], lane: usize) -> [u32; MAX_FIELDS] {
        rows.map(|row| row[lane])
    }

    fn area(words: &[u32; MAX_FIELDS]) -> f64 {
        PackedObb::unpack(words, &Frame::LOCAL).surface_area()
    }

    /// A batch of eight nodes and a batch of one give the same file.
    #[test]
    fn a_box_depends_on_its_own_triangles_alone() {
        for (steps, scale) in [(1000, 1.0), (2, 1.0), (1, 1e-40), (3, 1e30)] {
            let sets = sets(steps, scale);
            let frame = Frame { origin: [0.0; 3].into(), unit: f64::from(scale) };
            for axes in [Axes::Covariance, Axes::Area, Axes::Volume] {
                for eight in sets.as_chunks::<WIDTH>().0.iter().take(10) {
                    let sets = eight.each_ref().map(Vec::as_slice);
                    let together = fit(SimdLevel::detect(), sets, axes, &frame);
                    for level in SimdLevel::available() {
                        assert_eq!(fit(level, sets, axes, &frame), together, "{level}");
                    }
                    for (lane, &set) in sets.iter().enumerate() {
                        let alone = fit(SimdLevel::detect(), [set; WIDTH], axes, &frame);
                        assert_eq!(words(&alone, lane), words(&together, lane));
                    }
                }
            }
        }
    }

    #[test]
    fn boxes_are_as_small_as_those_fitted_one_by_one() {
        for (steps, scale) in [(1000, 1.0), (2, 1.0), (1, 1e-40), (3, 1e30)] {
            let sets = sets(steps, scale);
            let frame = Frame { origin: [0.0; 3].into(), unit: f64::from(scale) };
            // Corners on a coarse grid may have covariances without a preferred direction, where rounding decides.
            let most = if steps == 1000 { 1.000_001 } else { 1.001 };
            for (axes, obb_fit, most) in
                [(Axes::Covariance, ObbFit::VertexCovariance, most), (Axes::Area, ObbFit::Tight, 1.002)]
            {
                let (mut all, mut all_by_one) = (0.0, 0.0);
                for eight in sets.as_chunks::<WIDTH>().0 {
                    let sets = eight.each_ref().map(Vec::as_slice);
                    let rows = fit(SimdLevel::detect(), sets, axes, &frame);
                    for (lane, set) in sets.iter().enumerate() {
                        let (words, mut expected) = (words(&rows, lane), [0; MAX_FIELDS]);
                        PackedObb::pack(
                            &PackedObb::fit(SimdLevel::detect(), set, methods(obb_fit), &frame),
                            &mut expected,
                        );
                        all += area(&words);
                        all_by_one += area(&expected);
                        for point in set.iter().flat_map(Primitive::points) {
                            assert!(PackedObb::encloses(&words, &frame.to_local(&point)));
                        }
                    }
                }
                assert!(all <= most * all_by_one, "{all} {all_by_one}");
            }
        }
    }
}
