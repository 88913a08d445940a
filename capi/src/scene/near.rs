//! Pairs of bodies that touch or are near each other. These queries run on all threads of the pool. Callbacks run on
//! the caller's thread, in the order of the bodies, and must not query the same scene.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::Pose;
use bvtree::scene::NearPair;

use super::bodies::change;
use super::{BvtBodyId, BvtScene, ids};
use crate::ffi::{answer, out};
use crate::pairs::BvtFacePair;
use crate::panic_guard::DONE;
use crate::pose::BvtPose;
use crate::status::BvtStatus;
use crate::visit::Visitor;

/// A pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BvtBodyPair {
    /// The lesser id.
    pub a: BvtBodyId,
    /// The greater id.
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
    /// Distance; 0 exactly when they touch.
    pub distance: f64,
    /// The closest point of the first body, in the world.
    pub on_a: [f64; 3],
    /// The closest point of the second body, in the world.
    pub on_b: [f64; 3],
    /// Indices of the triangles that contain these points.
    pub faces: BvtFacePair,
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
        }
    }
}

/// Two bodies whose boxes are near each other, for a query of the caller's own.
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

/// Calls `visit` for each pair of intersecting bodies, in the order of their ids, until `visit` returns nonzero. Bodies
/// intersect if their surfaces do, or if a part of one is inside the other, which is solid.
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

/// Calls `visit` for each pair of bodies whose distance is at most a clearance, in the order of their ids, until
/// `visit` returns nonzero. A negative or NaN clearance gives no pairs. The distance is that of the surfaces, or 0 if a
/// part of one is inside the other, which is solid.
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
/// the order of their ids, until `visit` returns nonzero. Pairs slightly farther apart may be included.
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
