//! Triangles in f64: the exact intersection verdict and the distance between two.

use nalgebra::Point3;

/// A closed triangle by its three vertices. Zero-area triangles are the segments or points they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// The corners.
    pub vertices: [Point3<f64>; 3],
}
