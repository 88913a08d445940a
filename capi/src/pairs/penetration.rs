//! Penetration: how far to move B until nothing touches.

use std::mem::MaybeUninit;

use bvtree::pose::unit_vector;
use bvtree::query::{DirectionalPenetration, FreeInterval, Penetration};
use nalgebra::UnitVector3;

use super::{BvtFacePair, BvtQuery, ask};
use crate::ffi::{answer, out};
use crate::pose::{BvtPose, vector};
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// A translation that separates B from A, in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtPenetration {
    /// Length of the translation, in A's unit: an upper bound on the penetration depth.
    pub upper_bound: f64,
    /// Unit direction of the translation.
    pub direction: [f64; 3],
}

impl From<Penetration> for BvtPenetration {
    fn from(found: Penetration) -> Self {
        Self { upper_bound: found.upper_bound, direction: found.direction.into_inner().into() }
    }
}

/// Distance that B has to move along a direction until it is separate from A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtDirectionalPenetration {
    /// Penetration depth along the direction, in A's unit: after any longer move, no two triangles touch.
    pub depth: f64,
    /// Indices of the triangles that separate last.
    pub faces: BvtFacePair,
    /// Unit normal from A to B along which those triangles separate, in A's frame.
    pub normal: [f64; 3],
}

impl From<DirectionalPenetration> for BvtDirectionalPenetration {
    fn from(found: DirectionalPenetration) -> Self {
        Self { depth: found.depth, faces: found.faces.into(), normal: found.normal.into() }
    }
}

/// Computes a short translation that separates B from A. Its length is an upper bound on the penetration depth. Returns
/// `BVT_NONE` if the meshes don't touch.
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

/// Computes the last contact along a direction in A's frame, of any nonzero length: how far B can move in this
/// direction and still touch A. Returns `BVT_NONE` if the meshes don't touch.
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
        answer(out(penetration, "penetration")?, query.penetration_along(a, b, pose, &unit(direction)?))
    })
}

/// Interval of translations along a direction at which B is free of A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtFreeInterval {
    /// Length of the translation from which on B is free, in A's unit; 0 if B is free where it is.
    pub start: f64,
    /// Length of the translation at which B meets A again; infinite if B never does.
    pub end: f64,
}

impl From<FreeInterval> for BvtFreeInterval {
    fn from(found: FreeInterval) -> Self {
        Self { start: found.start, end: found.end }
    }
}

/// Computes the first way out along a direction in A's frame, of any nonzero length: the first interval of lengths such
/// that B, moved in this direction by a length strictly inside the interval, is free of A. The interval is proven.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_free_interval_along(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    direction: Option<&[f64; 3]>,
    interval: Option<&mut MaybeUninit<BvtFreeInterval>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        answer(out(interval, "interval")?, Some(query.free_interval_along(a, b, pose, &unit(direction)?)))
    })
}

/// Normalizes a direction of any nonzero length.
fn unit(direction: Option<&[f64; 3]>) -> Result<UnitVector3<f64>, Error> {
    unit_vector(&vector(direction, "direction")?).ok_or_else(|| Error::argument("direction is zero or not finite"))
}
