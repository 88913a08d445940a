//! What trees of a mesh are measured against.

use nalgebra::Point3;

use crate::fit;
use crate::fit::convex_hull_volume;
use crate::mesh::Mesh;

/// Measures of a mesh itself, found once and used for trees of every kind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshFacts {
    /// Number of triangles.
    pub triangles: usize,
    /// Sum of the triangles' areas, one side each.
    pub area: f64,
    /// Whether the triangles lie in a plane, as far as f32 coordinates can tell. No triangles are flat.
    pub is_flat: bool,
    /// Volume of the convex hull of the triangles; `None` for a flat mesh.
    pub hull_volume: Option<f64>,
}

impl MeshFacts {
    /// Measures a mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let points = used_points(mesh);
        let frame = fit::obb_by_vertex_covariance(&points);
        let largest = points.iter().map(|point| point.coords.amax()).fold(0.0, f64::max);
        // Rounding to f32 moves a point out of its plane by up to this much.
        let rounding = f64::from(f32::EPSILON) * largest.max(f64::from(f32::MIN_POSITIVE));
        let is_flat = frame.half_extents.min() <= rounding;
        let triangles = mesh.triangles().len();
        let area = (0..triangles as u32).map(|t| 0.5 * mesh.triangle(t).scaled_normal().norm()).sum();
        let hull_volume = (!is_flat).then(|| convex_hull_volume(&points));
        Self { triangles, area, is_flat, hull_volume }
    }
}

/// The points that triangles use, each vertex once.
fn used_points(mesh: &Mesh) -> Vec<Point3<f64>> {
    let mut used = vec![false; mesh.vertices().len()];
    for &vertex in mesh.triangles().iter().flatten() {
        used[vertex as usize] = true;
    }
    let vertices = mesh.vertices().iter().zip(used);
    vertices.filter(|(_, used)| *used).map(|(vertex, _)| vertex.cast()).collect()
}
