//! Oriented boxes.

use nalgebra::{Matrix3, Point3, Vector3};

use super::{Aabb, ClosestPoint};

/// An oriented box: `{ c + axes * x : |x_i| <= half_extents_i }`, closed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Obb {
    /// The middle of the box.
    pub center: Point3<f64>,
    /// Columns are the box's axes, orthonormal.
    pub axes: Matrix3<f64>,
    /// Half the size along each axis, none negative.
    pub half_extents: Vector3<f64>,
}

impl Obb {
    /// The volume.
    pub fn volume(&self) -> f64 {
        8.0 * self.half_extents.product()
    }

    /// The area of the six faces: both sides of a flat box.
    pub fn surface_area(&self) -> f64 {
        let h = self.half_extents;
        8.0 * (h.x * h.y + h.y * h.z + h.z * h.x)
    }

    /// The eight corners; bit `k` of a corner's index tells whether it lies along axis `k` or against it.
    pub fn corners(&self) -> [Point3<f64>; 8] {
        self.in_box_frame().corners().map(|corner| self.to_world(&corner))
    }

    /// Whether `point` lies in the box, its surface included, as far as rounding lets one tell.
    #[inline]
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        self.in_box_frame().contains(&self.to_local(point))
    }

    /// The box moved by `x -> rotation x + translation`.
    #[inline]
    pub fn transformed(&self, rotation: &Matrix3<f64>, translation: &Vector3<f64>) -> Obb {
        Obb {
            center: rotation * self.center + translation,
            axes: rotation * self.axes,
            half_extents: self.half_extents,
        }
    }

    /// `point` in the frame whose origin is the box's centre and whose axes are the box's.
    #[inline]
    pub(super) fn to_local(self, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.axes.tr_mul(&(point - self.center)))
    }

    /// The point whose coordinates in the box's frame are given.
    #[inline]
    pub(super) fn to_world(self, point: &Point3<f64>) -> Point3<f64> {
        self.center + self.axes * point.coords
    }

    /// This box in its own frame, where it is axis-aligned about the origin.
    #[inline]
    pub(super) fn in_box_frame(&self) -> Aabb {
        Aabb { lower: Point3::from(-self.half_extents), upper: Point3::from(self.half_extents) }
    }
}

impl From<Aabb> for Obb {
    /// The same box. An empty box has no oriented form: its centre and half extents come out as NaN and infinities.
    fn from(aabb: Aabb) -> Self {
        Self { center: aabb.center(), axes: Matrix3::identity(), half_extents: aabb.half_extents() }
    }
}

impl ClosestPoint for Obb {
    /// Clamps each coordinate in the box's frame (Ericson, Real-Time Collision Detection, 2005, section 5.1.4).
    fn closest_point(&self, point: &Point3<f64>) -> Point3<f64> {
        let local = self.to_local(point);
        let closest = self.in_box_frame().closest_point(&local);
        if closest == local { *point } else { self.to_world(&closest) }
    }
}
