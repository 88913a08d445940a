//! Trees of meshes that deform.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex};

use bvtree::refit::{DeformingTree, ObbAxes, RefitOptions, Refitted};
use nalgebra::Point3;

use crate::ffi::{array, given, hand_over, lock, out};
use crate::mesh::{BvtMesh, Strided, positions};
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;
use crate::versioned_struct::{options, versioned};

/// A mesh that deforms, and a tree that follows it. One thread at a time may use it; the trees it gives are as all
/// trees.
pub struct BvtDeformingTree {
    pub(crate) deforming: Mutex<DeformingTree>,
}

/// What becomes of the axes of oriented boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtObbAxes {
    /// They turn as the boxes' vertices do.
    BVT_AXES_TURNED = 0,
    /// They stay what the builder chose: the quickest, for small deformations.
    BVT_AXES_KEPT = 1,
    /// They are found anew.
    BVT_AXES_REFITTED = 2,
}

/// How a tree is refitted. `{sizeof(BvtRefitOptions)}` and nothing else is as null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtRefitOptions {
    /// sizeof(BvtRefitOptions)
    pub struct_size: usize,
    /// A BvtObbAxes.
    pub obb_axes: u32,
    /// The tree is built anew when the cost ratio exceeds this; 0: never.
    pub rebuild_above: f64,
}

versioned!(BvtRefitOptions);

impl Default for BvtRefitOptions {
    fn default() -> Self {
        Self { struct_size: size_of::<Self>(), obb_axes: 0, rebuild_above: 0.0 }
    }
}

/// What a refit has done.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtRefitted {
    /// How many volumes were fitted again.
    pub volumes: usize,
    /// What questions cost, relative to when the tree was built and before a rebuild.
    pub cost_ratio: f64,
    /// Whether the tree was built anew.
    pub was_rebuilt: bool,
}

impl From<Refitted> for BvtRefitted {
    fn from(refitted: Refitted) -> Self {
        Self { volumes: refitted.volumes, cost_ratio: refitted.cost_ratio, was_rebuilt: refitted.was_rebuilt }
    }
}

/// A deforming tree of a tree and the mesh it was built of, which are copied. The options may be null.
///
/// Errors: `BVT_ERROR_REFIT` if the tree is of another mesh.
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
            other => return Err(Error::argument(format_args!("{other} is no BvtObbAxes"))),
        };
        let rebuild_above = (given.rebuild_above != 0.0).then_some(given.rebuild_above);
        let options = RefitOptions { obb_axes, rebuild_above };
        let deforming = DeformingTree::with_options(tree.tree.clone(), mesh.mesh.clone(), options)?;
        hand_over(out, BvtDeformingTree { deforming: Mutex::new(deforming) });
        DONE
    })
}

/// Frees a deforming tree; null is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_deforming_tree_free(deforming: Option<Box<BvtDeformingTree>>) {
    drop(deforming);
}

/// The caller's positions of all vertices, where they lie if that can be.
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

/// # Safety
/// There are `count` triples of what `scalar` tells, `stride` bytes from one to the next.
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
    // SAFETY: likewise.
    Ok(Positions::Copied(unsafe { positions(first, count, stride, scalar, "positions") }?))
}

/// Puts all vertices elsewhere, in the mesh's order, and fits all volumes again. Positions of packed, aligned f32 are
/// used where they lie, others copied; `scalar` is a BvtScalar, a stride of 0 has nothing between them. `refitted` may
/// be null.
///
/// Errors: `BVT_ERROR_REFIT` if there is not one position for each vertex, or one is not finite: then nothing has
/// changed.
///
/// # Safety
/// There are as many positions.
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

/// Puts some vertices elsewhere, by their indices in the mesh and three f32 for each, one after the other, and fits
/// again the volumes that have one of their triangles. `refitted` may be null.
///
/// Errors: `BVT_ERROR_REFIT` if there is no such vertex or a position is not finite: then nothing has changed.
///
/// # Safety
/// There are `count` indices and as many positions.
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
        // SAFETY: likewise.
        let positions: &[Point3<f32>] = unsafe { array(positions.cast(), count, "positions") }?;
        let moved: Vec<_> = vertices.iter().copied().zip(positions.iter().copied()).collect();
        let done = deforming.refit_moved(&moved)?;
        if let Some(out) = refitted {
            out.write(done.into());
        }
        DONE
    })
}

/// The tree as it is now, as a handle to be freed. While it is there, the next refit copies the tree first.
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

/// What questions cost by the surface area heuristic, relative to when the tree was built: from about 1.5 on a rebuild
/// pays soon.
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

/// Builds the tree anew, by its own options, of the mesh as it is now.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_deforming_tree_rebuild(deforming: Option<&BvtDeformingTree>) -> BvtStatus {
    panic_guard(|| {
        lock(deforming.map(|deforming| &deforming.deforming), "deforming")?.rebuild()?;
        DONE
    })
}
