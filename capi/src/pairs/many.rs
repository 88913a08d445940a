//! Batched queries at many poses, on all threads of the pool.

use std::mem::MaybeUninit;

use bvtree::query::many;
use bvtree::{BvTree, Pose, Query};

use super::distance::{BvtClosestPair, BvtDistanceOptions, BvtWithin, distance_options};
use crate::ffi::{array, given, out_slice};
use crate::panic_guard::{DONE, Outcome, panic_guard};
use crate::pose::BvtPose;
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// Runs a query at all poses. If one of them is invalid, nothing is written.
///
/// # Safety
/// There are `count` poses and space for `count` results.
unsafe fn ask_many<R: Send>(
    [a, b]: [Option<&BvtTree>; 2],
    poses: *const BvtPose,
    count: usize,
    answers: *mut R,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> R + Sync + Send,
) -> Outcome {
    let (a, b) = (given(a, "a")?, given(b, "b")?);
    // SAFETY: the caller promises it.
    let poses = unsafe { array(poses, count, "poses") }?;
    // SAFETY: as above.
    let answers = unsafe { out_slice(answers, count, "answers") }?;
    let ask = |query: &mut Query, pose: &BvtPose| Ok(question(query, &a.tree, &b.tree, &pose.checked()?));
    let found: Vec<Result<R, Error>> = many::map(poses, Query::new, ask);
    let of_pose = |(place, found): (usize, Result<R, Error>)| {
        found.map_err(|error| Error { text: format!("pose {place}: {}", error.text), ..error })
    };
    let found: Vec<R> = found.into_iter().enumerate().map(of_pose).collect::<Result<_, _>>()?;
    answers.iter_mut().zip(found).for_each(|(place, answer): (&mut MaybeUninit<R>, R)| {
        place.write(answer);
    });
    DONE
}

/// Runs `bvt_intersects` at many poses and writes `count` truth values. Runs on all threads of the pool; see
/// `bvt_pool_run`.
///
/// # Safety
/// There are `count` poses and space for `count` results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_intersects_many(
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    poses: *const BvtPose,
    count: usize,
    hits: *mut bool,
) -> BvtStatus {
    // SAFETY: the caller promises it.
    panic_guard(|| unsafe { ask_many([a, b], poses, count, hits, Query::intersects) })
}

/// Counts the pairs of intersecting triangles at many poses. Runs on all threads of the pool.
///
/// # Safety
/// There are `count` poses and space for `count` results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_count_pairs_many(
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    poses: *const BvtPose,
    count: usize,
    counts: *mut u64,
) -> BvtStatus {
    // SAFETY: the caller promises it.
    panic_guard(|| unsafe { ask_many([a, b], poses, count, counts, Query::count_pairs) })
}

/// Runs `bvt_within` at many poses. Runs on all threads of the pool.
///
/// # Safety
/// There are `count` poses and space for `count` results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_within_many(
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    poses: *const BvtPose,
    count: usize,
    tolerance: f64,
    within: *mut BvtWithin,
) -> BvtStatus {
    let question = |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| query.within(a, b, pose, tolerance).into();
    // SAFETY: the caller promises it.
    panic_guard(|| unsafe { ask_many([a, b], poses, count, within, question) })
}

/// Runs `bvt_distance` at many poses. Where it would return `BVT_NONE`, the distance is infinite and all other fields
/// are zero. The options may be null. Runs on all threads of the pool.
///
/// # Safety
/// There are `count` poses and space for `count` results; the options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_distance_many(
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    poses: *const BvtPose,
    count: usize,
    options: *const BvtDistanceOptions,
    closest: *mut BvtClosestPair,
) -> BvtStatus {
    const NONE: BvtClosestPair = BvtClosestPair {
        distance: f64::INFINITY,
        on_a: [0.0; 3],
        on_b: [0.0; 3],
        faces: super::BvtFacePair { face_a: 0, face_b: 0 },
    };
    panic_guard(|| {
        // SAFETY: the caller promises it.
        let options = unsafe { distance_options(options) }?;
        let question = |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| {
            query.distance_with(a, b, pose, &options).map_or(NONE, BvtClosestPair::from)
        };
        // SAFETY: as above.
        unsafe { ask_many([a, b], poses, count, closest, question) }
    })
}
