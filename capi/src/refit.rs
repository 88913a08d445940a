//! Refitting trees to deforming meshes.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex};

use bvtree::refit::{DeformingTree, ObbAxes, RefitOptions, Refitted};
use nalgebra::Point3;

use crate::ffi::{array, given, hand_over, lock, out};
use crate::ffi::{options, versioned};
use crate::mesh::{BvtMesh, Strided, positions};
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// A deforming mesh and a tree that is refitted to it. One thread at a time may use it; the trees it returns never
/// change, and threads may share them.
pub struct BvtDeformingTree {
    pub(crate) deforming: Mutex<DeformingTree>,
}

/// Treatment of the axes of oriented boxes in a refit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtObbAxes {
    /// The axes rotate with the boxes' vertices.
    BVT_AXES_TURNED = 0,
    /// The axes stay as built: the fastest choice, for small deformations.
    BVT_AXES_KEPT = 1,
    /// The axes are fitted again.
    BVT_AXES_REFITTED = 2,
}

/// Options for refits. `{sizeof(BvtRefitOptions)}`, with all other fields zero, is the same as null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtRefitOptions {
    /// Must be `sizeof(BvtRefitOptions)`.
    pub struct_size: usize,
    /// A value of `BvtObbAxes`.
    pub obb_axes: u32,
    /// Cost ratio above which a refit rebuilds the tree; 0 means never.
    pub rebuild_above: f64,
}

versioned!(BvtRefitOptions);

impl Default for BvtRefitOptions {
    fn default() -> Self {
        Self { struct_size: size_of::<Self>(), obb_axes: 0, rebuild_above: 0.0 }
    }
}

/// Outcome of a refit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtRefitted {
    /// Number of volumes that were refitted.
    pub volumes: usize,
    /// Estimated cost of queries relative to that of the freshly built tree; if the tree was rebuilt, the ratio before
    /// the rebuild.
    pub cost_ratio: f64,
    /// Whether the tree was rebuilt.
    pub was_rebuilt: bool,
}

impl From<Refitted> for BvtRefitted {
    fn from(refitted: Refitted) -> Self {
        Self { volumes: refitted.volumes, cost_ratio: refitted.cost_ratio, was_rebuilt: refitted.was_rebuilt }
    }
}

/// Creates a deforming tree from a tree and the mesh that it was built from, both of which are copied. The options may
/// be null.
///
/// Errors: `BVT_ERROR_REFIT` if the tree was built from another mesh or is invalid.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_deforming_tree_new(
    tree: Option<&BvtTree>,
    mesh: Option<&BvtMesh>,
    options_given: *const BvtRefitOptions,
    deforming: Option<&mut MaybeUninit<*mut BvtDeformingTree>>,
) -> BvtStatus {
    panic_guard(|| {
        let (tree, mesh, out) = (given(tree, "tree")?, given(mesh, "mesh")?, out(deforming, "deforming")?);
        // SAFETY: the caller promises it.
        let given = unsafe { options(options_given, "options") }?;
        let obb_axes = match given.obb_axes {
            0 => ObbAxes::Turned,
            1 => ObbAxes::Kept,
            2 => ObbAxes::Refitted,
            other => return Err(Error::argument(format_args!("{other} is not a BvtObbAxes"))),
        };
        let rebuild_above = (given.rebuild_above != 0.0).then_some(given.rebuild_above);
        let options = RefitOptions { obb_axes, rebuild_above };
        let deforming = DeformingTree::with_options(tree.tree.clone(), mesh.mesh.clone(), options)?;
        hand_over(out, BvtDeformingTree { deforming: Mutex::new(deforming) });
        DONE
    })
}

/// Frees a deforming tree. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_deforming_tree_free(deforming: Option<Box<BvtDeformingTree>>) {
    drop(deforming);
}

/// The caller's positions of all vertices, borrowed if their layout allows it.
pub(crate) enum Positions<'a> {
    InPlace(&'a [Point3<f32>]),
    Copied(Vec<Point3<f32>>),
}

impl Positions<'_> {
    pub(crate) fn as_slice(&self) -> &[Point3<f32>] {
        match self {
            Self::InPlace(positions) => positions,
            Self::Copied(positions) => positions,
        }
    }
}

/// Borrows or copies the caller's positions of vertices.
///
/// # Safety
/// `first` points to `count` triples of the type that `scalar` names, `stride` bytes apart (contiguous if `stride` is
/// 0), which nobody changes during `'a`; it may be null if `count` is 0.
pub(crate) unsafe fn new_positions<'a>(
    first: *const c_void,
    count: usize,
    stride: usize,
    scalar: u32,
) -> Result<Positions<'a>, Error> {
    if scalar == 0 {
        let strided = Strided::new(first, count, stride, size_of::<f32>(), "positions")?;
        // SAFETY: the caller promises it; three f32 are a point.
        if let Some(positions) = unsafe { strided.as_slice() } {
            return Ok(Positions::InPlace(positions));
        }
    }
    // SAFETY: as above.
    Ok(Positions::Copied(unsafe { positions(first, count, stride, scalar, "positions") }?))
}

