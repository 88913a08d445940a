//! Rays, points, capsules and moving convex shapes against the bodies of a scene. Any number of threads may call these
//! functions at the same time, each with its own probe.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::Pose;
use bvtree::scene::{BodyCastHit, BodyContact, BodyConvexCastHit, BodyHit, BodyPoint};

use super::bodies::look;
use super::{BvtBodyId, BvtScene};
use crate::convex_shape::BvtConvexShape;
use crate::ffi::{Visitor, answer, given, lock, out};
use crate::panic_guard::DONE;
use crate::pose::{BvtPose, point, pose, vector};
use crate::probe::{
    BvtCapsuleContact, BvtCastHit, BvtCastOptions, BvtConvexCastHit, BvtProbe, BvtRayHit, cast_options,
};
use crate::shape::{BvtCapsule, BvtRay};
use crate::status::BvtStatus;

/// Hit of a ray on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyHit {
    /// The body.
    pub body: BvtBodyId,
    /// The hit, in the world.
    pub hit: BvtRayHit,
    /// Index of the body's part; 0 unless the body is a compound.
    pub part: u32,
}

impl From<BodyHit> for BvtBodyHit {
    fn from(found: BodyHit) -> Self {
        Self { body: found.body.to_bits(), hit: found.hit.into(), part: found.part }
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
    /// Index of the triangle that contains `point`; `BVT_NO_FACE` for a convex shape.
    pub face: u32,
    /// Index of the body's part; 0 unless the body is a compound.
    pub part: u32,
}

impl From<BodyPoint> for BvtBodyPoint {
    fn from(found: BodyPoint) -> Self {
        Self {
            body: found.body.to_bits(),
            distance: found.distance,
            point: found.point.into(),
            face: found.face,
            part: found.part,
        }
    }
}

/// Callback that receives a hit. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitBodyHit = Option<unsafe extern "C" fn(user: *mut c_void, hit: *const BvtBodyHit) -> i32>;

/// Finds the first triangle or convex shape that a ray hits up to `max_time`, among bodies in the mask's collision
/// groups. Returns `BVT_NONE` if there is no hit.
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

/// Calls `visit` with each hit of a ray on a triangle or a convex shape up to `max_time`, for bodies in the mask's
/// collision groups, sorted by time, until `visit` returns nonzero.
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

/// Contact of a capsule with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyContact {
    /// The body.
    pub body: BvtBodyId,
    /// The contact, in the world.
    pub contact: BvtCapsuleContact,
    /// Index of the body's part; 0 unless the body is a compound.
    pub part: u32,
}

impl From<BodyContact> for BvtBodyContact {
    fn from(found: BodyContact) -> Self {
        Self { body: found.body.to_bits(), contact: found.contact.into(), part: found.part }
    }
}

/// First hit of a moving capsule with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyCastHit {
    /// The body.
    pub body: BvtBodyId,
    /// The hit, in the world.
    pub hit: BvtCastHit,
    /// Index of the body's part; 0 unless the body is a compound.
    pub part: u32,
}

impl From<BodyCastHit> for BvtBodyCastHit {
    fn from(found: BodyCastHit) -> Self {
        Self { body: found.body.to_bits(), hit: found.hit.into(), part: found.part }
    }
}

/// First contact of a moving convex shape with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyConvexCastHit {
    /// The body.
    pub body: BvtBodyId,
    /// The hit, in the world.
    pub hit: BvtConvexCastHit,
    /// Index of the body's part; 0 unless the body is a compound.
    pub part: u32,
}

impl From<BodyConvexCastHit> for BvtBodyConvexCastHit {
    fn from(found: BodyConvexCastHit) -> Self {
        Self { body: found.body.to_bits(), hit: found.hit.into(), part: found.part }
    }
}

/// Computes when a convex shape that moves along a displacement without turning first hits a body in the mask's
/// collision groups. The bodies count as stationary; `shape_to_world` is the shape's pose at the start, and null is the
/// identity. The options may be null. Returns `BVT_NONE` if it is proven that there is no hit.
///
/// Errors: `BVT_ERROR_POSE`.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_cast_convex(
    scene: Option<&BvtScene>,
    probe: Option<&BvtProbe>,
    shape: Option<&BvtConvexShape>,
    shape_to_world: Option<&BvtPose>,
    displacement: Option<&[f64; 3]>,
    options: *const BvtCastOptions,
    mask: u32,
    hit: Option<&mut MaybeUninit<BvtBodyConvexCastHit>>,
) -> BvtStatus {
    look(scene, |scene| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        let (shape, displacement) = (&given(shape, "shape")?.shape, vector(displacement, "displacement")?);
        let start = shape_to_world.map_or(Ok(Pose::identity()), |start| pose(Some(start), "shape_to_world"))?;
        let out = out(hit, "hit")?;
        // SAFETY: the caller promises it.
        let options = unsafe { cast_options(options) }?;
        answer(out, scene.cast_convex(&mut probe, shape, &start, &displacement, &options, mask))
    })
}

/// Callback that receives a contact. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitBodyContact = Option<unsafe extern "C" fn(user: *mut c_void, contact: *const BvtBodyContact) -> i32>;

/// Computes when a capsule that moves along a displacement first hits a body in the mask's collision groups. The bodies
/// count as stationary. The options may be null. Returns `BVT_NONE` if it is proven that there is no hit.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_cast_capsule(
    scene: Option<&BvtScene>,
    probe: Option<&BvtProbe>,
    capsule: Option<&BvtCapsule>,
    displacement: Option<&[f64; 3]>,
    options: *const BvtCastOptions,
    mask: u32,
    hit: Option<&mut MaybeUninit<BvtBodyCastHit>>,
) -> BvtStatus {
    look(scene, |scene| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        let (capsule, displacement) = (given(capsule, "capsule")?.into(), vector(displacement, "displacement")?);
        let out = out(hit, "hit")?;
        // SAFETY: the caller promises it.
        let options = unsafe { cast_options(options) }?;
        answer(out, scene.cast_capsule(&mut probe, &capsule, &displacement, &options, mask))
    })
}

/// Calls `visit` with the contact of each triangle and convex shape within `max_distance` of a capsule, for bodies in
/// the mask's collision groups, sorted by body, until `visit` returns nonzero.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_capsule_contact(
    scene: Option<&BvtScene>,
    probe: Option<&BvtProbe>,
    capsule: Option<&BvtCapsule>,
    max_distance: f64,
    mask: u32,
    visit: BvtVisitBodyContact,
    user: *mut c_void,
) -> BvtStatus {
    look(scene, |scene| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        let capsule = given(capsule, "capsule")?.into();
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(scene.capsule_contacts(&mut probe, &capsule, max_distance, mask));
        DONE
    })
}

/// Finds the contact of the triangle or convex shape that is closest to a capsule or overlaps it most deeply, among
/// bodies in the mask's collision groups. Returns `BVT_NONE` if none is within `max_distance`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_closest_capsule_contact(
    scene: Option<&BvtScene>,
    probe: Option<&BvtProbe>,
    capsule: Option<&BvtCapsule>,
    max_distance: f64,
    mask: u32,
    contact: Option<&mut MaybeUninit<BvtBodyContact>>,
) -> BvtStatus {
    look(scene, |scene| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        let (capsule, out) = (given(capsule, "capsule")?.into(), out(contact, "contact")?);
        answer(out, scene.closest_capsule_contact(&mut probe, &capsule, max_distance, mask))
    })
}
