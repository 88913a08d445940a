//! One-sided Hausdorff distances from volumes to the mesh, and the number of volumes for a given error.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::{Matrix3, Point3, Vector3};

use super::MeshFacts;
use super::hierarchy::{Hierarchy, is_cut_at};
use crate::numeric::error_bounds::{NEAREST_POINT_MARGIN, NEGLIGIBLE_DIAMETER};
use crate::parallel;
use crate::probe::Probe;
use crate::shape::KDop;
use crate::tree::{BvTree, NodeInfo};
use crate::volume::{NodeRef, Volume};

/// One-sided Hausdorff distances from volumes to triangles, the measure of tightness in Gottschalk, "Collision queries
/// using oriented bounding boxes" (thesis, 2000): the largest distance of a point of the volume from the triangles.
///
/// It is exact up to rounding for a leaf of one triangle. Otherwise branch and bound finds a lower bound: the distance
/// of an actual point, at most 1/32 of the volume's diameter below the maximum.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HausdorffError {
    /// Errors of the tree cut at each level, as in [`Tightness::levels`](super::Tightness::levels).
    pub levels: Vec<TightnessError>,
    /// Errors of all stored volumes.
    pub total: TightnessError,
    /// Number of volumes for each error of [`ERRORS`](Self::ERRORS).
    pub curve: Vec<CurvePoint>,
    /// Growth of the number of volumes: `nodes ~ error^-slope`, by least squares of the logarithms over the points of
    /// the curve with more than one volume. On smooth surfaces it is 1 for volumes that flatten as they shrink and 2
    /// for those that keep their shape (Gottschalk 2000). `None` for fewer than three such points.
    pub slope: Option<f64>,
}

/// Hausdorff distances of volumes to the triangles below them, relative to their diameters. `None` without volumes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TightnessError {
    /// Maximum.
    pub max: Option<f64>,
    /// Mean over volumes.
    pub mean: Option<f64>,
}

/// A point of the curve of error against number of volumes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CurvePoint {
    /// Distance, relative to [`MeshFacts::diameter`].
    pub error: f64,
    /// Number of volumes that cover the mesh without a point farther than that from it. From the root down, a node
    /// whose volume reaches farther is replaced by its children. `None` if a leaf reaches farther.
    pub nodes: Option<usize>,
}

impl HausdorffError {
    /// The errors of the curve.
    pub const ERRORS: [f64; 9] = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];

    /// Measures a tree against the facts of its mesh.
    pub fn new(tree: &BvTree, facts: &MeshFacts) -> Self {
        Self::with_hierarchy(tree, facts, &Hierarchy::new(tree))
    }

    pub(super) fn with_hierarchy(tree: &BvTree, facts: &MeshFacts, hierarchy: &Hierarchy) -> Self {
        let nodes = &hierarchy.nodes;
        let smallest = NEGLIGIBLE_DIAMETER * nodes.first().map_or(0.0, |root| root.volume.diameter());
        let error = |probe: &mut Probe, node: &NodeInfo| {
            let diameter = node.volume.diameter();
            if diameter <= smallest { 0.0 } else { hausdorff_distance(tree, node, node.below, probe) / diameter }
        };
        let errors: Vec<f64> = parallel::map_with(nodes, Probe::new, error);
        let of = |is_in: &dyn Fn(&NodeInfo) -> bool| {
            let members = nodes.iter().zip(&errors).filter(|(node, _)| is_in(node));
            let (mut count, mut sum, mut max) = (0, 0.0, 0.0_f64);
            for (_, error) in members {
                (count, sum, max) = (count + 1, sum + error, max.max(*error));
            }
            let some = |value: f64| (count > 0).then_some(value);
            TightnessError { max: some(max), mean: some((sum / f64::from(count.max(1))).min(max)) }
        };
        let levels = (0..hierarchy.levels()).map(|level| of(&|node| is_cut_at(node, level))).collect();
        let curve = curve(tree, facts, hierarchy);
        let bent = curve.iter().filter_map(|point| Some((point.error, point.nodes.filter(|&nodes| nodes > 1)? as f64)));
        Self { levels, total: of(&|_| true), slope: log_log_slope(bent).map(|slope| 0.0 - slope), curve }
    }
}

