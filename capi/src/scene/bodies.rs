//! Bodies: added, moved, taken out.

use std::mem::MaybeUninit;

use bvtree::scene::{Body, Scene};

use super::{BvtBodyId, BvtScene, id};
use crate::ffi::{array, changed, given, hand_over, out, shared};
use crate::panic_guard::{DONE, Outcome, panic_guard};
use crate::pose::{BvtPose, pose};
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;
use crate::versioned_struct::{options, versioned};

/// What lies inside a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtSolid {
    /// Nothing: the body is its surface.
    BVT_SURFACE = 0,
    /// Matter: what has a part inside touches the body and is at distance 0 from it. The mesh must be closed.
    BVT_SOLID = 1,
    /// Matter if the mesh is closed, else nothing.
    BVT_SOLID_IF_CLOSED = 2,
}

/// How a body takes part in a scene. `{sizeof(BvtBodyOptions)}` and nothing else is as null: a moving body in the first
/// collision group, compared with all.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtBodyOptions {
    /// sizeof(BvtBodyOptions)
    pub struct_size: usize,
    /// For the caller: not looked at.
    pub user: u64,
    /// The collision groups that it is in, a bit for each; 0 stands for the first one (bit 0).
    pub groups: u32,
    /// The collision groups that it is not compared with. Two bodies are compared unless one of them leaves out all
    /// groups of the other.
    pub not_compared_with: u32,
    /// Unless 0, it is static: two static bodies are not compared unless `bvt_scene_include_static_pairs` asks for it.
    pub is_static: u32,
    /// A BvtSolid.
    pub solid: u32,
}

versioned!(BvtBodyOptions);

impl Default for BvtBodyOptions {
    fn default() -> Self {
        Self { struct_size: size_of::<Self>(), user: 0, groups: 0, not_compared_with: 0, is_static: 0, solid: 0 }
    }
}

/// Changes a scene.
pub(super) fn change(scene: Option<&BvtScene>, work: impl FnOnce(&mut Scene) -> Outcome) -> BvtStatus {
    panic_guard(|| work(&mut *changed(scene.map(|scene| &scene.scene), "scene")?))
}

/// Looks at a scene, beside others who do.
pub(super) fn look(scene: Option<&BvtScene>, work: impl FnOnce(&Scene) -> Outcome) -> BvtStatus {
    panic_guard(|| work(&*shared(scene.map(|scene| &scene.scene), "scene")?))
}

/// Adds a body: a tree, which the scene keeps (its handle may be freed), where it stands in the world. The options may
/// be null.
///
/// Errors: `BVT_ERROR_SCENE` if it reaches farther than 1e30 from the world's origin, or is to be solid and its mesh is
/// not closed.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_add(
    scene: Option<&BvtScene>,
    tree: Option<&BvtTree>,
    to_world: Option<&BvtPose>,
    options_given: *const BvtBodyOptions,
    body: Option<&mut MaybeUninit<BvtBodyId>>,
) -> BvtStatus {
    change(scene, |scene| {
        let (tree, pose, out) = (given(tree, "tree")?, pose(to_world, "to_world")?, out(body, "body")?);
        // SAFETY: the caller promises it.
        let given = unsafe { options(options_given, "options") }?;
        let groups = if given.groups == 0 { 1 } else { given.groups };
        let is_solid = match given.solid {
            0 => false,
            1 => true,
            2 => tree.tree.watertightness().is_closed(),
            other => return Err(Error::argument(format_args!("{other} is no BvtSolid"))),
        };
        let body = Body {
            is_static: given.is_static != 0,
            is_solid,
            user: given.user,
            groups,
            mask: !given.not_compared_with,
            ..Body::moving(tree.tree.clone(), pose)
        };
        out.write(scene.add(body)?.to_bits());
        DONE
    })
}

