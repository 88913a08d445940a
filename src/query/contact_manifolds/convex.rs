//! Contact manifolds of convex shapes, with meshes and with each other.
//!
//! A shape is represented by the faces of its core, and its rounding radius is subtracted from all gaps. The corners of
//! the core alone tell where its surface ends.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::candidates::{Candidates, Found, Side};
use super::near_features::NearFeatures;
use super::near_point::Shell;
use super::surface::Surface;
use super::{ChoosePoints, ContactManifold, FindNeighbors, Neighbors, Surroundings, spread};
use crate::probe::Probe;
use crate::shape::{ConvexShape, KnownPlanes, NO_FACE, Proximity, ShapeContact, SurfaceBand};
use crate::simd::SimdLevel;
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
    /// triangles face outward by the right-hand rule. The discs of cylinders and cones count as polygons of 16 corners,
    /// with one more exact corner at each of the 16 deepest directions of contact across a face, or across an edge and
    /// the shape's side; other contacts of a mesh's vertices and edges may be off by 2% of the radius. Ids stay the
    /// same while the same features touch; the ids of polygons' corners do not turn with the shape.
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

    /// [`Probe::convex_contact_manifolds`] for a mesh whose surface other meshes may continue beyond its boundary, if
    /// `may_continue` is true. For `neighbors` and `choose`, see `Query::contact_manifolds_among`; the mesh is A.
    pub(crate) fn convex_manifolds_among(
        &mut self,
        tree: &BvTree,
        shape: &ConvexShape,
        margin: f64,
        may_continue: bool,
        neighbors: FindNeighbors<'_>,
        choose: ChoosePoints,
    ) -> Vec<ContactManifold> {
        if shape.is_beyond(tree.bounds(), margin) {
            return Vec::new();
        }
        let mut found: Vec<(Triangle, u32)> = Vec::new();
        self.visit_near_convex(tree, shape, margin, &mut |triangle, face| {
            found.push((*triangle, face));
            ControlFlow::Continue(())
        });
        if found.is_empty() {
            return Vec::new();
        }
        let center = shape.core_ball().0;
        let farthest = tree.bounds().corners().map(|corner| (corner - center).norm());
        let margin = finite_margin(shape, farthest.into_iter().fold(0.0, f64::max), margin);
        let band = SurfaceBand::new(shape, margin);
        let key = |index: u32| (u64::from(found[index as usize].1) << 32) | u64::from(index);
        let mut order: Vec<u64> = band.near(self.level, &found).into_iter().map(key).collect();
        if order.is_empty() {
            return Vec::new();
        }
        // Sort by faces, which gives the same order for trees of all kinds.
        order.sort_unstable();
        let near: Vec<(Triangle, u32)> = order.iter().map(|key| found[*key as u32 as usize]).collect();
        let rules = Rules { level: self.level, margin, may_continue, choose };
        mesh_manifolds(&near, shape, &band, &rules, neighbors)
    }
}

/// A margin that leaves out no contact that the given margin admits, and is finite: products with the reciprocal of an
/// infinite one are NaN. No point of the other surface is farther than `farthest` from the center of the shape's core.
fn finite_margin(shape: &ConvexShape, farthest: f64, margin: f64) -> f64 {
    let most = 2.0 * (farthest + shape.core_ball().1 + shape.rounding_radius());
    if margin > most { most } else { margin }
}

/// How manifolds are found, and which of their points are kept.
struct Rules {
    level: SimdLevel,
    margin: f64,
    may_continue: bool,
    choose: ChoosePoints,
}

