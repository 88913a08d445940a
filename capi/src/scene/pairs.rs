//! Pairs of bodies: intersections, distances, relations and impacts. These queries run on all threads of the pool.
//! Callbacks run on the caller's thread, in the order of the bodies' indices, and must not query the same scene.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::scene::{BodyId, BodyImpact, NearPair, RelatedPair};
use bvtree::{Motion, Pose};

use super::bodies::{change, look};
use super::{BvtBodyId, BvtScene, id, ids};
use crate::ffi::{Visitor, answer, array, out};
use crate::pairs::{BvtFacePair, BvtRelation};
use crate::panic_guard::DONE;
use crate::pose::BvtPose;
use crate::status::{BvtStatus, Error};

/// Face index in results about a convex shape, which has no triangles.
pub const BVT_NO_FACE: u32 = 0xffff_ffff;

const _: () = assert!(BVT_NO_FACE == bvtree::scene::NO_FACE);

/// A pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BvtBodyPair {
    /// The body with the lesser index.
    pub a: BvtBodyId,
    /// The body with the greater index.
    pub b: BvtBodyId,
}

impl From<[bvtree::scene::BodyId; 2]> for BvtBodyPair {
    fn from(bodies: [bvtree::scene::BodyId; 2]) -> Self {
        let [a, b] = ids(bodies);
        Self { a, b }
    }
}

/// Two bodies that are near each other, with their closest points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtNearPair {
    /// The two bodies.
    pub bodies: BvtBodyPair,
    /// Distance between the two bodies; 0 exactly when they touch.
    pub distance: f64,
    /// The closest point of the first body, in the world.
    pub on_a: [f64; 3],
    /// The closest point of the second body, in the world.
    pub on_b: [f64; 3],
    /// Indices of the two closest triangles; `BVT_NO_FACE` for a convex shape.
    pub faces: BvtFacePair,
    /// Indices of the two closest parts; 0 for a body that is not a compound.
    pub parts: [u32; 2],
}

impl From<NearPair> for BvtNearPair {
    fn from(pair: NearPair) -> Self {
        (&pair).into()
    }
}

impl From<&NearPair> for BvtNearPair {
    fn from(pair: &NearPair) -> Self {
        Self {
            bodies: pair.bodies.into(),
            distance: pair.distance,
            on_a: pair.points[0].into(),
            on_b: pair.points[1].into(),
            faces: pair.faces.into(),
            parts: pair.parts,
        }
    }
}

/// Two bodies whose boxes are near each other, for the caller's own query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtNeighbors {
    /// The two bodies.
    pub bodies: BvtBodyPair,
    /// Pose of the second body in the first body's frame.
    pub b_to_a: BvtPose,
}

/// Callback that receives two bodies. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitBodyPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtBodyPair) -> i32>;
/// Callback that receives two bodies. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitNearPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtNearPair) -> i32>;
/// Callback that receives two bodies. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitNeighbors = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtNeighbors) -> i32>;

/// Calls `visit` for each pair of intersecting bodies, in the order of their indices, until `visit` returns nonzero.
/// Bodies intersect if their surfaces do, or if one is solid and a part of the other is inside it.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_intersecting_pair(
    scene: Option<&BvtScene>,
    visit: BvtVisitBodyPair,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        scene.for_each_intersecting_pair(|pair| visitor.visit(pair));
        DONE
    })
}

/// Calls `visit` for each pair of bodies whose distance is at most a clearance, in the order of their indices, until
/// `visit` returns nonzero. A negative or NaN clearance gives no pairs. The distance is that of the surfaces, or 0 if
/// one is solid and a part of the other is inside it.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_pair_within(
    scene: Option<&BvtScene>,
    clearance: f64,
    visit: BvtVisitNearPair,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        scene.for_each_pair_within(clearance, |pair| visitor.visit(pair));
        DONE
    })
}

/// Finds the two closest bodies, with the distance that `bvt_scene_for_each_pair_within` would report. Returns
/// `BVT_NONE` if no two nonempty bodies are compared.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_closest_pair(
    scene: Option<&BvtScene>,
    closest: Option<&mut MaybeUninit<BvtNearPair>>,
) -> BvtStatus {
    change(scene, |scene| answer(out(closest, "closest")?, scene.closest_pair()))
}

