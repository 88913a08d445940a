//! Triangles in f64: the exact intersection verdict and the distance between two.
//!
//! Both work on the coordinates as given: nothing is snapped, perturbed or compared with a tolerance. Floating-point
//! filters answer what they can answer with certainty, and adaptive exact predicates (Shewchuk 1997) the rest.

mod batch;
mod batch_distance;
mod batch_vectors;
mod contact;
mod coplanar;
mod distance;
mod features;
mod intersects;
mod orientation;
mod rational;
mod ray;
mod segment;
mod separation;
mod shared;
mod sweep;

pub(crate) use batch::Batch;
pub(crate) use batch_distance::{DistanceBound, Distances};
pub use contact::CommonPoints;
pub use distance::ClosestPoints;
pub(crate) use orientation::{orient2d, orient3d};
pub(crate) use rational::{RationalPoint, rational};
pub(crate) use ray::{ExactRay, RayPassage};
pub(crate) use segment::{SegmentPair, SegmentTarget};
pub use sweep::ContactRange;

use nalgebra::{Point3, Vector3};

/// A closed triangle by its three vertices. Zero-area triangles are the segments or points they are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Triangle {
    /// The corners.
    pub vertices: [Point3<f64>; 3],
}

impl Triangle {
    /// The triangle `abc`.
    #[inline]
    pub fn new(a: Point3<f64>, b: Point3<f64>, c: Point3<f64>) -> Self {
        Self { vertices: [a, b, c] }
    }

    /// The edges `ab`, `bc` and `ca` by their end points.
    #[inline]
    pub fn edges(&self) -> [[Point3<f64>; 2]; 3] {
        let [a, b, c] = self.vertices;
        [[a, b], [b, c], [c, a]]
    }

    /// The normal by the right-hand rule, as long as twice the area; zero for a degenerate triangle, up to rounding.
    #[inline]
    pub fn scaled_normal(&self) -> Vector3<f64> {
        let [a, b, c] = self.vertices;
        (b - a).cross(&(c - a))
    }
}
