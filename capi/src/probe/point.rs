//! Point queries: the closest point of a mesh, and inside or outside.

use std::mem::MaybeUninit;

use bvtree::probe::{ClosestOnMesh, Containment, RobustContainment, winding_number};

use super::{BvtProbe, ask};
use crate::ffi::{answer, given, out};
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::point;
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// The point of a mesh that is closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtClosestPoint {
    /// Distance from the query point.
    pub distance: f64,
    /// Closest point, in the mesh's frame.
    pub point: [f64; 3],
    /// Index of the triangle that contains `point`.
    pub face: u32,
}

impl From<ClosestOnMesh> for BvtClosestPoint {
    fn from(found: ClosestOnMesh) -> Self {
        Self { distance: found.distance, point: found.point.into(), face: found.face }
    }
}

/// Position of a point relative to a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtContainment {
    /// The point is neither enclosed by the mesh nor on it.
    BVT_OUTSIDE = 0,
    /// The point is enclosed by the mesh and not on it.
    BVT_INSIDE = 1,
    /// The point is exactly on a triangle.
    BVT_ON_SURFACE = 2,
    /// The mesh is not closed, so it has no inside, and the point is not on it.
    BVT_NO_INSIDE = 3,
}

impl From<Containment> for BvtContainment {
    fn from(containment: Containment) -> Self {
        match containment {
            Containment::Outside => Self::BVT_OUTSIDE,
            Containment::Inside => Self::BVT_INSIDE,
            Containment::OnSurface => Self::BVT_ON_SURFACE,
            Containment::Undefined => Self::BVT_NO_INSIDE,
        }
    }
}

/// Finds the point of a mesh that is closest to a query point and within `max_distance`, which may be infinite. Returns
/// `BVT_NONE` if no point is that close.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_closest_point(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    to: Option<&[f64; 3]>,
    max_distance: f64,
    closest: Option<&mut MaybeUninit<BvtClosestPoint>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (to, out) = (point(to, "to")?, out(closest, "closest")?);
        answer(out, probe.closest_point_within(tree, &to, max_distance))
    })
}

/// Determines exactly whether a point is inside, outside or on a mesh. The first such query of a tree takes longer.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_contains(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    at: Option<&[f64; 3]>,
    containment: Option<&mut MaybeUninit<BvtContainment>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (at, out) = (point(at, "at")?, out(containment, "containment")?);
        out.write(probe.contains(tree, &at).into());
        DONE
    })
}

/// Position of a point relative to a mesh that may have holes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtRobustContainment {
    /// `BVT_INSIDE`, `BVT_OUTSIDE` or `BVT_ON_SURFACE`.
    pub containment: BvtContainment,
    /// The certainty of `containment`, 0 to 1; 1 if the mesh is closed, or the point is on its surface or outside its
    /// bounding box.
    pub certainty: f64,
}

impl From<RobustContainment> for BvtRobustContainment {
    fn from(found: RobustContainment) -> Self {
        Self { containment: found.containment.into(), certainty: found.certainty }
    }
}

/// Determines whether a point is inside a mesh that may have holes or inconsistently oriented triangles: exactly if the
/// mesh is closed, otherwise by the winding number or the votes of 15 rays. The first such query of a tree takes
/// longer.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_contains_robust(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    at: Option<&[f64; 3]>,
    containment: Option<&mut MaybeUninit<BvtRobustContainment>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (at, out) = (point(at, "at")?, out(containment, "containment")?);
        answer(out, Some(probe.contains_robust(tree, &at)))
    })
}

/// Computes the signed distance of a point from a closed mesh, negative inside. Returns `BVT_NONE` if the mesh is empty
/// or not closed, or the point is not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_signed_distance(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    at: Option<&[f64; 3]>,
    distance: Option<&mut MaybeUninit<f64>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (at, out) = (point(at, "at")?, out(distance, "distance")?);
        answer(out, probe.signed_distance(tree, &at))
    })
}

/// Computes the winding number of a mesh around a point. It is fractional if the mesh has holes; then treat points
/// whose winding number exceeds one half as inside. The first such query of a tree takes longer and keeps about 50
/// bytes per triangle.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_winding_number(
    tree: Option<&BvtTree>,
    at: Option<&[f64; 3]>,
    winding: Option<&mut MaybeUninit<f64>>,
) -> BvtStatus {
    panic_guard(|| {
        let (tree, at, out) = (given(tree, "tree")?, point(at, "at")?, out(winding, "winding")?);
        out.write(winding_number(&tree.tree, &at));
        DONE
    })
}
