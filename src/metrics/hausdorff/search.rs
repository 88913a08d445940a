//! The point of a volume that is farthest from the triangles: branch and bound over the cells of the volume.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::HausdorffTolerance;
use super::cell::{Cell, Corners};
use super::flat::{closest_plane, height_over};
use super::interval::Interval;
use super::mixture::{Distances, MAX_TRIANGLES, Mixture};
use super::region::Region;
use crate::metrics::measured::Measured;
use crate::numeric::branch_and_bound::OpenRegions;
use crate::numeric::error_bounds::depth_rounding;
use crate::probe::Probe;
use crate::shape::{Aabb, Obb};
use crate::tree::{BvTree, NodeInfo};
use crate::triangle::Triangle;
use crate::volume::NodeRef;

/// The goal of a search.
#[derive(Clone, Copy)]
pub(super) enum Goal {
    /// The distance, as an interval whose width is at most `width`, or `part` times its lower bound if that is more.
    Distance { width: f64, part: f64 },
    /// Whether the distance is at most `allowed`; no decision is needed if the distance is within `width` of `allowed`.
    Decision { allowed: f64, width: f64 },
}

impl Goal {
    /// The upper bound up to which a cell needs no further search, given the greatest distance found.
    fn enough(&self, lower: f64, rounding: f64) -> f64 {
        match *self {
            Self::Distance { width, part } => lower + width.max(part * lower).max(4.0 * rounding),
            // The bounds that are returned allow for rounding.
            Self::Decision { allowed, .. } => allowed - 2.0 * rounding,
        }
    }

    /// Whether the goal is reached, given the greatest distance found and the greatest upper bound of the open cells.
    fn is_reached(&self, lower: f64, upper: f64, rounding: f64) -> bool {
        if upper <= self.enough(lower, rounding) {
            return true;
        }
        match *self {
            Self::Distance { .. } => false,
            Self::Decision { allowed, width } => {
                let width = width.max(4.0 * rounding);
                lower > allowed + 2.0 * rounding || upper <= allowed + width && lower >= allowed - width
            }
        }
    }
}

/// The triangles from which distances are measured: those below a node.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    tree: &'a BvTree,
    node: NodeRef,
    /// One of the triangles, by its leaf index.
    first: usize,
}

impl<'a> Target<'a> {
    /// The triangles below a node.
    pub(super) fn below<V>(tree: &'a BvTree, node: &NodeInfo<V>) -> Self {
        Self { tree, node: node.below, first: node.first_triangle }
    }

    /// All triangles of a tree that is not empty.
    pub(super) fn all(tree: &'a BvTree) -> Self {
        Self { tree, node: NodeRef::ROOT, first: 0 }
    }

    fn first_triangle(&self) -> Triangle {
        Triangle { vertices: self.tree.view().triangle(self.first).map(|vertex| vertex.map(f64::from)) }
    }
}

/// The greatest distance of a point of the volume from the closest triangle of the target: a proven interval, whose
/// upper bound is infinite for a volume that is not known as a set of points.
///
/// The distance from the closest triangle is a minimum of convex functions. A cell's bound comes from the best mixture
/// of triangles near it ([`Mixture`]) or, if the cell is over several triangles near one plane, from that plane
/// ([`height_over`]). The distance of the point to which the bound belongs is measured: its closest triangle joins the
/// mixture, or else the cell is halved.
pub(super) fn farthest<V: Measured>(
    volume: &V,
    target: Target<'_>,
    goal: Goal,
    tolerance: &HausdorffTolerance,
    probe: &mut Probe,
) -> Found {
    let Some(points) = volume.points() else {
        return Found { interval: Interval { lower: 0.0, upper: f64::INFINITY }, is_cut_short: false };
    };
    let (region, cells) = Region::new(points);
    let extent = |aabb: &Aabb| aabb.lower.coords.amax().max(aabb.upper.coords.amax());
    let rounding = depth_rounding(extent(&volume.aabb()) + extent(target.tree.bounds())) + region.excess;
    let open = OpenRegions::new();
    let mut search =
        Search { region, target, goal, rounding, probe, lower: 0.0, triangles: Vec::new(), open, is_cut_short: false };
    let interval = search.run(cells, tolerance.max_regions);
    Found { interval, is_cut_short: search.is_cut_short }
}

/// What a search found.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// The interval of the distance.
    pub(super) interval: Interval,
    /// Whether the search ended before it reached its goal, since it had examined as many cells as it may.
    pub(super) is_cut_short: bool,
}

