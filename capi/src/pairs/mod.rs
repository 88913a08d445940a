//! Questions about two trees. A stands still, `b_to_a` takes B's points into A's frame, and answers are in A's frame.

use std::mem::MaybeUninit;

mod contacts;
mod distance;
mod intersecting;
mod many;
mod motion;
mod penetration;
mod relation;
mod tracker;

use std::sync::Mutex;

use bvtree::query::{FacePair, QueryStats};
use bvtree::{BvTree, Pose, Query};

use crate::ffi::{given, hand_over, lock, out};
use crate::panic_guard::{DONE, Outcome, panic_guard};
use crate::pose::{BvtPose, pose};
use crate::simd::level;
use crate::status::BvtStatus;
use crate::tree::BvtTree;

pub use contacts::*;
pub use distance::*;
pub use intersecting::*;
pub use many::*;
pub use motion::*;
pub use penetration::*;
pub use relation::*;
pub use tracker::*;

/// Answers questions about two trees. It keeps its memory from one question to the next: use one per thread. One thread
/// at a time may use it; that it is in use is an error, `BVT_ERROR_BUSY`.
pub struct BvtQuery {
    pub(crate) query: Mutex<Query>,
}

/// A query object. `simd` is a BvtSimd; 0 is best.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_query_new(simd: u32, query: Option<&mut MaybeUninit<*mut BvtQuery>>) -> BvtStatus {
    panic_guard(|| {
        let (out, level) = (out(query, "query")?, level(simd)?);
        hand_over(out, BvtQuery { query: Mutex::new(Query::with_simd(level)) });
        DONE
    })
}

/// Frees a query object; null is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_query_free(query: Option<Box<BvtQuery>>) {
    drop(query);
}

/// How much work the last question was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BvtStats {
    /// Volumes, or pairs of volumes, that were tested.
    pub volume_tests: u64,
    /// Triangles, or pairs of triangles, that were tested.
    pub triangle_tests: u64,
}

impl From<QueryStats> for BvtStats {
    fn from(stats: QueryStats) -> Self {
        Self { volume_tests: stats.volume_tests, triangle_tests: stats.triangle_tests }
    }
}

/// How much work a query object's last question was.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_query_stats(query: Option<&BvtQuery>, stats: Option<&mut MaybeUninit<BvtStats>>) -> BvtStatus {
    panic_guard(|| {
        let (query, out) = (lock(query.map(|query| &query.query), "query")?, out(stats, "stats")?);
        out.write(query.stats().into());
        DONE
    })
}

/// Two triangles, by their indices in the meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BvtFacePair {
    /// Triangle of A.
    pub face_a: u32,
    /// Triangle of B.
    pub face_b: u32,
}

impl From<FacePair> for BvtFacePair {
    fn from(pair: FacePair) -> Self {
        Self { face_a: pair.face_a, face_b: pair.face_b }
    }
}

/// Asks about two trees at a pose.
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
