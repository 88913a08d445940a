//! How bodies lie to each other.

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
    /// The bodies.
    pub bodies: BvtBodyPair,
    /// How the second lies to the first.
    pub relation: BvtRelation,
}

impl From<RelatedPair> for BvtRelatedPair {
    fn from(pair: RelatedPair) -> Self {
        Self { bodies: pair.bodies.into(), relation: pair.relation.into() }
    }
}

/// Takes two bodies; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitRelatedPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtRelatedPair) -> i32>;

/// Calls `visit` for each pair of bodies that are not separate, in the order of their ids, until it stops. Bodies that
/// are the same to a tolerance are `BVT_COINCIDENT`; none are to a negative one.
///
/// # Safety
/// `visit` may be called with `user`.
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

/// How two bodies lie to each other, whether they are compared or not. Any number of threads may ask at once.
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
