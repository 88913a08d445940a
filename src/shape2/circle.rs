//! Circles and circular sectors.

use nalgebra::{Point2, UnitVector2, Vector2};

use super::{Aabb, ConvexPolygon, Obb};
use crate::shape::sphere::sphere_by_closest_point;
use crate::shape::{Capsule, ClosestPoint, Segment, Sphere};

/// A disc, closed: all points within `radius` of `center`.
pub type Circle = Sphere<2>;

sphere_by_closest_point!(Circle, 2: Aabb, Obb, Segment<2>, Capsule<2>, Sector, ConvexPolygon<'_>);

/// A circular sector, closed: the points within `radius` of `center` whose direction from there is within half of
/// `angle` of `direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sector {
    /// The tip of the sector: the centre of its disc.
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
