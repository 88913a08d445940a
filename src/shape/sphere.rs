//! Spheres.

use std::f64::consts::PI;

use nalgebra::{Point, Vector3};

use super::{Aabb, ClosestPoint, ContactInterval, Distance, Obb, Overlaps, Segment, TimeOfContact};
use crate::triangle::Triangle;

/// A sphere, closed and solid: all points within `radius` of `center`; a disc in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere<const D: usize = 3> {
    /// The centre.
    pub center: Point<f64, D>,
    /// The radius, not negative; zero is a point.
    pub radius: f64,
}

impl<const D: usize> Sphere<D> {
    /// Whether `point` lies in the sphere or on its surface.
    #[inline]
    pub fn contains(&self, point: &Point<f64, D>) -> bool {
        (point - self.center).norm_squared() <= self.radius * self.radius
    }
}

impl Sphere {
    /// The volume, `4/3 pi r^3`.
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.radius.powi(3)
    }

    /// The area of the surface, `4 pi r^2`.
    pub fn surface_area(&self) -> f64 {
        4.0 * PI * self.radius.powi(2)
    }
}

impl<const D: usize> Overlaps for Sphere<D> {
    /// Compares squares, `|c|^2 <= (r1 + r2)^2`: no square root.
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        let radii = self.radius + other.radius;
        (other.center - self.center).norm_squared() <= radii * radii
    }
}

impl<const D: usize> ClosestPoint<D> for Sphere<D> {
    fn closest_point(&self, point: &Point<f64, D>) -> Point<f64, D> {
        closest_on_sphere(&self.center, self.radius, point)
    }
}

impl<const D: usize> Distance<Self, D> for Sphere<D> {
    /// Finds the point of `other` closest to this sphere's centre, then the point of this sphere closest to that point.
    fn closest_points(&self, other: &Self) -> (Point<f64, D>, Point<f64, D>) {
        let on_other = other.closest_point(&self.center);
        (self.closest_point(&on_other), on_other)
    }
}

sphere_by_closest_point!(Sphere, 3: Aabb, Obb, Segment, Triangle);

impl TimeOfContact for Sphere {
    /// Solves `|c + v t| = r1 + r2` for the centres' difference `c`, each root in the form that does not cancel.
    ///
    /// ```
    /// use bvtree::shape::{Sphere, TimeOfContact};
    /// use nalgebra::{Point3, Vector3};
    ///
    /// // Half a unit of free space between the two, closing at 3 units per unit of time.
    /// let still = Sphere { center: Point3::origin(), radius: 1.0 };
    /// let moving = Sphere { center: Point3::new(2.5, 0.0, 0.0), radius: 1.0 };
    /// let time = still.time_of_contact(&moving, &Vector3::new(-3.0, 0.0, 0.0)).unwrap();
    /// assert!((time - 0.5 / 3.0).abs() < 1e-15);
    /// assert_eq!(still.time_of_contact(&moving, &Vector3::new(3.0, 0.0, 0.0)), None);
    /// ```
    fn contact_interval(&self, other: &Sphere, velocity: &Vector3<f64>) -> Option<ContactInterval> {
        let center = other.center - self.center;
        let radii = self.radius + other.radius;
        let start = center.norm_squared() - radii * radii;
        let overlap_at_start = start <= 0.0;

        let speed_sq = velocity.norm_squared();
        if speed_sq == 0.0 {
            return overlap_at_start.then_some(ContactInterval { entry: 0.0, exit: 1.0 });
        }
        // (c.v)^2 - |v|^2 (|c|^2 - r^2), by Lagrange's identity: |c x v| / |v| is how closely the centres pass.
        let discriminant = speed_sq * radii * radii - center.cross(velocity).norm_squared();
        if discriminant < 0.0 && !overlap_at_start {
            return None;
        }
        let root = discriminant.max(0.0).sqrt();
        let departing = center.dot(velocity);
        if departing < 0.0 {
            let sum = root - departing;
            ContactInterval::clipped(start / sum, sum / speed_sq)
        } else if overlap_at_start {
            // `sum` is zero only if the two just touch at the start and part immediately.
            let sum = root + departing;
            let exit = if sum > 0.0 { -start / sum } else { 0.0 };
            ContactInterval::clipped(0.0, exit)
        } else {
            None
        }
    }
}

/// The closest point of the sphere to `point`: `point` itself if the sphere contains it.
pub(crate) fn closest_on_sphere<const D: usize>(
    center: &Point<f64, D>,
    radius: f64,
    point: &Point<f64, D>,
) -> Point<f64, D> {
    let offset = point - center;
    let distance_sq = offset.norm_squared();
    if distance_sq <= radius * radius { *point } else { center + offset * (radius / distance_sq.sqrt()) }
}

/// Implements `overlaps` and `closest_points`, in both orders of the arguments, for a sphere and each of the shapes,
/// from the shape's `ClosestPoint`.
macro_rules! sphere_by_closest_point {
    ($ball:ty, $dimension:literal: $($shape:ty),+) => {$(
        impl $crate::shape::Overlaps<$ball> for $shape {
            /// Whether the sphere contains the shape's point closest to the sphere's centre.
            #[inline]
            fn overlaps(&self, ball: &$ball) -> bool {
                ball.contains(&$crate::shape::ClosestPoint::closest_point(self, &ball.center))
            }
        }

        impl $crate::shape::Distance<$ball, $dimension> for $shape {
            /// The shape's point closest to the sphere's centre, and the sphere's point closest to that point.
            fn closest_points(
                &self,
                ball: &$ball,
            ) -> (nalgebra::Point<f64, $dimension>, nalgebra::Point<f64, $dimension>) {
                let on_shape = $crate::shape::ClosestPoint::closest_point(self, &ball.center);
                (on_shape, $crate::shape::sphere::closest_on_sphere(&ball.center, ball.radius, &on_shape))
            }
        }

        $crate::shape::reversed!($ball, $dimension: $shape);
    )+};
}

pub(crate) use sphere_by_closest_point;
