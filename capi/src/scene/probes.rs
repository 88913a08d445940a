//! Rays and points against the bodies of a scene. Any number of threads may call these functions at once, each with its
//! own probe.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::scene::{BodyHit, BodyPoint};

use super::bodies::look;
use super::{BvtBodyId, BvtScene};
use crate::ffi::{answer, given, lock, out};
use crate::panic_guard::DONE;
use crate::pose::point;
use crate::probe::{BvtProbe, BvtRayHit};
use crate::shape::BvtRay;
use crate::status::BvtStatus;
use crate::visit::Visitor;

/// Hit of a ray on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyHit {
    /// The body.
    pub body: BvtBodyId,
    /// The hit, in the world.
    pub hit: BvtRayHit,
}

impl From<BodyHit> for BvtBodyHit {
    fn from(found: BodyHit) -> Self {
        Self { body: found.body.to_bits(), hit: found.hit.into() }
    }
}

/// The point of a body that is closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyPoint {
    /// The body.
    pub body: BvtBodyId,
    /// Distance from the query point.
    pub distance: f64,
    /// Closest point, in the world.
    pub point: [f64; 3],
    /// Index of the triangle that contains it.
    pub face: u32,
}

impl From<BodyPoint> for BvtBodyPoint {
    fn from(found: BodyPoint) -> Self {
        Self { body: found.body.to_bits(), distance: found.distance, point: found.point.into(), face: found.face }
    }
}

/// Callback that receives a hit. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitBodyHit = Option<unsafe extern "C" fn(user: *mut c_void, hit: *const BvtBodyHit) -> i32>;

/// Finds the first triangle that a ray hits up to `max_time`, among bodies in the mask's collision groups. Returns
/// `BVT_NONE` if there is no hit.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_closest_hit(
    scene: Option<&BvtScene>,
    probe: Option<&BvtProbe>,
    ray: Option<&BvtRay>,
    max_time: f64,
    mask: u32,
    hit: Option<&mut MaybeUninit<BvtBodyHit>>,
) -> BvtStatus {
    look(scene, |scene| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        let (ray, out) = (given(ray, "ray")?.into(), out(hit, "hit")?);
        answer(out, scene.closest_hit(&mut probe, &ray, max_time, mask))
    })
}

/// Tests whether a ray hits any body in the mask's collision groups up to `max_time`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_any_hit(
    scene: Option<&BvtScene>,
    probe: Option<&BvtProbe>,
    ray: Option<&BvtRay>,
    max_time: f64,
    mask: u32,
    hit: Option<&mut MaybeUninit<bool>>,
) -> BvtStatus {
    look(scene, |scene| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        let (ray, out) = (given(ray, "ray")?.into(), out(hit, "hit")?);
        out.write(scene.any_hit(&mut probe, &ray, max_time, mask));
        DONE
    })
}

/// Calls `visit` with each triangle that a ray hits up to `max_time`, for bodies in the mask's collision groups, sorted
/// by time, until `visit` returns nonzero.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_hit(
    scene: Option<&BvtScene>,
    probe: Option<&BvtProbe>,
    ray: Option<&BvtRay>,
    max_time: f64,
    mask: u32,
    visit: BvtVisitBodyHit,
    user: *mut c_void,
) -> BvtStatus {
    look(scene, |scene| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        let ray = given(ray, "ray")?.into();
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(scene.hits(&mut probe, &ray, max_time, mask));
        DONE
    })
}

/// Finds the point that is closest to a query point and within `max_distance`, among bodies in the mask's collision
/// groups. Returns `BVT_NONE` if no point is that close.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_closest_point(
    scene: Option<&BvtScene>,
    probe: Option<&BvtProbe>,
    to: Option<&[f64; 3]>,
    max_distance: f64,
    mask: u32,
    closest: Option<&mut MaybeUninit<BvtBodyPoint>>,
) -> BvtStatus {
    look(scene, |scene| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        let (to, out) = (point(to, "to")?, out(closest, "closest")?);
        answer(out, scene.closest_point(&mut probe, &to, max_distance, mask))
    })
}
