//! How bodies lie to each other.

use std::ops::ControlFlow;

use super::coincident::coincide;
use super::narrow_phase::{NarrowPhase, Two, are_apart};
use super::neighbors::Neighbors;
use super::{BodyId, Scene, SceneError};
use crate::enum_names::names;
use crate::pose::Pose;
use crate::probe::Probe;
use crate::query::{Query, Relation};

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

/// Two bodies that are not separate.
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
        let reach = if tolerance > 0.0 { tolerance } else { 0.0 };
        self.for_each_answer(
            reach,
            |narrow, two, _| {
                let relation = narrow.relation(two, tolerance);
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
        let two = Two { proxies: [a, b].map(|id| &self.proxies[id.index()]), slots: [slot_a?, slot_b?] };
        Ok(self.narrow_phase().relation(two, tolerance))
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
    fn relation(&mut self, two: Two<'_>, tolerance: f64) -> BodyRelation {
        self.stats.candidates += 1;
        let [a, b] = two.slots;
        if two.has_gap(tolerance.max(0.0)) || are_apart([a, b], tolerance.max(0.0)) {
            self.stats.apart_by_bounds += 1;
            return BodyRelation::Separate;
        }
        let pose = Pose::relative(&a.body.pose, &b.body.pose);
        let [tree_a, tree_b] = [&*a.body.tree, &*b.body.tree];
        if coincide(&mut self.probe, tree_a, tree_b, &pose, tolerance) {
            return BodyRelation::Coincident;
        }
        let relation = self.query.relation(tree_a, tree_b, &pose).into();
        self.asked();
        relation
    }
}
