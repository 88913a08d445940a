//! Relations of bodies: touching, crossing, one inside the other, coincident.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::compound::{BodyParts, PartPair};
use super::narrow_phase::{BodyPair, NarrowPhase, are_apart};
use super::pairs::Neighbors;
use super::shape_pairs::PosedPair;
use super::{BodyId, Scene, SceneError};
use crate::enum_names::names;
use crate::numeric::error_bounds::body_rounding;
use crate::pose::Pose;
use crate::probe::Probe;
use crate::query::{Query, Relation};
use crate::shape::Sphere;
use crate::tree::BvTree;
use crate::triangle::Triangle;

/// The relation of two bodies.
///
/// The relation of compounds follows from the relations between their parts; the first case that applies is returned.
/// They coincide if each part of either coincides with a part of the other; they cross if any two parts cross; the
/// relation is undefined if that of any two parts is; one is inside the other if each of its parts is inside a part of
/// the other, and no part of the other is inside one of its own; otherwise they cross if any part is inside a part of
/// the other body; they touch if any two parts touch or coincide. Empty parts are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyRelation {
    /// The surfaces do not touch and neither body is inside the other ([`Relation::Separate`]).
    Separate,
    /// The surfaces touch without crossing ([`Relation::Touching`]).
    Touching,
    /// The surfaces cross ([`Relation::Crossing`]).
    Crossing,
    /// The first body is inside the second ([`Relation::AInB`]).
    AInB,
    /// The second body is inside the first ([`Relation::BInA`]).
    BInA,
    /// The relation is undefined ([`Relation::Undefined`]), or a convex shape overlaps or touches the other body: then
    /// touching, crossing and one inside the other are not distinguished. Only a shape that lies inside a closed mesh
    /// without touching it is inside.
    Undefined,
    /// The bodies are duplicates: each triangle of either is within a tolerance of a single triangle of the other. This
    /// finds copies of a mesh in one place, even if a copy is written in another order or frame, and copies turned by a
    /// symmetry of the mesh, but not bodies whose faces are triangulated differently.
    Coincident,
}

names!(
    BodyRelation,
    Separate = Relation::Separate.name(),
    Touching = Relation::Touching.name(),
    Crossing = Relation::Crossing.name(),
    AInB = Relation::AInB.name(),
    BInA = Relation::BInA.name(),
    Undefined = Relation::Undefined.name(),
    Coincident = "coincident",
);

/// Two bodies that are not separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RelatedPair {
    /// The bodies, the smaller id first.
    pub bodies: [BodyId; 2],
    /// The relation of the two bodies, in this order.
    pub relation: BodyRelation,
}

impl From<Relation> for BodyRelation {
    fn from(relation: Relation) -> Self {
        match relation {
            Relation::Separate => Self::Separate,
            Relation::Touching => Self::Touching,
            Relation::Crossing => Self::Crossing,
            Relation::AInB => Self::AInB,
            Relation::BInA => Self::BInA,
            Relation::Undefined => Self::Undefined,
        }
    }
}

impl Scene {
    /// The relations of all pairs of bodies that are not separate. The tolerance of coincidence is in the world's unit;
    /// no bodies coincide if it is negative or NaN.
    pub fn relations(&mut self, tolerance: f64) -> Vec<RelatedPair> {
        let mut pairs = Vec::new();
        self.for_each_relation(tolerance, |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs
    }

    /// Calls `visit` for each pair of bodies that are not separate, in the order of their ids, until it breaks; see
    /// [`Scene::relations`]. Memory does not grow with the number of pairs.
    pub fn for_each_relation(&mut self, tolerance: f64, mut visit: impl FnMut(RelatedPair) -> ControlFlow<()>) {
        let margin = if tolerance > 0.0 { tolerance } else { 0.0 };
        self.for_each_result(
            margin,
            |narrow, bodies, _| {
                let relation = narrow.relation(bodies, tolerance);
                (relation != BodyRelation::Separate).then_some(relation)
            },
            |bodies, relation| visit(RelatedPair { bodies, relation }),
        );
    }

    /// The relation of two bodies, whether or not the scene compares them; for `tolerance`, see [`Scene::relations`].
    ///
    /// # Errors
    /// If a body does not exist.
    pub fn relation(&self, a: BodyId, b: BodyId, tolerance: f64) -> Result<BodyRelation, SceneError> {
        for id in [a, b] {
            self.slot(id).ok_or(SceneError::NoSuchBody(id))?;
        }
        Ok(self.narrow_phase().relation(self.body_pair([a.index, b.index]), tolerance))
    }
}

impl Neighbors<'_> {
    /// The relation of the two bodies, in this order. The tolerance of coincidence is in the world's unit.
    pub fn relation(&self, query: &mut Query, tolerance: f64) -> BodyRelation {
        let [a, b] = self.bodies;
        let bodies = BodyParts { geometries: [&a.geometry, &b.geometry], poses: [&a.pose, &b.pose] };
        relation(&bodies, tolerance, |pair| relation_of_parts(query, &mut Probe::new(), &pair.posed(), tolerance))
    }
}

