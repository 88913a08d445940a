//! Pairs of bodies that touch or are near each other. Works on all threads of the pool; callbacks are called on the
//! caller's thread, in the order of the bodies, and may not ask the scene anything.

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

/// Two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BvtBodyPair {
    /// The lesser id.
    pub a: BvtBodyId,
    /// The greater one.
    pub b: BvtBodyId,
}

impl From<[bvtree::scene::BodyId; 2]> for BvtBodyPair {
    fn from(bodies: [bvtree::scene::BodyId; 2]) -> Self {
        let [a, b] = ids(bodies);
        Self { a, b }
    }
}

/// Two bodies that are near each other, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtNearPair {
    /// The bodies.
    pub bodies: BvtBodyPair,
    /// 0 exactly when they touch.
    pub distance: f64,
    /// The closest point of the first, in the world.
    pub on_a: [f64; 3],
    /// The closest point of the second, in the world.
    pub on_b: [f64; 3],
    /// The triangles that they are on.
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

/// Two bodies whose boxes are near each other, for a question of the caller's own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtNeighbors {
    /// The bodies.
    pub bodies: BvtBodyPair,
    /// Where the second stands in the first one's frame.
    pub b_to_a: BvtPose,
}

/// Takes two bodies; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitBodyPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtBodyPair) -> i32>;
/// Takes two bodies; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitNearPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtNearPair) -> i32>;
/// Takes two bodies; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitNeighbors = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtNeighbors) -> i32>;

/// Calls `visit` for each pair of bodies that touch, in the order of their ids, until it stops. They do where their
/// surfaces do, or one has a part inside the other, which is solid.
///
/// # Safety
/// `visit` may be called with `user`.
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

/// Calls `visit` for each pair of bodies whose distance is at most a clearance, in the order of their ids, until it
/// stops. None are within a negative one or NaN. The distance is that of the surfaces, or 0 where one has a part inside
/// the other, which is solid.
///
/// # Safety
/// `visit` may be called with `user`.
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

/// The two bodies that are nearest to each other, with the distance that `bvt_scene_for_each_pair_within` gives.
/// `BVT_NONE` if there are no two with triangles that are compared.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_closest_pair(
    scene: Option<&BvtScene>,
    closest: Option<&mut MaybeUninit<BvtNearPair>>,
) -> BvtStatus {
    change(scene, |scene| answer(out(closest, "closest")?, scene.closest_pair()))
}

/// Calls `visit` for each pair of bodies whose AABBs in the world are at most `reach` apart (along each axis), in the
/// order of their ids, until it stops. Some that are a little farther may come too.
///
/// # Safety
/// `visit` may be called with `user`.
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
