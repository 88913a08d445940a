//! Contacts: where two meshes touch.

use std::ffi::c_void;

use bvtree::query::{Contact, ContactPatch, DepthSource, Polyline, intersection_curves};

use super::{BvtFacePair, BvtQuery, ask};
use crate::ffi::Visitor;
use crate::panic_guard::DONE;
use crate::pose::BvtPose;
use crate::status::BvtStatus;
use crate::tree::BvtTree;

/// Maximum number of points of a contact.
pub const BVT_CONTACT_POINTS: usize = 6;

/// Intersection of two triangles, in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtContact {
    /// Indices of the two triangles.
    pub faces: BvtFacePair,
    /// Number of points: 1 for a point, 2 for a segment's ends, more for the corners of the polygon that two coplanar
    /// triangles share.
    pub point_count: u32,
    /// The points, in A's frame; zero from `point_count` on.
    pub points: [[f64; 3]; BVT_CONTACT_POINTS],
    /// Unit normal of A's triangle, from the order of its corners; zero if it has no area.
    pub normal_a: [f64; 3],
    /// Unit normal of B's triangle, in A's frame; zero if it has no area.
    pub normal_b: [f64; 3],
}

impl From<&Contact> for BvtContact {
    fn from(contact: &Contact) -> Self {
        let mut points = [[0.0; 3]; BVT_CONTACT_POINTS];
        for (place, point) in points.iter_mut().zip(&contact.points) {
            *place = (*point).into();
        }
        Self {
            faces: contact.faces.into(),
            point_count: contact.points.len().min(BVT_CONTACT_POINTS) as u32,
            points,
            normal_a: contact.normals[0].into(),
            normal_b: contact.normals[1].into(),
        }
    }
}

/// Source of the depth of a contact patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtDepthSource {
    /// The depth is 0: the triangles touch, and no two of them pass through each other.
    BVT_DEPTH_TOUCHING = 0,
    /// The depth is an estimate: how far the corners of the patch's triangles extend along the normal.
    BVT_DEPTH_VERTEX_EXTENT = 1,
}

/// A contact patch: connected contacts reduced to one point. Physics engines need `BvtContactManifold` instead.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtContactPatch {
    /// Mean of the contacts' midpoints, weighted by the contacts' lengths, in A's frame.
    pub point: [f64; 3],
    /// Unit direction from A to B, in A's frame; zero if the triangles' normals cancel out.
    pub normal: [f64; 3],
    /// Estimate of how far B would have to move along the normal to separate, in A's unit; 0 if the triangles only
    /// touch.
    pub depth: f64,
    /// Source of the depth.
    pub depth_source: BvtDepthSource,
    /// Number of contacts.
    pub contact_count: usize,
    /// Indices of the patch's contacts, in the order of `bvt_for_each_contact`; valid until the callback returns.
    pub contacts: *const usize,
}

impl From<&ContactPatch> for BvtContactPatch {
    fn from(patch: &ContactPatch) -> Self {
        Self {
            point: patch.point.into(),
            normal: patch.normal.into(),
            depth: patch.depth,
            depth_source: match patch.depth_source {
                DepthSource::Touching => BvtDepthSource::BVT_DEPTH_TOUCHING,
                _ => BvtDepthSource::BVT_DEPTH_VERTEX_EXTENT,
            },
            contact_count: patch.contacts.len(),
            contacts: patch.contacts.as_ptr(),
        }
    }
}

/// A polyline of contact segments, in A's frame.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtPolyline {
    /// Number of points.
    pub point_count: usize,
    /// The points, three coordinates each; valid until the callback returns.
    pub points: *const f64,
    /// Whether the last point connects to the first.
    pub is_closed: bool,
}

impl From<&Polyline> for BvtPolyline {
    fn from(line: &Polyline) -> Self {
        Self { point_count: line.points.len(), points: line.points.as_ptr().cast(), is_closed: line.is_closed }
    }
}

/// Callback that receives a contact. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitContact = Option<unsafe extern "C" fn(user: *mut c_void, contact: *const BvtContact) -> i32>;
/// Callback that receives a patch. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitContactPatch = Option<unsafe extern "C" fn(user: *mut c_void, patch: *const BvtContactPatch) -> i32>;
/// Callback that receives a polyline. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitPolyline = Option<unsafe extern "C" fn(user: *mut c_void, line: *const BvtPolyline) -> i32>;

/// Calls `visit` with the contact of each pair of intersecting triangles, sorted by faces, until `visit` returns
/// nonzero. The set of pairs is exact; the points are rounded.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_contact(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    visit: BvtVisitContact,
    user: *mut c_void,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(&query.contacts(a, b, pose));
        DONE
    })
}

/// Calls `visit` with each contact patch, until `visit` returns nonzero. A patch is a connected set of contacts:
/// contacts that share a triangle or a point are connected.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_contact_patch(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    visit: BvtVisitContactPatch,
    user: *mut c_void,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(&query.contact_patches(a, b, pose));
        DONE
    })
}

/// Calls `visit` with each intersection curve of the two surfaces, as a polyline of contact segments, until `visit`
/// returns nonzero.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_for_each_intersection_curve(
    query: Option<&BvtQuery>,
    a: Option<&BvtTree>,
    b: Option<&BvtTree>,
    b_to_a: Option<&BvtPose>,
    visit: BvtVisitPolyline,
    user: *mut c_void,
) -> BvtStatus {
    ask(query, [a, b], b_to_a, |query, a, b, pose| {
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(&intersection_curves(&query.contacts(a, b, pose)));
        DONE
    })
}