/// The manifolds of a shape and the triangles of a mesh that are near it, given in the order of their faces. Triangles
/// outside `band` have no contacts.
fn mesh_manifolds(
    near: &[(Triangle, u32)],
    shape: &ConvexShape,
    band: &SurfaceBand<'_>,
    rules: &Rules,
    neighbors: FindNeighbors<'_>,
) -> Vec<ContactManifold> {
    let &Rules { level, margin, may_continue, choose } = rules;
    let triangles = near.iter().map(|(triangle, _)| *triangle);
    let (surroundings, mesh, found) = if shape.is_sphere() {
        let surroundings = Surroundings::without_normals(triangles);
        let shell = Shell::new(shape.center(), shape.rounding_radius(), margin);
        let (mesh, found) = shell.features(near, &surroundings);
        (surroundings, mesh, Some(found))
    } else {
        let surroundings = Surroundings::new(triangles);
        let mesh = Surface::of_mesh(near, &surroundings, band);
        (surroundings, mesh, None)
    };
    let nearest = if shape.has_discs() { nearest(level, near, band, shape, margin) } else { None };
    let core = shape.contact_core(&axes(level, near, &mesh, shape, nearest.map(|(contact, _)| contact), margin));
    let surfaces = [&mesh, &Surface::of_core(&core, shape.rounding_radius())];
    let features = found.unwrap_or_else(|| NearFeatures::find(level, surfaces, shape.core_ball(), margin));
    let candidates = Candidates {
        sides: [Side::Mesh(surroundings), Side::Convex(&core)],
        radii: surfaces.map(|surface| surface.radius),
        may_continue: [may_continue, false],
        neighbors,
        margin,
        found: Found::default(),
    };
    manifolds(candidates, surfaces, &features, nearest, choose)
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
        let ((center, _), (from, radius)) = (other.core_ball(), self.core_ball());
        let margin = finite_margin(other, (from - center).norm() + radius + self.rounding_radius(), margin);
        let cores = [self.contact_core(&[contact.normal]), other.contact_core(&[-contact.normal])];
        let surfaces =
            [Surface::of_core(&cores[0], self.rounding_radius()), Surface::of_core(&cores[1], other.rounding_radius())];
        let surfaces = [&surfaces[0], &surfaces[1]];
        let features = NearFeatures::find(SimdLevel::detect(), surfaces, other.core_ball(), margin);
        let candidates = Candidates {
            sides: [Side::Convex(&cores[0]), Side::Convex(&cores[1])],
            radii: surfaces.map(|surface| surface.radius),
            may_continue: [false; 2],
            neighbors: &mut |_, _| (Neighbors::new(), 0.0),
            margin,
            found: Found::default(),
        };
        manifolds(candidates, surfaces, &features, Some((contact, NO_FACE)), choose)
    }
}

/// The contact at the nearest points of a mesh, A, and a shape, with the index of the mesh's face there; `None` if they
/// overlap or are farther apart than the margin.
fn nearest(
    level: SimdLevel,
    near: &[(Triangle, u32)],
    band: &SurfaceBand<'_>,
    shape: &ConvexShape,
    margin: f64,
) -> Option<(ShapeContact, u32)> {
    // After a guess that is near the nearest triangle, little is left to search.
    let distances = near.iter().map(|(triangle, _)| band.distance_of_vertices(triangle)).zip(near);
    let (_, (triangle, face)) = distances.min_by(|p, q| p.0.total_cmp(&q.0))?;
    let mut planes = KnownPlanes::new(shape, level);
    let (mut limit, mut nearest) = match planes.proximity(triangle, margin) {
        Proximity::Overlap(_) => return None,
        Proximity::Apart { distance, .. } => (distance, Some((triangle, *face))),
        Proximity::Beyond => (margin, None),
    };
    // If a triangle were so deep that it is left out, the guess would overlap.
    for index in SurfaceBand::new(shape, limit).near(level, near) {
        let (triangle, face) = &near[index as usize];
        if planes.are_beyond(triangle, limit) || shape.is_beyond_own_planes(triangle, limit) {
            continue;
        }
        match planes.proximity(triangle, limit) {
            Proximity::Overlap(_) => return None,
            Proximity::Apart { distance, .. }
                if nearest.is_none_or(|(_, known)| (distance, *face) < (limit, known)) =>
            {
                (limit, nearest) = (distance, Some((triangle, *face)));
            }
            _ => {}
        }
    }
    let (triangle, face) = nearest?;
    let ShapeContact { distance, on_a, on_b, normal } = shape.contact_with(triangle, margin)?;
    Some((ShapeContact { distance, on_a: on_b, on_b: on_a, normal: -normal }, face))
}

/// The directions of contacts of a shape with round parts, pointing away from the shape: first at the nearest point,
/// then across triangles, and across edges and the shape's side, the deepest first.
fn axes(
    level: SimdLevel,
    near: &[(Triangle, u32)],
    mesh: &Surface,
    shape: &ConvexShape,
    nearest: Option<ShapeContact>,
    margin: f64,
) -> Vec<Vector3<f64>> {
    let Some(round) = shape.round_axes(margin) else { return Vec::new() };
    let mut axes = round.find(level, near, mesh.edges.iter().map(|edge| mesh.ends(edge)));
    axes.sort_by(|p, q| p.0.total_cmp(&q.0));
    nearest.iter().map(|contact| -contact.normal).chain(axes.into_iter().map(|(_, axis)| axis)).collect()
}

