//! Queries on two trees, at one pose or at many. `b_to_a` maps B's coordinates into A's frame; results are in A's
//! frame.

use std::mem::MaybeUninit;

mod contacts;
mod depths;
mod distance;
mod intersecting;
mod manifolds;
mod penetration;
mod time_of_impact;

use std::sync::Mutex;

use bvtree::query::{FacePair, QueryStats, Solid};
use bvtree::{BvTree, Pose, Query};

use crate::ffi::{array, given, hand_over, lock, out, out_slice};
use crate::panic_guard::{DONE, Outcome, panic_guard};
use crate::pose::{BvtPose, pose};
use crate::runtime::simd_level;
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

pub use contacts::*;
pub use depths::*;
pub use distance::*;
pub use intersecting::*;
pub use manifolds::*;
pub use penetration::*;
pub use time_of_impact::*;

/// Runs queries on two trees and reuses its memory from one query to the next. Keep one per thread: concurrent use
/// returns `BVT_ERROR_BUSY`.
pub struct BvtQuery {
    pub(crate) query: Mutex<Query>,
}

/// Creates a query object. `simd` is a value of `BvtSimd`; 0 selects the best.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_query_new(simd: u32, query: Option<&mut MaybeUninit<*mut BvtQuery>>) -> BvtStatus {
    panic_guard(|| {
        let (out, level) = (out(query, "query")?, simd_level(simd)?);
        hand_over(out, BvtQuery { query: Mutex::new(Query::with_simd(level)) });
        DONE
    })
}

/// Frees a query object. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_query_free(query: Option<Box<BvtQuery>>) {
    drop(query);
}

/// Chooses whether A and B of later queries are surfaces (the default) or solids: `BVT_SURFACE`, `BVT_SOLID_IF_CLOSED`
/// or `BVT_SOLID_ROBUST`. Only the last gives open meshes an inside, which `bvt_relation` and `bvt_overlap_depth` then
/// use too. A mesh with a part inside a solid one intersects it, is at distance 0 and within any tolerance that is not
/// negative; a motion that starts like this has its impact at time 0. Both closest points are then the inner surface's
/// point nearest to the outer surface. Queries that list triangles or contacts are always about the surfaces. So are
/// queries at many poses.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_query_set_solids(query: Option<&BvtQuery>, a: u32, b: u32) -> BvtStatus {
    panic_guard(|| {
        let (a, b) = (solid(a)?, solid(b)?);
        lock(query.map(|query| &query.query), "query")?.set_solids(a, b);
        DONE
    })
}

/// Restricts later queries to triangles of A and B with a layer in a mask, one mask for each mesh; see
/// `bvt_tree_set_layers`. Null, the default, means all triangles. The masks apply to tests of intersection and of a
/// tolerance, pairs, contacts (but not contact manifolds), distance, time of impact, free intervals and penetration
/// along a direction; the last two use whole meshes if a mesh is solid (`bvt_query_set_solids`). Other queries are
/// about whole meshes, and so is what is inside a solid.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_query_set_masks(query: Option<&BvtQuery>, a: Option<&u32>, b: Option<&u32>) -> BvtStatus {
    panic_guard(|| {
        lock(query.map(|query| &query.query), "query")?.set_masks(a.copied(), b.copied());
        DONE
    })
}

/// Reads a query's choice of solids.
pub(crate) fn solid(choice: u32) -> Result<Solid, Error> {
    match choice {
        0 => Ok(Solid::No),
        2 => Ok(Solid::IfClosed),
        3 => Ok(Solid::Robust),
        1 => Err(Error::argument("BVT_SOLID is for bodies; a query takes BVT_SOLID_IF_CLOSED")),
        other => Err(Error::argument(format_args!("{other} is not a BvtSolid"))),
    }
}

/// Work done by the last query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BvtStats {
    /// Number of volumes, or pairs of volumes, that were tested.
    pub volume_tests: u64,
    /// Number of triangles, or pairs of triangles, that were tested.
    pub triangle_tests: u64,
}

impl From<QueryStats> for BvtStats {
    fn from(stats: QueryStats) -> Self {
        Self { volume_tests: stats.volume_tests, triangle_tests: stats.triangle_tests }
    }
}

/// Writes the work done by a query object's last query.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_query_stats(query: Option<&BvtQuery>, stats: Option<&mut MaybeUninit<BvtStats>>) -> BvtStatus {
    panic_guard(|| {
        let (query, out) = (lock(query.map(|query| &query.query), "query")?, out(stats, "stats")?);
        out.write(query.stats().into());
        DONE
    })
}

/// Two triangles, by their indices in the two meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BvtFacePair {
    /// Index of A's triangle.
    pub face_a: u32,
    /// Index of B's triangle.
    pub face_b: u32,
}

impl From<FacePair> for BvtFacePair {
    fn from(pair: FacePair) -> Self {
        Self { face_a: pair.face_a, face_b: pair.face_b }
    }
}

/// Runs a query on two trees at a pose.
fn ask(
    query: Option<&BvtQuery>,
    [a, b]: [Option<&BvtTree>; 2],
    b_to_a: Option<&BvtPose>,
    question: impl FnOnce(&mut Query, &BvTree, &BvTree, &Pose) -> Outcome,
) -> BvtStatus {
    panic_guard(|| {
        let mut query = lock(query.map(|query| &query.query), "query")?;
        let (a, b, b_to_a) = (given(a, "a")?, given(b, "b")?, pose(b_to_a, "b_to_a")?);
        question(&mut query, &a.tree, &b.tree, &b_to_a)
    })
}

/// Runs a query at many poses and writes the results. If a pose is invalid, nothing is written.
///
/// # Safety
/// `poses` points to `count` poses and `answers` to space for `count` results; both may be null if `count` is 0.
unsafe fn ask_many<R>(
    trees: [Option<&BvtTree>; 2],
    poses: *const BvtPose,
    count: usize,
    answers: *mut R,
    question: impl FnOnce(&BvTree, &BvTree, &[Pose]) -> Vec<R>,
) -> Outcome {
    // SAFETY: the caller promises it.
    let (a, b, poses) = unsafe { many_poses(trees, poses, count) }?;
    // SAFETY: as above.
    let answers = unsafe { out_slice(answers, count, "answers") }?;
    answers.iter_mut().zip(question(a, b, &poses)).for_each(|(place, answer)| {
        place.write(answer);
    });
    DONE
}

/// Reads two trees and an array of poses.
///
/// # Safety
/// `poses` points to `count` poses; it may be null if `count` is 0.
unsafe fn many_poses(
    [a, b]: [Option<&BvtTree>; 2],
    poses: *const BvtPose,
    count: usize,
) -> Result<(&BvTree, &BvTree, Vec<Pose>), Error> {
    let (a, b) = (given(a, "a")?, given(b, "b")?);
    // SAFETY: the caller promises it.
    let poses = unsafe { array(poses, count, "poses") }?;
    let checked = |(place, pose): (usize, &BvtPose)| {
        pose.checked().map_err(|error| Error { text: format!("pose {place}: {}", error.text), ..error })
    };
    Ok((&a.tree, &b.tree, poses.iter().enumerate().map(checked).collect::<Result<_, _>>()?))
}
