//! Contacts of convex shapes with one mesh and with each other, and the point of a mesh that is farthest along a
//! direction. A shape is solid; a pose maps it into the frame of the mesh or of the other shape, and null is the
//! identity.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::probe::{ConvexContact, SupportPoint};
use bvtree::shape::ShapeContact;

use super::{BvtProbe, ask};
use crate::convex_shape::{BvtConvexShape, placed};
use crate::ffi::{Visitor, answer, given, out};
use crate::pairs::BvtVisitContactManifold;
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::{BvtPose, vector};
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// Contact of a convex shape with a triangle, where they are closest or overlap, in the mesh's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtConvexContact {
    /// Distance between the shape and the triangle, negative if they overlap: minus the penetration depth, the length
    /// of the shortest translation after which they only touch.
    pub distance: f64,
    /// Contact point on the shape.
    pub on_shape: [f64; 3],
    /// Contact point on the triangle.
    pub on_mesh: [f64; 3],
    /// Unit normal from the triangle to the shape: a translation of the shape along the normal by the depth separates
    /// the two.
    pub normal: [f64; 3],
    /// Unit normal of the triangle, from the order of its corners; zero if it has no area.
    pub face_normal: [f64; 3],
    /// Index of the triangle.
    pub face: u32,
}

impl From<ConvexContact> for BvtConvexContact {
    fn from(contact: ConvexContact) -> Self {
        Self {
            distance: contact.distance,
            on_shape: contact.on_shape.into(),
            on_mesh: contact.on_mesh.into(),
            normal: contact.normal.into(),
            face_normal: contact.face_normal.into(),
            face: contact.face,
        }
    }
}

/// Contact of two convex shapes A and B, where they are closest or overlap, in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtShapeContact {
    /// Distance between the two shapes, negative if they overlap: minus the penetration depth, the length of the
    /// shortest translation after which they only touch.
    pub distance: f64,
    /// Contact point on A.
    pub on_a: [f64; 3],
    /// Contact point on B.
    pub on_b: [f64; 3],
    /// Unit normal from A to B: a translation of B along the normal by the depth separates the two.
    pub normal: [f64; 3],
}

impl From<ShapeContact> for BvtShapeContact {
    fn from(contact: ShapeContact) -> Self {
        let ShapeContact { distance, on_a, on_b, normal } = contact;
        Self { distance, on_a: on_a.into(), on_b: on_b.into(), normal: normal.into() }
    }
}

/// The vertex of a mesh that is farthest along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtSupportPoint {
    /// The vertex.
    pub point: [f64; 3],
    /// Index of a triangle with this vertex as a corner.
    pub face: u32,
}

impl From<SupportPoint> for BvtSupportPoint {
    fn from(SupportPoint { point, face }: SupportPoint) -> Self {
        Self { point: point.into(), face }
    }
}

/// Callback that receives a contact. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitConvexContact =
    Option<unsafe extern "C" fn(user: *mut c_void, contact: *const BvtConvexContact) -> i32>;

/// Calls `visit` with the contact of each triangle within `max_distance` of a convex shape, in no particular order,
/// until `visit` returns nonzero. Triangles that overlap the shape have a distance of at most zero.
///
/// Errors: `BVT_ERROR_POSE`.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_convex_contact(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    shape: Option<&BvtConvexShape>,
    shape_to_mesh: Option<&BvtPose>,
    max_distance: f64,
    visit: BvtVisitConvexContact,
    user: *mut c_void,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let shape = placed(shape, shape_to_mesh, "shape_to_mesh")?;
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        probe.for_each_convex_contact(tree, &shape, max_distance, |contact| visitor.visit(contact));
        DONE
    })
}

/// Finds the contact of the triangle that overlaps a convex shape most deeply, or else of the nearest triangle. Returns
/// `BVT_NONE` if no triangle is within `max_distance`, which may be infinite.
///
/// Errors: `BVT_ERROR_POSE`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_closest_convex_contact(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    shape: Option<&BvtConvexShape>,
    shape_to_mesh: Option<&BvtPose>,
    max_distance: f64,
    contact: Option<&mut MaybeUninit<BvtConvexContact>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (shape, out) = (placed(shape, shape_to_mesh, "shape_to_mesh")?, out(contact, "contact")?);
        answer(out, probe.closest_convex_contact(tree, &shape, max_distance))
    })
}

/// Calls `visit` with each contact manifold of a mesh, A, and a convex shape, B, the deepest first, until `visit`
/// returns nonzero; see `bvt_for_each_contact_manifold`. The faces of B are `BVT_NO_FACE`.
///
/// Errors: `BVT_ERROR_POSE`.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_convex_contact_manifold(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    shape: Option<&BvtConvexShape>,
    shape_to_mesh: Option<&BvtPose>,
    margin: f64,
    visit: BvtVisitContactManifold,
    user: *mut c_void,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let shape = placed(shape, shape_to_mesh, "shape_to_mesh")?;
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(&probe.convex_contact_manifolds(tree, &shape, margin));
        DONE
    })
}

/// Finds the vertex of a mesh that is farthest along a direction. If the direction is the inward normal of a
/// half-space, this is the mesh's deepest point in the half-space or, if the mesh is outside, the point closest to it.
/// Returns `BVT_NONE` for an empty mesh, or a direction that is zero or not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_support_point(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    direction: Option<&[f64; 3]>,
    support: Option<&mut MaybeUninit<BvtSupportPoint>>,
) -> BvtStatus {
    ask(probe, tree, |probe, tree| {
        let (direction, out) = (vector(direction, "direction")?, out(support, "support")?);
        answer(out, probe.support_point(tree, &direction))
    })
}

/// Finds the contact of two convex shapes, A and B. Returns `BVT_NONE` if they are farther apart than `max_distance`,
/// which may be infinite.
///
/// Errors: `BVT_ERROR_POSE`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_contact(
    a: Option<&BvtConvexShape>,
    b: Option<&BvtConvexShape>,
    b_to_a: Option<&BvtPose>,
    max_distance: f64,
    contact: Option<&mut MaybeUninit<BvtShapeContact>>,
) -> BvtStatus {
    panic_guard(|| {
        let (a, b) = (&given(a, "a")?.shape, placed(b, b_to_a, "b_to_a")?);
        answer(out(contact, "contact")?, a.contact(&b, max_distance))
    })
}

/// Calls `visit` with each contact manifold of two convex shapes, A and B, the deepest first, until `visit` returns
/// nonzero; see `bvt_for_each_contact_manifold`. All faces are `BVT_NO_FACE`.
///
/// Errors: `BVT_ERROR_POSE`.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_convex_shape_for_each_contact_manifold(
    a: Option<&BvtConvexShape>,
    b: Option<&BvtConvexShape>,
    b_to_a: Option<&BvtPose>,
    margin: f64,
    visit: BvtVisitContactManifold,
    user: *mut c_void,
) -> BvtStatus {
    panic_guard(|| {
        let (a, b) = (&given(a, "a")?.shape, placed(b, b_to_a, "b_to_a")?);
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(&a.contact_manifolds(&b, margin));
        DONE
    })
}
