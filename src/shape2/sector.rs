//! Circular sectors.

use nalgebra::{Point2, UnitVector2, Vector2};

use crate::shape::{ClosestPoint, Segment};

/// A slice of a disc, closed: the points within `radius` of `center` whose direction from there is at most half of
/// `angle` off `direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sector {
    /// The tip.
    pub center: Point2<f64>,
    /// Not negative; zero is a point.
    pub radius: f64,
    /// Where the middle of the slice points to.
    pub direction: UnitVector2<f64>,
    /// The full opening, in radians from 0, a segment, over pi, a half disc, to 2 pi, the whole disc.
    pub angle: f64,
}

impl Sector {
    /// Whether `point` lies in the sector, its outline included, as far as rounding lets one tell.
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
    /// Within the opening, the tip's ray to `point` cut at the arc; elsewhere, the point on the straight side that is
    /// on the same half of the slice. That holds for openings of more than pi as well, though they are not convex.
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
