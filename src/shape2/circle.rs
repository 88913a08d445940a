//! Circles.

use nalgebra::Point2;

use super::{Aabb, ConvexPolygon, Obb, Sector};
use crate::shape::ball::{ball_by_closest_point, closest_on_ball};
use crate::shape::{Capsule, ClosestPoint, Distance, Overlaps, Segment};

/// A disc, closed: all points within `radius` of `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Circle {
    /// The middle.
    pub center: Point2<f64>,
    /// Not negative; zero is a point.
    pub radius: f64,
}

impl Circle {
    /// Whether `point` lies in the disc, its rim included.
    pub fn contains(&self, point: &Point2<f64>) -> bool {
        (point - self.center).norm_squared() <= self.radius * self.radius
    }
}

impl Overlaps for Circle {
    /// Compares squares, `|c|^2 <= (r1 + r2)^2`: no square root.
    fn overlaps(&self, other: &Circle) -> bool {
        let radii = self.radius + other.radius;
        (other.center - self.center).norm_squared() <= radii * radii
    }
}

impl ClosestPoint<2> for Circle {
    fn closest_point(&self, point: &Point2<f64>) -> Point2<f64> {
        closest_on_ball(&self.center, self.radius, point)
    }
}

impl Distance<Circle, 2> for Circle {
    /// The point of `other` nearest to this centre, then the point of this disc nearest to that one.
    fn closest_points(&self, other: &Circle) -> (Point2<f64>, Point2<f64>) {
        let on_other = other.closest_point(&self.center);
        (self.closest_point(&on_other), on_other)
    }
}

ball_by_closest_point!(Circle, 2: Aabb, Obb, Segment<2>, Capsule<2>, Sector, ConvexPolygon<'_>);
