//! Spheres and capsules among bodies. Any number of threads may ask at once, each with a probe of its own.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::scene::{BodyCastHit, BodyContact};

use super::bodies::look;
use super::{BvtBodyId, BvtScene};
use crate::ffi::{answer, given, lock, out};
use crate::panic_guard::DONE;
use crate::pose::vector;
use crate::probe::{BvtCapsuleContact, BvtCastHit, BvtCastOptions, BvtProbe, cast_options};
use crate::shape::BvtCapsule;
use crate::status::BvtStatus;
use crate::visit::Visitor;

/// Where a capsule touches a body, or nearly does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyContact {
    /// The body.
    pub body: BvtBodyId,
    /// Where, in the world.
    pub contact: BvtCapsuleContact,
}

impl From<BodyContact> for BvtBodyContact {
    fn from(found: BodyContact) -> Self {
        Self { body: found.body.to_bits(), contact: found.contact.into() }
    }
}

/// Where a moving capsule first meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtBodyCastHit {
    /// The body.
    pub body: BvtBodyId,
    /// Where, in the world.
    pub hit: BvtCastHit,
}

impl From<BodyCastHit> for BvtBodyCastHit {
    fn from(found: BodyCastHit) -> Self {
        Self { body: found.body.to_bits(), hit: found.hit.into() }
    }
}

/// Takes a contact; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitBodyContact = Option<unsafe extern "C" fn(user: *mut c_void, contact: *const BvtBodyContact) -> i32>;

/// When a capsule on its way along a displacement first meets a body in the mask's collision groups, all of which stand
/// still. The options may be null. `BVT_NONE` proves that there is no contact on the way.
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

/// Calls `visit` with the contacts of all triangles of bodies in the mask's collision groups that are no farther than
/// `max_distance` from a capsule, by body, until it stops.
///
/// # Safety
/// `visit` may be called with `user`.
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

/// The contact of the triangle of a body in the mask's collision groups that is nearest to a capsule or overlaps it
/// most deeply. `BVT_NONE` if none is as near as `max_distance`.
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
