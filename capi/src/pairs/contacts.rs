//! Where two meshes touch.

use std::ffi::c_void;

use bvtree::query::{Contact, ContactPatch, DepthSource, Polyline, intersection_curves};

use super::{BvtFacePair, BvtQuery, ask};
use crate::panic_guard::DONE;
use crate::pose::BvtPose;
use crate::status::BvtStatus;
use crate::tree::BvtTree;
use crate::visit::Visitor;

/// The most points of a contact.
pub const BVT_CONTACT_POINTS: usize = 6;

/// Where two triangles intersect.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtContact {
    /// The triangles.
    pub faces: BvtFacePair,
    /// One point, the two ends of a segment, or, of triangles in one plane, the corners of the polygon that they share.
    pub point_count: u32,
    /// The points; zero beyond their number.
    pub points: [[f64; 3]; BVT_CONTACT_POINTS],
    /// Unit normal of A's triangle, by its corners' order; zero of one without area.
    pub normal_a: [f64; 3],
    /// Of B's.
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

/// What the depth of a patch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtDepthSource {
    /// No two triangles' interiors cross: nothing has gone in.
    BVT_DEPTH_TOUCHING = 0,
    /// How far corners of the patch's triangles reach along the normal: an estimate.
    BVT_DEPTH_VERTEX_EXTENT = 1,
}

/// Contacts that are connected, as one point: what physics engines call a manifold.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtContactPatch {
    /// Mean of the contacts' middles.
    pub point: [f64; 3],
    /// Unit direction from A to B; zero where normals cancel.
    pub normal: [f64; 3],
    /// How far B would have to move along the normal; 0 for mere touching.
    pub depth: f64,
    /// What the depth is.
    pub depth_source: BvtDepthSource,
    /// How many contacts.
    pub contact_count: usize,
    /// Which ones, by their places among all contacts; there until the callback returns.
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

/// Segments of contact one after the other.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtPolyline {
    /// How many corners.
    pub point_count: usize,
    /// The corners, three coordinates each; there until the callback returns.
    pub points: *const f64,
    /// Whether the last is connected with the first.
    pub is_closed: bool,
}

impl From<&Polyline> for BvtPolyline {
    fn from(line: &Polyline) -> Self {
        Self { point_count: line.points.len(), points: line.points.as_ptr().cast(), is_closed: line.is_closed }
    }
}

/// Takes a contact; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitContact = Option<unsafe extern "C" fn(user: *mut c_void, contact: *const BvtContact) -> i32>;
/// Takes a patch; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitContactPatch = Option<unsafe extern "C" fn(user: *mut c_void, patch: *const BvtContactPatch) -> i32>;
/// Takes a line; 0 goes on, anything else stops. It must not throw.
pub type BvtVisitPolyline = Option<unsafe extern "C" fn(user: *mut c_void, line: *const BvtPolyline) -> i32>;

/// Calls `visit` with where each pair of touching triangles does, by faces, until it stops. Which pairs do is exact;
/// points are rounded.
///
/// # Safety
/// `visit` may be called with `user`.
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

/// Calls `visit` with each patch of contacts that share a triangle or a corner, until it stops.
///
/// # Safety
/// `visit` may be called with `user`.
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

/// Calls `visit` with each line that segments of contact make, until it stops: where two surfaces cut each other.
///
/// # Safety
/// `visit` may be called with `user`.
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
