//! Depths of the overlap of two solids, as proven intervals.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::time::Duration;

use bvtree::query::{
    DepthOptions, HausdorffDirection, HausdorffDistance, OverlapDepth, OverlapRegion, PenetrationDepth,
};

use super::{BvtQuery, ask};
use crate::ffi::{Visitor, answer, options, out, versioned};
use crate::panic_guard::DONE;
use crate::pose::BvtPose;
use crate::shape::BvtAabb;
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// Options for depths. `{sizeof(BvtDepthOptions)}`, with all other fields zero, is the same as null. The search ends
/// once the bounds differ by at most the larger of both tolerances, or with a wider interval once its work reaches a
/// fixed limit.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtDepthOptions {
    /// Must be `sizeof(BvtDepthOptions)`.
    pub struct_size: usize,
    /// Largest difference between the bounds at which the search ends, as a fraction of the lower bound; 0 stands for
    /// 0.01.
    pub relative_tolerance: f64,
    /// Largest difference between the bounds at which the search ends, in A's unit.
    pub absolute_tolerance: f64,
    /// Time limit in seconds, after which the search may end with a wider interval; 0 stands for no limit.
    pub time_limit: f64,
}

versioned!(BvtDepthOptions);

impl Default for BvtDepthOptions {
    fn default() -> Self {
        Self { struct_size: size_of::<Self>(), relative_tolerance: 0.0, absolute_tolerance: 0.0, time_limit: 0.0 }
    }
}

/// Converts the caller's options for depths. A null pointer stands for the defaults.
///
/// # Safety
/// See [`options`].
pub(crate) unsafe fn depth_options(given: *const BvtDepthOptions) -> Result<DepthOptions, Error> {
    // SAFETY: the caller promises it.
    let given = unsafe { options(given, "options") }?;
    let numbers = [given.relative_tolerance, given.absolute_tolerance, given.time_limit];
    if numbers.iter().any(|number| number.is_nan() || *number < 0.0) {
        return Err(Error::argument("a tolerance or the time limit is negative or NaN"));
    }
    let mut depth = DepthOptions { absolute_tolerance: given.absolute_tolerance, ..DepthOptions::default() };
    if given.relative_tolerance > 0.0 {
        depth.relative_tolerance = given.relative_tolerance;
    }
    if given.time_limit > 0.0 {
        depth.time_limit = Some(Duration::try_from_secs_f64(given.time_limit).unwrap_or(Duration::MAX));
    }
    Ok(depth)
}

/// The overlap depth of two solids, as a proven interval: how far the surface of either solid reaches into the other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtOverlapDepth {
    /// Lower bound on the depth, in A's unit; 0 if nothing overlaps.
    pub lower: f64,
    /// Upper bound on the depth, in A's unit.
    pub upper: f64,
    /// 1 if a point of one surface inside the other solid was found; otherwise 0, and the fields below are zero.
    pub has_point: u32,
    /// 1 if `point` is on B's surface, 0 if it is on A's.
    pub is_on_b: u32,
    /// Deepest point that was found, in A's frame.
    pub point: [f64; 3],
    /// Point of the other surface closest to `point`, in A's frame.
    pub way_out: [f64; 3],
}

impl From<OverlapDepth> for BvtOverlapDepth {
    fn from(OverlapDepth { lower, upper, deepest }: OverlapDepth) -> Self {
        let none = Self { lower, upper, has_point: 0, is_on_b: 0, point: [0.0; 3], way_out: [0.0; 3] };
        deepest.map_or(none, |deepest| Self {
            has_point: 1,
            is_on_b: u32::from(deepest.is_on_b),
            point: deepest.point.into(),
            way_out: deepest.way_out.into(),
            ..none
        })
    }
}

/// A region in which two solids overlap: a connected piece of their intersection.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtOverlapRegion {
    /// How far the surface of either solid reaches into the other in this region.
    pub depth: BvtOverlapDepth,
    /// Bounding box of the region, in A's frame.
    pub bounds: BvtAabb,
}

impl From<&OverlapRegion> for BvtOverlapRegion {
    fn from(region: &OverlapRegion) -> Self {
        Self { depth: region.depth.into(), bounds: (&region.bounds).into() }
    }
}

/// Callback that receives a region of overlap. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitOverlapRegion =
    Option<unsafe extern "C" fn(user: *mut c_void, region: *const BvtOverlapRegion) -> i32>;

