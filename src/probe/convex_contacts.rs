//! Contacts of a convex shape with the triangles of a mesh.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Probe;
use super::near_shape::NearShape;
use crate::shape::{ConvexShape, KnownPlanes, Obb};
use crate::traversal::{NearBox, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::Triangle;
use crate::volume::{LocalBox, LocalPoint};

/// The contact of a convex shape with a triangle: where they are nearest, or where they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConvexContact {
    /// The signed distance between the two, in the mesh's unit. If they overlap, it is the negative of the penetration
    /// depth: the length of the shortest translation after which they only touch, which is along the normal.
    pub distance: f64,
    /// The point of contact on the shape's surface.
    pub on_shape: Point3<f64>,
    /// The point of contact on the triangle; `on_shape` is `distance` from it along the normal.
    pub on_mesh: Point3<f64>,
    /// The unit direction from the triangle to the shape. If both sides of the triangle are equally near, it points to
    /// the triangle's front.
    pub normal: Vector3<f64>,
    /// The triangle's own unit normal by the right-hand rule. Zero for a triangle without area.
    pub face_normal: Vector3<f64>,
    /// The index of the triangle in the mesh.
    pub face: u32,
}

impl ConvexContact {
    fn new(planes: &mut KnownPlanes<'_>, triangle: &Triangle, face: u32, max_distance: f64) -> Option<Self> {
        let contact = planes.contact(triangle, max_distance)?;
        Some(Self {
            distance: contact.distance,
            on_shape: contact.on_a,
            on_mesh: contact.on_b,
            normal: -contact.normal,
            face_normal: triangle.unit_normal(),
            face,
        })
    }
}

impl Probe {
    /// Calls `visit` with the contact of each triangle within `max_distance` of a convex shape, which is solid and in
    /// the mesh's frame, in no particular order, until it breaks. Triangles that overlap the shape have a distance of
    /// at most zero; for a box or a hull that is not rounded, these are exactly the triangles of
    /// [`Probe::for_each_face_in_convex`].
    ///
    /// Distances and depths are as accurate as those of [`ConvexShape::contact`]. A solver of rigid bodies should use
    /// [`Probe::convex_contact_manifolds`], which leaves out contacts that neighboring triangles hide.
    #[doc(alias = "contact manifold")]
    #[doc(alias = "penetration depth")]
    #[doc(alias = "collide")]
    pub fn for_each_convex_contact(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        max_distance: f64,
        mut visit: impl FnMut(ConvexContact) -> ControlFlow<()>,
    ) {
        let mut planes = KnownPlanes::new(shape, self.level);
        self.visit_near_convex(tree, shape, max_distance, &mut |triangle, face| {
            ConvexContact::new(&mut planes, triangle, face, max_distance).map_or(ControlFlow::Continue(()), &mut visit)
        });
    }

    /// Visits the triangles whose volumes may be within a distance of a shape.
    pub(crate) fn visit_near_convex(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        distance: f64,
        visit: &mut dyn FnMut(&Triangle, u32) -> ControlFlow<()>,
    ) {
        self.stats = Default::default();
        if shape.is_beyond(tree.bounds(), distance) {
            return;
        }
        let reach = shape.rounding_radius() + distance;
        if shape.is_sphere() {
            let local = LocalPoint::new(&tree.meta().frame, &shape.center());
            let limit = local.limit_sq(reach);
            return self.visit_near_point(tree, local, limit, &mut NearVisitor { visit, limit });
        }
        if shape.rounding_radius() > 0.0 {
            let local = LocalBox::new(&tree.meta().frame, shape.core_obb());
            let limit = local.limit_sq(reach);
            return self.visit_near_box(tree, local, limit, &mut NearVisitor { visit, limit });
        }
        let obb = shape.obb();
        // No triangle is farther away than the farthest corner of the tree's box: this makes an infinite distance
        // finite.
        let farthest = tree.bounds().corners().map(|corner| (corner - obb.center).norm());
        let grown = obb.half_extents.add_scalar(distance.min(2.0 * farthest.into_iter().fold(0.0, f64::max)));
        self.visit_in_box(tree, &Obb { half_extents: grown, ..obb }, &mut NearVisitor { visit, limit: f32::INFINITY });
    }

    /// The contact of least signed distance of a convex shape, which is solid and in the mesh's frame: with the
    /// triangle that overlaps it most deeply, or else with the nearest one. `None` if no triangle is within
    /// `max_distance`. Of several at the same distance, the one with the lowest face index is returned.
    #[doc(alias = "closest_contact")]
    #[doc(alias = "nearest contact")]
    #[doc(alias = "penetration depth")]
    #[doc(alias = "depenetration")]
    pub fn closest_convex_contact(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        max_distance: f64,
    ) -> Option<ConvexContact> {
        self.stats = Default::default();
        let near = NearShape::new(tree, shape, max_distance, self.level)?;
        let (test, limit) = (NearBox(near.local), near.limit_sq());
        let mut search = ClosestVisitor { near, best: None };
        self.traverse_masked(tree, &test, limit, &mut search, None);
        search.best
    }
}

struct NearVisitor<'a> {
    visit: &'a mut dyn FnMut(&Triangle, u32) -> ControlFlow<()>,
    /// The limit of the volume test's distances, which never changes.
    limit: f32,
}

impl TriangleVisitor for NearVisitor<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        match (self.visit)(triangle, face) {
            ControlFlow::Continue(()) => ControlFlow::Continue(self.limit),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        }
    }
}

struct ClosestVisitor<'a> {
    near: NearShape<'a>,
    best: Option<ConvexContact>,
}

impl TriangleVisitor for ClosestVisitor<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        let NearShape { planes, limit, .. } = &mut self.near;
        let is_less_deep = self.best.is_some_and(|best| {
            planes.are_beyond(triangle, best.distance) || planes.shape.is_less_deep(triangle, best.distance)
        });
        if !is_less_deep
            && let Some(contact) = ConvexContact::new(planes, triangle, face, *limit)
            && self.best.is_none_or(|best| (contact.distance, face) < (best.distance, best.face))
        {
            // A triangle that is less deep along the deepest contact's direction is less deep.
            planes.learn(&-contact.normal);
            // Once a triangle overlaps the core, any other that does may be deeper.
            *limit = contact.distance.max(-planes.shape.rounding_radius());
            self.best = Some(contact);
        }
        ControlFlow::Continue(self.near.limit_sq())
    }
}
