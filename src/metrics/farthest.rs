//! How far a volume reaches from geometry: the largest distance of its points from it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::{Matrix3, Point3, Vector3};

use crate::volume::Volume;

/// The distance of a point from the geometry, of which `at_most` is an upper bound; or anything between that distance and
/// `enough`, if it is no more than that.
pub(super) trait DistanceField {
    fn distance(&mut self, point: &Point3<f64>, at_most: f64, enough: f64) -> f64;
}

/// Looks for the point of a volume that is farthest from the geometry; returns its distance. No point of the volume is
/// farther by more than `tolerance`, up to rounding.
///
/// Branch and bound: a distance field has slope 1 at most, so the distance of a cell's middle bounds it all over the cell.
pub(super) fn farthest(volume: &Volume, tolerance: f64, field: &mut impl DistanceField) -> f64 {
    let region = Region::new(volume);
    let mut search = Search { region: &region, field, tolerance, greatest: 0.0, open: BinaryHeap::new() };
    search.run();
    search.greatest
}

/// A box in its own frame; of a ball the cube around it.
struct Region {
    center: Point3<f64>,
    axes: Matrix3<f64>,
    half_extents: Vector3<f64>,
    /// Of a ball.
    radius: Option<f64>,
}

impl Region {
    fn new(volume: &Volume) -> Self {
        match volume {
            Volume::Aabb(aabb) => Self {
                center: aabb.center(),
                axes: Matrix3::identity(),
                half_extents: aabb.half_extents(),
                radius: None,
            },
            Volume::Obb(obb) => {
                Self { center: obb.center, axes: obb.axes, half_extents: obb.half_extents, radius: None }
            }
            Volume::Sphere(sphere) => Self {
                center: sphere.center,
                axes: Matrix3::identity(),
                half_extents: Vector3::repeat(sphere.radius),
                radius: Some(sphere.radius),
            },
        }
    }

    fn in_mesh(&self, local: &Vector3<f64>) -> Point3<f64> {
        self.center + self.axes * local
    }

    /// Where the farthest point of a convex piece of geometry would be: a box's corners; a ball's points along its axes.
    fn extremes(&self) -> Vec<Vector3<f64>> {
        match self.radius {
            None => {
                let sign = |corner: u8, k: usize| if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
                (0..8).map(|corner| self.half_extents.map_with_location(|k, _, half| sign(corner, k) * half)).collect()
            }
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
    tolerance: f64,
    greatest: f64,
    open: BinaryHeap<Cell>,
}

impl<F: DistanceField> Search<'_, F> {
    fn run(&mut self) {
        let half_extents = self.region.half_extents;
        let from_center = self.field.distance(&self.region.center, f64::INFINITY, 0.0);
        self.greatest = from_center;
        for extreme in self.region.extremes() {
            let at_most = from_center + extreme.norm();
            let distance = self.field.distance(&self.region.in_mesh(&extreme), at_most, self.greatest);
            self.greatest = self.greatest.max(distance);
        }
        self.open_cell(Vector3::zeros(), half_extents, Vector3::zeros(), from_center);
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

    /// Measures a part of a cell.
    fn look_at(&mut self, middle: Vector3<f64>, half_extents: Vector3<f64>, parent: &Cell) {
        let mut point = middle;
        let mut spread = half_extents.norm();
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
        let at_most = parent.distance + (point - parent.point).norm();
        // Below this the cell is of no interest.
        let enough = self.greatest + self.tolerance - spread;
        let distance = self.field.distance(&self.region.in_mesh(&point), at_most, enough);
        if distance + spread > self.greatest + self.tolerance {
            self.greatest = self.greatest.max(distance);
            self.open_cell(middle, half_extents, point, distance);
        }
    }

    fn open_cell(&mut self, middle: Vector3<f64>, half_extents: Vector3<f64>, point: Vector3<f64>, distance: f64) {
        let spread = half_extents.norm() + (point - middle).norm();
        let upper_bound = distance + spread;
        self.open.push(Cell { middle, half_extents, point, distance, upper_bound });
    }
}

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
