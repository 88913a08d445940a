//! A near-exact box of least volume.
//!
//! The volume as a function of the rotation is continuous, with many local minima where box faces lie on hull edges. As
//! in Chang, Gorissen and Melchior 2011, "Fast oriented bounding box optimization on the rotation group SO(3,R)", many
//! starting rotations are improved by a simplex search that alternates with the exact solution of the 2D problem about
//! each box axis. The search sees only the points that matter: extremes along many directions, joined by whatever
//! sticks out of the best boxes found, until nothing does.
//!
//! The module also finds the rectangle of least area around points in the plane, which solves the 2D problem.

use nalgebra::{Matrix3, Point3, Vector3};

use super::covariance::obb_by_vertex_covariance;
use super::enclose::{center_and_size, extremes, obb_with_axes, orthonormalized, projections, rotation};
use super::extremal_points::{directions, dito14};
use crate::numeric::insertion_sort;
use crate::shape::Obb;
use crate::simd::{Simd, SimdLevel, dispatched};

/// Number of random starting rotations, in addition to the axes of the cheap fits.
const RANDOM_STARTS: usize = 120;
/// The number of best boxes that are refined and checked against all points.
const FINALISTS: usize = 12;
/// Maximum number of rounds that add points outside the best boxes; a dozen is typical.
const MAX_ROUNDS: usize = 40;
/// Length added to each side of a box, relative to the set's size: the boxes in the plane of a flat set, whose volumes
/// are all zero, then differ by their area.
const SKIN: f64 = 1e-7;
/// Relative gains below this are taken for rounding noise.
const LEAST_GAIN: f64 = 1e-7;
/// The length of the shortest edge that has a direction in f64, because its square is not denormal. The points of a
/// [`minimum_rectangle`] are of about unit size, or all equal.
const MIN_EDGE: f64 = 1.5e-154;
/// Maximum number of rotations in [`Search::aligned`]; a dozen is typical.
const MAX_TURNS: usize = 60;

/// A box whose volume is within a fraction of a percent of the least possible, and no larger than the best of the
/// axis-aligned, vertex-covariance and DiTO-14 boxes.
///
/// Meant for whole meshes: a fit takes a good part of a second. Deterministic: the random starts are the same in every
/// call.
pub fn minimum_volume_box(points: &[Point3<f64>]) -> Obb {
    let cheap = [obb_with_axes(points, &Matrix3::identity()), obb_by_vertex_covariance(points), dito14(points)];
    let mut best = cheap[0];
    for obb in &cheap[1..] {
        best = smaller(best, *obb);
    }
    let Some((center, size)) = center_and_size(points) else { return best };
    let unit_points: Vec<_> = points.iter().map(|point| Point3::from((point - center) / size)).collect();

    let mut starts: Vec<_> = cheap.iter().map(|obb| obb.axes).collect();
    starts.extend(RandomRotations::default().take(RANDOM_STARTS));
    let mut search = Search::new(&unit_points);
    for _ in 0..MAX_ROUNDS {
        let mut minima: Vec<_> = starts.iter().map(|axes| search.aligned(search.candidate(*axes))).collect();
        sort_by_cost(&mut minima);
        minima.dedup_by(|a, b| a.cost <= b.cost * (1.0 + LEAST_GAIN));
        minima.truncate(FINALISTS);
        for candidate in &mut minima {
            *candidate = search.refined(*candidate);
        }
        sort_by_cost(&mut minima);

        let known = search.points.len();
        let mut best_holds_all = true;
        for (rank, candidate) in minima.iter().enumerate() {
            let added = search.add_points_outside(candidate, &unit_points);
            best_holds_all &= rank > 0 || !added;
            best = smaller(best, obb_with_axes(points, &candidate.axes));
        }
        if best_holds_all || search.points.len() == known {
            break;
        }
        // Boxes found for fewer points are good starts for more.
        starts.truncate(cheap.len() + RANDOM_STARTS);
        starts.extend(minima.iter().map(|candidate| candidate.axes));
    }
    best
}

fn sort_by_cost(minima: &mut [Candidate]) {
    minima.sort_by(|a, b| a.cost.total_cmp(&b.cost));
}

fn smaller(a: Obb, b: Obb) -> Obb {
    if b.volume() < a.volume() { b } else { a }
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    axes: Matrix3<f64>,
    cost: f64,
}

/// The points that the search uses.
struct Search {
    origin: Point3<f64>,
    points: Vec<Point3<f64>>,
}

