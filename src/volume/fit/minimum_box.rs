//! A near-exact box of least volume.
//!
//! The volume as a function of the rotation is continuous, with many local minima where box faces lie on hull edges. As
//! in Chang, Gorissen and Melchior 2011, "Fast oriented bounding box optimization on the rotation group SO(3,R)", many
//! starting rotations go down by a simplex search alternating with the exact solution of the 2D problem about each box
//! axis. The search sees only the points that matter: extremes along many directions, joined by whatever sticks out of
//! the best boxes found, until nothing does.

use nalgebra::{Matrix3, Point3, Vector3};

use super::covariance::obb_by_vertex_covariance;
use super::dito14::dito14;
use super::enclose::{center_and_size, obb_with_axes, projections};
use super::epos::directions;
use super::extremes::extremes;
use super::frame::{orthonormalized, rotation};
use super::minimum_rectangle::minimum_rectangle;
use crate::numeric::insertion_sort;
use crate::shape::Obb;
use crate::simd::SimdLevel;

/// Starting rotations beside the cheap fits' axes.
const RANDOM_STARTS: usize = 120;
/// How many of the best boxes are refined and checked against all points.
const FINALISTS: usize = 12;
/// Rounds of adding points that stick out; a dozen is typical.
const MAX_ROUNDS: usize = 40;
/// Thickness given to flat sets, relative to their size, so that the flattest box is also the smallest in its plane.
const SKIN: f64 = 1e-7;
/// Relative gains below this are noise: rounding against the skin of flat sets.
const LEAST_GAIN: f64 = 1e-7;
/// Turns of an alignment; a dozen is typical.
const MAX_TURNS: usize = 60;

/// A box whose volume is within a fraction of a percent of the least possible, and no larger than the cheap fits'.
///
/// Meant for whole meshes: takes a good part of a second. Deterministic: the random starts are the same in every call.
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
        // Boxes found on fewer points are good starts on more.
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

/// Axes and the volume, with its skin, of the box along them.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    axes: Matrix3<f64>,
    cost: f64,
}

/// The points that the search sees.
struct Search {
    origin: Point3<f64>,
    points: Vec<Point3<f64>>,
}

impl Search {
    /// Starts from the extremes along 49 directions.
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

    /// Turns the box about each of its axes to the best angle until that gains nothing more.
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

    /// Nelder and Mead's simplex search over rotations near `start`, in coordinates of half-turn vectors.
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

    /// Adds, for each face of the box, the point that sticks out of it most; true if any did.
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
    /// Uniform in [-1, 1); SplitMix64 of Steele, Lea and Flood 2014.
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

    /// A point in the unit 4-ball is, normalised, a uniform quaternion.
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
