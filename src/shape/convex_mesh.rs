//! Meshes of convex shapes, for queries of two meshes.

use nalgebra::{Point3, Vector3};

use super::ConvexShape;
use super::convex_hull::{distinct, facets};
use crate::mesh::Mesh;
use crate::numeric::sphere_direction;

/// A closed mesh inscribed in a convex shape.
pub(crate) struct InscribedMesh {
    /// The mesh, relative to the center of the shape.
    pub(crate) mesh: Mesh,
    /// A bound on the distance by which the shape extends beyond the mesh: a few roundings to f32 for a shape with only
    /// flat faces.
    pub(crate) error: f64,
}

/// The number of directions, besides the axes, in which a curved surface gets corners.
const DIRECTIONS: usize = 256;
/// A bound on how far the shape extends beyond the mesh, relative to its greatest height above a facet's plane.
const CORNER_FACTOR: f64 = 1.25;

impl ConvexShape {
    /// The mesh of the hull of the shape's corners or, for a curved shape, of its farthest points along directions
    /// spread over the sphere, rounded to f32. `None` for a shape without a volume.
    pub(crate) fn inscribed_mesh(&self) -> Option<InscribedMesh> {
        let center = self.center();
        let offsets: Vec<Vector3<f64>> = match self.corners() {
            Some(corners) => corners.iter().map(|corner| corner - center).collect(),
            None => {
                let axes = self.obb().axes;
                let along = axes.column_iter().flat_map(|axis| [axis.into_owned(), -axis]);
                let directions = along.chain((0..DIRECTIONS).map(|i| sphere_direction(i, DIRECTIONS)));
                directions.map(|direction| self.support_point(&direction) - center).collect()
            }
        };
        // In the order of coordinates, which the hull keeps.
        let points = distinct(offsets.iter().map(|offset| Point3::from(offset.map(|x| f64::from(x as f32)))).collect());
        let facets = facets(&points);
        let beyond = |corners: &[usize; 3]| {
            let [a, b, c] = corners.map(|corner| points[corner]);
            let outward = (b - a).cross(&(c - a)).try_normalize(0.0)?;
            Some((self.support_point(&outward) - center - a.coords).dot(&outward))
        };
        let gap = facets.iter().filter_map(beyond).fold(0.0, f64::max);
        let size = points.iter().map(|point| point.coords.amax()).fold(0.0, f64::max);
        let mut used: Vec<usize> = facets.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let vertices = used.iter().map(|&point| points[point].map(|x| x as f32)).collect();
        let index = |point: usize| used.binary_search(&point).map(|at| at as u32).ok();
        let triangles: Option<Vec<[u32; 3]>> =
            facets.iter().map(|&[a, b, c]| Some([index(a)?, index(b)?, index(c)?])).collect();
        let mesh = Mesh::from_arrays(vertices, triangles.filter(|triangles| !triangles.is_empty())?).ok()?;
        Some(InscribedMesh { mesh, error: CORNER_FACTOR * gap + f64::from(f32::EPSILON) * size })
    }
}
