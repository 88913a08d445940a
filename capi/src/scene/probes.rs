//! Rays and points among bodies. Any number of threads may ask at once, each with a probe of its own.

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

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyHit {
    /// The body.
    pub body: BvtBodyId,
    /// Where, in the world.
    pub hit: BvtRayHit,
}

impl From<BodyHit> for BvtBodyHit {
    fn from(found: BodyHit) -> Self {
        Self { body: found.body.to_bits(), hit: found.hit.into() }
    }
}

/// A body's point that is nearest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyPoint {
    /// The body.
    pub body: BvtBodyId,
    /// How far it is from the given one.
    pub distance: f64,
    /// The point, in the world.
    pub point: [f64; 3],
    /// The triangle it is on.
    pub face: u32,
}

impl From<BodyPoint> for BvtBodyPoint {
    fn from(found: BodyPoint) -> Self {
        Self { body: found.body.to_bits(), distance: found.distance, point: found.point.into(), face: found.face }
    }
}

/// Takes a hit; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitBodyHit = Option<unsafe extern "C" fn(user: *mut c_void, hit: *const BvtBodyHit) -> i32>;

/// The first triangle of a body in the mask's collision groups that a ray meets until `max_time`. `BVT_NONE` if it
/// meets none.
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

/// Whether a ray meets any body in the mask's collision groups until `max_time`.
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

/// Calls `visit` with all triangles of bodies in the mask's collision groups that a ray meets until `max_time`, by
/// time, until it stops.
///
/// # Safety
/// `visit` may be called with `user`.
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

/// The point of the bodies in the mask's collision groups that is nearest to a given one and no farther than
/// `max_distance`. `BVT_NONE` if there is none.
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
