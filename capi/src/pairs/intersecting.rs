//! Intersection of two meshes: whether they intersect, which pairs of triangles do, and their spatial relation.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use bvtree::Query;
use bvtree::query::{Relation, many};
use bvtree::scene::BodyRelation;

use super::{BvtFacePair, BvtQuery, ask, ask_many, many_poses};
use crate::ffi::{Visitor, answer, given, lock, out, out_slice};
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::BvtPose;
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// Callback that receives a pair of triangles. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtFacePair) -> i32>;

/// Tests exactly whether two meshes intersect; touching counts as intersecting.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_intersects(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    hit: Option<&mut MaybeUninit<bool>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        out(hit, "hit")?.write(query.intersects(a, b, pose));
        DONE
    })
}

/// Calls `visit` for each pair of intersecting triangles, in no particular order, until `visit` returns nonzero.
/// Touching counts as intersecting.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_intersecting_pair(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    visit: BvtVisitPair,
    user: *mut c_void,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        query.for_each_intersecting_pair(a, b, pose, |pair| visitor.visit(pair));
        DONE
    })
}

/// Writes the pairs of intersecting triangles, in no particular order, up to `capacity`. `count` receives the number of
/// all pairs, which may exceed `capacity`; with a capacity of 0 the function only counts.
///
/// # Safety
/// `pairs` points to space for `capacity` pairs; it may be null if `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_intersecting_pairs(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    pairs: *mut BvtFacePair,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        let out = out(count, "count")?;
        // SAFETY: the caller promises it.
        let space = unsafe { out_slice(pairs, capacity, "pairs") }?;
        let mut count = 0;
        query.for_each_intersecting_pair(a, b, pose, |pair| {
            if let Some(slot) = space.get_mut(count) {
                slot.write(pair.into());
            }
            count += 1;
            ControlFlow::Continue(())
        });
        out.write(count);
        DONE
    })
}

/// Runs `bvt_intersects` at many poses and writes `count` truth values. For poses along a path, this takes less time
/// than one call for each pose. Runs on all threads of the pool; see `bvt_pool_run`.
///
/// # Safety
/// `poses` points to `count` poses and `hits` to space for `count` results; both may be null if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_intersects_many(
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    poses: *const BvtPose,
    count: usize,
    hits: *mut bool,
) -> BvtStatus {
    // SAFETY: the caller promises it.
    panic_guard(|| unsafe {
        ask_many([a, b], poses, count, hits, |a, b, poses| many::intersects(a, b, poses, Query::new))
    })
}

/// Finds the first pose at which two meshes intersect and writes its index; `BVT_NONE` if they intersect at none. A
/// single thread tests no pose after that one; several threads test a few. Runs on all threads of the pool.
///
/// # Safety
/// `poses` points to `count` poses; it may be null if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_first_hit_many(
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    poses: *const BvtPose,
    count: usize,
    index: Option<&mut MaybeUninit<usize>>,
) -> BvtStatus {
    panic_guard(|| {
        // SAFETY: the caller promises it.
        let (a, b, poses) = unsafe { many_poses([a, b], poses, count) }?;
        answer(out(index, "index")?, many::first_hit(a, b, &poses, Query::new))
    })
}

/// Counts the pairs of intersecting triangles at many poses. Runs on all threads of the pool.
///
/// # Safety
/// `poses` points to `count` poses and `counts` to space for `count` results; both may be null if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_count_pairs_many(
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    poses: *const BvtPose,
    count: usize,
    counts: *mut u64,
) -> BvtStatus {
    // SAFETY: the caller promises it.
    panic_guard(|| unsafe {
        ask_many([a, b], poses, count, counts, |a, b, poses| {
            many::map(poses, Query::new, |query, pose| query.count_pairs(a, b, pose))
        })
    })
}

/// Calls `visit` for each pair of triangles whose leaves' volumes overlap, until `visit` returns nonzero. All
/// intersecting pairs are among the visited ones: use the function as the broad phase of your own triangle test.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_candidate(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    visit: BvtVisitPair,
    user: *mut c_void,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        query.for_each_candidate(a, b, pose, |pair| visitor.visit(pair));
        DONE
    })
}

/// Calls `visit` for each self-intersection of a mesh: a pair of triangles that intersect beyond the corners and edges
/// that they share, the lower index first, until `visit` returns nonzero.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_self_pair(
    query: Option<&BvtQuery>,
    tree: Option<&BvtTree>,
    visit: BvtVisitPair,
    user: *mut c_void,
) -> BvtStatus {
    panic_guard(|| {
        let mut query = lock(query.map(|query| &query.query), "query")?;
        let tree = given(tree, "tree")?;
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        query.for_each_self_pair(&tree.tree, |pair| visitor.visit(pair));
        DONE
    })
}

/// Spatial relation of two meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtRelation {
    /// The meshes have no point in common, and neither is inside the other.
    BVT_SEPARATE = 0,
    /// The surfaces touch without passing through each other.
    BVT_TOUCHING = 1,
    /// The surfaces pass through each other, or one mesh is partly inside the other.
    BVT_CROSSING = 2,
    /// A's surface is wholly inside B; it may touch B's surface.
    BVT_A_IN_B = 3,
    /// B's surface is wholly inside A; it may touch A's surface.
    BVT_B_IN_A = 4,
    /// Undefined: one mesh lies where the other's inside might be, but the other has holes. In scenes also: a convex
    /// shape touches or overlaps the other body.
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
