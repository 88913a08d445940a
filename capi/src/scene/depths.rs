//! Contact manifolds, overlap depths and penetration depths of all pairs of bodies. These queries run on all threads of
//! the pool. Callbacks run on the caller's thread, in the order of the bodies' indices, and must not query the same
//! scene.

use std::ffi::c_void;

use bvtree::scene::{BodyManifold, OverlappingPair, PenetratingPair};

use super::bodies::change;
use super::{BvtBodyPair, BvtScene};
use crate::ffi::Visitor;
use crate::pairs::{BvtContactManifold, BvtDepthOptions, BvtOverlapDepth, BvtPenetrationDepth, depth_options, solid};
use crate::panic_guard::DONE;
use crate::status::BvtStatus;

/// Contact manifold of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyManifold {
    /// The two bodies, A and B.
    pub bodies: BvtBodyPair,
    /// The manifold, in the world.
    pub manifold: BvtContactManifold,
    /// Indices of the parts that touch; 0 for a body that is not a compound.
    pub parts: [u32; 2],
}

impl From<&BodyManifold> for BvtBodyManifold {
    fn from(found: &BodyManifold) -> Self {
        Self { bodies: found.bodies.into(), manifold: (&found.manifold).into(), parts: found.parts }
    }
}

/// Two bodies that overlap, and the depth of the overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtOverlappingPair {
    /// The two bodies, A and B.
    pub bodies: BvtBodyPair,
    /// The overlap depth; its points are in the world.
    pub depth: BvtOverlapDepth,
    /// Indices of the parts that reach deepest into each other; 0 for a body that is not a compound.
    pub parts: [u32; 2],
}

impl From<&OverlappingPair> for BvtOverlappingPair {
    fn from(pair: &OverlappingPair) -> Self {
        Self { bodies: pair.bodies.into(), depth: pair.depth.into(), parts: pair.parts }
    }
}

/// Two bodies whose interiors overlap, and how far one has to move to separate from the other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtPenetratingPair {
    /// The two bodies, A and B.
    pub bodies: BvtBodyPair,
    /// The penetration depth; its translation of B is in the world.
    pub depth: BvtPenetrationDepth,
}

impl From<&PenetratingPair> for BvtPenetratingPair {
    fn from(pair: &PenetratingPair) -> Self {
        Self { bodies: pair.bodies.into(), depth: pair.depth.into() }
    }
}

/// Callback that receives a manifold. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitBodyManifold =
    Option<unsafe extern "C" fn(user: *mut c_void, manifold: *const BvtBodyManifold) -> i32>;
/// Callback that receives two bodies. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitOverlappingPair =
    Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtOverlappingPair) -> i32>;
/// Callback that receives two bodies. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitPenetratingPair =
    Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtPenetratingPair) -> i32>;

/// Calls `visit` with each contact manifold of each pair of bodies, in the order of their indices, the deepest of a
/// pair first, until `visit` returns nonzero. See `bvt_for_each_contact_manifold`; the margin is in the world's unit. A
/// point's id is unique among the points of the same two parts.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_contact_manifold(
    scene: Option<&BvtScene>,
    margin: f64,
    visit: BvtVisitBodyManifold,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        scene.for_each_contact_manifold(margin, |found| visitor.visit(found));
        DONE
    })
}

/// Calls `visit` for each pair of bodies that overlap, in the order of their indices, until `visit` returns nonzero.
/// See `bvt_overlap_depth`; the options may be null. All bodies count as solids. `open` says how to treat bodies whose
/// mesh is open: with `BVT_SOLID_ROBUST` they have an inside, and `lower` and `upper` of the depth are estimates, not
/// proven bounds; with `BVT_SURFACE` or `BVT_SOLID_IF_CLOSED` their pairs are left out.
///
/// # Safety
/// The options' `struct_size` is set; `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_overlap_depth(
    scene: Option<&BvtScene>,
    open: u32,
    options: *const BvtDepthOptions,
    visit: BvtVisitOverlappingPair,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let (visitor, options) = unsafe { (Visitor::new(visit, user)?, depth_options(options)?) };
        scene.for_each_overlap_depth(solid(open)?, &options, |pair| visitor.visit(pair));
        DONE
    })
}

/// Calls `visit` for each pair of bodies whose interiors overlap, in the order of their indices, until `visit` returns
/// nonzero. See `bvt_penetration_depth`; the options may be null, and the time limit applies to each pair. All bodies
/// count as solids. Pairs with an open mesh are left out.
///
/// # Safety
/// The options' `struct_size` is set; `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_penetration_depth(
    scene: Option<&BvtScene>,
    options: *const BvtDepthOptions,
    visit: BvtVisitPenetratingPair,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let (visitor, options) = unsafe { (Visitor::new(visit, user)?, depth_options(options)?) };
        scene.for_each_penetration_depth(&options, |pair| visitor.visit(pair));
        DONE
    })
}
