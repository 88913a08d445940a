//! Triangles in f64: exact intersection tests, distances, rays, and segments.
//!
//! Everything works on the coordinates as given: nothing is snapped, perturbed or compared with a tolerance.
//! Floating-point filters decide what is certain, and adaptive exact predicates (Shewchuk 1997) the rest.

mod batch;
mod batch_distance;
mod batch_separation;
mod contact_range;
mod distance;
mod distance_at_most;
mod features;
mod intersection;
mod intersects;
mod intersects_beyond_shared;
mod orientation;
mod rational;
mod ray;
mod segment_distance;
mod separation;

pub(crate) use batch::Batch;
pub(crate) use batch_distance::{DistanceBound, Distances};
pub use contact_range::ContactRange;
pub use distance::ClosestPoints;
pub use intersection::CommonPoints;
pub(crate) use intersects::meeting_point;
pub(crate) use orientation::{orient2d, orient3d, triple_and_error};
pub(crate) use rational::{RationalPoint, rational};
pub(crate) use ray::{ExactRay, RayCrossing};
pub(crate) use segment_distance::{SegmentPair, SegmentTarget};

use nalgebra::{Point3, Vector3};

/// A closed triangle. A triangle without area is treated as the segment or point that it is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Triangle {
    /// The vertices.
    pub vertices: [Point3<f64>; 3],
}

impl Triangle {
    /// The triangle `abc`.
    #[inline]
    pub fn new(a: Point3<f64>, b: Point3<f64>, c: Point3<f64>) -> Self {
        Self { vertices: [a, b, c] }
    }

    /// The edges `ab`, `bc` and `ca`, each as its two end points.
    #[inline]
    pub fn edges(&self) -> [[Point3<f64>; 2]; 3] {
        let [a, b, c] = self.vertices;
        [[a, b], [b, c], [c, a]]
    }

    /// The normal by the right-hand rule, with twice the area as its length; zero up to rounding for a degenerate
    /// triangle.
    #[inline]
    pub fn scaled_normal(&self) -> Vector3<f64> {
        let [a, b, c] = self.vertices;
        (b - a).cross(&(c - a))
    }

    /// The unit normal by the right-hand rule; zero without an area.
    #[inline]
    pub(crate) fn unit_normal(&self) -> Vector3<f64> {
        self.scaled_normal().try_normalize(0.0).unwrap_or_default()
    }
}

/// An edge, as its two end points.
pub(crate) type Edge = [Point3<f64>; 2];
/// A key of a point, for maps.
pub(crate) type PointKey = [u64; 3];
/// A key of an edge, for maps.
pub(crate) type EdgeKey = [PointKey; 2];

/// The key of a point; equal for equal coordinates.
pub(crate) fn point_key(point: &Point3<f64>) -> PointKey {
    [point.x, point.y, point.z].map(|x| (x + 0.0).to_bits())
}

/// The key of an edge; the same for both directions.
pub(crate) fn edge_key(edge: &Edge) -> EdgeKey {
    let [p, q] = edge.each_ref().map(point_key);
    [p.min(q), p.max(q)]
}