/// A cell and what is known about it.
struct Part {
    cell: Cell,
    corners: Corners,
    /// The triangles that bound the distances in the cell, and the distances of the corners from each.
    triangles: SmallVec<[u32; MAX_TRIANGLES]>,
    distances: SmallVec<[Distances; 4]>,
    mixture: Mixture,
}

struct Search<'a> {
    region: Region,
    target: Target<'a>,
    goal: Goal,
    rounding: f64,
    probe: &'a mut Probe,
    /// The greatest distance found.
    lower: f64,
    /// The triangles that were closest to some point.
    triangles: Vec<Triangle>,
    open: OpenRegions<Part>,
    is_cut_short: bool,
}

impl Search<'_> {
    fn run(&mut self, cells: Vec<Cell>, max_regions: usize) -> Interval {
        let center = self.region.center;
        let (nearest, from_center) = self.nearest(&center, self.target.first_triangle());
        self.lower = from_center;
        // No point of a sphere is farther from its centre than the radius.
        let most = self.region.radius.map_or(f64::INFINITY, |radius| from_center + radius);
        if let Some(radius) = self.region.radius {
            self.climb(nearest, radius);
        }
        let mut upper = most;
        if !self.goal.is_reached(self.lower, most, self.rounding) {
            self.triangles.push(nearest);
            cells.into_iter().for_each(|cell| self.open(cell, SmallVec::from_slice(&[0])));
            upper = most.min(self.narrow(max_regions).max(self.open.settled()).max(self.lower));
        }
        Interval { lower: (self.lower - self.rounding).max(0.0), upper: upper.max(self.lower) + self.rounding }
    }

    /// Examines cells until the goal is reached, `max_regions` at most. Returns an upper bound on the distances in the
    /// cells that are still open.
    fn narrow(&mut self, max_regions: usize) -> f64 {
        let mut examined = 0;
        while let Some((index, upper)) = self.open.pop() {
            examined += 1;
            if self.goal.is_reached(self.lower, upper, self.rounding) {
                return upper;
            }
            if examined > max_regions {
                self.is_cut_short = true;
                return upper;
            }
            self.examine(index, upper);
        }
        0.0
    }

    fn enough(&self) -> f64 {
        self.goal.enough(self.lower, self.rounding)
    }

    /// The triangle closest to a point and its distance, or a triangle that shows that the point is no farther than the
    /// greatest distance found.
    fn nearest(&mut self, point: &Point3<f64>, known: Triangle) -> (Triangle, f64) {
        self.probe.closest_triangle(self.target.tree, self.target.node, point, known, self.lower)
    }

    /// Climbs on the surface of a sphere, from its centre: the next point is always the one that lies, seen from the
    /// centre, in the direction from the closest triangle to the present point. Ends when the distance no longer grows.
    fn climb(&mut self, mut nearest: Triangle, radius: f64) {
        let mut from = self.region.center;
        loop {
            let normal = nearest.scaled_normal();
            let away = (from - nearest.closest_point(&from)).try_normalize(self.rounding);
            let Some(away) = away.or_else(|| normal.try_normalize(0.0)) else { return };
            let point = self.region.center + away * radius;
            let (next, distance) = self.nearest(&point, nearest);
            let is_higher = distance > self.lower * (1.0 + MIN_CLIMB);
            self.lower = self.lower.max(distance);
            if !is_higher {
                return;
            }
            (from, nearest) = (point, next);
        }
    }

    /// Adds a cell, with the triangles that bound the distances in it.
    fn open(&mut self, cell: Cell, triangles: SmallVec<[u32; MAX_TRIANGLES]>) {
        let corners = cell.corners(&self.region);
        let row = |&triangle: &u32| distances(&self.triangles[triangle as usize], &corners);
        let distances: SmallVec<[Distances; 4]> = triangles.iter().map(row).collect();
        let mixture = Mixture::best(&distances, corners.len());
        let enough = self.enough();
        let bound = self.bound(mixture.bound, &corners, &triangles);
        self.open.push(bound, enough, Part { cell, corners, triangles, distances, mixture });
    }

    /// For a cell over a flat part of the mesh, a bound from one plane close to all its corners and from all triangles
    /// near the cell, not only those that bound it so far. `None` if the bound is too large to end the search of the
    /// cell, or there are too few or too many triangles.
    fn cover(&mut self, index: usize) -> Option<f64> {
        let enough = self.enough();
        let part = &self.open[index];
        let known: SmallVec<[&Triangle; MAX_TRIANGLES]> =
            part.triangles.iter().map(|&triangle| &self.triangles[triangle as usize]).collect();
        closest_plane(&part.corners, &known).filter(|(over, _)| known.len() >= WORTH_COVER && *over < enough)?;
        let below = Obb::from(Aabb::from_points(&part.corners));
        let all = self.probe.triangles_in_box(self.target.tree, self.target.node, &below, MAX_COVER)?;
        height_over(&part.corners, &all.iter().collect::<Vec<_>>(), enough)
    }

    /// The given bound of a cell's mixture. If it is not small enough to end the search of the cell, it is replaced by
    /// the bound from a plane near some of the triangles ([`height_over`]), where that is better.
    fn bound(&self, bound: f64, corners: &[Point3<f64>], triangles: &[u32]) -> f64 {
        if triangles.len() < 2 || bound <= self.enough() {
            return bound;
        }
        let triangles: SmallVec<[&Triangle; MAX_TRIANGLES]> =
            triangles.iter().map(|&triangle| &self.triangles[triangle as usize]).collect();
        height_over(corners, &triangles, bound).unwrap_or(bound)
    }

    /// Finds a better bound for a cell, or halves it.
    fn examine(&mut self, index: usize, upper: f64) {
        if let Some(bound) = self.cover(index) {
            return self.open.settle(index, bound);
        }
        let part = &self.open[index];
        let weighted = part.corners.iter().zip(part.mixture.point);
        let offset = weighted.map(|(corner, weight)| (corner - self.region.center) * weight).sum::<Vector3<f64>>();
        let point = self.region.clamped(self.region.center + offset);
        let from_known = |&triangle: &u32| self.triangles[triangle as usize].distance_at_most(&point);
        let known = part.triangles.iter().map(|triangle| (from_known(triangle), *triangle));
        let Some((least, known)) = known.min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
        let known = self.triangles[known as usize];
        let (nearest, distance) = self.nearest(&point, known);
        self.lower = self.lower.max(distance);
        let goal_bound = self.enough();
        if distance + self.rounding < least {
            let number = self.triangles.len() as u32;
            self.triangles.push(nearest);
            self.open[index].add(number, &nearest);
            let part = &self.open[index];
            let bound = self.bound(upper.min(part.mixture.bound), &part.corners, &part.triangles);
            if bound <= goal_bound {
                return self.open.settle(index, bound);
            }
            if bound - goal_bound < WORTH_ANOTHER * (upper - goal_bound) {
                return self.open.put_back(index, bound);
            }
        }
        let part = &self.open[index];
        if part.is_point() {
            return self.open.settle(index, upper);
        }
        let (halves, triangles) = (part.cell.halves(&part.corners), part.triangles.clone());
        self.open.remove(index);
        for half in halves {
            self.open(half, triangles.clone());
        }
    }
}