/// Takes a body out.
///
/// Errors, here and below: `BVT_ERROR_NO_SUCH_BODY`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_remove(scene: Option<&BvtScene>, body: BvtBodyId) -> BvtStatus {
    change(scene, |scene| {
        scene.remove(id(body))?;
        DONE
    })
}

/// Puts a body elsewhere.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_set_pose(
    scene: Option<&BvtScene>,
    body: BvtBodyId,
    to_world: Option<&BvtPose>,
) -> BvtStatus {
    change(scene, |scene| {
        scene.set_pose(id(body), pose(to_world, "to_world")?)?;
        DONE
    })
}

/// Puts bodies elsewhere: quicker than one by one. A body that is not there is an error, and those before it have moved
/// then.
///
/// # Safety
/// There are `count` bodies and as many poses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_set_poses(
    scene: Option<&BvtScene>,
    bodies: *const BvtBodyId,
    to_world: *const BvtPose,
    count: usize,
) -> BvtStatus {
    change(scene, |scene| {
        // SAFETY: the caller promises it.
        let bodies = unsafe { array(bodies, count, "bodies") }?;
        // SAFETY: likewise.
        let poses = unsafe { array(to_world, count, "to_world") }?;
        let poses = poses.iter().map(BvtPose::checked).collect::<Result<Vec<_>, Error>>()?;
        scene.set_poses(bodies.iter().map(|&body| id(body)).zip(poses))?;
        DONE
    })
}

/// Changes which collision groups a body is in, a bit for each, and which it is compared with: `a` and `b` are compared
/// if `a.groups & b.mask` and `b.groups & a.mask` are not 0.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_set_groups(scene: Option<&BvtScene>, body: BvtBodyId, groups: u32, mask: u32) -> BvtStatus {
    change(scene, |scene| {
        scene.set_groups(id(body), groups, mask)?;
        DONE
    })
}

/// Whether two bodies are left out of comparison, like a robot's neighbouring links.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_set_ignored(
    scene: Option<&BvtScene>,
    a: BvtBodyId,
    b: BvtBodyId,
    ignored: bool,
) -> BvtStatus {
    change(scene, |scene| {
        scene.set_ignored(id(a), id(b), ignored)?;
        DONE
    })
}

/// Whether two static bodies are compared; false at first.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_include_static_pairs(scene: Option<&BvtScene>, compare: bool) -> BvtStatus {
    change(scene, |scene| {
        scene.include_static_pairs(compare);
        DONE
    })
}

/// How many bodies there are.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_count(scene: Option<&BvtScene>, count: Option<&mut MaybeUninit<usize>>) -> BvtStatus {
    look(scene, |scene| {
        out(count, "count")?.write(scene.len());
        DONE
    })
}

/// Whether a body is solid.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_is_solid(
    scene: Option<&BvtScene>,
    body: BvtBodyId,
    is_solid: Option<&mut MaybeUninit<bool>>,
) -> BvtStatus {
    look(scene, |scene| {
        let body = scene.body(id(body)).ok_or(bvtree::scene::SceneError::NoSuchBody(id(body)))?;
        out(is_solid, "is_solid")?.write(body.is_solid);
        DONE
    })
}

/// Where a body is, what the caller gave as its `user`, and its tree, as a handle to be freed; each may be null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_body(
    scene: Option<&BvtScene>,
    body: BvtBodyId,
    to_world: Option<&mut MaybeUninit<BvtPose>>,
    user: Option<&mut MaybeUninit<u64>>,
    tree: Option<&mut MaybeUninit<*mut BvtTree>>,
) -> BvtStatus {
    look(scene, |scene| {
        let body = scene.body(id(body)).ok_or(bvtree::scene::SceneError::NoSuchBody(id(body)))?;
        if let Some(out) = to_world {
            out.write(body.pose.into());
        }
        if let Some(out) = user {
            out.write(body.user);
        }
        if let Some(out) = tree {
            hand_over(out, BvtTree { tree: body.tree.clone() });
        }
        DONE
    })
}
