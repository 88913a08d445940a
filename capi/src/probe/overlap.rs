//! Triangles that touch a box or a sphere.

use std::ffi::c_void;

use super::{BvtProbe, ask};
use crate::ffi::given;
use crate::panic_guard::DONE;
use crate::shape::{BvtAabb, BvtObb, BvtSphere};
use crate::status::BvtStatus;
use crate::tree::BvtTree;
use crate::visit::Visitor;

/// Callback that receives a triangle. Returns 0 to continue, anything else to stop. It must not throw.
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
