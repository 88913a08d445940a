//! What rays hit.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::probe::RayHit;

use super::{BvtProbe, ask};
use crate::ffi::{answer, given, out};
use crate::panic_guard::DONE;
use crate::shape::BvtRay;
use crate::status::BvtStatus;
use crate::tree::BvtTree;
use crate::visit::Visitor;

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtRayHit {
    /// In units of the ray's direction; 0 exactly if the ray starts on the triangle.
    pub time: f64,
    /// The point.
    pub point: [f64; 3],
    /// The triangle's unit normal, by its corners' order; zero if it has no area.
    pub normal: [f64; 3],
    /// The triangle.
    pub face: u32,
}

impl From<RayHit> for BvtRayHit {
    fn from(hit: RayHit) -> Self {
        Self { time: hit.time, point: hit.point.into(), normal: hit.normal.into(), face: hit.face }
    }
}

/// Takes a hit; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitRayHit = Option<unsafe extern "C" fn(user: *mut c_void, hit: *const BvtRayHit) -> i32>;

/// The first triangle that a ray meets until `max_time`, which may be infinite. No ray slips through an edge.
/// `BVT_NONE` if it meets none.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_closest_hit(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    ray: Option<&BvtRay>,
    max_time: f64,
    hit: Option<&mut MaybeUninit<BvtRayHit>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (ray, out) = (given(ray, "ray")?.into(), out(hit, "hit")?);
        answer(out, probe.closest_hit(tree, &ray, max_time))
    })
}

/// Whether a ray meets any triangle until `max_time`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_any_hit(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    ray: Option<&BvtRay>,
    max_time: f64,
    hit: Option<&mut MaybeUninit<bool>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (ray, out) = (given(ray, "ray")?.into(), out(hit, "hit")?);
        out.write(probe.any_hit(tree, &ray, max_time));
        DONE
    })
}

/// Calls `visit` for each triangle that a ray meets until `max_time`, in no particular order, until it stops.
///
/// # Safety
/// `visit` may be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_hit(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    ray: Option<&BvtRay>,
    max_time: f64,
    visit: BvtVisitRayHit,
    user: *mut c_void,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let ray = given(ray, "ray")?.into();
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        probe.for_each_hit(tree, &ray, max_time, |hit| visitor.visit(hit));
        DONE
    })
}
