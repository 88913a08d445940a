//! Bodies of a scene: adding, moving, deforming and removing them.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::Pose;
use bvtree::scene::{Body, Geometry, Neighbors, Part, Scene};

use super::{BvtBodyId, BvtBodyPair, BvtScene, id};
use crate::compound::BvtCompound;
use crate::convex_shape::BvtConvexShape;
use crate::ffi::{array, changed, given, hand_over, lock, options, out, shared, versioned};
use crate::panic_guard::{DONE, Outcome, panic_guard};
use crate::pose::{BvtPose, pose};
use crate::refit::{BvtDeformingTree, BvtRefitted, new_positions};
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// Whether a mesh is a surface or a solid, as a body of a scene or in `bvt_query_set_solids`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtSolid {
    /// The mesh is a surface: what it encloses does not touch it.
    BVT_SURFACE = 0,
    /// The mesh is solid: a mesh with a part inside touches it and is at distance 0. The mesh must be closed. Only for
    /// bodies of scenes.
    BVT_SOLID = 1,
    /// The mesh is solid if it is closed, otherwise a surface.
    BVT_SOLID_IF_CLOSED = 2,
    /// The mesh is solid, closed or not: a point is inside an open mesh if the magnitude of its winding number exceeds
    /// one half or, if triangles are oriented inconsistently, if most of 15 rays say so. Only for queries on two trees
    /// and for `bvt_scene_for_each_overlap_depth`.
    BVT_SOLID_ROBUST = 3,
}

/// Options for a body. `{sizeof(BvtBodyOptions)}`, with all other fields zero, is the same as null: a moving body in
/// the first collision group, compared with all others.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtBodyOptions {
    /// Must be `sizeof(BvtBodyOptions)`.
    pub struct_size: usize,
    /// A number for the caller, which the library does not use.
    pub user: u64,
    /// Collision groups of the body, one bit each; 0 means the first group (bit 0).
    pub groups: u32,
    /// Collision groups that the body is not compared with. Two bodies are compared unless one of them excludes all
    /// groups of the other.
    pub not_compared_with: u32,
    /// Nonzero if the body is static: two static bodies are only compared after `bvt_scene_include_static_pairs`.
    pub is_static: u32,
    /// A value of `BvtSolid` other than `BVT_SOLID_ROBUST`.
    pub solid: u32,
}

versioned!(BvtBodyOptions);

impl Default for BvtBodyOptions {
    fn default() -> Self {
        Self { struct_size: size_of::<Self>(), user: 0, groups: 0, not_compared_with: 0, is_static: 0, solid: 0 }
    }
}

impl BvtBodyOptions {
    /// Creates the library's body from these options. `solid` is ignored for convex shapes.
    fn body(&self, geometry: impl Into<Geometry>, pose: Pose) -> Result<Body, Error> {
        let geometry = geometry.into();
        let is_solid = match self.solid {
            _ if geometry.shape().is_some() => false,
            0 => false,
            1 => true,
            2 => is_closed(&geometry),
            3 => {
                return Err(Error::argument(
                    "BVT_SOLID_ROBUST is for queries; a body takes BVT_SOLID or BVT_SOLID_IF_CLOSED",
                ));
            }
            other => return Err(Error::argument(format_args!("{other} is not a BvtSolid"))),
        };
        Ok(Body {
            is_solid,
            is_static: self.is_static != 0,
            user: self.user,
            groups: if self.groups == 0 { 1 } else { self.groups },
            mask: !self.not_compared_with,
            ..Body::moving(geometry, pose)
        })
    }
}

/// Whether a body with this geometry may be solid: whether all its meshes are closed.
fn is_closed(geometry: &Geometry) -> bool {
    let is_closed = |part: &Part| is_closed(&part.geometry);
    geometry.tree().is_none_or(|tree| tree.watertightness().is_closed())
        && geometry.compound().is_none_or(|compound| compound.parts().iter().all(is_closed))
}

