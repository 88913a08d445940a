//! Intersection of two meshes, and the pairs of triangles that intersect.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use super::{BvtFacePair, BvtQuery, ask};
use crate::ffi::{given, lock, out, out_slice};
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::BvtPose;
use crate::status::BvtStatus;
use crate::tree::BvtTree;
use crate::visit::Visitor;

/// Callback that receives a pair of triangles. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtFacePair) -> i32>;

/// Tests exactly whether two meshes intersect; touching counts.
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
/// Touching counts.
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
/// There is space for `capacity` pairs.
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
        let room = unsafe { out_slice(pairs, capacity, "pairs") }?;
        let mut count = 0;
        query.for_each_intersecting_pair(a, b, pose, |pair| {
            if let Some(place) = room.get_mut(count) {
                place.write(pair.into());
            }
            count += 1;
            ControlFlow::Continue(())
        });
        out.write(count);
        DONE
    })
}

/// Calls `visit` for each pair of triangles whose leaves' volumes overlap, until `visit` returns nonzero. Use it as the
/// broad phase of your own triangle test: all intersecting pairs are among them.
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
/// that they share, the lesser face first, until `visit` returns nonzero.
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
