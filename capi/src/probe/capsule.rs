//! Spheres and capsules against one mesh: casts (swept volumes) and contacts. A capsule whose ends are equal is a
//! sphere.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::probe::{CapsuleCastHit, CapsuleContact, CastOptions};

use super::{BvtProbe, ask};
use crate::ffi::Visitor;
use crate::ffi::{answer, given, out};
use crate::ffi::{options, versioned};
use crate::panic_guard::DONE;
use crate::pose::vector;
use crate::shape::BvtCapsule;
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// Contact of a capsule with a triangle, where they are closest or overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtCapsuleContact {
    /// Distance between the capsule and the triangle, negative if they overlap: minus the distance that the capsule has
    /// to move along the normal to separate.
    pub distance: f64,
    /// Contact point on the triangle.
    pub point: [f64; 3],
    /// Unit normal from the triangle to the capsule; zero if undefined.
    pub normal: [f64; 3],
    /// Unit normal of the triangle, from the order of its corners; zero if it has no area.
    pub face_normal: [f64; 3],
    /// Index of the triangle; `BVT_NO_FACE` for a convex shape of a scene.
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

/// First hit of a moving capsule with a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtCastHit {
    /// Time of the hit as a fraction of the displacement, 0 to 1: no triangle is touched earlier.
    pub time: f64,
    /// Contact at `time`.
    pub contact: BvtCapsuleContact,
}

impl From<CapsuleCastHit> for BvtCastHit {
    fn from(hit: CapsuleCastHit) -> Self {
        Self { time: hit.time, contact: hit.contact.into() }
    }
}

/// Options for casts. `{sizeof(BvtCastOptions)}`, with all other fields zero, is the same as null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtCastOptions {
    /// Must be `sizeof(BvtCastOptions)`.
    pub struct_size: usize,
    /// Distance that may remain between the surfaces at the time of a hit, or the rounding error if that is larger. It
    /// is not a clearance: for a clearance, enlarge the radius.
    pub tolerance: f64,
    /// Whether to ignore departing contacts: if nonzero, triangles that are touched at the start are not hits if the
    /// motion leaves them or slides along them.
    pub ignores_departing: u32,
}

versioned!(BvtCastOptions);

impl Default for BvtCastOptions {
    fn default() -> Self {
        Self { struct_size: size_of::<Self>(), tolerance: 0.0, ignores_departing: 0 }
    }
}

/// Converts the caller's options for casts. A null pointer stands for the defaults.
///
/// # Safety
/// See [`options`].
pub(crate) unsafe fn cast_options(given: *const BvtCastOptions) -> Result<CastOptions, Error> {
    // SAFETY: the caller promises it.
    let given = unsafe { options(given, "options") }?;
    Ok(CastOptions { tolerance: given.tolerance, departing: given.ignores_departing == 0 })
}

/// Computes when a capsule that moves along a displacement first hits a triangle. No triangle is missed at any speed.
/// The options may be null. Returns `BVT_NONE` if it is proven that there is no hit.
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

/// Callback that receives a contact. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitCapsuleContact =
    Option<unsafe extern "C" fn(user: *mut c_void, contact: *const BvtCapsuleContact) -> i32>;

/// Calls `visit` with the contact of each triangle within `max_distance` of a capsule, in no particular order, until
/// `visit` returns nonzero. Triangles that overlap the capsule have a negative distance.
///
/// # Safety
/// `visit` can be called with `user`.
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

/// Finds the contact of the triangle that is closest to a capsule or overlaps it most deeply. Returns `BVT_NONE` if no
/// triangle is within `max_distance`.
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
