//! Bodies that touch a mesh outside the scene or are near it. Any number of threads may call these functions at the
//! same time, each with its own query object.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::scene::NearBody;

use super::bodies::look;
use super::{BvtBodyId, BvtScene, id};
use crate::ffi::{Visitor, answer, given, lock, out};
use crate::pairs::{BvtFacePair, BvtQuery};
use crate::panic_guard::DONE;
use crate::pose::{BvtPose, pose};
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// A body near a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtNearBody {
    /// The body.
    pub body: BvtBodyId,
    /// Distance between the body and the mesh; 0 exactly when they touch.
    pub distance: f64,
    /// The closest point of the mesh, in the world.
    pub on_mesh: [f64; 3],
    /// The closest point of the body, in the world.
    pub on_body: [f64; 3],
    /// Indices of the two closest triangles; A is the mesh. `BVT_NO_FACE` for a convex shape.
    pub faces: BvtFacePair,
    /// Index of the body's part; 0 unless the body is a compound.
    pub part: u32,
}

impl From<NearBody> for BvtNearBody {
    fn from(near: NearBody) -> Self {
        Self {
            body: near.body.to_bits(),
            distance: near.distance,
            on_mesh: near.points[0].into(),
            on_body: near.points[1].into(),
            faces: near.faces.into(),
            part: near.part,
        }
    }
}

/// Callback that receives a body. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitBody = Option<unsafe extern "C" fn(user: *mut c_void, body: *const BvtBodyId) -> i32>;
/// Callback that receives a body. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitNearBody = Option<unsafe extern "C" fn(user: *mut c_void, near: *const BvtNearBody) -> i32>;

/// Calls `visit` with each body in the mask's collision groups (a bit set) that intersects a mesh, in the order of the
/// bodies' indices, until `visit` returns nonzero. A solid body also intersects what lies inside it.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_body_intersecting(
    scene: Option<&BvtScene>,
    query: Option<&BvtQuery>,
    tree: Option<&BvtTree>,
    to_world: Option<&BvtPose>,
    mask: u32,
    visit: BvtVisitBody,
    user: *mut c_void,
) -> BvtStatus {
    look(scene, |scene| {
        let mut query = lock(query.map(|query| &query.query), "query")?;
        let (tree, pose) = (given(tree, "tree")?, pose(to_world, "to_world")?);
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        scene.for_each_body_intersecting(&mut query, &tree.tree, &pose, mask, |body| visitor.visit(body.to_bits()));
        DONE
    })
}

/// Calls `visit` with each body in the mask's collision groups whose distance from a mesh is at most a clearance, in
/// the order of the bodies' indices, until `visit` returns nonzero. The distance of a solid body that contains a part
/// of the mesh is 0.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_body_within(
    scene: Option<&BvtScene>,
    query: Option<&BvtQuery>,
    tree: Option<&BvtTree>,
    to_world: Option<&BvtPose>,
    clearance: f64,
    mask: u32,
    visit: BvtVisitNearBody,
    user: *mut c_void,
) -> BvtStatus {
    look(scene, |scene| {
        let mut query = lock(query.map(|query| &query.query), "query")?;
        let (tree, pose) = (given(tree, "tree")?, pose(to_world, "to_world")?);
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(scene.bodies_within(&mut query, &tree.tree, &pose, clearance, mask));
        DONE
    })
}

/// Finds the body in the mask's collision groups that is closest to a mesh and within `max_distance`. `ignored` is a
/// body to leave out, such as the mesh's own; it may be null. The distance of a solid body that contains a part of the
/// mesh is 0. Returns `BVT_NONE` if no body is that close.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_closest_body(
    scene: Option<&BvtScene>,
    query: Option<&BvtQuery>,
    tree: Option<&BvtTree>,
    to_world: Option<&BvtPose>,
    max_distance: f64,
    mask: u32,
    ignored: Option<&BvtBodyId>,
    closest: Option<&mut MaybeUninit<BvtNearBody>>,
) -> BvtStatus {
    look(scene, |scene| {
        let mut query = lock(query.map(|query| &query.query), "query")?;
        let (tree, pose, out) = (given(tree, "tree")?, pose(to_world, "to_world")?, out(closest, "closest")?);
        answer(
            out,
            scene.closest_body(&mut query, &tree.tree, &pose, max_distance, mask, ignored.map(|&ignored| id(ignored))),
        )
    })
}

/// Calls `visit` with each body in the mask's collision groups whose world AABB is at most `reach` away from the mesh's
/// along each axis, in the order of the bodies' indices, until `visit` returns nonzero. Bodies slightly farther away
/// may be included.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_for_each_body_near(
    scene: Option<&BvtScene>,
    tree: Option<&BvtTree>,
    to_world: Option<&BvtPose>,
    reach: f64,
    mask: u32,
    visit: BvtVisitBody,
    user: *mut c_void,
) -> BvtStatus {
    look(scene, |scene| {
        let (tree, pose) = (given(tree, "tree")?, pose(to_world, "to_world")?);
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(scene.bodies_near(&tree.tree, &pose, reach, mask).into_iter().map(|body| body.to_bits()));
        DONE
    })
}
