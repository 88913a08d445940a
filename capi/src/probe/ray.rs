//! Ray casts.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::probe::RayHit;

use super::{BvtProbe, ask};
use crate::ffi::Visitor;
use crate::ffi::{answer, given, out};
use crate::panic_guard::DONE;
use crate::shape::BvtRay;
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// Hit of a ray on a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtRayHit {
    /// Ray parameter of the hit, at which the ray is at origin + time * direction; 0 exactly when the ray starts on the
    /// triangle or in the convex shape.
    pub time: f64,
    /// Point of the hit.
    pub point: [f64; 3],
    /// Unit normal of the triangle, from the order of its corners, or of the convex shape; zero for a triangle without
    /// area, or if the ray starts in the shape.
    pub normal: [f64; 3],
    /// Index of the triangle; `BVT_NO_FACE` for a convex shape of a scene.
    pub face: u32,
}

impl From<RayHit> for BvtRayHit {
    fn from(hit: RayHit) -> Self {
        Self { time: hit.time, point: hit.point.into(), normal: hit.normal.into(), face: hit.face }
    }
}

/// Callback that receives a hit. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitRayHit = Option<unsafe extern "C" fn(user: *mut c_void, hit: *const BvtRayHit) -> i32>;

/// Finds the first triangle that a ray hits up to `max_time`, which may be infinite. No ray slips through an edge.
/// Returns `BVT_NONE` if there is no hit.
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

/// Tests whether a ray hits any triangle up to `max_time`.
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

/// Calls `visit` for each triangle that a ray hits up to `max_time`, in no particular order, until `visit` returns
/// nonzero.
///
/// # Safety
/// `visit` can be called with `user`.
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