impl NarrowPhase {
    fn relation(&mut self, bodies: BodyPair<'_>, tolerance: f64) -> BodyRelation {
        self.stats.candidates += 1;
        let [a, b] = bodies.slots;
        if bodies.has_gap(tolerance.max(0.0)) || are_apart([a, b], tolerance.max(0.0)) {
            self.stats.apart_by_bounds += 1;
            return BodyRelation::Separate;
        }
        relation(&bodies.parts(), tolerance, |pair| {
            let posed = pair.posed();
            let found = relation_of_parts(&mut self.query, &mut self.probe, &posed, tolerance);
            match &posed {
                _ if found == BodyRelation::Coincident => {}
                PosedPair::Trees(..) => self.count_query(),
                PosedPair::Shapes(pair) => self.count_shapes(pair),
            }
            found
        })
    }
}

fn relation_of_parts(query: &mut Query, probe: &mut Probe, posed: &PosedPair<'_>, tolerance: f64) -> BodyRelation {
    match posed {
        PosedPair::Trees([a, b], b_to_a) if coincide(probe, a, b, b_to_a, tolerance) => BodyRelation::Coincident,
        PosedPair::Trees([a, b], b_to_a) => query.relation(a, b, b_to_a).into(),
        PosedPair::Shapes(pair) => pair.relation(probe),
    }
}

/// The relation of two bodies, derived from the relations between their parts, which `of_parts` computes.
fn relation(
    bodies: &BodyParts<'_>,
    tolerance: f64,
    mut of_parts: impl FnMut(&PartPair<'_>) -> BodyRelation,
) -> BodyRelation {
    if !bodies.has_compound() {
        return of_parts(&bodies.pair([0; 2]));
    }
    let mut found = Vec::new();
    bodies.for_each_pair(tolerance.max(0.0), |pair, limit| {
        found.push((pair.parts, of_parts(pair)));
        limit
    });
    let any = |relation: BodyRelation| found.iter().any(|(_, found)| *found == relation);
    // Whether each part of a side that is not empty has the relation to some part of the other side.
    let all = |side: usize, relation: BodyRelation| {
        let mut parts = (0..bodies.geometries[side].part_count())
            .filter(|part| !bodies.geometries[side].part(*part, bodies.poses[side]).0.bounds().is_empty());
        parts.all(|part| found.iter().any(|(parts, found)| parts[side] == part && *found == relation))
    };
    use BodyRelation::{AInB, BInA, Coincident, Crossing, Separate, Touching, Undefined};
    match () {
        () if any(Coincident) && [0, 1].iter().all(|side| all(*side, Coincident)) => Coincident,
        () if any(Crossing) => Crossing,
        () if any(Undefined) => Undefined,
        () if any(AInB) && !any(BInA) && all(0, AInB) => AInB,
        () if any(BInA) && !any(AInB) && all(1, BInA) => BInA,
        // Partly inside.
        () if any(AInB) || any(BInA) => Crossing,
        () if any(Touching) || any(Coincident) => Touching,
        () => Separate,
    }
}

/// Whether each triangle of either mesh is within the tolerance of a triangle of the other; false for empty meshes.
pub(super) fn coincide(probe: &mut Probe, a: &BvTree, b: &BvTree, b_to_a: &Pose, tolerance: f64) -> bool {
    if a.triangle_count() == 0 || b.triangle_count() == 0 || tolerance.is_nan() {
        return false;
    }
    let back = b_to_a.inverse_rotation();
    let to_a = |point: &Point3<f64>| b_to_a.transform_point(point);
    let to_b = |point: &Point3<f64>| b_to_a.inverse_transform(&back, point);
    // The search must find every triangle that the corners' computed distances accept.
    let search = tolerance + body_rounding(b_to_a, a.bounds()) + body_rounding(b_to_a, b.bounds());
    // Most pairs differ in their first triangle.
    covers(probe, a, b, to_a, [tolerance, search]) && covers(probe, b, a, to_b, [tolerance, search])
}

/// Whether each triangle of `other`, moved into the frame of `tree`, is within the tolerance of a triangle of `tree`.
fn covers(
    probe: &mut Probe,
    tree: &BvTree,
    other: &BvTree,
    moved: impl Fn(&Point3<f64>) -> Point3<f64>,
    [tolerance, search_radius]: [f64; 2],
) -> bool {
    let (view, others) = (tree.view(), other.view());
    // The leaf indices of the tree's faces, needed once a near face is found.
    let mut leaf_indices = Vec::new();
    (0..others.corners.len()).all(|index| {
        let corners = others.triangle(index).map(|corner| moved(&corner.cast()));
        // The distance from a triangle is convex: the corners decide.
        let is_near = |triangle: &Triangle| {
            corners.iter().all(|corner| (triangle.closest_point(corner) - corner).norm() <= tolerance)
        };
        let mut found = false;
        let around = Sphere { center: corners[0], radius: search_radius };
        probe.for_each_face_in_sphere(tree, &around, |near| {
            if leaf_indices.is_empty() {
                leaf_indices = leaf_indices_by_face(view.faces);
            }
            let vertices = view.triangle(leaf_indices[near as usize]).map(|corner| corner.cast());
            found = is_near(&Triangle { vertices });
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    })
}

fn leaf_indices_by_face(faces: &[u32]) -> Vec<usize> {
    let mut leaf_indices = vec![0; faces.len()];
    for (index, &face) in faces.iter().enumerate() {
        leaf_indices[face as usize] = index;
    }
    leaf_indices
}
