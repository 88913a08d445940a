//! The kinds of bounding volume that a tree can be made of.

use nalgebra::Point3;

use crate::enum_names::parsed_names;
use crate::shape::{Aabb, Obb, Sphere};

/// The kind of volume in a tree: one for the whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VolumeKind {
    /// Axis-aligned boxes.
    Aabb,
    /// Oriented boxes.
    Obb,
    /// Spheres.
    Sphere,
}

parsed_names!(VolumeKind, "volume kind", Aabb = "aabb", Obb = "obb", Sphere = "sphere");

/// Evaluates an expression for the type of a kind: `for_kind!(kind, V => V::FIELDS)`. It is the only place that maps
/// kinds to types.
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
}

impl Volume {
    /// The kind.
    pub fn kind(&self) -> VolumeKind {
        match self {
            Volume::Aabb(_) => VolumeKind::Aabb,
            Volume::Obb(_) => VolumeKind::Obb,
            Volume::Sphere(_) => VolumeKind::Sphere,
        }
    }

    /// Its volume, in cubed mesh units.
    pub fn volume(&self) -> f64 {
        match self {
            Volume::Aabb(aabb) => aabb.volume(),
            Volume::Obb(obb) => obb.volume(),
            Volume::Sphere(sphere) => sphere.volume(),
        }
    }

    /// The area of the surface, in squared mesh units.
    pub fn surface_area(&self) -> f64 {
        match self {
            Volume::Aabb(aabb) => aabb.surface_area(),
            Volume::Obb(obb) => obb.surface_area(),
            Volume::Sphere(sphere) => sphere.surface_area(),
        }
    }

    /// The greatest distance between two of its points: a box's diagonal, a sphere's diameter. Zero for an empty box.
    pub fn diameter(&self) -> f64 {
        match self {
            Volume::Aabb(aabb) if aabb.is_empty() => 0.0,
            Volume::Aabb(aabb) => aabb.size().norm(),
            Volume::Obb(obb) => 2.0 * obb.half_extents.norm(),
            Volume::Sphere(sphere) => 2.0 * sphere.radius,
        }
    }

    /// Whether `point` lies in the volume, its surface included, as far as rounding lets one tell.
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        match self {
            Volume::Aabb(aabb) => aabb.contains(point),
            Volume::Obb(obb) => obb.contains(point),
            Volume::Sphere(sphere) => sphere.contains(point),
        }
    }
}
