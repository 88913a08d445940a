//! How bodies lie to each other.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::body::to_world;
use super::narrow_phase::{BodyPair, NarrowPhase, are_apart};
use super::pairs::Neighbors;
use super::{BodyId, Scene, SceneError};
use crate::enum_names::names;
use crate::pose::Pose;
use crate::probe::Probe;
use crate::query::{Query, Relation};
use crate::shape::Sphere;
use crate::tree::BvTree;
use crate::triangle::Triangle;

/// How two bodies lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyRelation {
    /// As [`Relation::Separate`].
    Separate,
    /// As [`Relation::Touching`].
    Touching,
    /// As [`Relation::Crossing`].
    Crossing,
    /// The first is in the second, as [`Relation::AInB`].
    AInB,
    /// The second is in the first, as [`Relation::BInA`].
    BInA,
    /// As [`Relation::Undefined`].
    Undefined,
    /// The same thing twice: each triangle of either body is wholly within a tolerance of one triangle of the other. So
    /// bodies of one mesh in one place coincide, also where the mesh was written twice, in another order or as seen
    /// from elsewhere; and a part and its copy turned by one of its symmetries. Where faces are divided into other
    /// triangles, bodies don't.
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

/// BodyPair bodies that are not separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RelatedPair {
    /// The bodies, the lesser id first.
    pub bodies: [BodyId; 2],
    /// How the second lies to the first.
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
    /// The relation of every pair of bodies that are not separate. Bodies coincide within the tolerance, in the world's
    /// unit; none do within a negative one or NaN.
    pub fn relations(&mut self, tolerance: f64) -> Vec<RelatedPair> {
        let mut pairs = Vec::new();
        self.for_each_relation(tolerance, |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs
    }

    /// Calls `visit` for each pair of bodies that are not separate, in the order of their ids, until it breaks; see
    /// [`Scene::relations`]. Takes little memory however many there are.
    pub fn for_each_relation(&mut self, tolerance: f64, mut visit: impl FnMut(RelatedPair) -> ControlFlow<()>) {
        let margin = if tolerance > 0.0 { tolerance } else { 0.0 };
        self.for_each_answer(
            margin,
            |narrow, bodies, _| {
                let relation = narrow.relation(bodies, tolerance);
                (relation != BodyRelation::Separate).then_some(relation)
            },
            |bodies, relation| visit(RelatedPair { bodies, relation }),
        );
    }

    /// How two bodies lie to each other, compared or not.
    ///
    /// # Errors
    /// If one of them is not there.
    pub fn relation(&self, a: BodyId, b: BodyId, tolerance: f64) -> Result<BodyRelation, SceneError> {
        let [slot_a, slot_b] = [a, b].map(|id| self.slot(id).ok_or(SceneError::NoSuchBody(id)));
        let bodies = BodyPair { proxies: [a, b].map(|id| &self.proxies[id.index()]), slots: [slot_a?, slot_b?] };
        Ok(self.narrow_phase().relation(bodies, tolerance))
    }
}

impl Neighbors<'_> {
    /// How the second body lies to the first; they coincide within the tolerance.
    pub fn relation(&self, query: &mut Query, tolerance: f64) -> BodyRelation {
        let [a, b] = self.bodies.map(|body| &*body.tree);
        if coincide(&mut Probe::new(), a, b, &self.b_to_a(), tolerance) {
            return BodyRelation::Coincident;
        }
        query.relation(a, b, &self.b_to_a()).into()
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
        let pose = Pose::relative(&a.body.pose, &b.body.pose);
        let [tree_a, tree_b] = [&*a.body.tree, &*b.body.tree];
        if coincide(&mut self.probe, tree_a, tree_b, &pose, tolerance) {
            return BodyRelation::Coincident;
        }
        let relation = self.query.relation(tree_a, tree_b, &pose).into();
        self.count_query();
        relation
    }
}

/// Whether each triangle of either mesh is wholly within the tolerance of a triangle of the other one; meshes without
/// triangles are not.
pub(super) fn coincide(probe: &mut Probe, a: &BvTree, b: &BvTree, b_to_a: &Pose, tolerance: f64) -> bool {
    if a.triangle_count() == 0 || b.triangle_count() == 0 || tolerance.is_nan() {
        return false;
    }
    let back = b_to_a.inverse_rotation();
    let to_a = |point: &Point3<f64>| to_world(b_to_a, point);
    let to_b = |point: &Point3<f64>| b_to_a.inverse_transform(&back, point);
    // Most pairs differ in their first triangle.
    covers(probe, a, b, to_a, tolerance) && covers(probe, b, a, to_b, tolerance)
}

/// Whether each triangle of `other`, moved into the frame of `tree`, has one there that it is wholly within the
/// tolerance of.
fn covers(
    probe: &mut Probe,
    tree: &BvTree,
    other: &BvTree,
    moved: impl Fn(&Point3<f64>) -> Point3<f64>,
    tolerance: f64,
) -> bool {
    let (view, others) = (tree.view(), other.view());
    // Where the tree's triangles are, by face; needed once a first one is near.
    let mut leaf_indices = Vec::new();
    (0..others.corners.len()).all(|index| {
        let corners = others.triangle(index).map(|corner| moved(&corner.cast()));
        // Distance to a triangle is a convex function: corners decide.
        let is_near = |triangle: &Triangle| {
            corners.iter().all(|corner| (triangle.closest_point(corner) - corner).norm() <= tolerance)
        };
        let mut found = false;
        // A little more, for what rounding does to the search.
        let around = Sphere { center: corners[0], radius: tolerance * (1.0 + 1e-9) };
        probe.for_each_in_sphere(tree, &around, |near| {
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
