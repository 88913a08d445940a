//! The box along the eigenvectors of the convex hull's covariance: inner points have no say.

use nalgebra::Point3;

use super::covariance::{eigenvectors, obb_by_vertex_covariance};
use super::enclose::obb_with_axes;
use super::hull::convex_hull;
use super::surface_covariance::surface_covariance;
use crate::shape::Obb;

/// The box along the eigenvectors of the covariance of the surface of the points' convex hull.
///
/// Points in one plane have no hull; their box is that of [`obb_by_vertex_covariance`]. After Gottschalk, Lin and
/// Manocha 1996, "OBBTree", section 4.
pub fn obb_by_hull_covariance(points: &[Point3<f64>]) -> Obb {
    let finite = points.iter().all(|point| point.iter().all(|x| x.is_finite()));
    match surface_covariance(&if finite { convex_hull(points) } else { Vec::new() }) {
        Some(covariance) => obb_with_axes(points, &eigenvectors(&covariance)),
        None => obb_by_vertex_covariance(points),
    }
}
