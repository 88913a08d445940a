//! The best of the cheap box fits.

use nalgebra::{Matrix3, Point3};

use super::covariance::obb_by_vertex_covariance;
use super::dito14::dito14;
use super::enclose::obb_with_axes;
use super::measure::{half_area, volume};
use crate::shape::Obb;

/// The box of least volume among vertex covariance, DiTO-14 and axis-aligned; of equal volumes the one of least area.
pub fn best_box_by_volume(points: &[Point3<f64>]) -> Obb {
    best_of(points, |obb| [volume(obb), half_area(obb)])
}

/// The box of least surface area among vertex covariance, DiTO-14 and axis-aligned.
pub fn best_box_by_area(points: &[Point3<f64>]) -> Obb {
    best_of(points, |obb| [half_area(obb), volume(obb)])
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
