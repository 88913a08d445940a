//! Axis-aligned boxes.

use nalgebra::{Point3, Vector3};

/// An axis-aligned box, closed. Empty when any `lower` exceeds its `upper`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner of least coordinates.
    pub lower: Point3<f64>,
    /// The corner of greatest coordinates.
    pub upper: Point3<f64>,
}

impl Aabb {
    /// The empty box: contains nothing, and growing it by a point gives that point's box.
    pub fn empty() -> Self {
        Self {
            lower: Point3::from(Vector3::repeat(f64::INFINITY)),
            upper: Point3::from(Vector3::repeat(f64::NEG_INFINITY)),
        }
    }

    /// Enlarges the box to contain `point`.
    #[inline]
    pub fn grow(&mut self, point: &Point3<f64>) {
        self.lower = self.lower.inf(point);
        self.upper = self.upper.sup(point);
    }

    /// The middle of the box.
    pub fn center(&self) -> Point3<f64> {
        nalgebra::center(&self.lower, &self.upper)
    }

    /// Half the box's size along each axis.
    pub fn half_extents(&self) -> Vector3<f64> {
        (self.upper - self.lower) * 0.5
    }
}
