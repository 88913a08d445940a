//! Trees: built, opened, written, and what they tell about themselves.

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

/// A bounding-volume tree of a mesh with the mesh's triangles. It never changes: any number of threads may use it at
/// once. A handle shares the tree with its copies and with all that was made of it, and the tree lives as long as one
/// of them.
pub struct BvtTree {
    pub(crate) tree: Arc<BvTree>,
}

impl From<BvTree> for BvtTree {
    fn from(tree: BvTree) -> Self {
        Self { tree: Arc::new(tree) }
    }
}

/// Another handle of the same tree, to be freed for itself.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_share(tree: Option<&BvtTree>, copy: Option<&mut MaybeUninit<*mut BvtTree>>) -> BvtStatus {
    panic_guard(|| {
        let (tree, out) = (given(tree, "tree")?, out(copy, "copy")?);
        hand_over(out, BvtTree { tree: tree.tree.clone() });
        DONE
    })
}

/// Frees a handle; null is nothing. The tree goes with the last one of its handles, scenes, trackers and deforming
/// trees.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_free(tree: Option<Box<BvtTree>>) {
    // The last one may call the function that gives back a buffer.
    panic_guard(|| {
        drop(tree);
        DONE
    });
}