impl Part {
    /// Adds a triangle to those that bound the cell; if there are too many, in place of the one with the least weight
    /// in the mixture.
    fn add(&mut self, number: u32, triangle: &Triangle) {
        let row = distances(triangle, &self.corners);
        if self.triangles.len() < MAX_TRIANGLES {
            self.triangles.push(number);
            self.distances.push(row);
        } else {
            let weights = self.mixture.weights.iter().enumerate();
            let least = weights.min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(index, _)| index);
            (self.triangles[least], self.distances[least]) = (number, row);
        }
        self.mixture = Mixture::best(&self.distances, self.corners.len());
    }

    /// Whether the cell is too small to be halved in f64.
    fn is_point(&self) -> bool {
        let middle = nalgebra::center(&self.corners[0], &self.corners[self.corners.len() - 1]);
        self.corners.iter().all(|corner| (corner - middle).amax() <= f64::EPSILON * middle.coords.amax())
    }
}

/// The distances of a cell's corners from a triangle.
fn distances(triangle: &Triangle, corners: &[Point3<f64>]) -> Distances {
    let mut distances = [0.0; 8];
    for (distance, corner) in distances.iter_mut().zip(corners) {
        *distance = triangle.distance_at_most(corner);
    }
    distances
}

/// If at least this many triangles bound a cell, all triangles near the cell are tried together (`Search::cover`).
const WORTH_COVER: usize = 3;
/// The largest number of triangles that are tried together.
const MAX_COVER: usize = 64;

/// Relative gain below which a climb ends.
const MIN_CLIMB: f64 = 1e-3;

/// If a new triangle reduces a bound's excess over the goal to less than this fraction, another one is tried before the
/// cell is halved.
const WORTH_ANOTHER: f64 = 0.5;