/// Calls `visit` for each pair of bodies whose world AABBs are at most `reach` apart along each axis (broad phase), in
/// the order of their indices, until `visit` returns nonzero. Pairs slightly farther apart may be included.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_neighbor_pair(
    scene: Option<&BvtScene>,
    reach: f64,
    visit: BvtVisitNeighbors,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        let ask = |_: &mut bvtree::Query, near: &bvtree::scene::Neighbors<'_>| Some((near.ids, near.b_to_a()));
        let take = |(bodies, b_to_a): ([bvtree::scene::BodyId; 2], Pose)| {
            visitor.visit(BvtNeighbors { bodies: bodies.into(), b_to_a: b_to_a.into() })
        };
        scene.for_each_neighbor_pair(reach, ask, take);
        DONE
    })
}

/// Two bodies that are not separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BvtRelatedPair {
    /// The two bodies.
    pub bodies: BvtBodyPair,
    /// Relation of the two bodies: A is the first, B the second.
    pub relation: BvtRelation,
}

impl From<RelatedPair> for BvtRelatedPair {
    fn from(pair: RelatedPair) -> Self {
        Self { bodies: pair.bodies.into(), relation: pair.relation.into() }
    }
}

/// Callback that receives two bodies. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitRelatedPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtRelatedPair) -> i32>;

/// Calls `visit` for each pair of bodies that are not separate, in the order of their indices, until `visit` returns
/// nonzero. The relation is `BVT_COINCIDENT` if each triangle of either body is within a tolerance of a single triangle
/// of the other; with a negative or NaN tolerance, no bodies coincide.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_relation(
    scene: Option<&BvtScene>,
    tolerance: f64,
    visit: BvtVisitRelatedPair,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        scene.for_each_relation(tolerance, |pair| visitor.visit(pair));
        DONE
    })
}

/// Determines the spatial relation of two bodies, even if they are excluded from comparison. Any number of threads may
/// call this at the same time.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_relation(
    scene: Option<&BvtScene>,
    a: BvtBodyId,
    b: BvtBodyId,
    tolerance: f64,
    relation: Option<&mut MaybeUninit<BvtRelation>>,
) -> BvtStatus {
    look(scene, |scene| {
        out(relation, "relation")?.write(scene.relation(id(a), id(b), tolerance)?.into());
        DONE
    })
}

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
    /// Remaining distance between the two triangles, or shapes, at `time`; 0 if a part of one body starts inside the
    /// other, which is solid.
    pub distance: f64,
    /// Closest point of the first body at `time`.
    pub on_a: [f64; 3],
    /// Closest point of the second body at `time`.
    pub on_b: [f64; 3],
    /// Unit normal from the first body to the second; zero if undefined.
    pub normal: [f64; 3],
    /// Indices of the triangles that meet; `BVT_NO_FACE` for a convex shape.
    pub faces: BvtFacePair,
    /// Indices of the parts that meet; 0 for a body that is not a compound.
    pub parts: [u32; 2],
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
            parts: impact.parts,
        }
    }
}

/// Converts the caller's motions of bodies.
///
/// # Safety
/// `motions` points to `count` motions; it may be null if `count` is 0.
pub(crate) unsafe fn motions(motions: *const BvtBodyMotion, count: usize) -> Result<Vec<(BodyId, Motion)>, Error> {
    // SAFETY: the caller promises it.
    let motions = unsafe { array(motions, count, "motions") }?;
    let motion =
        |given: &BvtBodyMotion| Ok((id(given.body), Motion::new(given.start.checked()?, given.end.checked()?)));
    motions.iter().map(motion).collect()
}

/// Callback that receives two bodies that meet. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitBodyImpact = Option<unsafe extern "C" fn(user: *mut c_void, impact: *const BvtBodyImpact) -> i32>;

/// Calls `visit` with the first impact of each pair of bodies, in the order of their indices, until `visit` returns
/// nonzero. Bodies without a motion are stationary. Each moving body's origin moves in a straight line, and the body
/// rotates about it at a constant rate. Pairs without an impact are proven not to meet in these motions; other motions
/// between the same poses may differ. `accuracy` is that of `bvt_time_of_impact`, not a clearance.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if a body has two motions or one that begins or ends farther
/// than 1e30 from the world's origin; `BVT_ERROR_MOTION` if a motion is too long; `BVT_ERROR_POSE`.
///
/// # Safety
/// `moving` points to `count` motions; it may be null if `count` is 0. `visit` can be called with `user`.
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

/// Finds the earliest impact of any two bodies. Returns `BVT_NONE` if no two bodies meet.
///
/// Errors: see `bvt_scene_for_each_impact`.
///
/// # Safety
/// `moving` points to `count` motions; it may be null if `count` is 0.
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
