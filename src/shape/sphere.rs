//! Spheres.

use nalgebra::Point3;

/// A ball, closed: all points within `radius` of `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The middle.
    pub center: Point3<f64>,
    /// Not negative; zero is a point.
    pub radius: f64,
}
