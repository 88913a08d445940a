//! How far a volume reaches from geometry: the largest distance of its points from it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::{Matrix3, Point3, Vector3};

use crate::shape::KDop;
use crate::volume::Volume;

/// Distances from some geometry.
pub(super) trait DistanceField {
    /// The geometry's point nearest to `point` and its distance, of which `at_most` is an upper bound; or any point of
    /// it that is no farther than `enough`.
    fn nearest(&mut self, point: &Point3<f64>, at_most: f64, enough: f64) -> (Point3<f64>, f64);
}

/// Looks for the point of a volume that is farthest from the geometry; returns its distance. No point of the volume is
/// farther by more than `tolerance`, up to rounding.
///
/// Branch and bound: a distance field has slope 1 at most, so the distance of a cell's middle bounds it all over the
/// cell. It begins at a box's corners, where the farthest point from a convex piece of geometry is; in a ball it
/// climbs.
pub(super) fn farthest(volume: &Volume, tolerance: f64, field: &mut impl DistanceField) -> f64 {
    let region = Region::new(volume);
    let (_, from_center) = field.nearest(&region.center, f64::INFINITY, 0.0);
    let mut search =
        Search { region: &region, field, from_center, tolerance, greatest: from_center, open: BinaryHeap::new() };
    search.run();
    search.greatest
}

/// A volume in its own frame: a box, or the part of one that is in a sphere or a k-DOP.
struct Region {
    center: Point3<f64>,
    axes: Matrix3<f64>,
    half_extents: Vector3<f64>,
    /// The radius of a sphere.
    radius: Option<f64>,
    /// A k-DOP, relative to the centre.
    kdop: Option<KDop>,
}

impl Region {
    fn new(volume: &Volume) -> Self {
        match volume {
            Volume::Aabb(aabb) => Self {
                center: aabb.center(),
                axes: Matrix3::identity(),
                half_extents: aabb.half_extents(),
                radius: None,
                kdop: None,
            },
            Volume::Obb(obb) => {
                Self { center: obb.center, axes: obb.axes, half_extents: obb.half_extents, radius: None, kdop: None }
            }
            Volume::Sphere(sphere) => Self {
                center: sphere.center,
                axes: Matrix3::identity(),
                half_extents: Vector3::repeat(sphere.radius),
                radius: Some(sphere.radius),
                kdop: None,
            },
            Volume::KDop(kdop) => {
                let corners = kdop.corners();
                let sum = corners.iter().fold(Vector3::zeros(), |sum, corner| sum + corner.coords);
                let center = Point3::from(sum / corners.len().max(1) as f64);
                let [below, above] = [center - kdop.aabb().lower, kdop.aabb().upper - center];
                let offset = KDop::offsets(&center);
                let local = |ends: &[f64; 9]| std::array::from_fn(|k| ends[k] - offset[k]);
                let local = KDop { lower: local(&kdop.lower), upper: local(&kdop.upper) };
                let half_extents = below.sup(&above);
                Self { center, axes: Matrix3::identity(), half_extents, radius: None, kdop: Some(local) }
            }
        }
    }

    fn in_mesh(&self, local: &Vector3<f64>) -> Point3<f64> {
        self.center + self.axes * local
    }

    /// The corners, or a sphere's points on the axes.
    fn extremes(&self) -> Vec<Vector3<f64>> {
        if let Some(kdop) = &self.kdop {
            return kdop.corners().iter().map(|corner| corner.coords).collect();
        }
        let sign = |corner: u8, k: usize| if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |corner: u8| self.half_extents.map_with_location(|k, _, half| sign(corner, k) * half);
        match self.radius {
            None => (0..8).map(corner).collect(),
            Some(radius) => (0..3).flat_map(|k| [radius, -radius].map(|reach| Vector3::ith(k, reach))).collect(),
        }
    }
}

/// A part of a region, as a box in the region's frame.
struct Cell {
    middle: Vector3<f64>,
    half_extents: Vector3<f64>,
    /// A point of the region near the cell's middle, and its distance or more.
    point: Vector3<f64>,
    distance: f64,
    /// No point of the region in the cell is farther from the geometry.
    upper_bound: f64,
}