/// Adds a body with this geometry. The options may be null.
///
/// # Safety
/// The options' `struct_size` is set.
unsafe fn add(
    scene: Option<&BvtScene>,
    geometry: impl FnOnce() -> Result<Geometry, Error>,
    to_world: Option<&BvtPose>,
    options_given: *const BvtBodyOptions,
    body: Option<&mut MaybeUninit<BvtBodyId>>,
) -> BvtStatus {
    change(scene, |scene| {
        let (geometry, pose, out) = (geometry()?, pose(to_world, "to_world")?, out(body, "body")?);
        // SAFETY: the caller promises it.
        let options = unsafe { options(options_given, "options") }?;
        out.write(scene.add(options.body(geometry, pose)?)?.to_bits());
        DONE
    })
}

/// Changes a scene.
pub(super) fn change(scene: Option<&BvtScene>, work: impl FnOnce(&mut Scene) -> Outcome) -> BvtStatus {
    panic_guard(|| work(&mut *changed(scene.map(|scene| &scene.scene), "scene")?))
}

/// Reads a scene, beside other readers.
pub(super) fn look(scene: Option<&BvtScene>, work: impl FnOnce(&Scene) -> Outcome) -> BvtStatus {
    panic_guard(|| work(&*shared(scene.map(|scene| &scene.scene), "scene")?))
}

/// Adds a body: a tree at a pose in the world. The scene keeps the tree; its handle may be freed. The options may be
/// null.
///
/// Errors: `BVT_ERROR_POSE`; `BVT_ERROR_SCENE` if the body extends farther than 1e30 from the world's origin, if it is
/// solid and its mesh is not closed, or if the scene is full.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_add(
    scene: Option<&BvtScene>,
    tree: Option<&BvtTree>,
    to_world: Option<&BvtPose>,
    options: *const BvtBodyOptions,
    body: Option<&mut MaybeUninit<BvtBodyId>>,
) -> BvtStatus {
    // SAFETY: the caller promises it.
    unsafe { add(scene, || Ok(given(tree, "tree")?.tree.clone().into()), to_world, options, body) }
}

/// Adds a body: a convex shape at a pose in the world. The scene keeps a copy; the shape's handle may be freed. The
/// options may be null; their `solid` is not used, because a shape is always solid.
///
/// Shapes take part in all queries of a scene. In results, the face of a shape is `BVT_NO_FACE`.
///
/// Errors: `BVT_ERROR_POSE`; `BVT_ERROR_SCENE` if the body extends farther than 1e30 from the world's origin or if the
/// scene is full.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_add_shape(
    scene: Option<&BvtScene>,
    shape: Option<&BvtConvexShape>,
    to_world: Option<&BvtPose>,
    options: *const BvtBodyOptions,
    body: Option<&mut MaybeUninit<BvtBodyId>>,
) -> BvtStatus {
    // SAFETY: the caller promises it.
    unsafe { add(scene, || Ok(given(shape, "shape")?.shape.clone().into()), to_world, options, body) }
}

/// Adds a body: a compound at a pose in the world. The scene keeps the compound; its handle may be freed. The options
/// may be null. If the options say that the body is solid, each part is a solid by itself, and the meshes of all trees
/// must be closed.
///
/// Compounds take part in all queries of a scene. Results contain the indices of their parts; the part of any other
/// body is 0.
///
/// Errors: as in `bvt_scene_add`.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_add_compound(
    scene: Option<&BvtScene>,
    compound: Option<&BvtCompound>,
    to_world: Option<&BvtPose>,
    options: *const BvtBodyOptions,
    body: Option<&mut MaybeUninit<BvtBodyId>>,
) -> BvtStatus {
    // SAFETY: the caller promises it.
    unsafe { add(scene, || Ok(given(compound, "compound")?.compound.clone().into()), to_world, options, body) }
}