impl Search {
    /// A search that starts with the extremes along 49 directions.
    fn new(all: &[Point3<f64>]) -> Self {
        let directions = directions::<49>();
        let ends = extremes(all, |point| directions.map(|direction| direction.dot(&point.coords)));
        let mut indices: Vec<_> = ends.iter().flat_map(|ends| [ends.least, ends.greatest]).collect();
        indices.sort_unstable();
        indices.dedup();
        let points: Vec<_> = indices.into_iter().filter_map(|index| all.get(index).copied()).collect();
        Self { origin: points.first().copied().unwrap_or_default(), points }
    }

    fn candidate(&self, axes: Matrix3<f64>) -> Candidate {
        let (lower, upper) = projections(&self.points, &self.origin, &axes);
        Candidate { axes, cost: (upper - lower).add_scalar(SKIN).product() }
    }

    /// Rotates the box about each of its axes in turn to the best angle, until no rotation gains anything more.
    fn aligned(&self, start: Candidate) -> Candidate {
        let mut best = start;
        let mut idle_axes = 0;
        let mut flat = Vec::with_capacity(self.points.len());
        for k in (0..3).cycle().take(MAX_TURNS) {
            let [u, v, w] = [(k + 1) % 3, (k + 2) % 3, k].map(|i| best.axes.column(i).into_owned());
            flat.clear();
            flat.extend(self.points.iter().map(|point| [u.dot(&point.coords), v.dot(&point.coords)]));
            let [cos, sin] = minimum_rectangle(SimdLevel::detect(), &mut flat).along;
            let turned = Matrix3::from_columns(&[u * cos + v * sin, v * cos - u * sin, w]);
            let candidate = self.candidate(orthonormalized(&turned));
            if candidate.cost < best.cost * (1.0 - LEAST_GAIN) {
                best = candidate;
                idle_axes = 0;
            } else {
                idle_axes += 1;
                if idle_axes == 3 {
                    break;
                }
            }
        }
        best
    }

    /// Simplex searches of shrinking size, each followed by an alignment, until they gain nothing more.
    fn refined(&self, start: Candidate) -> Candidate {
        let mut best = start;
        let mut angle = 0.1;
        while angle > 1e-5 {
            let candidate = self.aligned(self.simplex_search(best, angle));
            if candidate.cost < best.cost * (1.0 - LEAST_GAIN) {
                best = candidate;
                angle *= 0.7;
            } else {
                angle *= 0.2;
            }
        }
        best
    }

    fn simplex_search(&self, start: Candidate, angle: f64) -> Candidate {
        let at = |turn: Vector3<f64>| (turn, self.candidate(start.axes * rotation(&turn)));
        let mut simplex = [
            (Vector3::zeros(), start),
            at(Vector3::new(angle, 0.0, 0.0)),
            at(Vector3::new(0.0, angle, 0.0)),
            at(Vector3::new(0.0, 0.0, angle)),
        ];
        for _ in 0..100 {
            insertion_sort(&mut simplex, |a, b| a.1.cost.total_cmp(&b.1.cost));
            let [best, second, third, worst] = simplex;
            if worst.1.cost - best.1.cost <= 0.01 * LEAST_GAIN * best.1.cost {
                break;
            }
            let middle = (best.0 + second.0 + third.0) / 3.0;
            let beyond = |factor: f64| at(middle + (middle - worst.0) * factor);
            let reflected = beyond(1.0);
            simplex[3] = if reflected.1.cost < best.1.cost {
                let expanded = beyond(2.0);
                if expanded.1.cost < reflected.1.cost { expanded } else { reflected }
            } else if reflected.1.cost < third.1.cost {
                reflected
            } else {
                let contracted = beyond(if reflected.1.cost < worst.1.cost { 0.5 } else { -0.5 });
                if contracted.1.cost < worst.1.cost.min(reflected.1.cost) {
                    contracted
                } else {
                    simplex = simplex.map(|(turn, _)| at((turn + best.0) * 0.5));
                    continue;
                }
            };
        }
        let best = simplex.into_iter().map(|(_, candidate)| candidate).min_by(|a, b| a.cost.total_cmp(&b.cost));
        best.map_or(start, |best| self.candidate(orthonormalized(&best.axes)))
    }

    /// Adds, for each face of the box, the point farthest outside; returns whether any was outside.
    fn add_points_outside(&mut self, candidate: &Candidate, all: &[Point3<f64>]) -> bool {
        let (lower, upper) = projections(&self.points, &self.origin, &candidate.axes);
        let mut outermost = [(1e-7, None); 6];
        for point in all {
            let coordinates = candidate.axes.tr_mul(&(point - self.origin));
            for k in 0..3 {
                for (face, distance) in [(k, lower[k] - coordinates[k]), (k + 3, coordinates[k] - upper[k])] {
                    if distance > outermost[face].0 {
                        outermost[face] = (distance, Some(*point));
                    }
                }
            }
        }
        let known = self.points.len();
        self.points.extend(outermost.iter().filter_map(|(_, point)| *point));
        self.points.len() > known
    }
}

