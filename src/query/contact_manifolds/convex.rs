//! Contact manifolds of convex shapes, with meshes and with each other.
//!
//! The core of a shape counts as the triangles around it, as in [`super::candidates`], and its rounding radius is added
//! to all gaps. Where its surface ends is known from its corners alone.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::candidates::{Candidates, CornerNames, Found, NearPair, Side, mesh_names};
use super::{ChoosePoints, ContactManifold, FindNeighbors, Neighbors, Surroundings, spread};
use crate::numeric::error_bounds::CONVEX_GAP_ERROR;
use crate::probe::Probe;
use crate::shape::{Aabb, ContactCore, ConvexShape, KnownPlanes, NO_FACE, Overlaps, ShapeContact};
use crate::traversal::FacePair;
use crate::tree::BvTree;
use crate::triangle::Triangle;

impl Probe {
    /// The contact manifolds of a mesh, A, and a convex shape, B, in the mesh's frame: up to four points with a common
    /// normal, from the mesh to the shape, for each direction of contact. Sorted by depth, the deepest first. Face B is
    /// [`NO_FACE`].
    ///
    /// As in [`Query::contact_manifolds`](crate::Query::contact_manifolds), contacts are found up to a depth of
    /// `margin` and across a gap of up to `margin`, edges inside a flat or hollow part of the mesh give none, and
    /// triangles face outward by the right-hand rule. The discs of cylinders and cones count as polygons of 16 corners
    /// and one more for each direction of contact, which is there exactly: contacts of a mesh's vertices inside them may
    /// be off by 2% of the radius. Ids stay while the same features touch; those of polygons' corners do not turn
    /// with the shape.
    #[doc(alias = "contact manifold")]
    #[doc(alias = "manifold")]
    pub fn convex_contact_manifolds(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        margin: f64,
    ) -> Vec<ContactManifold> {
        self.convex_manifolds_among(tree, shape, margin, false, &mut |_, _| (Neighbors::new(), 0.0), spread)
    }

    /// [`Probe::convex_contact_manifolds`] of a mesh that others may continue; see
    /// [`Query::contact_manifolds_among`](crate::Query).
    pub(crate) fn convex_manifolds_among(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        margin: f64,
        may_continue: bool,
        neighbors: FindNeighbors<'_>,
        choose: ChoosePoints,
    ) -> Vec<ContactManifold> {
        let mut mesh = Surface::default();
        let mut planes = KnownPlanes::new(shape);
        let reach = reach(margin, shape.rounding_radius());
        self.visit_near_convex(tree, shape, margin, &mut |triangle, face| {
            if !planes.may_be_within(triangle, reach - shape.rounding_radius()) {
                return ControlFlow::Continue(());
            }
            // As they are in the mesh.
            let vertices = triangle.vertices.map(|vertex| vertex.cast());
            mesh.triangles.push(SurfaceTriangle::new(*triangle, mesh_names(vertices.each_ref()), face));
            ControlFlow::Continue(())
        });
        if mesh.triangles.is_empty() {
            return Vec::new();
        }
        // The same order for trees of all kinds.
        mesh.triangles.sort_unstable_by_key(|triangle| triangle.face);
        let contacts = if shape.has_discs() { contacts(&mesh, shape, margin) } else { Vec::new() };
        let core = shape.contact_core(&axes(&contacts));
        // Of surfaces that are apart, the nearest points are a contact. Deeper, triangles inside a flat part have theirs.
        let nearest = contacts.first().filter(|nearest| nearest.contact.distance > 0.0);
        let sides =
            [Side::Mesh(Surroundings::new(mesh.triangles.iter().map(|near| near.triangle))), Side::Convex(&core)];
        let surfaces = [&mesh, &Surface::of(shape, &core)];
        let nearest = nearest.map(|nearest| (nearest.contact, nearest.near.face));
        manifolds(surfaces, sides, [may_continue, false], neighbors, nearest, margin, choose)
    }
}

impl ConvexShape {
    /// The contact manifolds of this shape, A, with another, B, in the same frame; see
    /// [`Probe::convex_contact_manifolds`](crate::Probe::convex_contact_manifolds).
    #[doc(alias = "contact manifold")]
    pub fn contact_manifolds(&self, other: &ConvexShape, margin: f64) -> Vec<ContactManifold> {
        self.manifolds_with(other, margin, spread)
    }

    /// [`ConvexShape::contact_manifolds`], with the points that `choose` keeps.
    pub(crate) fn manifolds_with(
        &self,
        other: &ConvexShape,
        margin: f64,
        choose: ChoosePoints,
    ) -> Vec<ContactManifold> {
        let Some(contact) = self.contact(other, margin) else { return Vec::new() };
        let cores = [self.contact_core(&[contact.normal]), other.contact_core(&[-contact.normal])];
        let surfaces = [Surface::of(self, &cores[0]), Surface::of(other, &cores[1])];
        let sides = [Side::Convex(&cores[0]), Side::Convex(&cores[1])];
        let neighbors = &mut |_, _: &Point3<f64>| (Neighbors::new(), 0.0);
        let nearest = Some((contact, NO_FACE));
        manifolds([&surfaces[0], &surfaces[1]], sides, [false; 2], neighbors, nearest, margin, choose)
    }
}

