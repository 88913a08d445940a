//! Building trees from a preset, with single rules chosen by name.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::str::FromStr;

use bvtree::{BuildOptions, BvTree, Preset, UnknownName, VolumeKind};

use super::BvtTree;
use crate::ffi::{given, hand_over, optional_text, out};
use crate::ffi::{options, versioned};
use crate::mesh::BvtMesh;
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};

/// Kind of a tree's bounding volumes. The kind affects speed and size, never results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtKind {
    /// Oriented boxes (OBB): the fastest to query.
    BVT_KIND_OBB = 0,
    /// Axis-aligned boxes (AABB): the fastest to build.
    BVT_KIND_AABB = 1,
    /// Spheres: the smallest.
    BVT_KIND_SPHERE = 2,
    /// k-DOPs of 18 directions: axis-aligned boxes with bevelled edges.
    BVT_KIND_KDOP = 3,
}

impl From<VolumeKind> for BvtKind {
    fn from(kind: VolumeKind) -> Self {
        match kind {
            VolumeKind::Obb => Self::BVT_KIND_OBB,
            VolumeKind::Aabb => Self::BVT_KIND_AABB,
            VolumeKind::Sphere => Self::BVT_KIND_SPHERE,
            VolumeKind::KDop => Self::BVT_KIND_KDOP,
        }
    }
}

/// Trade-off between build time and query time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtPreset {
    /// A good choice for most meshes.
    BVT_PRESET_BALANCED = 0,
    /// Fast to build, for meshes that change often.
    BVT_PRESET_FAST = 1,
    /// Slow to build and fastest to query, for meshes that are cooked once.
    BVT_PRESET_TIGHT = 2,
}

/// Options for building a tree. `{sizeof(BvtBuildOptions)}`, with all other fields zero, is the same as null: oriented
/// boxes, balanced.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtBuildOptions {
    /// Must be `sizeof(BvtBuildOptions)`.
    pub struct_size: usize,
    /// A value of `BvtKind`.
    pub kind: u32,
    /// A value of `BvtPreset`.
    pub preset: u32,
    /// Largest number of triangles of a leaf: nodes with more are split, unless their triangles cannot be separated or
    /// `max_depth` is reached. 0 leaves the choice to the preset.
    pub max_leaf_triangles: u32,
    /// Largest number of splits between the root and any leaf; 0 means any number.
    pub max_depth: u32,
    /// Builder: "top-down" or "ploc". Null leaves the choice to the preset.
    pub builder: *const c_char,
    /// Split rule: "mean", "midpoint", "median", "sah" or "sah-own-volumes"; null leaves the choice to the preset.
    pub split: *const c_char,
    /// Collapse rule: "largest-first" or "least-volume"; null leaves the choice to the preset.
    pub collapse: *const c_char,
    /// Fit of oriented boxes, such as "tight"; the error message for an unknown name lists all names. Null leaves the
    /// choice to the preset.
    pub obb_fit: *const c_char,
    /// Fit of spheres, such as "smallest-sphere"; null leaves the choice to the preset.
    pub sphere_fit: *const c_char,
}

versioned!(BvtBuildOptions);

impl Default for BvtBuildOptions {
    fn default() -> Self {
        let none = std::ptr::null();
        Self {
            struct_size: size_of::<Self>(),
            kind: 0,
            preset: 0,
            max_leaf_triangles: 0,
            max_depth: 0,
            builder: none,
            split: none,
            collapse: none,
            obb_fit: none,
            sphere_fit: none,
        }
    }
}

/// Converts the caller's options for building a tree. A null pointer stands for the defaults.
///
/// # Safety
/// The pointer is null or points to a `BvtBuildOptions` whose strings are null or NUL-terminated.
pub(super) unsafe fn build_options(given: *const BvtBuildOptions) -> Result<BuildOptions, Error> {
    // SAFETY: the caller promises it.
    let given = unsafe { options(given, "options") }?;
    let kind = match given.kind {
        0 => VolumeKind::Obb,
        1 => VolumeKind::Aabb,
        2 => VolumeKind::Sphere,
        3 => VolumeKind::KDop,
        other => return Err(Error::argument(format_args!("{other} is not a BvtKind"))),
    };
    let preset = match given.preset {
        0 => Preset::Balanced,
        1 => Preset::Fast,
        2 => Preset::Tight,
        other => return Err(Error::argument(format_args!("{other} is not a BvtPreset"))),
    };
    let mut build = preset.options(kind);
    if given.max_leaf_triangles != 0 {
        build.max_leaf_triangles = given.max_leaf_triangles;
    }
    if given.max_depth != 0 {
        build.max_depth = given.max_depth;
    }
    // SAFETY: the caller promises it of all texts.
    unsafe {
        choose(&mut build.builder, given.builder, "builder")?;
        choose(&mut build.split, given.split, "split")?;
        choose(&mut build.collapse, given.collapse, "collapse")?;
        choose(&mut build.obb_fit, given.obb_fit, "obb_fit")?;
        choose(&mut build.sphere_fit, given.sphere_fit, "sphere_fit")?;
    }
    Ok(build)
}

/// Sets a rule to the one named `by`, unless `by` is null; `name` is the option's name in errors.
///
/// # Safety
/// `by` is null or points to a NUL-terminated string.
unsafe fn choose<T: FromStr<Err = UnknownName>>(rule: &mut T, by: *const c_char, name: &str) -> Result<(), Error> {
    // SAFETY: the caller promises it.
    if let Some(by) = unsafe { optional_text(by, name) }? {
        *rule = by.parse()?;
    }
    Ok(())
}

/// Builds a tree from a mesh, which may be freed afterwards. Runs on all threads of the pool; see `bvt_pool_run`. The
/// options may be null.
///
/// Errors: `BVT_ERROR_ARGUMENT` if a kind, a preset or the name of a rule is unknown; `BVT_ERROR_BUILD` if there would
/// be too many volumes.
///
/// # Safety
/// Strings in the options are null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_build(
    mesh: Option<&BvtMesh>,
    options: *const BvtBuildOptions,
    tree: Option<&mut MaybeUninit<*mut BvtTree>>,
) -> BvtStatus {
    panic_guard(|| {
        let (mesh, out) = (given(mesh, "mesh")?, out(tree, "tree")?);
        // SAFETY: the caller promises it.
        let options = unsafe { build_options(options) }?;
        hand_over(out, BvtTree::from(BvTree::build(&mesh.mesh, &options)?));
        DONE
    })
}
