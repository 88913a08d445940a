//! What is true of the bodies, by all pairs of triangles.

use bvtree::probe::Containment;
use bvtree::query::Relation;
use bvtree::scene::BodyId;
use bvtree::shape::ConvexShape;
use bvtree::{Pose, Probe, Query};
use nalgebra::Vector3;

use super::World;
use super::body::Known;
use super::system::System;
use crate::model::brute::{Truth, inside, is_inside, truth, truth_of_shape, truth_of_shapes};
use crate::model::ingredients::SHAPES;

/// What the truth about two bodies depends on: how often they have deformed, and where they are.
pub(super) type Key = [(u32, Pose); 2];

impl System {
    /// What is true of two bodies: that of the nearest of their parts.
    fn truth(&self, model: &World, places: [usize; 2]) -> Option<Truth> {
        let [a, b] = places.map(|place| model.bodies[place].form.parts(&model.bodies[place].pose));
        let pairs = a.iter().flat_map(|a| b.iter().map(move |b| [*a, *b]));
        pairs.filter_map(|parts| self.truth_of_parts(model, places, parts)).reduce(|one, other| Truth {
            touches: one.touches || other.touches,
            distance: one.distance.min(other.distance),
            error: one.error.max(other.error),
        })
    }

    /// What is true of a part of either body: one inside a solid one touches it.
    fn truth_of_parts(
        &self,
        model: &World,
        places: [usize; 2],
        [(shape_a, pose_a), (shape_b, pose_b)]: [(Option<usize>, Pose); 2],
    ) -> Option<Truth> {
        let pose = &Pose::relative(&pose_a, &pose_b);
        let [a, b] = places.map(|place| &model.bodies[place]);
        match [shape_a, shape_b] {
            [None, None] => {}
            [Some(shape_a), Some(shape_b)] => {
                return Some(truth_of_shapes(&SHAPES[shape_a], &SHAPES[shape_b].transformed(pose)));
            }
            [None, Some(shape)] => {
                return self.truth_of_shape(a, places[0], &SHAPES[shape].transformed(pose));
            }
            [Some(shape), None] => {
                let pose = Pose::relative(&pose_b, &pose_a);
                return self.truth_of_shape(b, places[1], &SHAPES[shape].transformed(&pose));
            }
        }
        let found = truth(&a.mesh, &b.mesh, pose)?;
        if found.touches || !(a.is_solid || b.is_solid) {
            return Some(found);
        }
        let [a_in_b, b_in_a] = inside(&a.mesh, &b.mesh, pose);
        let [tree_a, tree_b] = places.map(|place| self.actors[place].tree.tree());
        // Nearer than rounding to the surface it is left to a query that knows nothing.
        let is = |relation: Relation| Query::new().relation(tree_a, tree_b, pose) == relation;
        let is_inside = b.is_solid && a_in_b.unwrap_or_else(|| is(Relation::AInB))
            || a.is_solid && b_in_a.unwrap_or_else(|| is(Relation::BInA));
        Some(if is_inside { Truth { touches: true, distance: 0.0, ..found } } else { found })
    }

    /// What is true of a mesh and a shape in its frame.
    fn truth_of_shape(&self, body: &Known, place: usize, shape: &ConvexShape) -> Option<Truth> {
        let found = truth_of_shape(&body.mesh, shape)?;
        let point = shape.support_point(&Vector3::zeros());
        let exactly = || Probe::new().contains(self.actors[place].tree.tree(), &point) == Containment::Inside;
        let is_inside = body.is_solid && is_inside(&body.mesh, &point).unwrap_or_else(exactly);
        Some(if is_inside { Truth { touches: true, distance: 0.0, ..found } } else { found })
    }

    /// What is true of all pairs that are compared, in the order of their ids.
    pub(super) fn truths(&mut self, model: &World) -> Vec<([BodyId; 2], Truth)> {
        let mut order: Vec<usize> = (0..self.actors.len()).collect();
        order.sort_by_key(|&place| self.actors[place].id);
        let mut truths = Vec::new();
        for (i, &a) in order.iter().enumerate() {
            for &b in &order[i + 1..] {
                if !model.is_compared([a, b]) {
                    continue;
                }
                let ids = [a, b].map(|place| self.actors[place].id);
                let key = [a, b].map(|place| (self.actors[place].version, model.bodies[place].pose));
                let found = match self.truths.get(&ids) {
                    Some((before, found)) if *before == key => *found,
                    _ => self.truth(model, [a, b]),
                };
                self.truths.insert(ids, (key, found));
                truths.extend(found.map(|found| (ids, found)));
            }
        }
        truths
    }
}