/// Removes a body.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_remove(scene: Option<&BvtScene>, body: BvtBodyId) -> BvtStatus {
    change(scene, |scene| {
        scene.remove(id(body))?;
        DONE
    })
}

/// Moves a body to another pose in the world.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_POSE`; `BVT_ERROR_SCENE` if the body would extend farther than 1e30
/// from the world's origin. After an error, the body has not moved.
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

/// Moves many bodies, faster than one by one. All poses are checked first. If a body cannot be moved, those
/// before it have moved.
///
/// Errors: see `bvt_scene_set_pose`.
///
/// # Safety
/// `bodies` points to `count` ids and `to_world` to `count` poses; both may be null if `count` is 0.
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
        // SAFETY: as above.
        let poses = unsafe { array(to_world, count, "to_world") }?;
        let poses = poses.iter().map(BvtPose::checked).collect::<Result<Vec<_>, Error>>()?;
        scene.set_poses(bodies.iter().map(|&body| id(body)).zip(poses))?;
        DONE
    })
}

/// Sets a body's collision groups, one bit each, and the groups that it is compared with: bodies `a` and `b` are
/// compared if `a.groups & b.mask` and `b.groups & a.mask` are both nonzero.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_set_groups(scene: Option<&BvtScene>, body: BvtBodyId, groups: u32, mask: u32) -> BvtStatus {
    change(scene, |scene| {
        scene.set_groups(id(body), groups, mask)?;
        DONE
    })
}

/// Sets whether two bodies, such as neighbouring links of a robot, are excluded from comparison with each other.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`.
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

/// Two bodies, as the callback of `bvt_scene_set_pair_filter` receives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BvtFilteredPair {
    /// The two bodies.
    pub bodies: BvtBodyPair,
    /// The `user` values of their options.
    pub users: [u64; 2],
}

impl From<&Neighbors<'_>> for BvtFilteredPair {
    fn from(pair: &Neighbors<'_>) -> Self {
        Self { bodies: pair.ids.into(), users: pair.bodies.map(|body| body.user) }
    }
}

/// Callback that returns nonzero if two bodies are to be compared. It must not throw.
pub type BvtAcceptsPair = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const BvtFilteredPair) -> i32>;

/// The caller's filter with its `user` pointer.
struct PairFilter {
    accepts: unsafe extern "C" fn(user: *mut c_void, pair: *const BvtFilteredPair) -> i32,
    user: *mut c_void,
}

// SAFETY: the caller promises that any number of threads may call it at once.
unsafe impl Send for PairFilter {}
// SAFETY: as above.
unsafe impl Sync for PairFilter {}

impl PairFilter {
    fn accepts(&self, pair: BvtFilteredPair) -> bool {
        // SAFETY: the caller promises it.
        unsafe { (self.accepts)(self.user, &raw const pair) != 0 }
    }
}

/// Sets a filter of pairs: of the pairs that groups, static bodies and `bvt_scene_set_ignored` don't exclude, only
/// those for which `accepts` returns nonzero are compared. Null removes the filter.
///
/// `accepts` is called on all threads of the pool when two bodies come near each other, and the scene remembers the
/// result until the bodies move apart or one is replaced: the result must depend only on the ids and `user` values. Set
/// the filter again if its results change. `accepts` must not use the scene.
///
/// # Safety
/// Any number of threads may call `accepts` with `user` at the same time, as long as the scene exists or until another
/// filter is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_scene_set_pair_filter(
    scene: Option<&BvtScene>,
    accepts: BvtAcceptsPair,
    user: *mut c_void,
) -> BvtStatus {
    change(scene, |scene| {
        match accepts {
            Some(accepts) => {
                let filter = PairFilter { accepts, user };
                scene.set_pair_filter(move |pair| filter.accepts(pair.into()));
            }
            None => scene.set_pair_filter(|_| true),
        }
        DONE
    })
}