/// The contact of a shape and a triangle, seen from the triangle.
struct TriangleContact<'a> {
    contact: ShapeContact,
    near: &'a SurfaceTriangle,
}

/// The contacts of a shape with the triangles of a mesh, the deepest first.
fn contacts<'a>(mesh: &'a Surface, shape: &ConvexShape, margin: f64) -> Vec<TriangleContact<'a>> {
    let contact = |near: &'a SurfaceTriangle| {
        let ShapeContact { distance, on_a, on_b, normal } = shape.contact_with(&near.triangle, margin)?;
        let contact = ShapeContact { distance, on_a: on_b, on_b: on_a, normal: -normal };
        Some(TriangleContact { contact, near })
    };
    let mut contacts: Vec<_> = mesh.triangles.iter().filter_map(contact).collect();
    contacts.sort_by(|p, q| p.contact.distance.total_cmp(&q.contact.distance));
    contacts
}

/// The axes of contacts, from the shape, and across their triangles.
fn axes(contacts: &[TriangleContact<'_>]) -> Vec<Vector3<f64>> {
    let axes = contacts.iter().flat_map(|TriangleContact { contact, near }| {
        let across = near.triangle.scaled_normal().try_normalize(0.0);
        [across.map(|normal| -normal), Some(-contact.normal)]
    });
    axes.flatten().collect()
}

/// The distance of cores with rounding radii up to which they have contacts.
fn reach(margin: f64, radius: f64) -> f64 {
    (margin + radius) * (1.0 + CONVEX_GAP_ERROR)
}

/// The triangles of one side, and the rounding radius around them.
#[derive(Default)]
struct Surface {
    triangles: Vec<SurfaceTriangle>,
    radius: f64,
}

struct SurfaceTriangle {
    triangle: Triangle,
    aabb: Aabb,
    /// The unit normal; zero without area.
    normal: Vector3<f64>,
    names: CornerNames,
    face: u32,
}

impl SurfaceTriangle {
    fn new(triangle: Triangle, names: CornerNames, face: u32) -> Self {
        let normal = triangle.scaled_normal().try_normalize(0.0).unwrap_or_default();
        Self { triangle, aabb: Aabb::from_points(&triangle.vertices), normal, names, face }
    }

    /// Whether another triangle is farther from the plane of this one than a distance, on one side.
    fn is_off_plane(&self, other: &Triangle, distance: f64) -> bool {
        let height = |k: usize| (other.vertices[k] - self.triangle.vertices[0]).dot(&self.normal);
        let [lower, upper] = [height(0).min(height(1)).min(height(2)), height(0).max(height(1)).max(height(2))];
        lower > distance || upper < -distance
    }
}

impl Surface {
    fn of(shape: &ConvexShape, core: &ContactCore) -> Self {
        let triangle = |corners: &[usize; 3]| {
            let vertices = corners.map(|corner| core.corners[corner]);
            SurfaceTriangle::new(Triangle { vertices }, corners.map(|corner| [corner as u32, 0, 0]), NO_FACE)
        };
        Self { triangles: core.facets.iter().map(triangle).collect(), radius: shape.rounding_radius() }
    }
}

/// The manifolds of two sides, all of whose contacts are in one region; `nearest` is one of them, with its face of A.
fn manifolds(
    surfaces: [&Surface; 2],
    sides: [Side<'_>; 2],
    may_continue: [bool; 2],
    neighbors: FindNeighbors<'_>,
    nearest: Option<(ShapeContact, u32)>,
    margin: f64,
    choose: ChoosePoints,
) -> Vec<ContactManifold> {
    let radii = surfaces.map(|surface| surface.radius);
    let reach = reach(margin, radii[0] + radii[1]);
    let mut candidates = Candidates { sides, radii, may_continue, neighbors, margin, found: Found::default() };
    for a in &surfaces[0].triangles {
        let near = a.aabb.grown(reach);
        for b in &surfaces[1].triangles {
            if near.overlaps(&b.aabb)
                && !b.is_off_plane(&a.triangle, reach)
                && !a.is_off_plane(&b.triangle, reach)
                && let Some(closest) = a.triangle.closest_points_within(&b.triangle, (reach * reach).next_up())
            {
                candidates.add(&NearPair {
                    triangles: [a.triangle, b.triangle],
                    names: [a.names, b.names],
                    faces: FacePair { face_a: a.face, face_b: b.face },
                    closest,
                    region: 0,
                });
            }
        }
    }
    if let Some((contact, face_a)) = nearest {
        candidates.ensure(&contact, FacePair { face_a, face_b: NO_FACE });
    }
    candidates.into_manifolds(choose)
}
