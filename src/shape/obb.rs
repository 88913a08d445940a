//! Oriented boxes.

use nalgebra::{Matrix3, Point3, Vector3};

/// An oriented box: `{ c + axes * x : |x_i| <= half_extents_i }`, closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// The middle of the box.
    pub center: Point3<f64>,
    /// Columns are the box's axes, orthonormal.
    pub axes: Matrix3<f64>,
    /// Half the size along each axis, none negative.
    pub half_extents: Vector3<f64>,
}