/// Sets whether static bodies are compared with each other; false by default.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_include_static_pairs(scene: Option<&BvtScene>, compare: bool) -> BvtStatus {
    change(scene, |scene| {
        scene.include_static_pairs(compare);
        DONE
    })
}

/// Writes the number of bodies.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_count(scene: Option<&BvtScene>, count: Option<&mut MaybeUninit<usize>>) -> BvtStatus {
    look(scene, |scene| {
        out(count, "count")?.write(scene.len());
        DONE
    })
}

/// Writes whether a body's meshes are solid according to its options; false after a refit that opened the mesh. For a
/// convex shape, which is always solid, the value means nothing.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`.
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

/// Writes a body's pose in the world, the caller's `user` value, and a handle of its tree, which the caller frees. Each
/// of the three pointers may be null.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if `tree` is not null and the body is a shape or a compound.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_body(
    scene: Option<&BvtScene>,
    body: BvtBodyId,
    to_world: Option<&mut MaybeUninit<BvtPose>>,
    user: Option<&mut MaybeUninit<u64>>,
    tree: Option<&mut MaybeUninit<*mut BvtTree>>,
) -> BvtStatus {
    look(scene, |scene| {
        let id = id(body);
        let body = scene.body(id).ok_or(bvtree::scene::SceneError::NoSuchBody(id))?;
        // First, because it may fail: then nothing is written.
        if let Some(out) = tree {
            let tree = body.geometry.tree().ok_or(bvtree::scene::SceneError::NotATree(id))?;
            hand_over(out, BvtTree { tree: tree.clone() });
        }
        if let Some(out) = to_world {
            out.write(body.pose.into());
        }
        if let Some(out) = user {
            out.write(body.user);
        }
        DONE
    })
}

/// Replaces the tree, shape or compound of a body by a tree.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if the body would extend farther than 1e30 from the world's
/// origin, or if it is solid and the tree's mesh is not closed.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_set_tree(scene: Option<&BvtScene>, body: BvtBodyId, tree: Option<&BvtTree>) -> BvtStatus {
    change(scene, |scene| {
        scene.set_geometry(id(body), given(tree, "tree")?.tree.clone())?;
        DONE
    })
}

/// Replaces the tree, shape or compound of a body by a convex shape.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if the body would extend farther than 1e30 from the world's
/// origin.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_set_shape(
    scene: Option<&BvtScene>,
    body: BvtBodyId,
    shape: Option<&BvtConvexShape>,
) -> BvtStatus {
    change(scene, |scene| {
        scene.set_geometry(id(body), given(shape, "shape")?.shape.clone())?;
        DONE
    })
}

/// Replaces the tree, shape or compound of a body by a compound.
///
/// Errors: as in `bvt_scene_set_tree`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_set_compound(
    scene: Option<&BvtScene>,
    body: BvtBodyId,
    compound: Option<&BvtCompound>,
) -> BvtStatus {
    change(scene, |scene| {
        scene.set_geometry(id(body), given(compound, "compound")?.compound.clone())?;
        DONE
    })
}

/// Deforms a body: refits like `bvt_deforming_tree_refit` and gives the resulting tree to the body. No copy of the tree
/// is made if only the body and the deforming tree hold it.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_REFIT` and `BVT_ERROR_MESH` as in `bvt_deforming_tree_refit`;
/// `BVT_ERROR_SCENE` if the body is a convex shape or a compound, or would extend farther than 1e30 from the world's
/// origin. After these errors, nothing has changed, unless a rebuild failed: then the tree is refitted.
/// `BVT_ERROR_SCENE` also if a solid body's mesh is no longer closed, because vertices that shared a position have
/// parted: then the body has deformed and has become a surface.
///
/// # Safety
/// `positions` points to `count` positions of the type that `scalar` names, `stride` bytes apart (contiguous if
/// `stride` is 0); it may be null if `count` is 0.
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