/// Moves all vertices, in the mesh's order, and refits all volumes. Contiguous, aligned f32 positions are used in
/// place, others are copied. `scalar` is a value of `BvtScalar`; a stride of 0 means that the positions are contiguous.
/// `refitted` may be null.
///
/// Errors: `BVT_ERROR_REFIT` if there are not as many positions as vertices, a position is not finite or a rebuild
/// fails; `BVT_ERROR_MESH` if a position of doubles is beyond the range of float. After a rebuild has failed, the tree
/// is refitted; after any other error, nothing has changed.
///
/// # Safety
/// `positions` points to `count` positions of the type that `scalar` names, `stride` bytes apart (contiguous if
/// `stride` is 0); it may be null if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_deforming_tree_refit(
    deforming: Option<&BvtDeformingTree>,
    positions: *const c_void,
    count: usize,
    stride: usize,
    scalar: u32,
    refitted: Option<&mut MaybeUninit<BvtRefitted>>,
) -> BvtStatus {
    panic_guard(|| {
        let mut deforming = lock(deforming.map(|deforming| &deforming.deforming), "deforming")?;
        // SAFETY: the caller promises it.
        let positions = unsafe { new_positions(positions, count, stride, scalar) }?;
        let done = deforming.refit(positions.as_slice())?;
        if let Some(out) = refitted {
            out.write(done.into());
        }
        DONE
    })
}

/// Moves some vertices, given by their indices in the mesh and their new positions, three consecutive f32 each, and
/// refits the volumes of their triangles. `refitted` may be null.
///
/// Errors: `BVT_ERROR_REFIT` if an index is out of range or a position is not finite: then nothing has changed; also if
/// a rebuild fails: then the tree is refitted.
///
/// # Safety
/// `vertices` points to `count` indices and `positions` to `count` positions; both may be null if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_deforming_tree_refit_moved(
    deforming: Option<&BvtDeformingTree>,
    vertices: *const u32,
    positions: *const f32,
    count: usize,
    refitted: Option<&mut MaybeUninit<BvtRefitted>>,
) -> BvtStatus {
    panic_guard(|| {
        let mut deforming = lock(deforming.map(|deforming| &deforming.deforming), "deforming")?;
        // SAFETY: the caller promises it.
        let vertices = unsafe { array(vertices, count, "vertices") }?;
        // SAFETY: as above.
        let positions: &[Point3<f32>] = unsafe { array(positions.cast(), count, "positions") }?;
        let moved: Vec<_> = vertices.iter().copied().zip(positions.iter().copied()).collect();
        let done = deforming.refit_moved(&moved)?;
        if let Some(out) = refitted {
            out.write(done.into());
        }
        DONE
    })
}

/// Writes a handle of the current tree, which the caller frees. While it exists, the next refit copies the tree first.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_deforming_tree_tree(
    deforming: Option<&BvtDeformingTree>,
    tree: Option<&mut MaybeUninit<*mut BvtTree>>,
) -> BvtStatus {
    panic_guard(|| {
        let deforming = lock(deforming.map(|deforming| &deforming.deforming), "deforming")?;
        hand_over(out(tree, "tree")?, BvtTree { tree: Arc::clone(deforming.tree()) });
        DONE
    })
}

/// Writes the cost of queries, estimated by the surface area heuristic, relative to that of the freshly built tree. A
/// rebuild soon pays off if the ratio exceeds about 1.5. It is 1 while the root volume has no area, as for a mesh that
/// collapsed to a point, and infinite if it has area but had none when the tree was built.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_deforming_tree_cost_ratio(
    deforming: Option<&BvtDeformingTree>,
    ratio: Option<&mut MaybeUninit<f64>>,
) -> BvtStatus {
    panic_guard(|| {
        let deforming = lock(deforming.map(|deforming| &deforming.deforming), "deforming")?;
        out(ratio, "ratio")?.write(deforming.cost_ratio());
        DONE
    })
}

/// Rebuilds the tree from the current mesh with the build options of the previous tree. Returns `BVT_ERROR_REFIT` if
/// there would be too many volumes.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_deforming_tree_rebuild(deforming: Option<&BvtDeformingTree>) -> BvtStatus {
    panic_guard(|| {
        lock(deforming.map(|deforming| &deforming.deforming), "deforming")?.rebuild()?;
        DONE
    })
}
