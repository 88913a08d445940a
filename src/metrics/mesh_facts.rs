//! What trees of a mesh are measured against.

use nalgebra::Point3;

use crate::mesh::{Mesh, Watertightness};
use crate::volume::fit;
use crate::volume::fit::convex_hull_volume;

/// Measures of a mesh itself, found once and used for trees of every kind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshFacts {
    /// Number of triangles.
    pub triangles: usize,
    /// Sum of the triangles' areas, one side each.
    pub area: f64,
    /// Diameter of the smallest ball around the triangles.
    pub diameter: f64,
    /// Whether the triangles lie in a plane, as far as f32 coordinates can tell. No triangles are flat.
    pub is_flat: bool,
    /// Volume of the convex hull of the triangles; `None` for a flat mesh.
    pub hull_volume: Option<f64>,
    /// Volume that the mesh encloses: the sum of the signed volumes of the tetrahedra between its triangles and any one
    /// point, without its sign (divergence theorem). Parts that the mesh winds around several times count as often.
    /// `None` for a mesh that is not closed, whose triangles disagree about its outside ([`Watertightness`]), or that
    /// encloses nothing.
    pub mesh_volume: Option<f64>,
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
        let is_oriented = || mesh.watertightness() == Watertightness::Oriented;
        let mesh_volume = hull_volume.filter(|_| is_oriented()).and_then(|hull| enclosed_volume(mesh, &points, hull));
        let diameter = 2.0 * fit::smallest_sphere(&points).sphere.radius;
        Self { triangles, area, diameter, is_flat, hull_volume, mesh_volume }
    }
}

/// What a closed mesh encloses, unless that is nothing but rounding beside its hull.
fn enclosed_volume(mesh: &Mesh, points: &[Point3<f64>], hull_volume: f64) -> Option<f64> {
    let middle = fit::mean(points);
    let signed: f64 = (0..mesh.triangles().len() as u32)
        .map(|t| {
            let [a, b, c] = mesh.triangle(t).vertices.map(|vertex| vertex - middle);
            a.cross(&b).dot(&c) / 6.0
        })
        .sum();
    Some(signed.abs()).filter(|&volume| volume > ROUNDING * hull_volume)
}

/// What a sum over many triangles may be off by, relatively.
const ROUNDING: f64 = 1e-9;

/// The points that triangles use, each vertex once.
fn used_points(mesh: &Mesh) -> Vec<Point3<f64>> {
    let mut used = vec![false; mesh.vertices().len()];
    for &vertex in mesh.triangles().iter().flatten() {
        used[vertex as usize] = true;
    }
    let vertices = mesh.vertices().iter().zip(used);
    vertices.filter(|(_, used)| *used).map(|(vertex, _)| vertex.cast()).collect()
}
