//! Questions to a scene, and their answers beside those of a new scene of the same bodies and the truth.

use std::ops::ControlFlow;

use bvtree::scene::{BodyId, BodyImpact, NearPair, Neighbors};
use bvtree::{Motion, Probe, Query};
use nalgebra::Point3;

use super::body::distance;
use super::system::System;
use super::{Question, World, moved};
use crate::model::brute::Truth;
use crate::model::ingredients::Bound;

impl System {
    pub(super) fn ask(&mut self, model: &World, question: &Question) {
        let truths = self.truths(model);
        let (mut cold, cold_ids, ranks) = self.cold(model);
        let rank = |bodies: [BodyId; 2]| bodies.map(|id| ranks[&id]);
        let cold_rank = |bodies: [BodyId; 2]| bodies.map(|id| cold_ids.iter().position(|other| *other == id));
        let near = |pair: &NearPair| (rank(pair.bodies), pair.distance, pair.points, pair.faces, pair.parts);
        let cold_near = |pair: &NearPair| {
            (
                cold_rank(pair.bodies).map(|rank| rank.expect("its own")),
                pair.distance,
                pair.points,
                pair.faces,
                pair.parts,
            )
        };
        let bound = |bound: &Bound, which: u8| {
            let distance = (!truths.is_empty()).then(|| {
                let [a, b] = rank(truths[usize::from(which) % truths.len()].0).map(|rank| cold_ids[rank]);
                let [a, b] = [a, b].map(|id| cold.body(id).expect("it is there"));
                distance(&mut Query::new(), a, b)
            });
            bound.at(distance.flatten())
        };
        match question {
            Question::Touching => {
                let found = self.scene.intersecting_pairs();
                let expected: Vec<_> = truths.iter().filter(|(_, truth)| truth.touches).map(|(ids, _)| *ids).collect();
                assert_eq!(found, expected);
                assert_eq!(self.scene.first_intersecting_pair(), expected.first().copied());
            }
            Question::SomeTouching(most) => {
                let mut found = Vec::new();
                self.scene.for_each_intersecting_pair(|pair| {
                    found.push(pair);
                    if found.len() > *most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                let expected = truths.iter().filter(|(_, truth)| truth.touches).map(|(ids, _)| *ids);
                assert_eq!(found, expected.take(most + 1).collect::<Vec<_>>());
            }
            Question::Within(clearance, which) => {
                let clearance = bound(clearance, *which);
                let found = self.scene.pairs_within(clearance);
                let expected = cold.pairs_within(clearance);
                check_within(&found, &truths, clearance);
                assert_eq!(
                    found.iter().map(near).collect::<Vec<_>>(),
                    expected.iter().map(cold_near).collect::<Vec<_>>(),
                    "within {clearance:e}"
                );
            }
            Question::SomeWithin(clearance, which, most) => {
                let clearance = bound(clearance, *which);
                let mut found = Vec::new();
                self.scene.for_each_pair_within(clearance, |pair| {
                    found.push(*pair);
                    if found.len() > *most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                let expected = cold.pairs_within(clearance);
                assert_eq!(
                    found.iter().map(near).collect::<Vec<_>>(),
                    expected.iter().take(most + 1).map(cold_near).collect::<Vec<_>>()
                );
            }
            Question::Closest => {
                let found = self.scene.closest_pair();
                assert_eq!(found.as_ref().map(near), cold.closest_pair().as_ref().map(cold_near));
                // A distance that rounds to 0 without touching is no nearer than one that touches.
                let by_distance =
                    |a: &&Truth, b: &&Truth| a.distance.total_cmp(&b.distance).then(b.touches.cmp(&a.touches));
                let least = truths.iter().map(|(_, truth)| truth).min_by(by_distance);
                assert_eq!(found.is_some(), least.is_some());
                if let (Some(found), Some(least)) = (found, least) {
                    assert!(least.allows(found.distance), "{} {least:?}", found.distance);
                }
            }
            Question::Relations(tolerance) => {
                let tolerance = bound(tolerance, 0);
                let found = self.scene.relations(tolerance);
                let expected = cold.relations(tolerance);
                let found: Vec<_> = found.iter().map(|pair| (rank(pair.bodies).map(Some), pair.relation)).collect();
                let expected: Vec<_> = expected.iter().map(|pair| (cold_rank(pair.bodies), pair.relation)).collect();
                assert_eq!(found, expected);
                for (ids, _) in truths.iter().filter(|(_, truth)| truth.touches) {
                    assert!(found.iter().any(|(pair, _)| *pair == rank(*ids).map(Some)), "{ids:?} touch");
                }
            }
            Question::Neighbors(reach) => {
                let reach = bound(reach, 1);
                let mut found = Vec::new();
                let ask = |query: &mut Query, two: &Neighbors<'_>| {
                    let [a, b] = two.bodies;
                    let distance = distance(query, a, b);
                    // Of surfaces: where one may be inside the other, there is more to it.
                    Some((two.ids, distance.filter(|_| !a.is_solid && !b.is_solid)))
                };
                self.scene.for_each_neighbor_pair(reach, ask, |answer| {
                    found.push(answer);
                    ControlFlow::Continue(())
                });
                assert!(found.is_sorted_by_key(|(ids, _)| *ids));
                for (ids, truth) in &truths {
                    let answer = found.iter().find(|(found, _)| found == ids);
                    // Boxes are no farther apart than what is in them.
                    assert!(answer.is_some() || truth.is_within(reach.max(0.0)) != Some(true), "{ids:?} missing");
                    assert!(answer.and_then(|(_, distance)| *distance).is_none_or(|distance| truth.allows(distance)));
                }
            }
            Question::Impacts(who, way) => {
                let Some(place) = usize::from(*who).checked_rem(self.actors.len()) else { return };
                let (id, pose) = (self.actors[place].id, model.bodies[place].pose);
                let motion = Motion::new(pose, moved(&pose, way));
                let found = self.scene.impacts(&[(id, motion)], 0.0);
                let expected = cold.impacts(&[(cold_ids[ranks[&id]], motion)], 0.0);
                let answer =
                    |impact: &BodyImpact| (impact.time, impact.distance, impact.points, impact.faces, impact.parts);
                let hot = |impact: &BodyImpact| (rank(impact.bodies).map(Some), answer(impact));
                let new = |impact: &BodyImpact| (cold_rank(impact.bodies), answer(impact));
                assert_eq!(
                    found.map(|all| all.iter().map(hot).collect::<Vec<_>>()),
                    expected.map(|all| all.iter().map(new).collect::<Vec<_>>())
                );
            }
            Question::Probes(pose, limit) => {
                let limit = bound(limit, 2);
                let (point, direction) = (Point3::from(*pose.translation()), pose.rotation().column(0).into_owned());
                let ray = bvtree::probe::Ray { origin: point - direction * 4.0, direction };
                let [hot, new] = [&self.scene, &cold].map(|scene| {
                    let (mut probe, mut query, tree) = (Probe::new(), Query::new(), &self.actors.first());
                    let tree = tree.map(|actor| actor.tree.tree().clone());
                    let rank = |id: BodyId| ranks.get(&id).filter(|_| std::ptr::eq(scene, &self.scene)).copied();
                    let rank = |id: BodyId| rank(id).or_else(|| cold_ids.iter().position(|other| *other == id));
                    let hits = scene.hits(&mut probe, &ray, 9.0, 1);
                    let hits: Vec<_> =
                        hits.iter().map(|hit| (rank(hit.body), hit.part, hit.hit.time, hit.hit.face)).collect();
                    let first = scene.closest_hit(&mut probe, &ray, 9.0, 1);
                    let nearest = scene.closest_point(&mut probe, &point, limit, u32::MAX);
                    let nearest =
                        nearest.map(|near| (rank(near.body), near.part, near.distance, near.point, near.face));
                    let touching =
                        tree.iter().flat_map(|tree| scene.bodies_intersecting(&mut query, tree, pose, u32::MAX));
                    let touching: Vec<_> = touching.map(rank).collect();
                    (hits, first.map(|hit| (rank(hit.body), hit.part, hit.hit.time)), nearest, touching)
                });
                assert_eq!(hot, new);
            }
        }
    }
}

/// Whether just those pairs are near that are within the clearance, at their distances.
fn check_within(found: &[NearPair], truths: &[([BodyId; 2], Truth)], clearance: f64) {
    let mut left = found.iter().peekable();
    for (ids, truth) in truths {
        let pair = left.next_if(|pair| pair.bodies == *ids);
        if let Some(expected) = truth.is_within(clearance) {
            assert_eq!(pair.is_some(), expected, "{ids:?} within {clearance:e}: {truth:?}");
        }
        assert!(pair.is_none_or(|pair| truth.allows(pair.distance)), "{pair:?} {truth:?}");
    }
    assert_eq!(left.next(), None, "more than what is compared, or out of order");
}
