//! Impacts of moving bodies.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::Motion;
use bvtree::scene::{BodyId, BodyImpact};

use super::bodies::change;
use super::{BvtBodyId, BvtBodyPair, BvtScene, id};
use crate::ffi::{answer, array, out};
use crate::pairs::BvtFacePair;
use crate::panic_guard::DONE;
use crate::pose::BvtPose;
use crate::status::{BvtStatus, Error};
use crate::visit::Visitor;

/// Motion of a body in the time from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyMotion {
    /// The body.
    pub body: BvtBodyId,
    /// Pose in the world at time 0.
    pub start: BvtPose,
    /// Pose in the world at time 1.
    pub end: BvtPose,
}

/// First impact of two bodies, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyImpact {
    /// The bodies.
    pub bodies: BvtBodyPair,
    /// Time of impact, 0 to 1: the bodies don't touch earlier.
    pub time: f64,
    /// Remaining distance between the two triangles at that time.
    pub distance: f64,
    /// Closest point of the first body at that time.
    pub on_a: [f64; 3],
    /// Closest point of the second body at that time.
    pub on_b: [f64; 3],
    /// Unit normal from the first body to the second; zero if undefined.
    pub normal: [f64; 3],
    /// Indices of the two triangles.
    pub faces: BvtFacePair,
}

impl From<BodyImpact> for BvtBodyImpact {
    fn from(impact: BodyImpact) -> Self {
        Self {
            bodies: impact.bodies.into(),
            time: impact.time,
            distance: impact.distance,
            on_a: impact.points[0].into(),
            on_b: impact.points[1].into(),
            normal: impact.normal.into(),
            faces: impact.faces.into(),
        }
    }
}

/// # Safety
/// There are `count` motions.
unsafe fn motions(motions: *const BvtBodyMotion, count: usize) -> Result<Vec<(BodyId, Motion)>, Error> {
    // SAFETY: the caller promises it.
    let motions = unsafe { array(motions, count, "motions") }?;
    let motion = |way: &BvtBodyMotion| Ok((id(way.body), Motion::new(way.start.checked()?, way.end.checked()?)));
    motions.iter().map(motion).collect()
}

/// Callback that receives two bodies that meet. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitBodyImpact = Option<unsafe extern "C" fn(user: *mut c_void, impact: *const BvtBodyImpact) -> i32>;

/// Calls `visit` with the first impact of each pair of bodies, in the order of their ids, until `visit` returns
/// nonzero. Bodies without a motion stand still. Each moving body's origin moves in a straight line, and the body
/// rotates about it at a constant rate. Pairs without an impact are proven not to meet in these motions, but not in
/// others. `accuracy` has the meaning it has in `bvt_time_of_impact`, and is not a clearance.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if a body has two motions or one that begins or ends farther than
/// 1e30 from the world's origin; `BVT_ERROR_MOTION` if a motion is too long; `BVT_ERROR_POSE`.
///
/// # Safety
/// There are `count` motions; `visit` may be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_impact(
    scene: Option<&BvtScene>,
    moving: *const BvtBodyMotion,
    count: usize,
    accuracy: f64,
    visit: BvtVisitBodyImpact,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let motions = unsafe { motions(moving, count) }?;
        // SAFETY: as above.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(scene.impacts(&motions, accuracy)?);
        DONE
    })
}

/// Finds the earliest of all impacts. Returns `BVT_NONE` if no two bodies meet.
///
/// Errors: see `bvt_scene_for_each_impact`.
///
/// # Safety
/// There are `count` motions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_first_impact(
    scene: Option<&BvtScene>,
    moving: *const BvtBodyMotion,
    count: usize,
    accuracy: f64,
    impact: Option<&mut MaybeUninit<BvtBodyImpact>>,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let motions = unsafe { motions(moving, count) }?;
        answer(out(impact, "impact")?, scene.first_impact(&motions, accuracy)?)
    })
}
