//! The kinds of bounding volume that a tree can be made of.

use nalgebra::{Point3, Vector3};

use crate::enum_names::parsed_names;
use crate::shape::{Aabb, KDop, Obb, Sphere};

/// The kind of a tree's bounding volumes; all volumes of a tree have the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VolumeKind {
    /// Axis-aligned boxes.
    Aabb,
    /// Oriented boxes.
    Obb,
    /// Spheres.
    Sphere,
    /// Discrete oriented polytopes with 18 directions: boxes with bevelled edges.
    #[doc(alias = "18-DOP")]
    KDop,
}

parsed_names!(VolumeKind, "volume kind", Aabb = "aabb", Obb = "obb", Sphere = "sphere", KDop = "kdop");

/// Evaluates an expression with the type of a volume kind as `V`: `for_kind!(kind, V => V::FIELDS)`. This is the only
/// map from kinds to types.
macro_rules! for_kind {
    ($kind:expr, $V:ident => $value:expr) => {
        match $kind {
            $crate::volume::VolumeKind::Aabb => {
                type $V = $crate::volume::PackedAabb;
                $value
            }
            $crate::volume::VolumeKind::Obb => {
                type $V = $crate::volume::PackedObb;
                $value
            }
            $crate::volume::VolumeKind::Sphere => {
                type $V = $crate::volume::PackedSphere;
                $value
            }
            $crate::volume::VolumeKind::KDop => {
                type $V = $crate::volume::PackedKDop;
                $value
            }
        }
    };
}
pub(crate) use for_kind;

/// One bounding volume.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Volume {
    /// An axis-aligned box.
    Aabb(Aabb),
    /// An oriented box.
    Obb(Obb),
    /// A sphere.
    Sphere(Sphere),
    /// A k-DOP with 18 directions.
    KDop(KDop),
}

/// Evaluates an expression for the shape in a volume.
macro_rules! for_shape {
    ($volume:expr, $shape:ident => $value:expr) => {
        match $volume {
            Volume::Aabb($shape) => $value,
            Volume::Obb($shape) => $value,
            Volume::Sphere($shape) => $value,
            Volume::KDop($shape) => $value,
        }
    };
}

impl Volume {
    /// The kind of this volume.
    pub fn kind(&self) -> VolumeKind {
        match self {
            Volume::Aabb(_) => VolumeKind::Aabb,
            Volume::Obb(_) => VolumeKind::Obb,
            Volume::Sphere(_) => VolumeKind::Sphere,
            Volume::KDop(_) => VolumeKind::KDop,
        }
    }

    /// The volume, in cubed mesh units.
    pub fn volume(&self) -> f64 {
        for_shape!(self, shape => shape.volume())
    }

    /// The area of the surface, in squared mesh units.
    pub fn surface_area(&self) -> f64 {
        for_shape!(self, shape => shape.surface_area())
    }

    /// The greatest distance between two points of the volume: a box's diagonal, a sphere's diameter. Zero for an empty
    /// box.
    pub fn diameter(&self) -> f64 {
        match self {
            Volume::Aabb(aabb) if aabb.is_empty() => 0.0,
            Volume::Aabb(aabb) => aabb.size().norm(),
            Volume::Obb(obb) => 2.0 * obb.half_extents.norm(),
            Volume::Sphere(sphere) => 2.0 * sphere.radius,
            Volume::KDop(kdop) => kdop.diameter(),
        }
    }

    /// The middle of the volume; for a k-DOP, the middle of its axis-aligned box. NaN for an empty box.
    pub fn center(&self) -> Point3<f64> {
        match self {
            Volume::Aabb(aabb) => aabb.center(),
            Volume::Obb(obb) => obb.center,
            Volume::Sphere(sphere) => sphere.center,
            Volume::KDop(kdop) => kdop.center(),
        }
    }

    /// The radius of a sphere about the [`center`](Self::center) that encloses the volume.
    pub(crate) fn radius(&self) -> f64 {
        match self {
            Volume::KDop(kdop) => kdop.aabb().half_extents().norm(),
            _ => 0.5 * self.diameter(),
        }
    }

    /// The axis-aligned box around the volume.
    pub fn aabb(&self) -> Aabb {
        match self {
            Volume::Aabb(aabb) => *aabb,
            Volume::Obb(obb) => Aabb::from_points(&obb.corners()),
            Volume::Sphere(sphere) => {
                let radius = Vector3::repeat(sphere.radius);
                Aabb { lower: sphere.center - radius, upper: sphere.center + radius }
            }
            Volume::KDop(kdop) => kdop.aabb(),
        }
    }

    /// Whether `point` lies in the volume or on its surface, up to rounding.
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        for_shape!(self, shape => shape.contains(point))
    }
}
