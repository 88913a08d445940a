//! What can be asked of two shapes. One trait per question, so that every pair has the same names and order.

use nalgebra::{Point, Vector3};

/// Whether two closed shapes share a point.
pub trait Overlaps<Other = Self> {
    /// Whether the two share a point. Touching counts; the empty box overlaps nothing.
    fn overlaps(&self, other: &Other) -> bool;
}

/// The point of a shape that is nearest to a given point.
pub trait ClosestPoint<const D: usize = 3> {
    /// The nearest point of the shape to `point`: `point` itself when the shape contains it.
    fn closest_point(&self, point: &Point<f64, D>) -> Point<f64, D>;
}

/// The nearest points of two shapes, and how far apart they are.
pub trait Distance<Other = Self, const D: usize = 3> {
    /// The nearest points, the first on `self` and the second on `other`. Where the shapes overlap both are one common
    /// point; where several pairs are equally near, it is one of them.
    fn closest_points(&self, other: &Other) -> (Point<f64, D>, Point<f64, D>);

    /// The square of the distance; zero when the shapes overlap.
    fn distance_sq(&self, other: &Other) -> f64 {
        let (on_self, on_other) = self.closest_points(other);
        (on_other - on_self).norm_squared()
    }

    /// The distance; zero when the shapes overlap.
    fn distance(&self, other: &Other) -> f64 {
        self.distance_sq(other).sqrt()
    }
}

impl<Shape: ClosestPoint<D>, const D: usize> Distance<Point<f64, D>, D> for Shape {
    fn closest_points(&self, point: &Point<f64, D>) -> (Point<f64, D>, Point<f64, D>) {
        (self.closest_point(point), *point)
    }
}

/// When two shapes that move at constant velocity, without turning, touch.
pub trait TimeOfContact<Other = Self> {
    /// The part of one unit of time during which the shapes overlap, or none.
    ///
    /// `velocity` is the velocity of `other` less that of `self`, so that `self` stands still.
    fn contact_interval(&self, other: &Other, velocity: &Vector3<f64>) -> Option<ContactInterval>;

    /// The first time in [0, 1] at which the shapes overlap: zero when they do at the start.
    fn time_of_contact(&self, other: &Other, velocity: &Vector3<f64>) -> Option<f64> {
        self.contact_interval(other, velocity).map(|contact| contact.entry)
    }
}

/// The times between which two moving shapes overlap: `0 <= entry <= exit <= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactInterval {
    /// The first moment of contact; zero when the shapes overlap at the start.
    pub entry: f64,
    /// The last moment of contact; one when they still overlap at the end.
    pub exit: f64,
}

impl ContactInterval {
    /// The part of `[entry, exit]` that lies in [0, 1], if any does. A NaN time is no contact.
    pub(super) fn clipped(entry: f64, exit: f64) -> Option<Self> {
        (entry <= exit && entry <= 1.0 && exit >= 0.0).then(|| Self { entry: entry.max(0.0), exit: exit.min(1.0) })
    }
}

/// `overlaps` and `closest_points` of `$other` with each of the shapes, which have both with `$other`.
macro_rules! reversed {
    ($other:ty, $dimension:literal: $($shape:ty),+) => {$(
        impl $crate::shape::Overlaps<$shape> for $other {
            /// The same as with the arguments exchanged.
            #[inline]
            fn overlaps(&self, shape: &$shape) -> bool {
                $crate::shape::Overlaps::overlaps(shape, self)
            }
        }

        impl $crate::shape::Distance<$shape, $dimension> for $other {
            /// The same as with the arguments exchanged.
            fn closest_points(
                &self,
                shape: &$shape,
            ) -> (nalgebra::Point<f64, $dimension>, nalgebra::Point<f64, $dimension>) {
                let (on_shape, on_other) = $crate::shape::Distance::closest_points(shape, self);
                (on_other, on_shape)
            }
        }
    )+};
}

pub(crate) use reversed;
