//! The volume and the surface area of convex shapes.
//!
//! Those of a rounded shape follow from three figures of its core, by Steiner's formula (1840): with the core's volume
//! `v`, its surface area `a` and the integral `m` of its mean curvature, all points within `r` of it have the volume
//! `v + a r + m r^2 + 4/3 pi r^3`, whose derivative is the surface area.

use std::collections::HashMap;
use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

use super::ConvexShape;
use super::convex::{Core, Frustum, Polytope};

/// The measures of a core that Steiner's formula needs.
#[derive(Clone, Copy, Default)]
struct CoreMeasure {
    volume: f64,
    area: f64,
    curvature: f64,
}

impl ConvexShape {
    /// The volume, in cubed units of length. Zero for a flat shape that is not rounded.
    pub fn volume(&self) -> f64 {
        let CoreMeasure { volume, area, curvature } = self.core_measure();
        let r = self.radius;
        volume + r * (area + r * (curvature + r * (4.0 / 3.0 * PI)))
    }

    /// The area of the surface, in squared units of length: of both sides of a flat shape, and zero for a segment or a
    /// point that is not rounded.
    pub fn surface_area(&self) -> f64 {
        let CoreMeasure { area, curvature, .. } = self.core_measure();
        let r = self.radius;
        area + r * (2.0 * curvature + r * (4.0 * PI))
    }

    fn core_measure(&self) -> CoreMeasure {
        match &self.core {
            Core::Polytope(polytope) => polytope.measure(),
            Core::Frustum(frustum) => frustum.measure(),
        }
    }

    /// The corners of a polytope that is not rounded; `None` for a curved shape.
    pub(crate) fn corners(&self) -> Option<&[Point3<f64>]> {
        match &self.core {
            Core::Polytope(polytope) if self.radius == 0.0 => Some(&polytope.vertices),
            _ => None,
        }
    }
}

/// An edge by its ends, the same for both directions.
type Edge = [[u64; 3]; 2];

impl Polytope {
    fn measure(&self) -> CoreMeasure {
        let triangles = self.triangles();
        let apex = self.vertices[0];
        let is_solid = !self.solid_triangles().is_empty();
        let mut measure = CoreMeasure::default();
        // The scaled normals on either side of each edge.
        let mut edges: HashMap<Edge, (f64, Vec<Vector3<f64>>)> = HashMap::new();
        for triangle in triangles {
            let normal = triangle.scaled_normal();
            measure.volume += normal.dot(&(triangle.vertices[0] - apex)) / 6.0;
            measure.area += 0.5 * normal.norm();
            for ends in triangle.edges() {
                let mut edge: Edge = ends.map(|end| [0, 1, 2].map(|k| end[k].to_bits()));
                edge.sort_unstable();
                edges.entry(edge).or_insert(((ends[1] - ends[0]).norm(), Vec::new())).1.push(normal);
            }
        }
        if measure.area == 0.0 {
            let pairs = self.vertices.iter().flat_map(|p| self.vertices.iter().map(move |q| (p - q).norm()));
            return CoreMeasure { curvature: PI * pairs.fold(0.0, f64::max), ..CoreMeasure::default() };
        }
        if !is_solid {
            (measure.volume, measure.area) = (0.0, 2.0 * measure.area);
        }
        let mut bent: Vec<(Edge, f64)> =
            edges.into_iter().map(|(edge, (length, normals))| (edge, length * turn(&normals))).collect();
        // In one order, because the order of a sum decides its last digits.
        bent.sort_unstable_by_key(|&(edge, _)| edge);
        measure.curvature = 0.5 * bent.iter().map(|&(_, bend)| bend).sum::<f64>();
        CoreMeasure { volume: measure.volume.max(0.0), ..measure }
    }
}

/// The angle between the outward normals on both sides of an edge: half a turn at the rim of a flat polygon.
fn turn(normals: &[Vector3<f64>]) -> f64 {
    match normals {
        [first, second] => libm::atan2(first.cross(second).norm(), first.dot(second)),
        _ => PI,
    }
}

impl Frustum {
    fn measure(&self) -> CoreMeasure {
        let [first, second] = self.radii;
        let height = (self.centers[1] - self.centers[0]).norm();
        let slant = (height * height + (first - second).powi(2)).sqrt();
        // Of the side's normals above the discs' plane.
        let rise = libm::atan2(first - second, height);
        CoreMeasure {
            volume: PI * height / 3.0 * (first * first + first * second + second * second),
            area: PI * (first * first + second * second + (first + second) * slant),
            curvature: PI * (height + first * (0.5 * PI + rise) + second * (0.5 * PI - rise)),
        }
    }
}
