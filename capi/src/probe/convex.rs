//! Convex shapes against one mesh: overlaps, closest points and casts (swept volumes). A shape is solid; a pose maps it
//! into the mesh's frame, and null is the identity.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::probe::{ClosestToConvex, ConvexCastHit};

use super::{BvtCastOptions, BvtProbe, BvtVisitFace, ask, cast_options};
use crate::convex_shape::{BvtConvexShape, placed};
use crate::ffi::{Visitor, answer, out};
use crate::panic_guard::DONE;
use crate::pose::{BvtPose, vector};
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// The closest points of a convex shape and a mesh, in the mesh's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtClosestToConvex {
    /// Distance between the shape and the mesh; 0 exactly when `bvt_intersects_convex` writes true.
    pub distance: f64,
    /// The closest point of the shape, up to rounding.
    pub on_shape: [f64; 3],
    /// The closest point of the mesh, up to rounding. At distance 0, `on_shape` and `on_mesh` are the same common
    /// point.
    pub on_mesh: [f64; 3],
    /// Index of the triangle that contains `on_mesh`.
    pub face: u32,
}

impl From<ClosestToConvex> for BvtClosestToConvex {
    fn from(closest: ClosestToConvex) -> Self {
        let ClosestToConvex { distance, on_shape, on_mesh, face } = closest;
        Self { distance, on_shape: on_shape.into(), on_mesh: on_mesh.into(), face }
    }
}

/// First contact of a moving convex shape with a mesh, in the mesh's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtConvexCastHit {
    /// Time of the contact as a fraction of the displacement, 0 to 1: no triangle is touched earlier.
    pub time: f64,
    /// The point of the mesh that is touched, up to rounding and the tolerance.
    pub point: [f64; 3],
    /// Unit normal of the plane of contact, from the triangle to the shape. If they overlap at the start, it is the
    /// direction of a short translation that separates them.
    pub normal: [f64; 3],
    /// Index of the triangle; `BVT_NO_FACE` for a convex shape of a scene.
    pub face: u32,
}

impl From<ConvexCastHit> for BvtConvexCastHit {
    fn from(hit: ConvexCastHit) -> Self {
        let ConvexCastHit { time, point, normal, face } = hit;
        Self { time, point: point.into(), normal: normal.into(), face }
    }
}

/// Tests whether a convex shape shares a point with a triangle of a mesh. The test is exact for a box or a hull that is
/// not rounded; for other shapes, a result of false is proven. A shape inside a closed mesh touches no triangle.
///
/// Errors: `BVT_ERROR_POSE`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_intersects_convex(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    shape: Option<&BvtConvexShape>,
    shape_to_mesh: Option<&BvtPose>,
    intersects: Option<&mut MaybeUninit<bool>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (shape, out) = (placed(shape, shape_to_mesh, "shape_to_mesh")?, out(intersects, "intersects")?);
        out.write(probe.intersects_convex(tree, &shape));
        DONE
    })
}

/// Calls `visit` with each triangle that touches a convex shape, in no particular order, until `visit` returns nonzero.
///
/// Errors: `BVT_ERROR_POSE`.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_face_in_convex(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    shape: Option<&BvtConvexShape>,
    shape_to_mesh: Option<&BvtPose>,
    visit: BvtVisitFace,
    user: *mut c_void,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let shape = placed(shape, shape_to_mesh, "shape_to_mesh")?;
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        probe.for_each_face_in_convex(tree, &shape, |face| visitor.visit(face));
        DONE
    })
}

/// Finds the closest points of a convex shape and a mesh. Returns `BVT_NONE` if the mesh is empty or farther than
/// `upper_bound`, which may be infinite; a smaller bound takes less work.
///
/// Errors: `BVT_ERROR_POSE`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_closest_to_convex(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    shape: Option<&BvtConvexShape>,
    shape_to_mesh: Option<&BvtPose>,
    upper_bound: f64,
    closest: Option<&mut MaybeUninit<BvtClosestToConvex>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (shape, out) = (placed(shape, shape_to_mesh, "shape_to_mesh")?, out(closest, "closest")?);
        answer(out, probe.closest_to_convex(tree, &shape, upper_bound))
    })
}

/// Finds the first contact of a convex shape that moves along a displacement, in the mesh's frame, without turning. The
/// options may be null. Returns `BVT_NONE` if it is proven that there is no contact.
///
/// Errors: `BVT_ERROR_POSE`.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_cast_convex(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    shape: Option<&BvtConvexShape>,
    shape_to_mesh: Option<&BvtPose>,
    displacement: Option<&[f64; 3]>,
    options: *const BvtCastOptions,
    hit: Option<&mut MaybeUninit<BvtConvexCastHit>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (shape, displacement) =
            (placed(shape, shape_to_mesh, "shape_to_mesh")?, vector(displacement, "displacement")?);
        let out = out(hit, "hit")?;
        // SAFETY: the caller promises it.
        let options = unsafe { cast_options(options) }?;
        answer(out, probe.cast_convex(tree, &shape, &displacement, &options))
    })
}