/// The manifolds of two surfaces, A and B, all of whose contacts count as one region of contact. `nearest` is the
/// contact nearest or deepest, with the index of A's face there; it is added unless a contact as deep in about the same
/// direction is among those found.
fn manifolds(
    mut candidates: Candidates<'_>,
    surfaces: [&Surface; 2],
    features: &NearFeatures,
    nearest: Option<(ShapeContact, u32)>,
    choose: ChoosePoints,
) -> Vec<ContactManifold> {
    candidates.add_near(surfaces, features);
    if let Some((contact, face_a)) = nearest {
        candidates.ensure(&contact, FacePair { face_a, face_b: NO_FACE });
    }
    candidates.into_manifolds(choose)
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;
    use crate::pose::Pose;

    /// What is left out as beyond the band or in a hollow has no contacts, on rough and on smooth ground.
    #[test]
    fn what_is_left_out_has_no_contacts() {
        let hull = [[0.5, 0.1, 0.0], [-0.4, 0.4, 0.1], [-0.3, -0.5, 0.0], [0.0, 0.1, 0.6], [0.1, 0.0, -0.4]];
        let shapes = [
            ConvexShape::cuboid(Vector3::new(0.5, 0.4, 0.3)),
            ConvexShape::sphere(0.5),
            ConvexShape::capsule(0.4, 0.2),
            ConvexShape::hull(&hull.map(Point3::from)),
        ];
        let shapes = shapes.map(Result::unwrap);
        let (mut found, mut left_out, mut hollows) = (0, [0; 2], 0);
        for (case, roughness) in (0_u32..120).zip([0.02, 0.1, 0.3].into_iter().cycle()) {
            let wave = |i: u32, k: u32| {
                let phase = f64::from(i * 7 + k * 13 + i * k * 5 + case * 3);
                roughness * (phase.sin() + (1.7 * phase).cos())
            };
            let point = |i: u32, k: u32| Point3::new(0.15 * f64::from(i), 0.15 * f64::from(k), wave(i, k));
            let cells = (0..14).flat_map(|i| (0..14).map(move |k| (i, k)));
            let all: Vec<(Triangle, u32)> = cells
                .flat_map(|(i, k)| {
                    let [a, b, c, d] = [point(i, k), point(i + 1, k), point(i + 1, k + 1), point(i, k + 1)];
                    [Triangle::new(a, b, c), Triangle::new(a, c, d)]
                })
                .zip(0..)
                .collect();
            let turn = Vector3::new(f64::from(case), 0.7 * f64::from(case), 1.0);
            let rotation = nalgebra::Rotation3::from_scaled_axis(turn).into_inner();
            let height = 0.8 - 0.012 * f64::from(case);
            let pose = Pose::new(rotation, Vector3::new(1.0, 1.1, height)).unwrap();
            for shape in &shapes {
                let (shape, margin) = (shape.transformed(&pose), 0.12);
                let rules = Rules { level: SimdLevel::detect(), margin, may_continue: false, choose: spread };
                let mut none = |_: usize, _: &Point3<f64>| (Neighbors::new(), 0.0);
                let band = SurfaceBand::new(&shape, margin);
                let near: Vec<u32> = band.near(rules.level, &all);
                let near: Vec<(Triangle, u32)> = near.into_iter().map(|index| all[index as usize]).collect();
                let everything = SurfaceBand::new(&shape, 1e6);
                let around = Surroundings::new(near.iter().map(|(triangle, _)| *triangle));
                let edges = [&band, &everything].map(|band| Surface::of_mesh(&near, &around, band).edges.len());
                let least = band.least_height(super::super::candidates::MAX_SLOPE);
                hollows += around.edges().iter().filter(|edge| around.is_hollow(edge, &shape.center(), least)).count();
                left_out[0] += all.len() - near.len();
                left_out[1] += edges[1] - edges[0];
                let of = |near: &[(Triangle, u32)], band: &SurfaceBand<'_>, none: FindNeighbors<'_>| {
                    let manifolds = mesh_manifolds(near, &shape, band, &rules, none);
                    let points = manifolds.into_iter().map(|of| {
                        let points = of.points.into_iter().map(|point| (point.id, point.depth, point.on_a, point.on_b));
                        (of.normal, points.collect::<Vec<_>>())
                    });
                    points.collect::<Vec<_>>()
                };
                let expected = of(&all, &everything, &mut none);
                assert_eq!(of(&near, &band, &mut none), expected, "{case} {shape:?}");
                found += expected.len();
            }
        }
        assert!(
            found > 200 && left_out.iter().all(|&count| count > 1000) && hollows > 500,
            "{found} {left_out:?} {hollows}"
        );
    }
}
