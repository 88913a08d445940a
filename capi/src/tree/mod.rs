//! Trees: building, opening and writing them, and their properties.

use std::mem::MaybeUninit;

mod build;
mod info;
mod open;
mod write;

use std::sync::Arc;

use bvtree::BvTree;

use crate::ffi::{given, hand_over, out};
use crate::panic_guard::{DONE, panic_guard};
use crate::status::BvtStatus;

pub use build::*;
pub use info::*;
pub use open::*;
pub use write::*;

/// An immutable bounding-volume tree of a mesh, including the mesh's triangles. Any number of threads may use it at
/// once. Handles, scenes, trackers and deforming trees share the tree, which lives until the last of them is freed.
pub struct BvtTree {
    pub(crate) tree: Arc<BvTree>,
}

impl From<BvTree> for BvtTree {
    fn from(tree: BvTree) -> Self {
        Self { tree: Arc::new(tree) }
    }
}

/// Creates another handle of the same tree, which the caller frees separately.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_share(tree: Option<&BvtTree>, copy: Option<&mut MaybeUninit<*mut BvtTree>>) -> BvtStatus {
    panic_guard(|| {
        let (tree, out) = (given(tree, "tree")?, out(copy, "copy")?);
        hand_over(out, BvtTree { tree: tree.tree.clone() });
        DONE
    })
}

/// Frees a handle. Null is ignored. The tree is freed with the last of its handles, scenes, trackers and deforming
/// trees.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_free(tree: Option<Box<BvtTree>>) {
    // The last owner may call the function that releases a buffer.
    panic_guard(|| {
        drop(tree);
        DONE
    });
}
