//! Compounds: several trees and convex shapes in one body of a scene.

use std::mem::MaybeUninit;
use std::sync::Arc;

use bvtree::scene::{Compound, Geometry, Part};

use crate::convex_shape::BvtConvexShape;
use crate::ffi::{array, hand_over, out};
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::BvtPose;
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// Part of a compound: a tree or a convex shape. The other pointer is null.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct BvtPart<'a> {
    /// The mesh's tree, or null.
    pub tree: Option<&'a BvtTree>,
    /// The convex shape, or null.
    pub shape: Option<&'a BvtConvexShape>,
    /// Maps the tree's or shape's coordinates into the body's frame.
    pub to_body: BvtPose,
}

/// Several trees and convex shapes that move as one body of a scene.
///
/// The parts are compared with those of other bodies, each as a body of its own would be, and never with each other.
/// Parts may overlap. A compound without parts touches nothing. A compound never changes: any number of threads may use
/// it at the same time, and many bodies may share it.
pub struct BvtCompound {
    pub(crate) compound: Arc<Compound>,
}

/// Creates a compound of parts; results refer to a part by its index. The compound keeps the trees and shapes; their
/// handles may be freed.
///
/// Errors: `BVT_ERROR_ARGUMENT` if a part has a tree and a shape, or neither, or has a coordinate beyond 1e30, in its
/// own frame or in the body's; `BVT_ERROR_POSE`, also for a matrix that deviates from a rotation by more than 1e-6.
///
/// # Safety
/// `parts` points to `count` parts; it may be null if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_compound_new(
    parts: *const BvtPart<'_>,
    count: usize,
    compound: Option<&mut MaybeUninit<*mut BvtCompound>>,
) -> BvtStatus {
    panic_guard(|| {
        let out = out(compound, "compound")?;
        // SAFETY: the caller promises it.
        let parts = unsafe { array(parts, count, "parts") }?;
        let parts = parts.iter().enumerate().map(|(index, part)| {
            let geometry: Geometry = match (part.tree, part.shape) {
                (Some(tree), None) => tree.tree.clone().into(),
                (None, Some(shape)) => shape.shape.clone().into(),
                _ => return Err(Error::argument(format_args!("part {index} must have either a tree or a shape"))),
            };
            Ok(Part { geometry, pose: part.to_body.checked()? })
        });
        let compound = Compound::new(parts.collect::<Result<Vec<_>, Error>>()?)?;
        hand_over(out, BvtCompound { compound: Arc::new(compound) });
        DONE
    })
}

/// Frees a compound. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_compound_free(compound: Option<Box<BvtCompound>>) {
    // The last owner of a tree may call the function that releases a buffer.
    panic_guard(|| {
        drop(compound);
        DONE
    });
}
