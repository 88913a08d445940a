//! How far apart two meshes are.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::query::{ClosestPair, DistanceOptions, Within};

use super::{BvtFacePair, BvtQuery, ask};
use crate::ffi::{answer, out};
use crate::panic_guard::DONE;
use crate::pose::BvtPose;
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;
use crate::versioned_struct::{options, versioned};
use crate::visit::Visitor;

/// Two points of two meshes that are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtClosestPair {
    /// In A's unit; 0 exactly when the meshes touch.
    pub distance: f64,
    /// The point of A.
    pub on_a: [f64; 3],
    /// The point of B.
    pub on_b: [f64; 3],
    /// The triangles that they are on.
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

/// How the least distance is to be found. `{sizeof(BvtDistanceOptions)}` and nothing else is as null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtDistanceOptions {
    /// sizeof(BvtDistanceOptions)
    pub struct_size: usize,
    /// The answer may exceed the least distance by this part of it.
    pub relative_tolerance: f64,
    /// The answer may exceed the least distance by this much.
    pub absolute_tolerance: f64,
    /// Unless 0, greater distances than `upper_bound` are of no interest: the answer is `BVT_NONE` then.
    pub has_upper_bound: u32,
    /// The smaller, the less work.
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

/// # Safety
/// As of [`options`].
pub(super) unsafe fn distance_options(given: *const BvtDistanceOptions) -> Result<DistanceOptions, Error> {
    // SAFETY: the caller promises it.
    let given = unsafe { options(given, "options") }?;
    Ok(DistanceOptions {
        relative_tolerance: given.relative_tolerance,
        absolute_tolerance: given.absolute_tolerance,
        upper_bound: if given.has_upper_bound != 0 { given.upper_bound } else { f64::INFINITY },
    })
}

/// The least distance of two meshes, its points and triangles; the options may be null. `BVT_NONE` if a mesh is empty
/// or they are farther apart than the options' upper bound.
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

/// Whether two meshes are within a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtWithin {
    /// Whether some pair of triangles is at most the tolerance apart.
    pub is_within: bool,
    /// If not, the distance is proven to be at least this; infinite if a mesh is empty. Else 0.
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

/// Whether the distance of two meshes is at most a tolerance: found sooner than the distance. Nothing is within a
/// negative one or NaN.
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

/// Takes two near triangles; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitClosestPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtClosestPair) -> i32>;

/// Calls `visit` for each pair of triangles whose distance is at most a tolerance, in no particular order, until it
/// stops.
///
/// # Safety
/// `visit` may be called with `user`.
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
