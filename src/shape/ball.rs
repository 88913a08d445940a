//! Balls against any other shape, in 3D and 2D: all follow from the shape's point nearest to the ball's centre.

use nalgebra::Point;

/// The nearest point of the ball to `point`: `point` itself when the ball contains it.
pub(crate) fn closest_on_ball<const D: usize>(
    center: &Point<f64, D>,
    radius: f64,
    point: &Point<f64, D>,
) -> Point<f64, D> {
    let offset = point - center;
    let distance_sq = offset.norm_squared();
    if distance_sq <= radius * radius { *point } else { center + offset * (radius / distance_sq.sqrt()) }
}

/// `overlaps` and `closest_points`, both ways, for a ball and each of the shapes, which have a `ClosestPoint`.
macro_rules! ball_by_closest_point {
    ($ball:ty, $dimension:literal: $($shape:ty),+) => {$(
        impl $crate::shape::Overlaps<$ball> for $shape {
            /// Whether the ball contains the shape's point that is nearest to its centre.
            #[inline]
            fn overlaps(&self, ball: &$ball) -> bool {
                ball.contains(&$crate::shape::ClosestPoint::closest_point(self, &ball.center))
            }
        }

        impl $crate::shape::Distance<$ball, $dimension> for $shape {
            /// The shape's point nearest to the ball's centre, and the ball's point nearest to that one.
            fn closest_points(
                &self,
                ball: &$ball,
            ) -> (nalgebra::Point<f64, $dimension>, nalgebra::Point<f64, $dimension>) {
                let on_shape = $crate::shape::ClosestPoint::closest_point(self, &ball.center);
                (on_shape, $crate::shape::ball::closest_on_ball(&ball.center, ball.radius, &on_shape))
            }
        }

        $crate::shape::pair::reversed!($ball, $dimension: $shape);
    )+};
}

pub(crate) use ball_by_closest_point;
