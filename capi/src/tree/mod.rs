//! Trees: building, cooking and opening them, and their properties.

mod build;
mod cooked;

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::Arc;

use bvtree::BvTree;
use bvtree::mesh::{Group, GroupIds};
use bvtree::tree::Layers;

use crate::ffi::{answer, array, facts, given, hand_over, out, out_slice, versioned};
use crate::mesh::{BvtMesh, BvtWatertightness};
use crate::panic_guard::{DONE, panic_guard};
use crate::shape::BvtAabb;
use crate::status::{BvtStatus, Error};

pub use build::*;
pub use cooked::*;

/// An immutable bounding-volume tree of a mesh, including the mesh's triangles. Any number of threads may use it at the
/// same time. Its handles, and the scenes, compounds and trackers that use it, share the tree, which lives until the
/// last of them is freed; a deforming tree copies it.
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

/// Frees a handle. Null is ignored. The tree itself is freed with the last handle or object that shares it.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_free(tree: Option<Box<BvtTree>>) {
    // The last owner may call the function that releases a buffer.
    panic_guard(|| {
        drop(tree);
        DONE
    });
}

/// Properties of a tree.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct BvtTreeInfo {
    /// Must be `sizeof(BvtTreeInfo)`; the caller sets it.
    pub struct_size: usize,
    /// Number of triangles of the mesh.
    pub triangles: usize,
    /// Number of stored volumes, including the root's and the leaves'. Each eight-wide node stores those of its
    /// children.
    pub nodes: usize,
    /// Number of leaves.
    pub leaves: usize,
    /// Number of triangles in the fullest leaf.
    pub leaf_triangles_max: usize,
    /// Number of groups of the source file.
    pub groups: usize,
    /// Origin of the mesh's frame in the frame of its source.
    pub origin: [f64; 3],
    /// Digest of the mesh that the tree was built from, the less significant half first; 0 once the tree is refitted.
    pub mesh_digest: [u64; 2],
    /// Number of levels of stored volumes below the root.
    pub depth: u32,
    /// A value of `BvtKind`.
    pub kind: u32,
}

versioned!(BvtTreeInfo);

/// Writes the properties of a tree.
///
/// # Safety
/// The info's `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_info(tree: Option<&BvtTree>, info: *mut BvtTreeInfo) -> BvtStatus {
    panic_guard(|| {
        let tree = &given(tree, "tree")?.tree;
        let digest = tree.mesh_digest();
        let found = BvtTreeInfo {
            struct_size: size_of::<BvtTreeInfo>(),
            triangles: tree.triangle_count(),
            nodes: tree.node_count(),
            leaves: tree.leaf_count(),
            leaf_triangles_max: tree.leaf_triangles_max(),
            groups: tree.groups().len(),
            origin: tree.origin().into(),
            mesh_digest: [digest as u64, (digest >> 64) as u64],
            depth: tree.depth(),
            kind: BvtKind::from(tree.kind()) as u32,
        };
        // SAFETY: the caller has set the size.
        unsafe { facts(info, "info", &found) }?;
        DONE
    })
}

/// Returns the box around the mesh; an empty box if the mesh is empty or the tree is null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_bounds(tree: Option<&BvtTree>) -> BvtAabb {
    tree.map_or_else(|| (&bvtree::shape::Aabb::empty()).into(), |tree| tree.tree.bounds().into())
}

/// Determines the watertightness of the mesh. The first call takes O(n log n) time and keeps the result.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_watertightness(
    tree: Option<&BvtTree>,
    watertightness: Option<&mut MaybeUninit<BvtWatertightness>>,
) -> BvtStatus {
    panic_guard(|| {
        let (tree, out) = (given(tree, "tree")?, out(watertightness, "watertightness")?);
        out.write(tree.tree.watertightness().into());
        DONE
    })
}

/// Returns the index of the source file's polygon that a triangle was cut from; the triangle's own index if the polygon
/// is unknown or the tree is null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_polygon(tree: Option<&BvtTree>, face: u32) -> u32 {
    tree.map_or(face, |tree| tree.tree.polygon(face))
}

