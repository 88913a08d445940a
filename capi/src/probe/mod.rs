//! Queries on one tree, in its mesh's frame: queries of a box or a sphere are here, the others in submodules.

mod capsule;
mod convex;
mod convex_contacts;
mod point;
mod ray;

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Mutex;

use bvtree::{BvTree, Probe};

use crate::ffi::{Visitor, given, hand_over, lock, out};
use crate::pairs::BvtStats;
use crate::panic_guard::{DONE, Outcome, panic_guard};
use crate::runtime::simd_level;
use crate::shape::{BvtAabb, BvtObb, BvtSphere};
use crate::status::BvtStatus;
use crate::tree::BvtTree;

pub use capsule::*;
pub use convex::*;
pub use convex_contacts::*;
pub use point::*;
pub use ray::*;

/// Runs queries on one tree (rays, points, volumes, moving capsules) and reuses its memory from one query to the next.
/// Keep one per thread: one thread at a time may use it.
pub struct BvtProbe {
    pub(crate) probe: Mutex<Probe>,
}

/// Creates a probe. `simd` is a value of `BvtSimd`; 0 selects the best.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_new(simd: u32, probe: Option<&mut MaybeUninit<*mut BvtProbe>>) -> BvtStatus {
    panic_guard(|| {
        let (out, level) = (out(probe, "probe")?, simd_level(simd)?);
        hand_over(out, BvtProbe { probe: Mutex::new(Probe::with_simd(level)) });
        DONE
    })
}

/// Frees a probe. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_free(probe: Option<Box<BvtProbe>>) {
    drop(probe);
}

/// Restricts later queries of a probe to triangles with a layer in a mask, and lets rays and casts pass one-sided
/// triangles from behind; see `bvt_tree_set_layers`. With null, the default, queries see all triangles, from both
/// sides. What is inside a mesh does not depend on the mask. Queries of scenes take masks of their own.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_set_mask(probe: Option<&BvtProbe>, mask: Option<&u32>) -> BvtStatus {
    panic_guard(|| {
        lock(probe.map(|probe| &probe.probe), "probe")?.set_mask(mask.copied());
        DONE
    })
}

/// Writes the work done by a probe's last query.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_stats(probe: Option<&BvtProbe>, stats: Option<&mut MaybeUninit<BvtStats>>) -> BvtStatus {
    panic_guard(|| {
        let (probe, out) = (lock(probe.map(|probe| &probe.probe), "probe")?, out(stats, "stats")?);
        let found = probe.stats();
        out.write(BvtStats { volume_tests: found.volume_tests, triangle_tests: found.triangle_tests });
        DONE
    })
}

/// Runs a query on a tree.
fn ask(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    question: impl FnOnce(&mut Probe, &BvTree) -> Outcome,
) -> BvtStatus {
    panic_guard(|| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        question(&mut probe, &given(tree, "tree")?.tree)
    })
}

/// Callback that receives the index of a triangle. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitFace = Option<unsafe extern "C" fn(user: *mut c_void, face: *const u32) -> i32>;

/// Calls `visit` with each triangle that touches a closed axis-aligned box, in no particular order, until `visit`
/// returns nonzero. An empty box touches nothing.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_face_in_aabb(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    aabb: Option<&BvtAabb>,
    visit: BvtVisitFace,
    user: *mut c_void,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let aabb = given(aabb, "aabb")?.into();
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        probe.for_each_face_in_aabb(tree, &aabb, |face| visitor.visit(face));
        DONE
    })
}

/// Calls `visit` with each triangle that touches a closed oriented box, in no particular order, until `visit` returns
/// nonzero.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_face_in_obb(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    obb: Option<&BvtObb>,
    visit: BvtVisitFace,
    user: *mut c_void,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let obb = given(obb, "obb")?.into();
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        probe.for_each_face_in_obb(tree, &obb, |face| visitor.visit(face));
        DONE
    })
}

/// Calls `visit` with each triangle that touches a closed sphere, in no particular order, until `visit` returns
/// nonzero.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_face_in_sphere(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    sphere: Option<&BvtSphere>,
    visit: BvtVisitFace,
    user: *mut c_void,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let sphere = given(sphere, "sphere")?.into();
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        probe.for_each_face_in_sphere(tree, &sphere, |face| visitor.visit(face));
        DONE
    })
}