/// An endless fixed sequence of uniformly distributed rotations.
#[derive(Default)]
struct RandomRotations {
    state: u64,
}

impl RandomRotations {
    /// A number in [-1, 1), uniformly distributed, by SplitMix64 (Steele, Lea and Flood 2014).
    fn signed_unit(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

impl Iterator for RandomRotations {
    type Item = Matrix3<f64>;

    /// A point in the unit 4-ball, normalised, is a uniformly distributed rotation.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let [w, x, y, z] = std::array::from_fn(|_| self.signed_unit());
            let norm_sq = w * w + x * x + y * y + z * z;
            if norm_sq < 1.0 && w.abs() > 1e-3 {
                return Some(orthonormalized(&rotation(&(Vector3::new(x, y, z) / w))));
            }
        }
    }
}

/// The orientation and size of a rectangle in the plane.
pub(super) struct Rectangle {
    /// Cosine and sine of the direction of one side.
    pub(super) along: [f64; 2],
    /// The lengths of the rectangle along the direction `along` and across it.
    pub(super) lengths: [f64; 2],
}

dispatched! {
    fn minimum_rectangle(points: &mut [[f64; 2]]) -> Rectangle = |s| minimum_rectangle_by(s, points);
}

/// The rectangle of least area around the points, which are reordered.
///
/// One side lies on an edge of the convex hull (Freeman and Shapira 1975). Collinear points give the direction of their
/// line, a single point the first axis.
#[inline(always)]
pub(super) fn minimum_rectangle_by<S: Simd>(s: S, points: &mut [[f64; 2]]) -> Rectangle {
    // Space for both chains of the hull.
    let mut few = [[0.0; 2]; 2 * MAX_RANKED];
    let mut many = Vec::new();
    let hull = if points.len() <= MAX_RANKED {
        &mut few[..]
    } else {
        many.resize(2 * points.len(), [0.0; 2]);
        &mut many[..]
    };
    let corners = convex_hull(s, points, hull);
    along_edge(s, &hull[..corners])
}

/// The rectangle of least area around a convex polygon.
#[inline(always)]
fn along_edge<S: Simd>(s: S, hull: &[[f64; 2]]) -> Rectangle {
    let zero = s.splat64(0.0);
    let (mut least_area, mut best) = (f64::INFINITY, Rectangle { along: [1.0, 0.0], lengths: [0.0; 2] });
    for first in (0..hull.len()).step_by(8) {
        // Eight edges at once; lanes past the last edge repeat it.
        let (mut begin, mut edge) = ([[0.0; 8]; 2], [[0.0; 8]; 2]);
        for lane in 0..8 {
            let at = (first + lane).min(hull.len() - 1);
            let (p, q) = (hull[at], hull[if at + 1 < hull.len() { at + 1 } else { 0 }]);
            for x in 0..2 {
                begin[x][lane] = p[x];
                edge[x][lane] = q[x] - p[x];
            }
        }
        let (mut lengths, mut cos, mut sin) = ([0.0; 8], [0.0; 8], [0.0; 8]);
        for lane in 0..8 {
            lengths[lane] = (edge[0][lane] * edge[0][lane] + edge[1][lane] * edge[1][lane]).sqrt();
            let per_length = 1.0 / lengths[lane];
            cos[lane] = edge[0][lane] * per_length;
            sin[lane] = edge[1][lane] * per_length;
        }
        let (begin_x, begin_y) = (s.load64(&begin[0]), s.load64(&begin[1]));
        let (along_x, along_y) = (s.load64(&cos), s.load64(&sin));
        let (mut least, mut greatest, mut height) = (zero, zero, zero);
        for r in hull {
            let (x, y) = (s.sub64(s.splat64(r[0]), begin_x), s.sub64(s.splat64(r[1]), begin_y));
            let along = s.add64(s.mul64(x, along_x), s.mul64(y, along_y));
            least = s.min64(along, least);
            greatest = s.max64(along, greatest);
            height = s.max64(s.sub64(s.mul64(y, along_x), s.mul64(x, along_y)), height);
        }
        let width = s.sub64(greatest, least);
        let areas = s.to_array64(s.mul64(width, height));
        let (widths, heights) = (s.to_array64(width), s.to_array64(height));
        for lane in 0..8 {
            if lengths[lane] >= MIN_EDGE && areas[lane] < least_area {
                least_area = areas[lane];
                best = Rectangle { along: [cos[lane], sin[lane]], lengths: [widths[lane], heights[lane]] };
            }
        }
    }
    best
}

