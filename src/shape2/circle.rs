//! Circles and circular sectors.

use nalgebra::{Point2, UnitVector2, Vector2};

use super::{Aabb, ConvexPolygon, Obb};
use crate::shape::sphere::{closest_on_sphere, sphere_by_closest_point};
use crate::shape::{Capsule, ClosestPoint, Distance, Overlaps, Segment};

/// A disc, closed: all points within `radius` of `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Circle {
    /// The centre.
    pub center: Point2<f64>,
    /// The radius, not negative; zero is a point.
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
        closest_on_sphere(&self.center, self.radius, point)
    }
}

impl Distance<Circle, 2> for Circle {
    /// The point of `other` closest to this centre, then the point of this disc closest to that one.
    fn closest_points(&self, other: &Circle) -> (Point2<f64>, Point2<f64>) {
        let on_other = other.closest_point(&self.center);
        (self.closest_point(&on_other), on_other)
    }
}

sphere_by_closest_point!(Circle, 2: Aabb, Obb, Segment<2>, Capsule<2>, Sector, ConvexPolygon<'_>);

/// A circular sector, closed: the points within `radius` of `center` whose direction from there is within half of
/// `angle` of `direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sector {
    /// The tip.
    pub center: Point2<f64>,
    /// The radius, not negative; zero is a point.
    pub radius: f64,
    /// The direction of the axis of symmetry.
    pub direction: UnitVector2<f64>,
    /// The opening angle in radians: 0 is a segment, pi a half disc, 2 pi the whole disc.
    pub angle: f64,
}

impl Sector {
    /// Whether `point` lies in the sector or on its outline, up to rounding.
    pub fn contains(&self, point: &Point2<f64>) -> bool {
        let local = self.to_local(point);
        self.spans(&local) && local.coords.norm_squared() <= self.radius * self.radius
    }

    /// `point` with the tip as origin and the direction as x axis.
    fn to_local(self, point: &Point2<f64>) -> Point2<f64> {
        let offset = point - self.center;
        Point2::new(self.direction.dot(&offset), self.direction.perp(&offset))
    }

    /// Whether the direction to a point in the sector's own frame is within the opening.
    fn spans(&self, local: &Point2<f64>) -> bool {
        // Adding zero makes a zero positive, whose direction is then the sector's own: the tip is always inside.
        local.y.abs().atan2(local.x + 0.0) <= 0.5 * self.angle
    }
}

impl ClosestPoint<2> for Sector {
    /// Within the opening, the intersection of the ray to `point` and the arc; elsewhere the point on the straight side
    /// in the same half. This also holds for openings above pi, which are not convex.
    fn closest_point(&self, point: &Point2<f64>) -> Point2<f64> {
        let local = self.to_local(point);
        let distance = local.coords.norm();
        let closest = if self.spans(&local) {
            if distance <= self.radius {
                return *point;
            }
            local * (self.radius / distance)
        } else {
            let (sin, cos) = (0.5 * self.angle).sin_cos();
            let rim = Point2::new(cos, sin.copysign(local.y)) * self.radius;
            Segment { start: Point2::origin(), end: rim }.closest_point(&local)
        };
        let across = Vector2::new(-self.direction.y, self.direction.x);
        self.center + self.direction.into_inner() * closest.x + across * closest.y
    }
}
