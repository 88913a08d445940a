//! What comes of a motion.

use nalgebra::{Point3, Vector3};

use super::advance::Approach;
use crate::query::face_pair::FacePair;
use crate::query::posed_trees::PosedTrees;

/// What comes of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "TOI")]
pub enum TimeOfImpact {
    /// The meshes don't touch at any time of the motion.
    Free,
    /// They touch at the start: one pair of triangles that does.
    Touching(MotionContact),
    /// They meet later: the first pair of triangles that does.
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
    /// Of unit length, from A to B, in A's frame: across the gap, or for triangles that touch the normal of A's, else of
    /// B's, on the side that B's centre is on; zero where neither has a normal.
    pub normal: Vector3<f64>,
    /// The two triangles.
    pub faces: FacePair,
}

impl MotionContact {
    /// Of two triangles, by their leaf indices; the trees are posed at the time of the approach.
    pub(super) fn new(trees: &PosedTrees<'_>, [a, b]: [usize; 2], approach: &Approach) -> Self {
        let Approach { time, closest } = approach;
        let separation = closest.on_b - closest.on_a;
        let normal = if closest.distance_sq > 0.0 { separation.try_normalize(0.0) } else { None };
        let normal = normal.unwrap_or_else(|| {
            let pose = trees.b_to_a;
            let to_b = pose.rotation() * trees.frames[1].origin.coords + pose.translation() - closest.on_a.coords;
            let normals = trees.pair(a, b).map(|triangle| triangle.scaled_normal().try_normalize(0.0));
            let normal = normals.into_iter().flatten().next().unwrap_or_default();
            if normal.dot(&to_b) < 0.0 { -normal } else { normal }
        });
        Self {
            time: *time,
            distance: closest.distance_sq.sqrt(),
            on_a: closest.on_a,
            on_b: closest.on_b,
            normal,
            faces: trees.faces(a, b),
        }
    }
}
