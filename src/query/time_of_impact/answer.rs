//! What comes of a motion.

use nalgebra::{Point3, Vector3};

use super::touching::Touching;
use crate::query::face_pair::FacePair;
use crate::query::posed_trees::PosedTrees;
use crate::triangle::ClosestPoints;

/// What comes of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "TOI")]
pub enum TimeOfImpact {
    /// The meshes don't touch at any time of this motion: proven for it, and for no other way between the same poses.
    /// They may come as near as they like.
    NoImpact,
    /// They touch at the start: one pair of triangles that does, up to rounding. One that touches inside of a face, if
    /// any does; which one of several, and which of those that pass through each other, depends on how the trees were
    /// built. Of pairs that touch at edges and corners only it is the first in the meshes.
    Touching(MotionContact),
    /// They meet later: the first pair of triangles that does. Of several at the same time, up to rounding, it is one
    /// that touches inside of a face, if any does, and of these the first in the meshes, however the trees were built.
    Impact(MotionContact),
}

/// Where two meshes meet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MotionContact {
    /// 0 to 1; no two triangles touch earlier.
    pub time: f64,
    /// How far apart the two triangles still are at that time, in A's units.
    pub distance: f64,
    /// The closest point of A's triangle, in A's frame.
    pub on_a: Point3<f64>,
    /// The closest point of B's triangle at that time, in A's frame.
    pub on_b: Point3<f64>,
    /// Of unit length, from A to B, in A's frame: the normal of a face inside of which they touch, of A's triangle
    /// rather than of B's; else, where edges or corners meet, the direction in which the triangles are farthest apart
    /// or overlap least. Where both sides of a plane would do, the one that B's centre is on, or A's is not. Zero for
    /// triangles without area that touch.
    pub normal: Vector3<f64>,
    /// The two triangles.
    pub faces: FacePair,
}

impl MotionContact {
    /// At a time at which the trees are so posed, and the triangles' closest points so placed.
    pub(super) fn new(trees: &PosedTrees<'_>, time: f64, touching: &Touching, closest: &ClosestPoints) -> Self {
        let (faces, distance) = (touching.faces, closest.distance_sq.sqrt());
        let ClosestPoints { on_a, on_b, .. } = *closest;
        let direction = touching.direction();
        let normal =
            if direction.is_sided { direction.normal } else { toward_b(trees, &on_a, direction.normal, touching.near) };
        Self { time, distance, on_a, on_b, normal, faces }
    }
}

/// A normal or its opposite, to the side that B's centre is on, or A's is not.
fn toward_b(trees: &PosedTrees<'_>, on_a: &Point3<f64>, normal: Vector3<f64>, near: f64) -> Vector3<f64> {
    let [a, b] = trees.frames.map(|frame| frame.origin);
    let pose = trees.b_to_a;
    let height = |center: Vector3<f64>| (center - on_a.coords).dot(&normal);
    let of_b = height(pose.rotation() * b.coords + pose.translation());
    let side = if of_b.abs() > near { of_b } else { -height(a.coords) };
    if side < -near { -normal } else { normal }
}
