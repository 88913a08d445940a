//! Axis-aligned rectangles.

use nalgebra::{Point2, Vector2};

use crate::shape::{ClosestPoint, Overlaps};

/// An axis-aligned rectangle, closed. Empty when any `lower` exceeds its `upper`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// The corner of least coordinates.
    pub lower: Point2<f64>,
    /// The corner of greatest coordinates.
    pub upper: Point2<f64>,
}

impl Aabb {
    /// Whether the rectangle contains no point at all.
    pub fn is_empty(&self) -> bool {
        (0..2).any(|k| self.lower[k] > self.upper[k])
    }

    /// Whether `point` lies in the rectangle, its outline included.
    pub fn contains(&self, point: &Point2<f64>) -> bool {
        (0..2).all(|k| self.lower[k] <= point[k] && point[k] <= self.upper[k])
    }
}

impl Overlaps for Aabb {
    /// Exact. Two comparisons of intervals.
    fn overlaps(&self, other: &Aabb) -> bool {
        (0..2).all(|k| self.lower[k].max(other.lower[k]) <= self.upper[k].min(other.upper[k]))
    }
}

impl ClosestPoint<2> for Aabb {
    /// Clamps each coordinate; exact (Ericson, Real-Time Collision Detection, 2005, section 5.1.3). NaN for an empty
    /// rectangle.
    fn closest_point(&self, point: &Point2<f64>) -> Point2<f64> {
        if self.is_empty() { Vector2::repeat(f64::NAN).into() } else { point.sup(&self.lower).inf(&self.upper) }
    }
}
