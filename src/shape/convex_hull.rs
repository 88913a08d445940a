//! The convex hull of points, exactly: quickhull (Barber, Dobkin and Huhdanpaa 1996) on exact predicates.
//!
//! parry3d's hull works in f32 with tolerances: on a grid of points it gave a surface that was not convex and held
//! more than the points' box. With exact signs no tolerance is needed: a point on a facet's plane does not see it, so
//! coplanar points, which meshes are full of, neither spoil the surface nor add facets without area.

use std::cmp::Ordering;

use nalgebra::Point3;
use robust::{Coord3D, orient3d};
use smallvec::SmallVec;

use crate::triangle::{Triangle, orient2d};

/// The facets of the convex hull, counterclockwise from outside; none for points in one plane. Coordinates must be
/// finite.
pub(crate) fn convex_hull(points: &[Point3<f64>]) -> Vec<Triangle> {
    let facet = |corners: [usize; 3]| Triangle { vertices: corners.map(|corner| points[corner]) };
    facets(points).into_iter().map(facet).collect()
}

/// The facets of [`convex_hull`] as indices of points.
pub(super) fn facets(points: &[Point3<f64>]) -> Vec<[usize; 3]> {
    let Some(simplex) = simplex(points) else { return Vec::new() };
    let mut hull = Hull { points: points.to_vec(), ..Hull::default() };
    hull.wrap(simplex);
    hull.facets.iter().filter(|facet| facet.alive).map(|facet| facet.corners).collect()
}

/// The corners, in order, of the convex hull of points that are exactly in one plane: two for points on a line, one for
/// equal points, none for none. Coordinates must be finite.
///
/// The hull is found in a projection along an axis that keeps the points apart, where turns are exact; see
/// [`hull_along`].
pub(crate) fn flat_hull(points: &[Point3<f64>]) -> Vec<Point3<f64>> {
    let mut sorted = distinct(points.to_vec());
    let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) else { return sorted };
    let turn = |axis| sorted.iter().any(|point| orient2d(axis, &first, &last, point) != 0.0);
    let Some(axis) = (0..3).find(|&axis| turn(axis)) else {
        sorted.truncate(1);
        sorted.extend((first != last).then_some(last));
        return sorted;
    };
    hull_along(&mut sorted, axis).into_vec()
}

/// The corners of the convex hull of points in a plane, seen along an axis that is not in the plane: Andrew's monotone
/// chain (1979). Sorts `points` in place. Returns one or two corners if all points are on a line.
pub(crate) fn hull_along(points: &mut [Point3<f64>], axis: usize) -> SmallVec<[Point3<f64>; 6]> {
    // The order along a chain is that of the projected coordinates.
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    points.sort_unstable_by(|p, q| in_order(p, q, &[u, v]));
    let mut corners = SmallVec::new();
    let chains: [&mut dyn Iterator<Item = &Point3<f64>>; 2] = [&mut points.iter(), &mut points.iter().rev()];
    for chain in chains {
        let start = corners.len();
        for point in chain {
            while let [.., p, q] = &corners[start..]
                && orient2d(axis, p, q, point) <= 0.0
            {
                corners.pop();
            }
            corners.push(*point);
        }
        corners.pop();
    }
    if corners.is_empty() {
        corners.extend(points.first().copied());
    }
    corners
}

/// The distinct points, sorted by x, then y, then z.
pub(crate) fn distinct(mut points: Vec<Point3<f64>>) -> Vec<Point3<f64>> {
    points.sort_unstable_by(|p, q| in_order(p, q, &[0, 1, 2]));
    points.dedup();
    points
}

/// The order of two points by one coordinate after the other, in which zeros of both signs are equal.
fn in_order(p: &Point3<f64>, q: &Point3<f64>, axes: &[usize]) -> Ordering {
    let orders = axes.iter().map(|&axis| (p[axis] + 0.0).total_cmp(&(q[axis] + 0.0)));
    orders.fold(Ordering::Equal, Ordering::then)
}

/// The volume of the points' convex hull: 0 for points in one plane. Coordinates must be finite.
pub(crate) fn convex_hull_volume(points: &[Point3<f64>]) -> f64 {
    let facets = convex_hull(points);
    let Some(apex) = facets.first().map(|facet| facet.vertices[0]) else { return 0.0 };
    let six_tetrahedra = |facet: &Triangle| {
        let [a, b, c] = facet.vertices.map(|corner| corner - apex);
        a.dot(&b.cross(&c))
    };
    facets.iter().map(six_tetrahedra).sum::<f64>() / 6.0
}

/// Four points that are not in one plane, far from each other; seen from the last, the others are clockwise. `None` if
/// all points are in one plane.
pub(super) fn simplex(points: &[Point3<f64>]) -> Option<[usize; 4]> {
    let farthest = |measure: &dyn Fn(&Point3<f64>) -> f64| {
        (0..points.len()).max_by(|&i, &j| measure(&points[i]).total_cmp(&measure(&points[j])))
    };
    let a = farthest(&|point| point.x)?;
    let b = farthest(&|point| (point - points[a]).norm_squared())?;
    let c = farthest(&|point| (points[b] - points[a]).cross(&(point - points[a])).norm_squared())?;
    let is_off_line = |c: &usize| (0..3).any(|axis| orient2d(axis, &points[a], &points[b], &points[*c]) != 0.0);
    // Squares of short lengths may vanish, and those beside long ones are rounded.
    let c = [c].into_iter().chain(0..points.len()).find(is_off_line)?;
    let d = farthest(&|point| above(points, [a, b, c], point).abs())?;
    let height = above(points, [a, b, c], &points[d]);
    (height != 0.0).then_some(if height < 0.0 { [a, b, c, d] } else { [a, c, b, d] })
}