/// Writes a group of the source file: its name, which is not NUL-terminated and lives as long as the tree, the name's
/// length in bytes, and the group's first triangle. A group ends where the next one begins.
///
/// Errors: `BVT_ERROR_ARGUMENT` if there is no such group.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_group(
    tree: Option<&BvtTree>,
    group: usize,
    name: Option<&mut MaybeUninit<*const c_char>>,
    name_length: Option<&mut MaybeUninit<usize>>,
    first_triangle: Option<&mut MaybeUninit<u32>>,
) -> BvtStatus {
    panic_guard(|| {
        let (name, length) = (out(name, "name")?, out(name_length, "name_length")?);
        let first = out(first_triangle, "first_triangle")?;
        let group = group_at(&given(tree, "tree")?.tree, group)?;
        name.write(group.name.as_ptr().cast());
        length.write(group.name.len());
        first.write(group.first_triangle);
        DONE
    })
}

/// Writes the material of a group of the source file: its name, which is not NUL-terminated and lives as long as the
/// tree, and the name's length in bytes: 0 if the group has no material. Groups have none unless the mesh was read with
/// `group_by` "both".
///
/// Errors: `BVT_ERROR_ARGUMENT` if there is no such group.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_group_material(
    tree: Option<&BvtTree>,
    group: usize,
    name: Option<&mut MaybeUninit<*const c_char>>,
    name_length: Option<&mut MaybeUninit<usize>>,
) -> BvtStatus {
    panic_guard(|| {
        let (name, length) = (out(name, "name")?, out(name_length, "name_length")?);
        let material = &group_at(&given(tree, "tree")?.tree, group)?.material;
        name.write(material.as_ptr().cast());
        length.write(material.len());
        DONE
    })
}

fn group_at(tree: &BvTree, group: usize) -> Result<&Group, Error> {
    let groups = tree.groups();
    groups.get(group).ok_or_else(|| Error::argument(format_args!("there is no group {group} among {}", groups.len())))
}

/// Writes the index of the source file's group that a triangle belongs to, for `bvt_tree_group`. Several groups may
/// have the same name.
///
/// Returns `BVT_NONE` if the triangle is before the first group, or there is no such triangle.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_group_of(
    tree: Option<&BvtTree>,
    face: u32,
    group: Option<&mut MaybeUninit<usize>>,
) -> BvtStatus {
    panic_guard(|| {
        let (tree, out) = (&given(tree, "tree")?.tree, out(group, "group")?);
        let number = tree
            .group_of(face)
            .map(|group| tree.groups().partition_point(|other| other.first_triangle <= group.first_triangle) - 1);
        answer(out, number)
    })
}

/// Writes an id for the name of each triangle's group, by face. Groups of the same name have the same id; ids are
/// numbered from 0 in the order of the names' first triangles. `count` is the number of triangles. `distinct` receives
/// the number of different names; triangles before the first group have a name of their own.
///
/// Errors: `BVT_ERROR_ARGUMENT` if `count` is not the number of triangles.
///
/// # Safety
/// `ids` has space for `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_group_ids(
    tree: Option<&BvtTree>,
    ids: *mut u32,
    count: usize,
    distinct: Option<&mut MaybeUninit<usize>>,
) -> BvtStatus {
    panic_guard(|| {
        // SAFETY: the caller promises it.
        unsafe { write_ids(given(tree, "tree")?.tree.group_ids(), ids, count, distinct) }
    })
}

