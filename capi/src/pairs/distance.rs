//! Distance between two meshes, at one pose or along a path.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Mutex;

use bvtree::query::{ClosestPair, DistanceOptions, DistanceTracker, Within, many};
use bvtree::{BvTree, Pose, Query};

use super::{BvtFacePair, BvtQuery, ask, ask_many};
use crate::ffi::{Visitor, answer, given, hand_over, lock, options, out, versioned};
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::{BvtPose, pose};
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// The closest points of two meshes, or of two of their triangles, in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtClosestPair {
    /// Distance in A's unit; 0 if and only if the two intersect or, with `bvt_query_set_solids`, a part of one mesh is
    /// inside the other.
    pub distance: f64,
    /// Closest point on A.
    pub on_a: [f64; 3],
    /// Closest point on B.
    pub on_b: [f64; 3],
    /// Indices of the two closest triangles, one of A and one of B.
    pub faces: BvtFacePair,
}

impl From<ClosestPair> for BvtClosestPair {
    fn from(pair: ClosestPair) -> Self {
        (&pair).into()
    }
}

impl From<&ClosestPair> for BvtClosestPair {
    fn from(pair: &ClosestPair) -> Self {
        let ClosestPair { distance, on_a, on_b, faces } = *pair;
        Self { distance, on_a: on_a.into(), on_b: on_b.into(), faces: faces.into() }
    }
}

/// Options for distance queries. `{sizeof(BvtDistanceOptions)}`, with all other fields zero, is the same as null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtDistanceOptions {
    /// Must be `sizeof(BvtDistanceOptions)`.
    pub struct_size: usize,
    /// Allowed relative error: the result may exceed the least distance by this fraction of it.
    pub relative_tolerance: f64,
    /// Allowed absolute error, in A's unit: the result may exceed the least distance by this much.
    pub absolute_tolerance: f64,
    /// Whether `upper_bound` applies: if nonzero, the result is `BVT_NONE` for distances above the bound.
    pub has_upper_bound: u32,
    /// Largest distance of interest, in A's unit. A smaller bound means less work.
    pub upper_bound: f64,
}

versioned!(BvtDistanceOptions);

impl Default for BvtDistanceOptions {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            relative_tolerance: 0.0,
            absolute_tolerance: 0.0,
            has_upper_bound: 0,
            upper_bound: 0.0,
        }
    }
}

/// Converts the caller's options for distance queries. A null pointer stands for the defaults.
///
/// # Safety
/// See [`options`].
pub(super) unsafe fn distance_options(given: *const BvtDistanceOptions) -> Result<DistanceOptions, Error> {
    // SAFETY: the caller promises it.
    let given = unsafe { options(given, "options") }?;
    Ok(DistanceOptions {
        relative_tolerance: given.relative_tolerance,
        absolute_tolerance: given.absolute_tolerance,
        upper_bound: if given.has_upper_bound != 0 { given.upper_bound } else { f64::INFINITY },
    })
}

/// Computes the least distance between two meshes, with the closest points and their triangles. The options may be
/// null. Returns `BVT_NONE` if a mesh is empty or the distance exceeds the options' upper bound.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_distance(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    options: *const BvtDistanceOptions,
    closest: Option<&mut MaybeUninit<BvtClosestPair>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let options = unsafe { distance_options(options) }?;
        answer(out(closest, "closest")?, query.distance_with(a, b, pose, &options))
    })
}

/// Result of a tolerance test between two meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtWithin {
    /// Whether the meshes are at most the tolerance apart.
    pub is_within: bool,
    /// If `is_within` is false, a proven lower bound on the distance, in A's unit, infinite if a mesh is empty;
    /// otherwise 0.
    pub lower_bound: f64,
}

impl From<Within> for BvtWithin {
    fn from(within: Within) -> Self {
        match within {
            Within::Yes => Self { is_within: true, lower_bound: 0.0 },
            Within::No { lower_bound } => Self { is_within: false, lower_bound },
        }
    }
}

/// Tests whether the distance between two meshes is at most a tolerance, which takes less work than the distance. If
/// the tolerance is negative or NaN, the result is false.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_within(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    tolerance: f64,
    within: Option<&mut MaybeUninit<BvtWithin>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        out(within, "within")?.write(query.within(a, b, pose, tolerance).into());
        DONE
    })
}

/// Callback that receives a pair of triangles with its closest points. Returns 0 to continue, anything else to stop. It
/// must not throw.
pub type BvtVisitClosestPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtClosestPair) -> i32>;

/// Calls `visit` for each pair of triangles whose distance is at most a tolerance, in no particular order, until
/// `visit` returns nonzero.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_pair_within(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    tolerance: f64,
    visit: BvtVisitClosestPair,
    user: *mut c_void,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        query.for_each_pair_within(a, b, pose, tolerance, |pair| visitor.visit(pair));
        DONE
    })
}

/// Runs `bvt_within` at many poses. Runs on all threads of the pool.
///
/// # Safety
/// `poses` points to `count` poses and `within` to space for `count` results; both may be null if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_within_many(
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    poses: *const BvtPose,
    count: usize,
    tolerance: f64,
    within: *mut BvtWithin,
) -> BvtStatus {
    // SAFETY: the caller promises it.
    panic_guard(|| unsafe {
        ask_many([a, b], poses, count, within, |a, b, poses| {
            many::map(poses, Query::new, |query, pose| query.within(a, b, pose, tolerance).into())
        })
    })
}

/// Runs `bvt_distance` at many poses. Where `bvt_distance` would return `BVT_NONE`, the distance is infinite and all
/// other fields are zero. The options may be null. For poses along a path, this takes less time than one call for each
/// pose. Runs on all threads of the pool.
///
/// # Safety
/// `poses` points to `count` poses and `closest` to space for `count` results; both may be null if `count` is 0.
/// The options' `struct_size` is set.
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
        faces: BvtFacePair { face_a: 0, face_b: 0 },
    };
    panic_guard(|| {
        // SAFETY: the caller promises it.
        let options = unsafe { distance_options(options) }?;
        let question = |a: &BvTree, b: &BvTree, poses: &[Pose]| {
            let found = many::distance(a, b, poses, &options, Query::new);
            found.into_iter().map(|closest| closest.map_or(NONE, BvtClosestPair::from)).collect()
        };
        // SAFETY: as above.
        unsafe { ask_many([a, b], poses, count, closest, question) }
    })
}

/// Tracks the distance between two meshes from pose to pose. Results equal those of `bvt_distance`, except where
/// tolerances leave a choice, and take a fraction of the time if poses change little. One thread at a time may use it.
pub struct BvtDistanceTracker {
    tracker: Mutex<DistanceTracker>,
}

/// Creates a tracker for two meshes. The tracker keeps the trees; their handles may be freed.
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
