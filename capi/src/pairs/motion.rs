//! When a moving mesh first touches another.

use std::mem::MaybeUninit;

use bvtree::Motion;
use bvtree::query::{MotionContact, TimeOfImpact};

use super::{BvtFacePair, BvtQuery, ask};
use crate::ffi::out;
use crate::panic_guard::DONE;
use crate::pose::{BvtPose, pose};
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// What comes of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtMotionOutcome {
    /// The meshes touch at no time of this motion: proven for it, and for no other way between the same poses.
    BVT_NO_IMPACT = 0,
    /// They touch at the start.
    BVT_TOUCHING_AT_START = 1,
    /// They meet later.
    BVT_IMPACT = 2,
}

/// What comes of a motion, and where; all but the outcome is zero if it is free.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtTimeOfImpact {
    /// Whether they meet.
    pub outcome: BvtMotionOutcome,
    /// 0 to 1: no two triangles touch earlier.
    pub time: f64,
    /// How far apart the two triangles still are at that time.
    pub distance: f64,
    /// The point of A's triangle.
    pub on_a: [f64; 3],
    /// The point of B's triangle at that time.
    pub on_b: [f64; 3],
    /// Of unit length, from A to B; zero where there is none.
    pub normal: [f64; 3],
    /// The two triangles.
    pub faces: BvtFacePair,
}

impl From<TimeOfImpact> for BvtTimeOfImpact {
    fn from(time: TimeOfImpact) -> Self {
        let meet = |outcome, contact: MotionContact| Self {
            outcome,
            time: contact.time,
            distance: contact.distance,
            on_a: contact.on_a.into(),
            on_b: contact.on_b.into(),
            normal: contact.normal.into(),
            faces: contact.faces.into(),
        };
        match time {
            TimeOfImpact::NoImpact => Self {
                outcome: BvtMotionOutcome::BVT_NO_IMPACT,
                time: 0.0,
                distance: 0.0,
                on_a: [0.0; 3],
                on_b: [0.0; 3],
                normal: [0.0; 3],
                faces: BvtFacePair { face_a: 0, face_b: 0 },
            },
            TimeOfImpact::Touching(contact) => meet(BvtMotionOutcome::BVT_TOUCHING_AT_START, contact),
            TimeOfImpact::Impact(contact) => meet(BvtMotionOutcome::BVT_IMPACT, contact),
        }
    }
}

/// When B, on its way from one pose to another in the time from 0 to 1, first touches A: its origin goes straight, and
/// it turns about that evenly. What moves otherwise between the same poses, as a robot's links do when its joints move,
/// may meet where this does not. Times are never late; `accuracy` is how far apart the triangles may still be at that
/// time, or what rounding leaves of it. It is no clearance: B may pass A nearer than that and be free.
///
/// Errors: `BVT_ERROR_MOTION` if the motion is more than 1e12 times as long as the meshes are large.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_time_of_impact(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    start: Option<&BvtPose>,
    end: Option<&BvtPose>,
    accuracy: f64,
    impact: Option<&mut MaybeUninit<BvtTimeOfImpact>>,
) -> BvtStatus {
    ask(query, [a, b], start, |query, a, b, start| {
        let motion = Motion::new(*start, pose(end, "end")?);
        let out = out(impact, "impact")?;
        out.write(query.time_of_impact(a, b, &motion, accuracy)?.into());
        DONE
    })
}
