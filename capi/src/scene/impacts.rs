//! When moving bodies meet.

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

/// A body's way in the time from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyMotion {
    /// The body.
    pub body: BvtBodyId,
    /// Where it is in the world at time 0.
    pub start: BvtPose,
    /// Where it is at time 1.
    pub end: BvtPose,
}

/// Two bodies that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyImpact {
    /// The bodies.
    pub bodies: BvtBodyPair,
    /// 0 to 1: they don't touch earlier.
    pub time: f64,
    /// How far apart the two triangles still are at that time.
    pub distance: f64,
    /// The closest point of the first at that time.
    pub on_a: [f64; 3],
    /// The closest point of the second.
    pub on_b: [f64; 3],
    /// Of unit length, from the first to the second; zero where there is no telling.
    pub normal: [f64; 3],
    /// The triangles.
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

/// Takes two bodies that meet; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitBodyImpact = Option<unsafe extern "C" fn(user: *mut c_void, impact: *const BvtBodyImpact) -> i32>;

/// Calls `visit` with when each pair of bodies first meets while some of them move and the others stand still, in the
/// order of their ids, until it stops. Each body's origin goes straight, and the body turns about that evenly; pairs
/// that are left out are proven not to meet on these ways, and no others. `accuracy` is as of `bvt_time_of_impact`, and
/// no clearance.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if a body has two motions; `BVT_ERROR_MOTION`; `BVT_ERROR_POSE`.
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
        // SAFETY: likewise.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(scene.impacts(&motions, accuracy)?);
        DONE
    })
}

/// The first of all impacts. `BVT_NONE` if no two bodies meet. Errors: as of `bvt_scene_for_each_impact`.
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
