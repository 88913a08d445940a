//! Distances along a path: each search starts from the last result.

use std::mem::MaybeUninit;
use std::sync::Mutex;

use bvtree::query::DistanceTracker;

use super::BvtQuery;
use super::distance::{BvtClosestPair, BvtDistanceOptions, distance_options};
use crate::ffi::{answer, given, hand_over, lock, out};
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::{BvtPose, pose};
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// Tracks the distance between two meshes from pose to pose. Results equal those of `bvt_distance` and take a fraction
/// of the time if poses change little. One thread at a time may use it.
pub struct BvtDistanceTracker {
    tracker: Mutex<DistanceTracker>,
}

/// Creates a tracker for two meshes. It keeps the trees; their handles may be freed.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_distance_tracker_new(
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    tracker: Option<&mut MaybeUninit<*mut BvtDistanceTracker>>,
) -> BvtStatus {
    panic_guard(|| {
        let (a, b, out) = (given(a, "a")?, given(b, "b")?, out(tracker, "tracker")?);
        hand_over(out, BvtDistanceTracker { tracker: Mutex::new(DistanceTracker::new(&a.tree, &b.tree)) });
        DONE
    })
}

/// Frees a tracker. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_distance_tracker_free(tracker: Option<Box<BvtDistanceTracker>>) {
    // The last owner of a tree may call the function that releases a buffer.
    panic_guard(|| {
        drop(tracker);
        DONE
    });
}

/// Computes the distance at the next pose of the path. Arguments and results are those of `bvt_distance`.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_distance_tracker_distance(
    tracker: Option<&BvtDistanceTracker>,
    query: Option<&BvtQuery>,
    b_to_a: Option<&BvtPose>,
    options: *const BvtDistanceOptions,
    closest: Option<&mut MaybeUninit<BvtClosestPair>>,
) -> BvtStatus {
    panic_guard(|| {
        let mut tracker = lock(tracker.map(|tracker| &tracker.tracker), "tracker")?;
        let mut query = lock(query.map(|query| &query.query), "query")?;
        let (pose, out) = (pose(b_to_a, "b_to_a")?, out(closest, "closest")?);
        // SAFETY: the caller promises it.
        let options = unsafe { distance_options(options) }?;
        answer(out, tracker.distance_with(&mut query, &pose, &options))
    })
}
