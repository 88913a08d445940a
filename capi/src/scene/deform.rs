//! Deforming bodies of a scene.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::bodies::change;
use super::{BvtBodyId, BvtScene, id};
use crate::ffi::{given, lock};
use crate::panic_guard::DONE;
use crate::refit::{BvtDeformingTree, BvtRefitted, new_positions};
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// Replaces the tree of a body.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if the body would extend farther than 1e30 from the world's
/// origin, or if it is solid and the tree's mesh is not closed.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_set_tree(scene: Option<&BvtScene>, body: BvtBodyId, tree: Option<&BvtTree>) -> BvtStatus {
    change(scene, |scene| {
        scene.set_tree(id(body), given(tree, "tree")?.tree.clone())?;
        DONE
    })
}

/// Deforms a body: refits like `bvt_deforming_tree_refit` and gives the resulting tree to the body. The tree is not
/// copied if only the body and the deforming tree hold it. A solid body becomes a surface if its mesh is no longer
/// closed, because vertices that shared a position have parted.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_REFIT` as in `bvt_deforming_tree_refit`; `BVT_ERROR_SCENE` if the body
/// would extend farther than 1e30 from the world's origin. Nothing has changed then.
///
/// # Safety
/// There are `count` positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_refit(
    scene: Option<&BvtScene>,
    body: BvtBodyId,
    deforming: Option<&BvtDeformingTree>,
    positions: *const c_void,
    count: usize,
    stride: usize,
    scalar: u32,
    refitted: Option<&mut MaybeUninit<BvtRefitted>>,
) -> BvtStatus {
    change(scene, |scene| {
        let mut deforming = lock(deforming.map(|deforming| &deforming.deforming), "deforming")?;
        // SAFETY: the caller promises it.
        let positions = unsafe { new_positions(positions, count, stride, scalar) }?;
        let done = scene.refit(id(body), &mut deforming, positions.as_slice())?;
        if let Some(out) = refitted {
            out.write(done.into());
        }
        DONE
    })
}