/// Positive if `point` is on the side from which the corners appear counterclockwise; the sign is exact.
fn above(points: &[Point3<f64>], corners: [usize; 3], point: &Point3<f64>) -> f64 {
    let coord = |p: &Point3<f64>| Coord3D { x: p.x, y: p.y, z: p.z };
    let [a, b, c] = corners.map(|corner| coord(&points[corner]));
    -orient3d(a, b, c, coord(point))
}

/// A triangle of the hull.
pub(super) struct Facet {
    /// Corners, counterclockwise from outside.
    pub(super) corners: [usize; 3],
    /// The facets across the edges that begin at the corners.
    neighbors: [usize; 3],
    /// The first and the last of the points above this facet that no earlier facet took.
    outside: Option<[usize; 2]>,
    pub(super) alive: bool,
}

impl Facet {
    fn new(corners: [usize; 3], neighbors: [usize; 3]) -> Self {
        Self { corners, neighbors, outside: None, alive: true }
    }
}

/// A hull of points, to which more can be added. Its memory can be reused for other points.
#[derive(Default)]
pub(super) struct Hull {
    pub(super) points: Vec<Point3<f64>>,
    /// The facets of the hull, which are alive, and those that later points replaced.
    pub(super) facets: Vec<Facet>,
    /// For each point the next one outside the same facet.
    next: Vec<Option<usize>>,
    /// Points that are not assigned to a facet.
    loose: Vec<usize>,
    /// The edges of the hole in the hull, and the facet below each.
    rim: Vec<(usize, usize, usize)>,
    visit: Vec<usize>,
}

impl Hull {
    /// Computes the hull of `points`, starting from a known [`simplex`] of them.
    pub(super) fn wrap(&mut self, [a, b, c, d]: [usize; 4]) {
        self.facets.clear();
        self.facets.extend([
            Facet::new([a, b, c], [3, 1, 2]),
            Facet::new([d, c, b], [2, 0, 3]),
            Facet::new([d, a, c], [3, 0, 1]),
            Facet::new([d, b, a], [1, 0, 2]),
        ]);
        self.loose.clear();
        self.loose.extend(0..self.points.len());
        self.hand_out(0);
        // New facets are appended, so every facet has its turn.
        let mut next = 0;
        while next < self.facets.len() {
            if let Some(point) = self.farthest_outside(next) {
                self.grow(next, point);
            }
            next += 1;
        }
    }

    /// Gives each loose point to the first facet from `first` on that it is above; points above none are inside.
    fn hand_out(&mut self, first: usize) {
        self.next.resize(self.points.len(), None);
        for point in self.loose.drain(..) {
            let sees = |facet: &&mut Facet| above(&self.points, facet.corners, &self.points[point]) > 0.0;
            let Some(facet) = self.facets[first..].iter_mut().find(sees) else { continue };
            self.next[point] = None;
            match &mut facet.outside {
                Some([_, last]) => {
                    self.next[*last] = Some(point);
                    *last = point;
                }
                none => *none = Some([point, point]),
            }
        }
    }

    fn points_outside(&self, facet: &Facet) -> impl Iterator<Item = usize> {
        std::iter::successors(facet.outside.map(|[first, _]| first), |&point| self.next[point])
    }

    fn farthest_outside(&self, facet: usize) -> Option<usize> {
        let facet = &self.facets[facet];
        let height = |&point: &usize| above(&self.points, facet.corners, &self.points[point]);
        self.points_outside(facet).filter(|_| facet.alive).max_by(|a, b| height(a).total_cmp(&height(b)))
    }

    /// Adds a point if it is above the facet `seen`, by an exact test. Returns whether it is.
    pub(super) fn add(&mut self, seen: usize, point: Point3<f64>) -> bool {
        let is_outside = above(&self.points, self.facets[seen].corners, &point) > 0.0;
        if is_outside {
            self.points.push(point);
            self.grow(seen, self.points.len() - 1);
        }
        is_outside
    }

    /// Replaces the facets that `point` sees, of which `seen` is one, by a fan from their rim to the point.
    fn grow(&mut self, seen: usize, point: usize) {
        let [mut loose, mut visit] = [&mut self.loose, &mut self.visit].map(std::mem::take);
        self.rim.clear();
        visit.push(seen);
        self.facets[seen].alive = false;
        while let Some(facet) = visit.pop() {
            loose.extend(self.points_outside(&self.facets[facet]));
            let Facet { corners, neighbors, .. } = self.facets[facet];
            for (edge, neighbor) in neighbors.into_iter().enumerate() {
                let beyond = &mut self.facets[neighbor];
                if !beyond.alive {
                    continue;
                }
                if above(&self.points, beyond.corners, &self.points[point]) > 0.0 {
                    beyond.alive = false;
                    visit.push(neighbor);
                } else {
                    self.rim.push((corners[edge], corners[(edge + 1) % 3], neighbor));
                }
            }
        }
        (self.loose, self.visit) = (loose, visit);
        let first = self.facets.len();
        self.rim.sort_unstable();
        let starting_at = |corner: usize| self.rim.binary_search_by_key(&corner, |&(from, ..)| from).map(|i| first + i);
        for &(from, to, below) in &self.rim {
            let here = self.facets.len();
            if let Some(edge) = self.facets[below].corners.iter().position(|&corner| corner == to) {
                self.facets[below].neighbors[edge] = here;
            }
            let next = starting_at(to).unwrap_or(here);
            self.facets.push(Facet::new([from, to, point], [below, next, here]));
        }
        for facet in first..self.facets.len() {
            let next = self.facets[facet].neighbors[1];
            self.facets[next].neighbors[2] = facet;
        }
        self.hand_out(first);
    }
}