/// Writes the corners of the points' convex hull to `hull`, counterclockwise, and returns their number; sorts the
/// points (Andrew 1979, "Another efficient algorithm for convex hulls in two dimensions").
#[inline(always)]
fn convex_hull<S: Simd>(s: S, points: &mut [[f64; 2]], hull: &mut [[f64; 2]]) -> usize {
    if points.len() <= MAX_RANKED {
        rank_sort(s, points);
    } else {
        points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then_with(|| a[1].total_cmp(&b[1])));
    }
    let corners = put_chain(points.iter(), hull);
    corners + put_chain(points.iter().rev(), &mut hull[corners..])
}

/// Up to this many points, which most sets do not exceed, the hull is in a fixed array and points are sorted by rank.
const MAX_RANKED: usize = 32;

/// Sorts up to [`MAX_RANKED`] points by x, then by y, by counting the points before each.
#[inline(always)]
fn rank_sort<S: Simd>(s: S, points: &mut [[f64; 2]]) {
    let mut given = [[0.0; 2]; MAX_RANKED];
    let mut x = [[f64::INFINITY; 8]; MAX_RANKED / 8];
    for (i, point) in points.iter().enumerate().take(MAX_RANKED) {
        given[i] = *point;
        x[i / 8][i % 8] = point[0];
    }
    let blocks = points.len().div_ceil(8).min(MAX_RANKED / 8);
    for i in 0..points.len() {
        let point = given[i % MAX_RANKED];
        let own = s.splat64(point[0]);
        let (mut before, mut after) = (0, 0);
        for block in &x[..blocks] {
            let block = s.load64(block);
            before += s.gt64(own, block).count_ones() as usize;
            after += s.gt64(block, own).count_ones() as usize;
        }
        // Usually only the point itself is neither before nor after it.
        if before + after + 1 != 8 * blocks {
            for (j, other) in given[..points.len()].iter().enumerate() {
                let is_before = other[1] < point[1] || (other[1] == point[1] && j < i);
                before += usize::from(other[0] == point[0] && is_before);
            }
        }
        points[before.min(points.len() - 1)] = point;
    }
}

/// Writes one chain of the convex hull: the corners from the first point on at which it turns left. The last point is
/// left to the next chain. Returns the number of corners.
#[inline(always)]
fn put_chain<'a>(points: impl Iterator<Item = &'a [f64; 2]>, chain: &mut [[f64; 2]]) -> usize {
    let mut length = 0;
    for p in points {
        while let [.., a, b] = chain[..length] {
            if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                break;
            }
            length -= 1;
        }
        chain[length] = *p;
        length += 1;
    }
    length.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_turned_rectangle() {
        let mut corners = [[0.0, 0.0], [4.0, 3.0], [2.5, 5.0], [-1.5, 2.0], [1.0, 2.0]];
        let [cos, sin] = minimum_rectangle(SimdLevel::detect(), &mut corners).along;
        let parallel = (cos * 0.6 - sin * 0.8).abs() < 1e-15;
        let perpendicular = (cos * 0.8 + sin * 0.6).abs() < 1e-15;
        assert!(parallel || perpendicular, "{cos} {sin}");
    }

    #[test]
    fn points_on_a_line_give_its_direction() {
        let mut line = [[1.0, 1.0], [4.0, 5.0], [1.0, 1.0], [2.5, 3.0]];
        let [cos, sin] = minimum_rectangle(SimdLevel::detect(), &mut line).along;
        assert!((cos * 0.8 - sin * 0.6).abs() < 1e-15, "{cos} {sin}");
        assert_eq!(minimum_rectangle(SimdLevel::detect(), &mut [[3.0, 3.0]; 5]).along, [1.0, 0.0]);
        assert_eq!(minimum_rectangle(SimdLevel::detect(), &mut []).along, [1.0, 0.0]);
    }

    #[test]
    fn few_points_are_sorted_as_many() {
        dispatched! {
            fn sort(points: &mut [[f64; 2]]) -> () = |s| rank_sort(s, points);
        }
        for count in 0..=MAX_RANKED {
            // With and without equal points and coordinates.
            for steps in [1, 3, 7, 1013] {
                let coordinate = |i: usize| ((i * i * 7919) % steps) as f64;
                let points = (0..count).map(|i| [coordinate(i + 1), coordinate(3 * i + 2)]);
                let (mut sorted, mut expected) = (Vec::from_iter(points.clone()), Vec::from_iter(points));
                sort(SimdLevel::detect(), &mut sorted);
                expected.sort_by(|a, b| a[0].total_cmp(&b[0]).then_with(|| a[1].total_cmp(&b[1])));
                assert_eq!(sorted, expected);
            }
        }
    }
}
