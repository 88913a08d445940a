//! The box along the eigenvectors of a surface's covariance: independent of how finely it is tessellated.

use nalgebra::{Matrix3, Point3, Vector3};

use super::covariance::{eigenvectors, obb_by_vertex_covariance};
use super::enclose::obb_with_axes;
use crate::shape::Obb;
use crate::triangle::Triangle;

/// The box along the eigenvectors of the covariance of all points of the triangles' surface.
///
/// Triangles whose areas sum to zero are fitted by their vertices instead. After Gottschalk, Lin and Manocha 1996,
/// "OBBTree", section 4, with the authors' erratum.
pub fn obb_by_surface_covariance(triangles: &[Triangle]) -> Obb {
    let points: Vec<_> = triangles.iter().flat_map(|triangle| triangle.vertices).collect();
    match surface_covariance(triangles) {
        Some(covariance) => obb_with_axes(&points, &eigenvectors(&covariance)),
        None => obb_by_vertex_covariance(&points),
    }
}

/// The covariance of the surface's points about their mean; `None` without area.
pub fn surface_covariance(triangles: &[Triangle]) -> Option<Matrix3<f64>> {
    let origin = triangles.first()?.vertices[0];
    let mut total_area = 0.0;
    let mut moment = Vector3::zeros();
    for triangle in triangles {
        let area = area(triangle);
        total_area += area;
        moment += (centroid(triangle) - origin) * area;
    }
    if total_area == 0.0 {
        return None;
    }
    let mean = origin + moment / total_area;

    // The integral of x x^T over a triangle is area / 12 * (9 m m^T + p p^T + q q^T + r r^T).
    let mut sum = Matrix3::zeros();
    for triangle in triangles {
        let weight = area(triangle) / total_area / 12.0;
        let to_centroid = centroid(triangle) - mean;
        sum += to_centroid * to_centroid.transpose() * (9.0 * weight);
        for vertex in &triangle.vertices {
            let to_vertex = vertex - mean;
            sum += to_vertex * to_vertex.transpose() * weight;
        }
    }
    Some(sum)
}

fn area(triangle: &Triangle) -> f64 {
    let [p, q, r] = &triangle.vertices;
    0.5 * (q - p).cross(&(r - p)).norm()
}

fn centroid(triangle: &Triangle) -> Point3<f64> {
    let [p, q, r] = &triangle.vertices;
    p + ((q - p) + (r - p)) / 3.0
}
