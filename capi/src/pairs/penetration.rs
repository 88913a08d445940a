//! How far to move B so that nothing touches.

use std::mem::MaybeUninit;

use bvtree::query::{DirectionalPenetration, Penetration};
use nalgebra::Unit;

use super::{BvtFacePair, BvtQuery, ask};
use crate::ffi::{answer, out};
use crate::pose::{BvtPose, vector};
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// A translation that frees B of A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtPenetration {
    /// Its length: an upper bound of the penetration depth.
    pub upper_bound: f64,
    /// Its unit direction.
    pub direction: [f64; 3],
}

impl From<Penetration> for BvtPenetration {
    fn from(found: Penetration) -> Self {
        Self { upper_bound: found.upper_bound, direction: found.direction.into_inner().into() }
    }
}

/// How far B has to move along a direction to come free of A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtDirectionalPenetration {
    /// Moved by more than this, no two triangles touch, however much more it is.
    pub depth: f64,
    /// The triangles that part last.
    pub faces: BvtFacePair,
    /// The unit direction in which those part, from A to B.
    pub normal: [f64; 3],
}

impl From<DirectionalPenetration> for BvtDirectionalPenetration {
    fn from(found: DirectionalPenetration) -> Self {
        Self { depth: found.depth, faces: found.faces.into(), normal: found.normal.into() }
    }
}

/// A translation that frees B, as short as was found: its length is an upper bound of the penetration depth. `BVT_NONE`
/// if the meshes don't touch.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_penetration(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    penetration: Option<&mut MaybeUninit<BvtPenetration>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        answer(out(penetration, "penetration")?, query.penetration(a, b, pose))
    })
}

/// The last contact along a direction of A's frame, of any length but zero: how far B can be moved that way and still
/// touch A. `BVT_NONE` if the meshes don't touch.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_penetration_along(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    direction: Option<&[f64; 3]>,
    penetration: Option<&mut MaybeUninit<BvtDirectionalPenetration>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        let no_direction = || Error::argument("direction is zero or not finite");
        let direction = vector(direction, "direction")?;
        let unit = Unit::try_new(direction, 0.0).filter(|unit| unit.iter().all(|x| x.is_finite()));
        let found = query.penetration_along(a, b, pose, &unit.ok_or_else(no_direction)?);
        answer(out(penetration, "penetration")?, found)
    })
}
