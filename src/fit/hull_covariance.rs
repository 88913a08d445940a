//! The box along the eigenvectors of the convex hull's covariance: inner points have no say.

use nalgebra::Point3;
use parry3d::math::Vector;
use parry3d::transformation::try_convex_hull;

use super::covariance::{eigenvectors, obb_by_vertex_covariance};
use super::enclose::{center_and_size, obb_with_axes};
use super::surface_covariance::surface_covariance;
use crate::shape::Obb;
use crate::triangle::Triangle;

/// The box along the eigenvectors of the covariance of the surface of the points' convex hull.
///
/// The hull is parry3d's, of the points rounded to f32 after being brought to unit size; where it finds none (flat or
/// straight sets), the box is that of [`obb_by_vertex_covariance`]. After Gottschalk, Lin and Manocha 1996, "OBBTree",
/// section 4.
pub fn obb_by_hull_covariance(points: &[Point3<f64>]) -> Obb {
    match surface_covariance(&convex_hull(points)) {
        Some(covariance) => obb_with_axes(points, &eigenvectors(&covariance)),
        None => obb_by_vertex_covariance(points),
    }
}

/// Faces of the convex hull, moved to the origin and scaled to unit size; empty where there is none.
fn convex_hull(points: &[Point3<f64>]) -> Vec<Triangle> {
    let Some((center, size)) = center_and_size(points) else { return Vec::new() };
    let to_unit = |point: &Point3<f64>| ((point - center) / size).map(|x| x as f32);
    let unit_points: Vec<_> = points.iter().map(|point| Vector::from_array(to_unit(point).into())).collect();
    let Ok((vertices, faces)) = try_convex_hull(&unit_points) else { return Vec::new() };
    let vertex = |index: u32| vertices.get(index as usize).map(|v| Point3::from(v.to_array()).cast::<f64>());
    let triangle = |[p, q, r]: [u32; 3]| Some(Triangle { vertices: [vertex(p)?, vertex(q)?, vertex(r)?] });
    faces.into_iter().filter_map(triangle).collect()
}