/// Tolerance of the search, relative to the volume's diameter.
const TOLERANCE: f64 = 1.0 / 32.0;

/// Distances from the triangles below a node.
struct Below<'a> {
    tree: &'a BvTree,
    node: NodeRef,
    probe: &'a mut Probe,
}

impl Below<'_> {
    /// The nearest point and its distance, which is at most `at_most`; or any point within `enough`.
    fn nearest(&mut self, point: &Point3<f64>, at_most: f64, enough: f64) -> (Point3<f64>, f64) {
        let limit = at_most * (1.0 + NEAREST_POINT_MARGIN);
        let closest = self.probe.closest_point_below(self.tree, self.node, point, limit, enough);
        closest.map_or((*point, at_most), |closest| (closest.point, closest.distance))
    }
}

/// The largest distance of a node's volume from the triangles below some node.
fn hausdorff_distance(tree: &BvTree, node: &NodeInfo, below: NodeRef, probe: &mut Probe) -> f64 {
    let mut field = Below { tree, node: below, probe };
    if node.triangles == 1 && below == node.below {
        return distance_to_one(&node.volume, &mut field);
    }
    farthest(&node.volume, TOLERANCE * node.volume.diameter(), &mut field)
}

/// The largest distance from a single triangle. It is convex, so the farthest point of a box or a k-DOP is a corner,
/// and that of a sphere is opposite to the point nearest to the center.
fn distance_to_one(volume: &Volume, triangle: &mut Below<'_>) -> f64 {
    let mut distance = |point: &Point3<f64>| triangle.nearest(point, f64::INFINITY, -1.0).1;
    let mut farthest = |corners: &[Point3<f64>]| corners.iter().map(&mut distance).fold(0.0, f64::max);
    match volume {
        Volume::Aabb(aabb) => farthest(&aabb.corners()),
        Volume::Obb(obb) => farthest(&obb.corners()),
        Volume::KDop(kdop) => farthest(&kdop.corners()),
        Volume::Sphere(sphere) => sphere.radius + distance(&sphere.center),
    }
}

fn curve(tree: &BvTree, facts: &MeshFacts, hierarchy: &Hierarchy) -> Vec<CurvePoint> {
    let measure = |nodes: Vec<usize>| -> Vec<(usize, f64)> {
        let measure = |probe: &mut Probe, &index: &usize| {
            (index, hausdorff_distance(tree, &hierarchy.nodes[index], NodeRef::ROOT, probe))
        };
        parallel::map_with(&nodes, Probe::new, measure)
    };
    let mut front = measure(Vec::from_iter((!hierarchy.nodes.is_empty()).then_some(0)));
    let mut is_within_reach = !front.is_empty();
    let mut curve = Vec::with_capacity(HausdorffError::ERRORS.len());
    for error in HausdorffError::ERRORS {
        let allowed = error * facts.diameter;
        while is_within_reach {
            let (near, far): (Vec<_>, Vec<_>) = front.iter().copied().partition(|&(_, distance)| distance <= allowed);
            if far.is_empty() {
                break;
            }
            is_within_reach = far.iter().all(|&(index, _)| !hierarchy.nodes[index].is_leaf());
            if is_within_reach {
                front = near;
                front.extend(measure(far.iter().flat_map(|&(index, _)| hierarchy.children(index)).collect()));
            }
        }
        curve.push(CurvePoint { error, nodes: is_within_reach.then_some(front.len()) });
    }
    curve
}

