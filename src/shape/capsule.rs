//! Capsules in 3D and 2D: queries of their segment, less the radius.

use nalgebra::{Point, Point3};

use super::sphere::{closest_on_sphere, sphere_by_closest_point};
use super::{Aabb, ClosestPoint, Distance, Obb, Overlaps, Segment, Sphere, reversed};

/// A capsule, closed: all points within `radius` of `segment`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Capsule<const D: usize = 3> {
    /// The axis, from the centre of one cap to that of the other. If it is a point, the capsule is a sphere.
    pub segment: Segment<D>,
    /// The radius, not negative; zero is the segment itself.
    pub radius: f64,
}

impl<const D: usize> Capsule<D> {
    /// Whether `point` lies in the capsule, its surface included.
    pub fn contains(&self, point: &Point<f64, D>) -> bool {
        self.segment.distance_sq(point) <= self.radius * self.radius
    }
}

impl From<Sphere> for Capsule {
    /// The sphere as a capsule of length zero.
    fn from(sphere: Sphere) -> Self {
        Self { segment: Segment { start: sphere.center, end: sphere.center }, radius: sphere.radius }
    }
}

impl<const D: usize> ClosestPoint<D> for Capsule<D> {
    fn closest_point(&self, point: &Point<f64, D>) -> Point<f64, D> {
        closest_on_sphere(&self.segment.closest_point(point), self.radius, point)
    }
}

/// Implements the queries of a capsule with each of the shapes by `closest_points` of the segment.
macro_rules! capsule_by_segment {
    ($($shape:ty),+) => {$(
        impl Overlaps<$shape> for Capsule {
            /// Whether the segment's distance from the shape is at most the radius: compares squares, without a square
            /// root.
            fn overlaps(&self, shape: &$shape) -> bool {
                self.segment.distance_sq(shape) <= self.radius * self.radius
            }
        }

        impl Distance<$shape> for Capsule {
            /// The segment's closest points, the first moved toward the second by at most the radius.
            fn closest_points(&self, shape: &$shape) -> (Point3<f64>, Point3<f64>) {
                let (on_segment, on_shape) = self.segment.closest_points(shape);
                (closest_on_sphere(&on_segment, self.radius, &on_shape), on_shape)
            }
        }
    )+};
}

capsule_by_segment!(Aabb, Obb);
reversed!(Aabb, 3: Capsule);
reversed!(Obb, 3: Capsule);
sphere_by_closest_point!(Sphere, 3: Capsule);
