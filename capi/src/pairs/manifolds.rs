//! Contact manifolds: the contact points that a physics solver needs to keep two bodies apart.

use std::ffi::c_void;

use bvtree::query::{ContactManifold, ManifoldPoint};

use super::{BvtFacePair, BvtQuery, ask};
use crate::ffi::Visitor;
use crate::panic_guard::DONE;
use crate::pose::BvtPose;
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// Maximum number of points of a contact manifold.
pub const BVT_MANIFOLD_POINTS: usize = 4;

/// Point of a contact manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct BvtManifoldPoint {
    /// Point of A's surface.
    pub on_a: [f64; 3],
    /// Point of B's surface.
    pub on_b: [f64; 3],
    /// Depth of the point of B below A's surface; negative across a gap.
    pub depth: f64,
    /// Indices of triangles that contain `on_a` and `on_b`.
    pub faces: BvtFacePair,
    /// Identifies the vertices, edges or faces that touch: the id stays the same from one time step to the next while
    /// they touch.
    pub id: u64,
}

impl From<&ManifoldPoint> for BvtManifoldPoint {
    fn from(point: &ManifoldPoint) -> Self {
        Self {
            on_a: point.on_a.into(),
            on_b: point.on_b.into(),
            depth: point.depth,
            faces: point.faces.into(),
            id: point.id,
        }
    }
}

/// Contact manifold: points of one region of contact with about the same normal. Coordinates are in A's frame or, for
/// the bodies of a scene, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtContactManifold {
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// Number of points, 1 to 4.
    pub point_count: u32,
    /// The points, the deepest first; zero from `point_count` on.
    pub points: [BvtManifoldPoint; BVT_MANIFOLD_POINTS],
}

impl From<&ContactManifold> for BvtContactManifold {
    fn from(manifold: &ContactManifold) -> Self {
        let mut points = [BvtManifoldPoint::default(); BVT_MANIFOLD_POINTS];
        for (place, point) in points.iter_mut().zip(&manifold.points) {
            *place = point.into();
        }
        let point_count = manifold.points.len().min(BVT_MANIFOLD_POINTS) as u32;
        Self { normal: manifold.normal.into(), point_count, points }
    }
}

/// Callback that receives a manifold. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitContactManifold =
    Option<unsafe extern "C" fn(user: *mut c_void, manifold: *const BvtContactManifold) -> i32>;

/// Calls `visit` with each contact manifold of two meshes, the deepest first, until `visit` returns nonzero: up to four
/// points with a common normal for each region of contact, as a solver of rigid bodies needs them. Contacts are found
/// up to a depth of `margin` and across a gap of up to `margin`, in A's unit; none are found if the margin is negative
/// or NaN.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_contact_manifold(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    margin: f64,
    visit: BvtVisitContactManifold,
    user: *mut c_void,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(&query.contact_manifolds(a, b, pose, margin));
        DONE
    })
}
