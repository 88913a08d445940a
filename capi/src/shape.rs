//! Boxes, spheres, capsules and rays.

use bvtree::probe::Ray;
use bvtree::shape::{Aabb, Capsule, Obb, Segment, Sphere};
use nalgebra::Matrix3;

/// An axis-aligned box. It is empty if the lower corner exceeds the upper one in any coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtAabb {
    /// The corner of least coordinates.
    pub lower: [f64; 3],
    /// The corner of greatest coordinates.
    pub upper: [f64; 3],
}

impl From<&Aabb> for BvtAabb {
    fn from(aabb: &Aabb) -> Self {
        Self { lower: aabb.lower.into(), upper: aabb.upper.into() }
    }
}

impl From<&BvtAabb> for Aabb {
    fn from(aabb: &BvtAabb) -> Self {
        Self { lower: aabb.lower.into(), upper: aabb.upper.into() }
    }
}

/// An oriented box.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtObb {
    /// Centre of the box.
    pub center: [f64; 3],
    /// Three orthonormal axes, one after the other.
    pub axes: [f64; 9],
    /// Half the extent along each axis.
    pub half_extents: [f64; 3],
}

impl From<&Obb> for BvtObb {
    fn from(obb: &Obb) -> Self {
        let mut axes = [0.0; 9];
        axes.copy_from_slice(obb.axes.as_slice());
        Self { center: obb.center.into(), axes, half_extents: obb.half_extents.into() }
    }
}

impl From<&BvtObb> for Obb {
    fn from(obb: &BvtObb) -> Self {
        let axes = Matrix3::from_column_slice(&obb.axes);
        Self { center: obb.center.into(), axes, half_extents: obb.half_extents.into() }
    }
}

/// A sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtSphere {
    /// Centre of the sphere.
    pub center: [f64; 3],
    /// Radius; not negative.
    pub radius: f64,
}

impl From<&BvtSphere> for Sphere {
    fn from(sphere: &BvtSphere) -> Self {
        Self { center: sphere.center.into(), radius: sphere.radius }
    }
}

/// All points within a radius of a segment; a sphere if both ends are the same point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtCapsule {
    /// Start of the segment.
    pub start: [f64; 3],
    /// End of the segment.
    pub end: [f64; 3],
    /// Radius; not negative.
    pub radius: f64,
}

impl From<&BvtCapsule> for Capsule {
    fn from(capsule: &BvtCapsule) -> Self {
        let segment = Segment { start: capsule.start.into(), end: capsule.end.into() };
        Self { segment, radius: capsule.radius }
    }
}

impl From<&Capsule> for BvtCapsule {
    fn from(capsule: &Capsule) -> Self {
        let Segment { start, end } = capsule.segment;
        Self { start: start.into(), end: end.into(), radius: capsule.radius }
    }
}

/// A ray: the points origin + time * direction, for nonnegative times.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtRay {
    /// Start of the ray.
    pub origin: [f64; 3],
    /// Direction: the displacement along the ray per unit of time, of a length from 1e-60 to 1e60.
    pub direction: [f64; 3],
}

impl From<&BvtRay> for Ray {
    fn from(ray: &BvtRay) -> Self {
        Self { origin: ray.origin.into(), direction: ray.direction.into() }
    }
}