/// The exponent of a power law `y ~ x^slope`, by least squares of the logarithms. `None` for fewer than three points
/// with positive coordinates, or if all `x` are equal.
pub fn log_log_slope(points: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let logs: Vec<[f64; 2]> =
        points.into_iter().filter(|&(x, y)| x > 0.0 && y > 0.0).map(|(x, y)| [x.ln(), y.ln()]).collect();
    if logs.len() < 3 {
        return None;
    }
    let mean = |k: usize| logs.iter().map(|log| log[k]).sum::<f64>() / logs.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let spread: f64 = logs.iter().map(|log| (log[0] - x).powi(2)).sum();
    let joint: f64 = logs.iter().map(|log| (log[0] - x) * (log[1] - y)).sum();
    let slope = joint / spread;
    (spread > 0.0 && slope.is_finite()).then_some(slope)
}

/// Finds the point of a volume that is farthest from the geometry, and returns its distance. No point of the volume is
/// farther by more than `tolerance`, up to rounding.
///
/// This is branch and bound: distance fields are 1-Lipschitz, so the distance of a cell's middle bounds those of the
/// whole cell. The search begins at a box's corners, which are farthest from convex geometry, and climbs in a sphere.
fn farthest(volume: &Volume, tolerance: f64, field: &mut Below<'_>) -> f64 {
    let region = Region::new(volume);
    let (_, from_center) = field.nearest(&region.center, f64::INFINITY, 0.0);
    let mut search = FarthestSearch {
        region: &region,
        field,
        from_center,
        tolerance,
        greatest: from_center,
        open: BinaryHeap::new(),
    };
    search.run();
    search.greatest
}

/// A box in its own frame, or the box around a sphere or a k-DOP.
struct Region {
    center: Point3<f64>,
    axes: Matrix3<f64>,
    half_extents: Vector3<f64>,
    radius: Option<f64>,
    /// A k-DOP, relative to the center.
    kdop: Option<KDop>,
}

impl Region {
    fn new(volume: &Volume) -> Self {
        let aligned =
            |center, half_extents| Self { center, axes: Matrix3::identity(), half_extents, radius: None, kdop: None };
        match volume {
            Volume::Aabb(aabb) => aligned(aabb.center(), aabb.half_extents()),
            Volume::Obb(obb) => Self { axes: obb.axes, ..aligned(obb.center, obb.half_extents) },
            Volume::Sphere(sphere) => {
                Self { radius: Some(sphere.radius), ..aligned(sphere.center, Vector3::repeat(sphere.radius)) }
            }
            Volume::KDop(kdop) => {
                let center = kdop.mean_corner();
                let half_extents = (center - kdop.aabb().lower).sup(&(kdop.aabb().upper - center));
                Self { kdop: Some(kdop.relative_to(&center)), ..aligned(center, half_extents) }
            }
        }
    }

    fn in_mesh(&self, local: &Vector3<f64>) -> Point3<f64> {
        self.center + self.axes * local
    }

    /// The corners of a box or a k-DOP, or six points of a sphere.
    fn extremes(&self) -> Vec<Vector3<f64>> {
        if let Some(kdop) = &self.kdop {
            return kdop.corners().iter().map(|corner| corner.coords).collect();
        }
        let sign = |corner: u8, k: usize| if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |corner: u8| self.half_extents.map_with_location(|k, _, half| sign(corner, k) * half);
        match self.radius {
            None => (0..8).map(corner).collect(),
            Some(radius) => (0..3).flat_map(|k| [radius, -radius].map(|x| Vector3::ith(k, x))).collect(),
        }
    }
}

/// A part of a region: a box in the region's frame.
struct Cell {
    middle: Vector3<f64>,
    half_extents: Vector3<f64>,
    /// A point of the region near the cell's middle, and an upper bound of its distance.
    point: Vector3<f64>,
    distance: f64,
    upper_bound: f64,
}