/// Writes an id for each triangle's material, by face. Groups of the same material have the same id; ids are numbered
/// from 0 in the order of the materials' first triangles. `count` is the number of triangles. `distinct` receives the
/// number of different materials. Triangles without a material count as one material without a name; no triangle has a
/// material unless the mesh was read with `group_by` "both".
///
/// Errors: `BVT_ERROR_ARGUMENT` if `count` is not the number of triangles.
///
/// # Safety
/// `ids` has space for `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_material_ids(
    tree: Option<&BvtTree>,
    ids: *mut u32,
    count: usize,
    distinct: Option<&mut MaybeUninit<usize>>,
) -> BvtStatus {
    panic_guard(|| {
        // SAFETY: the caller promises it.
        unsafe { write_ids(given(tree, "tree")?.tree.material_ids(), ids, count, distinct) }
    })
}

/// Writes the id of each triangle's group or material, by face, and the number of different ids.
///
/// # Safety
/// `ids` has space for `count` numbers.
unsafe fn write_ids(
    found: GroupIds,
    ids: *mut u32,
    count: usize,
    distinct: Option<&mut MaybeUninit<usize>>,
) -> Result<BvtStatus, Error> {
    let distinct = out(distinct, "distinct")?;
    if count != found.ids.len() {
        let expected = found.ids.len();
        return Err(Error::argument(format_args!("count is {count}, and the tree has {expected} triangles")));
    }
    // SAFETY: the caller promises it.
    let space = unsafe { out_slice(ids, count, "ids")? };
    for (space, id) in space.iter_mut().zip(found.ids) {
        space.write(id);
    }
    distinct.write(found.names.len());
    DONE
}

/// Assigns layers to the triangles of a tree, by face: queries with a mask (`bvt_probe_set_mask`,
/// `bvt_query_set_masks`, those of scenes and characters) leave out triangles whose layers have no bit in common with
/// the mask. Nonzero items of `one_sided` (null if there are none) mark the triangles that rays, casts and characters
/// with a mask pass from behind; the front is the side from which corners run counterclockwise. `count` is the number
/// of triangles. Layers can be set only once, after building or opening; files don't contain them.
///
/// Errors: `BVT_ERROR_ARGUMENT` if `count` is not the number of triangles, or if layers have been set before.
///
/// # Safety
/// `layers` points to `count` items, and so does `one_sided` if it is not null; `layers` may be null if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_set_layers(
    tree: Option<&BvtTree>,
    layers: *const u32,
    one_sided: *const u8,
    count: usize,
) -> BvtStatus {
    panic_guard(|| {
        let tree = &given(tree, "tree")?.tree;
        if count != tree.triangle_count() {
            let expected = tree.triangle_count();
            return Err(Error::argument(format_args!("count is {count}, and the tree has {expected} triangles")));
        }
        // SAFETY: the caller promises it.
        let bits = unsafe { array(layers, count, "layers")? };
        let one_sided = match one_sided.is_null() {
            true => &[],
            // SAFETY: the caller promises it.
            false => unsafe { array(one_sided, count, "one_sided")? },
        };
        let set = tree.set_layers(|face| {
            let face = face as usize;
            Layers { bits: bits[face], is_one_sided: one_sided.get(face).is_some_and(|&side| side != 0) }
        });
        set.map_err(Error::argument)?;
        DONE
    })
}

/// Checks the whole tree, including that every volume encloses the triangles below it, which opening does not check.
/// The check takes longer than opening.
///
/// Errors: `BVT_ERROR_FILE` if the tree is invalid; the message names the first defect.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_validate(tree: Option<&BvtTree>) -> BvtStatus {
    panic_guard(|| match given(tree, "tree")?.tree.validate().first() {
        None => DONE,
        Some(defect) => Err(Error::new(BvtStatus::BVT_ERROR_FILE, defect)),
    })
}

/// Creates the mesh of a tree, with its triangles in the order of the mesh that the tree was built from. Vertices that
/// no triangle uses are dropped.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_to_mesh(tree: Option<&BvtTree>, mesh: Option<&mut MaybeUninit<*mut BvtMesh>>) -> BvtStatus {
    panic_guard(|| {
        let (tree, out) = (given(tree, "tree")?, out(mesh, "mesh")?);
        hand_over(out, BvtMesh { mesh: tree.tree.to_mesh()? });
        DONE
    })
}
