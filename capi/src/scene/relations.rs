//! Spatial relations of bodies.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::scene::RelatedPair;

use super::bodies::{change, look};
use super::{BvtBodyId, BvtBodyPair, BvtScene, id};
use crate::ffi::out;
use crate::pairs::BvtRelation;
use crate::panic_guard::DONE;
use crate::status::BvtStatus;
use crate::visit::Visitor;

/// Two bodies that are not separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BvtRelatedPair {
    /// The two bodies.
    pub bodies: BvtBodyPair,
    /// Relation of the two bodies: A is the first, B the second.
    pub relation: BvtRelation,
}

impl From<RelatedPair> for BvtRelatedPair {
    fn from(pair: RelatedPair) -> Self {
        Self { bodies: pair.bodies.into(), relation: pair.relation.into() }
    }
}

/// Callback that receives two bodies. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitRelatedPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtRelatedPair) -> i32>;

/// Calls `visit` for each pair of bodies that are not separate, in the order of their ids, until `visit` returns
/// nonzero. Bodies that are equal within a tolerance are `BVT_COINCIDENT`; with a negative tolerance none are.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_relation(
    scene: Option<&BvtScene>,
    tolerance: f64,
    visit: BvtVisitRelatedPair,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        scene.for_each_relation(tolerance, |pair| visitor.visit(pair));
        DONE
    })
}

/// Determines the spatial relation of two bodies, even if they are excluded from comparison. Any number of threads may
/// call this at once.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_relation(
    scene: Option<&BvtScene>,
    a: BvtBodyId,
    b: BvtBodyId,
    tolerance: f64,
    relation: Option<&mut MaybeUninit<BvtRelation>>,
) -> BvtStatus {
    look(scene, |scene| {
        out(relation, "relation")?.write(scene.relation(id(a), id(b), tolerance)?.into());
        DONE
    })
}
