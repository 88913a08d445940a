//! Time of impact: when a moving mesh first touches another.

use std::mem::MaybeUninit;

use bvtree::Motion;
use bvtree::query::{MotionContact, TimeOfImpact};

use super::{BvtFacePair, BvtQuery, ask};
use crate::ffi::out;
use crate::panic_guard::DONE;
use crate::pose::{BvtPose, pose};
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// Outcome of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtMotionOutcome {
    /// The meshes never touch. This is proven for this motion only, not for other motions between the same poses.
    BVT_NO_IMPACT = 0,
    /// The meshes touch at the start, or one starts inside the other, which is solid.
    BVT_TOUCHING_AT_START = 1,
    /// The meshes first touch after the start.
    BVT_IMPACT = 2,
}

/// First impact of a motion, in A's frame. With `BVT_NO_IMPACT`, all other fields are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtTimeOfImpact {
    /// Outcome of the motion.
    pub outcome: BvtMotionOutcome,
    /// Time of impact, from 0 to 1: no two triangles touch earlier.
    pub time: f64,
    /// Remaining distance between the two triangles at `time`, in A's unit; 0 if one mesh starts inside the other,
    /// which is solid.
    pub distance: f64,
    /// Closest point on A's triangle.
    pub on_a: [f64; 3],
    /// Closest point on B's triangle at `time`.
    pub on_b: [f64; 3],
    /// Unit normal from A to B; zero if undefined.
    pub normal: [f64; 3],
    /// Indices of the triangles that meet.
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

/// Computes when B first touches A (continuous collision) while B moves from one pose to another in the time from 0 to
/// 1: its origin moves in a straight line, and B rotates about it at a constant rate. Other motions between the same
/// poses, such as those of a robot's links while its joints move, may collide where this one does not. The computed
/// time is never later than the true one. `accuracy` is the distance that may remain between the triangles at the
/// computed time, or the rounding error if that is larger. It is not a clearance: B may pass A at a smaller distance
/// without an impact.
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
