//! Spatial relation of two meshes.

use std::mem::MaybeUninit;

use bvtree::query::Relation;
use bvtree::scene::BodyRelation;

use super::{BvtQuery, ask};
use crate::ffi::out;
use crate::panic_guard::DONE;
use crate::pose::BvtPose;
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// Spatial relation of two meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtRelation {
    /// The meshes have no point in common, and neither is inside the other.
    BVT_SEPARATE = 0,
    /// The surfaces touch without passing through each other.
    BVT_TOUCHING = 1,
    /// The surfaces pass through each other.
    BVT_CROSSING = 2,
    /// A's surface is inside B; it may touch B's.
    BVT_A_IN_B = 3,
    /// B's surface is inside A; it may touch A's.
    BVT_B_IN_A = 4,
    /// Undefined: one mesh lies where the other's inside might be, but the other has holes.
    BVT_UNDEFINED = 5,
    /// The two bodies coincide. Only scenes return this.
    BVT_COINCIDENT = 6,
}

impl From<BodyRelation> for BvtRelation {
    fn from(relation: BodyRelation) -> Self {
        match relation {
            BodyRelation::Separate => Self::BVT_SEPARATE,
            BodyRelation::Touching => Self::BVT_TOUCHING,
            BodyRelation::Crossing => Self::BVT_CROSSING,
            BodyRelation::AInB => Self::BVT_A_IN_B,
            BodyRelation::BInA => Self::BVT_B_IN_A,
            BodyRelation::Undefined => Self::BVT_UNDEFINED,
            BodyRelation::Coincident => Self::BVT_COINCIDENT,
        }
    }
}

impl From<Relation> for BvtRelation {
    fn from(relation: Relation) -> Self {
        BodyRelation::from(relation).into()
    }
}

/// Determines the spatial relation of two meshes, exactly; `BVT_SEPARATE` if one is empty.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_relation(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    relation: Option<&mut MaybeUninit<BvtRelation>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        out(relation, "relation")?.write(query.relation(a, b, pose).into());
        DONE
    })
}