/// Direction of a Hausdorff distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtHausdorffDirection {
    /// The greater of both directed distances.
    BVT_BOTH_DIRECTIONS = 0,
    /// The greatest distance from a point of A to the surface of B.
    BVT_A_TO_B = 1,
    /// The greatest distance from a point of B to the surface of A.
    BVT_B_TO_A = 2,
}

/// The Hausdorff distance between two surfaces, as a proven interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtHausdorffDistance {
    /// Lower bound on the distance, in A's unit: the distance of `point` from the other surface.
    pub lower: f64,
    /// Upper bound on the distance, in A's unit.
    pub upper: f64,
    /// Point farthest from the other surface that was found, in A's frame.
    pub point: [f64; 3],
    /// Point of the other surface closest to `point`, in A's frame.
    pub closest: [f64; 3],
    /// 1 if `point` is on B's surface, 0 if it is on A's.
    pub is_on_b: u32,
}

impl From<HausdorffDistance> for BvtHausdorffDistance {
    fn from(found: HausdorffDistance) -> Self {
        Self {
            lower: found.lower,
            upper: found.upper,
            point: found.point.into(),
            closest: found.closest.into(),
            is_on_b: u32::from(found.is_on_b),
        }
    }
}

/// The shortest translation that separates two solids, as a proven interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtPenetrationDepth {
    /// Lower bound on the depth, in A's unit; 0 if nothing overlaps.
    pub lower: f64,
    /// Upper bound on the depth: the length of the translation.
    pub upper: f64,
    /// Translation of B, in A's frame, that separates the solids: add it to the translation of `b_to_a`.
    pub translation: [f64; 3],
}

impl From<PenetrationDepth> for BvtPenetrationDepth {
    fn from(PenetrationDepth { lower, upper, translation }: PenetrationDepth) -> Self {
        Self { lower, upper, translation: translation.into() }
    }
}

/// Computes how far the surface of either of two solids reaches into the other: the distance from the deepest point of
/// either surface inside the other solid to that solid's surface. The options may be null. Returns
/// `BVT_ERROR_OPEN_MESH` if a mesh is not closed, unless `bvt_query_set_solids` makes it `BVT_SOLID_ROBUST`: then
/// `lower` and `upper` are estimates, not proven bounds.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_overlap_depth(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    options: *const BvtDepthOptions,
    depth: Option<&mut MaybeUninit<BvtOverlapDepth>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let options = unsafe { depth_options(options) }?;
        answer(out(depth, "depth")?, Some(query.overlap_depth(a, b, pose, &options)?))
    })
}

/// Calls `visit` with each region in which two solids overlap, the deepest first, until `visit` returns nonzero. The
/// options may be null; their tolerances and time limit apply to each region separately. Returns `BVT_ERROR_OPEN_MESH`
/// in the same cases as `bvt_overlap_depth`.
///
/// # Safety
/// The options' `struct_size` is set; `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_overlap_region(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    options: *const BvtDepthOptions,
    visit: BvtVisitOverlapRegion,
    user: *mut c_void,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises both.
        let (visitor, options) = unsafe { (Visitor::new(visit, user)?, depth_options(options)?) };
        visitor.visit_all(&query.overlap_regions(a, b, pose, &options)?);
        DONE
    })
}

/// Computes the Hausdorff distance between two surfaces: the greatest distance from a point of one to the closest point
/// of the other. `direction` is a value of `BvtHausdorffDirection`. The options may be null. Returns `BVT_NONE` if a
/// mesh is empty.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_hausdorff_distance(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    direction: u32,
    options: *const BvtDepthOptions,
    distance: Option<&mut MaybeUninit<BvtHausdorffDistance>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let options = unsafe { depth_options(options) }?;
        let direction = match direction {
            0 => HausdorffDirection::Both,
            1 => HausdorffDirection::AToB,
            2 => HausdorffDirection::BToA,
            other => return Err(Error::argument(format_args!("{other} is not a BvtHausdorffDirection"))),
        };
        answer(out(distance, "distance")?, query.hausdorff_distance(a, b, pose, direction, &options))
    })
}

/// Computes the penetration depth of two solids: the length of the shortest translation of B after which their
/// interiors do not overlap. The options may be null. Returns `BVT_ERROR_OPEN_MESH` if a mesh is not closed.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_penetration_depth(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    options: *const BvtDepthOptions,
    depth: Option<&mut MaybeUninit<BvtPenetrationDepth>>,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let options = unsafe { depth_options(options) }?;
        answer(out(depth, "depth")?, Some(query.penetration_depth(a, b, pose, &options)?))
    })
}
