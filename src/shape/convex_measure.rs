//! The volume and the surface area of convex shapes.
//!
//! Those of a rounded shape follow from three figures of its core, by Steiner's formula (1840): with the core's volume
//! `v`, its surface area `a` and the integral `m` of its mean curvature, all points within `r` of it have the volume
//! `v + a r + m r^2 + 4/3 pi r^3`, whose derivative with respect to `r` is the surface area.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::ConvexShape;
use super::convex::{Core, Frustum};
use super::convex_polytope::Polytope;

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
            Core::Polytope(polytope) if self.radius == 0.0 => Some(polytope.vertices()),
            _ => None,
        }
    }
}

/// An edge of a polytope.
pub(super) struct BentEdge {
    /// The ends, in an order that has the first face on the left, seen from outside.
    pub(super) ends: [Point3<f64>; 2],
    /// The outward normals, of any length, of the faces on both sides: only one at the rim of a flat polygon, and none
    /// for a segment or a point.
    pub(super) normals: SmallVec<[Vector3<f64>; 2]>,
}

impl BentEdge {
    fn length(&self) -> f64 {
        (self.ends[1] - self.ends[0]).norm()
    }

    /// The angle between the normals on both sides: half a turn at the rim of a flat polygon, a whole one at a segment.
    pub(super) fn angle(&self) -> f64 {
        match &self.normals[..] {
            [] => 2.0 * PI,
            [first, second] => libm::atan2(first.cross(second).norm(), first.dot(second)),
            _ => PI,
        }
    }
}

impl Polytope {
    fn measure(&self) -> CoreMeasure {
        let apex = self.vertices()[0];
        let mut measure = CoreMeasure::default();
        for triangle in self.triangles() {
            let normal = triangle.scaled_normal();
            measure.volume += normal.dot(&(triangle.vertices[0] - apex)) / 6.0;
            measure.area += 0.5 * normal.norm();
        }
        if self.solid_triangles().is_empty() {
            (measure.volume, measure.area) = (0.0, 2.0 * measure.area);
        }
        measure.curvature = 0.5 * self.bent_edges().iter().map(|edge| edge.length() * edge.angle()).sum::<f64>();
        CoreMeasure { volume: measure.volume.max(0.0), ..measure }
    }

    /// The edges of the surface, those inside a flat face included, or the one segment of a polytope without an area;
    /// in a fixed order, because the order of a sum decides its last digits.
    pub(super) fn bent_edges(&self) -> Vec<BentEdge> {
        let key = |point: &Point3<f64>| [0, 1, 2].map(|k| point[k].to_bits());
        let mut edges: BTreeMap<[[u64; 3]; 2], BentEdge> = BTreeMap::new();
        for triangle in self.triangles() {
            let normal = triangle.scaled_normal();
            for ends in triangle.edges() {
                let mut keys = [key(&ends[0]), key(&ends[1])];
                keys.sort_unstable();
                edges.entry(keys).or_insert(BentEdge { ends, normals: SmallVec::new() }).normals.push(normal);
            }
        }
        if edges.values().all(|edge| edge.normals.iter().all(|normal| *normal == Vector3::zeros())) {
            let vertices = self.vertices();
            let pairs = vertices.iter().flat_map(|p| vertices.iter().map(move |q| [*p, *q]));
            let length = |ends: &[Point3<f64>; 2]| (ends[1] - ends[0]).norm_squared();
            let farthest = pairs.max_by(|p, q| length(p).total_cmp(&length(q)));
            return farthest.into_iter().map(|ends| BentEdge { ends, normals: SmallVec::new() }).collect();
        }
        edges.into_values().collect()
    }
}

impl Frustum {
    fn measure(&self) -> CoreMeasure {
        let [first, second] = self.radii;
        let height = (self.centers[1] - self.centers[0]).norm();
        let slant = (height * height + (first - second).powi(2)).sqrt();
        let rise = self.rise();
        CoreMeasure {
            volume: PI * height / 3.0 * (first * first + first * second + second * second),
            area: PI * (first * first + second * second + (first + second) * slant),
            curvature: PI * (height + first * (0.5 * PI + rise) + second * (0.5 * PI - rise)),
        }
    }

    /// The elevation of the side's normals above the discs' plane, in radians.
    pub(super) fn rise(&self) -> f64 {
        libm::atan2(self.radii[0] - self.radii[1], (self.centers[1] - self.centers[0]).norm())
    }
}