struct Search<'a, F> {
    region: &'a Region,
    field: &'a mut F,
    /// The distance of the region's centre.
    from_center: f64,
    tolerance: f64,
    /// The greatest distance found.
    greatest: f64,
    /// Parts where there may be a greater one.
    open: BinaryHeap<Cell>,
}

impl<F: DistanceField> Search<'_, F> {
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
                self.look_at(middle, half_extents, &cell);
            }
        }
    }

    /// Goes from a point of a ball's surface to where the way from its nearest point leaves the ball, as long as that
    /// is farther: for flat geometry the farthest point at once.
    fn climb(&mut self, from: Vector3<f64>, mut nearest: Point3<f64>, radius: f64) {
        let mut point = self.region.in_mesh(&from);
        while let Some(away) = (point - nearest).try_normalize(0.0) {
            let next = self.region.center + away * radius;
            let (next_nearest, distance) = self.field.nearest(&next, self.from_center + radius, self.greatest);
            if distance <= self.greatest * (1.0 + CLIMB_MIN) {
                break;
            }
            (point, nearest, self.greatest) = (next, next_nearest, distance);
        }
    }

    /// Measures a part of a cell.
    fn look_at(&mut self, middle: Vector3<f64>, half_extents: Vector3<f64>, parent: &Cell) {
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
            if is_apart(kdop, &middle, &half_extents) {
                return;
            }
            point = nearly_inside(kdop, middle);
            spread += (point - middle).norm();
        }
        let at_most = parent.distance + (point - parent.point).norm();
        // Below this the cell is of no interest.
        let enough = self.greatest + self.tolerance - spread;
        let (_, distance) = self.field.nearest(&self.region.in_mesh(&point), at_most, enough);
        if distance + spread > self.greatest + self.tolerance {
            self.greatest = self.greatest.max(distance);
            self.open_cell(middle, half_extents, point, distance);
        }
    }

    fn open_cell(&mut self, middle: Vector3<f64>, half_extents: Vector3<f64>, point: Vector3<f64>, distance: f64) {
        let by_point = distance + half_extents.norm() + (point - middle).norm();
        // No point of a ball is farther from the centre than its radius.
        let upper_bound = self.region.radius.map_or(by_point, |radius| by_point.min(self.from_center + radius));
        self.open.push(Cell { middle, half_extents, point, distance, upper_bound });
    }
}

/// Whether a plane of a k-DOP has a box on its outer side.
fn is_apart(kdop: &KDop, middle: &Vector3<f64>, half_extents: &Vector3<f64>) -> bool {
    let offsets = KDop::offsets(&Point3::from(*middle));
    (0..9).any(|k| {
        let radius = Vector3::from(KDop::DIRECTIONS[k]).abs().dot(half_extents);
        offsets[k] - radius > kdop.upper[k] || offsets[k] + radius < kdop.lower[k]
    })
}

/// Projects a point on the planes of a k-DOP that it is outside of, in turn, until it is inside up to rounding.
fn nearly_inside(kdop: &KDop, mut point: Vector3<f64>) -> Vector3<f64> {
    let enough = NEARLY * kdop.aabb().size().amax();
    for _ in 0..MAX_PROJECTIONS {
        let mut most = 0.0_f64;
        for (k, direction) in KDop::DIRECTIONS.iter().map(|&direction| Vector3::from(direction)).enumerate() {
            let offset = direction.dot(&point);
            let excess = offset - offset.clamp(kdop.lower[k], kdop.upper[k]);
            point -= direction * (excess / direction.norm_squared());
            most = most.max(excess.abs());
        }
        if most <= enough {
            break;
        }
    }
    point
}

/// How far outside a k-DOP a point may be, relative to its size, and how often it is projected at most.
const NEARLY: f64 = 1e-12;
const MAX_PROJECTIONS: usize = 64;

/// A climb goes on as long as it gains this part.
const CLIMB_MIN: f64 = 1e-3;

impl Ord for Cell {
    /// By the upper bound.
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
