//! Points: what is nearest to them, and which side they are on.

use std::mem::MaybeUninit;

use bvtree::probe::{ClosestOnMesh, Containment, winding_number};

use super::{BvtProbe, ask};
use crate::ffi::{answer, given, out};
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::point;
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// The point of a mesh that is nearest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtClosestPoint {
    /// How far it is from the given one.
    pub distance: f64,
    /// The point.
    pub point: [f64; 3],
    /// The triangle it is on.
    pub face: u32,
}

impl From<ClosestOnMesh> for BvtClosestPoint {
    fn from(found: ClosestOnMesh) -> Self {
        Self { distance: found.distance, point: found.point.into(), face: found.face }
    }
}

/// Where a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtContainment {
    /// Neither enclosed by the mesh nor on it.
    BVT_OUTSIDE = 0,
    /// Enclosed by the mesh and not on it.
    BVT_INSIDE = 1,
    /// On a triangle, exactly.
    BVT_ON_SURFACE = 2,
    /// The mesh is not closed, and the point is not on it.
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

/// The mesh's point that is nearest to a given one, if it is no farther than `max_distance`, which may be infinite.
/// `BVT_NONE` if there is none.
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

/// Which side of the mesh a point is on, exactly. The first question of this kind about a tree takes longer.
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

/// The distance of a point from a closed mesh, negative inside. `BVT_NONE` if the mesh is empty or not closed.
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

/// How often the mesh winds around a point; a fraction where it has holes, and above one half is a sound notion of
/// inside. The first such question about a tree takes longer, and keeps some 50 bytes per triangle.
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