struct FarthestSearch<'a, 'b> {
    region: &'a Region,
    field: &'a mut Below<'b>,
    from_center: f64,
    tolerance: f64,
    greatest: f64,
    /// Cells that may contain a larger one.
    open: BinaryHeap<Cell>,
}

impl FarthestSearch<'_, '_> {
    fn run(&mut self) {
        let region = self.region;
        let mut best = None;
        for extreme in region.extremes() {
            let at_most = self.from_center + extreme.norm();
            let (nearest, distance) = self.field.nearest(&region.in_mesh(&extreme), at_most, self.greatest);
            if distance > self.greatest {
                self.greatest = distance;
                best = Some((extreme, nearest));
            }
        }
        if let (Some(radius), Some((extreme, nearest))) = (region.radius, best) {
            self.climb(extreme, nearest, radius);
        }
        self.open_cell(Vector3::zeros(), region.half_extents, Vector3::zeros(), self.from_center);
        while let Some(cell) = self.open.pop() {
            if cell.upper_bound <= self.greatest + self.tolerance {
                break;
            }
            let longest = cell.half_extents.imax();
            let mut half_extents = cell.half_extents;
            half_extents[longest] *= 0.5;
            let step = Vector3::ith(longest, half_extents[longest]);
            for middle in [cell.middle - step, cell.middle + step] {
                self.measure(middle, half_extents, &cell);
            }
        }
    }

    /// Moves on a sphere to the point opposite to the nearest point of the geometry, while the distance grows.
    fn climb(&mut self, from: Vector3<f64>, mut nearest: Point3<f64>, radius: f64) {
        let mut point = self.region.in_mesh(&from);
        while let Some(away) = (point - nearest).try_normalize(0.0) {
            let next = self.region.center + away * radius;
            let (next_nearest, distance) = self.field.nearest(&next, self.from_center + radius, self.greatest);
            if distance <= self.greatest * (1.0 + MIN_CLIMB) {
                break;
            }
            (point, nearest, self.greatest) = (next, next_nearest, distance);
        }
    }

    fn measure(&mut self, middle: Vector3<f64>, half_extents: Vector3<f64>, parent: &Cell) {
        let mut point = middle;
        let mut spread = half_extents.norm();
        if self.from_center + middle.norm() + spread <= self.greatest + self.tolerance {
            return;
        }
        if let Some(radius) = self.region.radius {
            let nearest = middle.abs().zip_map(&half_extents, |x, half| (x - half).max(0.0));
            if nearest.norm() >= radius {
                return;
            }
            let distance = middle.norm();
            if distance > radius {
                point = middle * (radius / distance);
                spread += distance - radius;
            }
        }
        if let Some(kdop) = &self.region.kdop {
            if kdop.is_apart_from(&middle, &half_extents) {
                return;
            }
            point = kdop.projected(middle.into()).coords;
            spread += (point - middle).norm();
        }
        let at_most = parent.distance + (point - parent.point).norm();
        // Distances up to this cannot improve the result.
        let enough = self.greatest + self.tolerance - spread;
        let (_, distance) = self.field.nearest(&self.region.in_mesh(&point), at_most, enough);
        if distance + spread > self.greatest + self.tolerance {
            self.greatest = self.greatest.max(distance);
            self.open_cell(middle, half_extents, point, distance);
        }
    }

    fn open_cell(&mut self, middle: Vector3<f64>, half_extents: Vector3<f64>, point: Vector3<f64>, distance: f64) {
        let by_point = distance + half_extents.norm() + (point - middle).norm();
        // No point of a sphere is farther from its center than the radius.
        let upper_bound = self.region.radius.map_or(by_point, |radius| by_point.min(self.from_center + radius));
        self.open.push(Cell { middle, half_extents, point, distance, upper_bound });
    }
}

/// Relative gain below which a climb ends.
const MIN_CLIMB: f64 = 1e-3;

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.upper_bound.total_cmp(&other.upper_bound)
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}
