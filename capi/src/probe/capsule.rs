//! Spheres and capsules: when they meet a mesh on their way, where they touch it. A capsule whose ends are equal is a
//! sphere.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::probe::{CapsuleCastHit, CapsuleContact, CastOptions};

use super::{BvtProbe, ask};
use crate::ffi::{answer, given, out};
use crate::panic_guard::DONE;
use crate::pose::vector;
use crate::shape::BvtCapsule;
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;
use crate::versioned_struct::{options, versioned};
use crate::visit::Visitor;

/// A capsule and a triangle, where they are nearest or overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtCapsuleContact {
    /// How far apart; negative by how far the capsule would have to move along the normal to come free of the triangle.
    pub distance: f64,
    /// The triangle's point.
    pub point: [f64; 3],
    /// Of unit length, from the triangle to the capsule; zero where there is none.
    pub normal: [f64; 3],
    /// The triangle's own unit normal, by its corners' order; zero without area.
    pub face_normal: [f64; 3],
    /// The triangle.
    pub face: u32,
}

impl From<CapsuleContact> for BvtCapsuleContact {
    fn from(contact: CapsuleContact) -> Self {
        Self {
            distance: contact.distance,
            point: contact.point.into(),
            normal: contact.normal.into(),
            face_normal: contact.face_normal.into(),
            face: contact.face,
        }
    }
}

/// Where a moving capsule first meets a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtCastHit {
    /// In units of the displacement, 0 to 1: no triangle is touched earlier.
    pub time: f64,
    /// The contact at that time.
    pub contact: BvtCapsuleContact,
}

impl From<CapsuleCastHit> for BvtCastHit {
    fn from(hit: CapsuleCastHit) -> Self {
        Self { time: hit.time, contact: hit.contact.into() }
    }
}

/// What counts as a hit. `{sizeof(BvtCastOptions)}` and nothing else is as null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtCastOptions {
    /// sizeof(BvtCastOptions)
    pub struct_size: usize,
    /// How far apart the surfaces may still be at the time of a hit; what rounding leaves of it if that is more. No
    /// clearance: for one, enlarge the radius.
    pub tolerance: f64,
    /// Unless 0, triangles that are touched at the start, and that the motion leaves or glides along, don't count.
    pub ignores_departing: u32,
}

versioned!(BvtCastOptions);

impl Default for BvtCastOptions {
    fn default() -> Self {
        Self { struct_size: size_of::<Self>(), tolerance: 0.0, ignores_departing: 0 }
    }
}

/// # Safety
/// As of [`options`].
pub(crate) unsafe fn cast_options(given: *const BvtCastOptions) -> Result<CastOptions, Error> {
    // SAFETY: the caller promises it.
    let given = unsafe { options(given, "options") }?;
    Ok(CastOptions { tolerance: given.tolerance, departing: given.ignores_departing == 0 })
}

/// When a capsule that moves along a displacement first meets a triangle: at any speed nothing is passed. The options
/// may be null. `BVT_NONE` if it meets none: a proof.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_cast_capsule(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    capsule: Option<&BvtCapsule>,
    displacement: Option<&[f64; 3]>,
    options: *const BvtCastOptions,
    hit: Option<&mut MaybeUninit<BvtCastHit>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (capsule, displacement) = (given(capsule, "capsule")?.into(), vector(displacement, "displacement")?);
        let out = out(hit, "hit")?;
        // SAFETY: the caller promises it.
        let options = unsafe { cast_options(options) }?;
        answer(out, probe.cast_capsule(tree, &capsule, &displacement, &options))
    })
}

/// Takes a contact; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitCapsuleContact =
    Option<unsafe extern "C" fn(user: *mut c_void, contact: *const BvtCapsuleContact) -> i32>;

/// Calls `visit` with the contact of each triangle that is no farther than `max_distance` from a capsule, in no
/// particular order, until it stops. Those that overlap it have a negative distance.
///
/// # Safety
/// `visit` may be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_capsule_contact(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    capsule: Option<&BvtCapsule>,
    max_distance: f64,
    visit: BvtVisitCapsuleContact,
    user: *mut c_void,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let capsule = given(capsule, "capsule")?.into();
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        probe.for_each_capsule_contact(tree, &capsule, max_distance, |contact| visitor.visit(contact));
        DONE
    })
}

/// The contact of the triangle that is nearest to a capsule or overlaps it most deeply. `BVT_NONE` if none is as near
/// as `max_distance`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_closest_capsule_contact(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    capsule: Option<&BvtCapsule>,
    max_distance: f64,
    contact: Option<&mut MaybeUninit<BvtCapsuleContact>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (capsule, out) = (given(capsule, "capsule")?.into(), out(contact, "contact")?);
        answer(out, probe.closest_capsule_contact(tree, &capsule, max_distance))
    })
}
