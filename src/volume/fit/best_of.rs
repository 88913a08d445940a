//! The best of the cheap box fits.

use nalgebra::{Matrix3, Point3};

use super::covariance::obb_by_vertex_covariance;
use super::dito14::dito14;
use super::enclose::obb_with_axes;
use crate::shape::Obb;

/// The box of least volume among vertex covariance, DiTO-14 and axis-aligned; of equal volumes the one of least area.
pub fn best_box_by_volume(points: &[Point3<f64>]) -> Obb {
    best_of(points, |obb| [obb.volume(), obb.surface_area()])
}

/// The box of least surface area among vertex covariance, DiTO-14 and axis-aligned.
pub fn best_box_by_area(points: &[Point3<f64>]) -> Obb {
    best_of(points, |obb| [obb.surface_area(), obb.volume()])
}

fn best_of(points: &[Point3<f64>], cost: impl Fn(&Obb) -> [f64; 2]) -> Obb {
    let mut best = obb_with_axes(points, &Matrix3::identity());
    for obb in [obb_by_vertex_covariance(points), dito14(points)] {
        if cost(&obb) < cost(&best) {
            best = obb;
        }
    }
    best
}
