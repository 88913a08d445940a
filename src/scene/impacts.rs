//! When moving bodies meet.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::body::{grown, posed_bounds, to_world};
use super::broad_phase::{Aabb32, DynamicTree};
use super::narrow_phase::NarrowPhase;
use super::{BodyId, Scene, SceneError, SceneStats};
use crate::parallel;
use crate::pose::{Motion, Pose};
use crate::query::{DistanceTracker, FacePair, MotionContact, TimeOfImpact};
use crate::shape::Aabb;
use crate::tree::BvTree;

/// BodyPair bodies that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyImpact {
    /// The bodies, the lesser id first.
    pub bodies: [BodyId; 2],
    /// 0 to 1: they don't touch earlier. 0 if they touch at the start.
    pub time: f64,
    /// How far apart the two triangles still are at that time.
    pub distance: f64,
    /// The closest points of both at that time, in the world.
    pub points: [Point3<f64>; 2],
    /// Of unit length, from the first body to the second, in the world at that time; zero where it is not defined.
    pub normal: Vector3<f64>,
    /// The triangles.
    pub faces: FacePair,
}

/// Where both bodies turn, distances of this part of their way or less are as good as none...
const FLOOR: f64 = 1e-9;
/// ...and steps at this part of it or less are counted: bodies that slide along each other for so many count as
/// touching.
const NEAR: f64 = 1e-5;
const MAX_STEPS_NEAR: u32 = 2000;

/// Pairs that are asked about at a time for the first impact, for each thread.
const BLOCK: usize = 8;

/// Which bodies move, and how.
struct SceneMotions<'a> {
    moving: HashMap<u32, &'a Motion>,
    /// For the others.
    fixed: HashMap<u32, Motion>,
}

impl SceneMotions<'_> {
    fn motion(&self, index: u32) -> Option<&Motion> {
        self.moving.get(&index).copied().or_else(|| self.fixed.get(&index))
    }
}

impl Scene {
    /// When each pair of bodies first meets while some of them move, in the world and in the time from 0 to 1; in the
    /// order of their ids. Pairs that don't meet are left out. Bodies without a motion stand still, and none is moved
    /// by asking.
    ///
    /// A pair that is left out does not meet: that is proven as [`Query::time_of_impact`](crate::Query::time_of_impact)
    /// does it, up to rounding, for these [`Motion`]s alone, in each of which a body's origin goes straight while the
    /// body turns about it at a constant rate. Bodies that joints carry move along arcs instead. Times are never late;
    /// `accuracy` is how far apart the triangles may still be at that time, and no clearance: bodies that pass each
    /// other nearer than that may be left out. Where both bodies of a pair turn, conservative advancement by their
    /// distance does it (Mirtich 1996). If more than 2000 steps of that find the two nearer than 1e-5 of the way that
    /// their fastest points may go, they are reported as an impact, though they may just slide past each other: a pair
    /// too many, never one too few.
    ///
    /// # Errors
    /// If a body is not there or has two motions, or a motion is too long; see [`Query::time_of_impact`](crate::Query::time_of_impact).
    pub fn impacts(&mut self, motions: &[(BodyId, Motion)], accuracy: f64) -> Result<Vec<BodyImpact>, SceneError> {
        let (all_motions, pairs) = self.candidate_pairs(motions)?;
        let find = |narrow: &mut NarrowPhase, pair: &[u32; 2]| self.impact(narrow, *pair, &all_motions, accuracy);
        let answers = parallel::map_with(&pairs, || self.narrow_phase(), find);
        self.stats = SceneStats::default();
        let mut impacts = Vec::new();
        for answer in answers {
            let (impact, work) = answer?;
            self.stats += work;
            impacts.extend(impact);
        }
        Ok(impacts)
    }

    /// The first of all impacts, and of several at one time the first by their bodies' ids; see [`Scene::impacts`].
    ///
    /// # Errors
    /// As [`Scene::impacts`].
    pub fn first_impact(
        &mut self,
        motions: &[(BodyId, Motion)],
        accuracy: f64,
    ) -> Result<Option<BodyImpact>, SceneError> {
        let (all_motions, pairs) = self.candidate_pairs(motions)?;
        let mut pairs: Vec<_> = pairs.into_iter().map(|pair| (self.earliest(pair, &all_motions), pair)).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.stats = SceneStats::default();
        let mut first: Option<BodyImpact> = None;
        for block in pairs.chunks(BLOCK * parallel::threads()) {
            let time = first.map_or(1.0, |first| first.time);
            let block: Vec<_> = block.iter().filter(|(earliest, _)| *earliest <= time).map(|(_, pair)| *pair).collect();
            let find = |narrow: &mut NarrowPhase, pair: &[u32; 2]| self.impact(narrow, *pair, &all_motions, accuracy);
            let answers = parallel::map_with(&block, || self.narrow_phase(), find);
            if answers.is_empty() {
                break;
            }
            for answer in answers {
                let (impact, work) = answer?;
                self.stats += work;
                let Some(impact) = impact else { continue };
                if first.is_none_or(|first| (impact.time, impact.bodies) < (first.time, first.bodies)) {
                    first = Some(impact);
                }
            }
        }
        Ok(first)
    }

    /// Pairs of bodies, one of which moves, whose boxes meet on their ways; sorted.
    fn candidate_pairs<'a>(
        &self,
        motions: &'a [(BodyId, Motion)],
    ) -> Result<(SceneMotions<'a>, Vec<[u32; 2]>), SceneError> {
        let mut all_motions = SceneMotions { moving: HashMap::new(), fixed: HashMap::new() };
        let mut swept_aabbs = Vec::new();
        for (id, motion) in motions {
            let slot = self.slot(*id).ok_or(SceneError::NoSuchBody(*id))?;
            if all_motions.moving.insert(id.index, motion).is_some() {
                return Err(SceneError::TwoMotions(*id));
            }
            if [motion.start(), motion.end()].iter().any(|pose| pose.translation().amax() > Self::MAX_COORDINATE) {
                return Err(SceneError::TooFar);
            }
            if !slot.is_empty() {
                let bounds = swept_bounds(&slot.body.tree, motion);
                swept_aabbs.push((id.index, Aabb32::around(&bounds, &self.origin)));
            }
        }
        let both_move =
            DynamicTree::build(&swept_aabbs, self.level).pairs(0.0, usize::MAX, |a, b| self.is_compared(a, b));
        let mut pairs = both_move.unwrap_or_default();
        for (index, bounds) in &swept_aabbs {
            let _ = self.tree.for_each_overlap(bounds, |other| {
                if !all_motions.moving.contains_key(&other) && self.is_compared(*index, other) {
                    pairs.push([*index.min(&other), *index.max(&other)]);
                }
                ControlFlow::Continue(())
            });
        }
        pairs.sort_unstable();
        for &index in pairs.iter().flatten() {
            if !all_motions.moving.contains_key(&index) {
                let slot = &self.slots[index as usize];
                all_motions.fixed.entry(index).or_insert_with(|| Motion::new(slot.body.pose, slot.body.pose));
            }
        }
        Ok((all_motions, pairs))
    }

    /// A time before which the two don't meet, by their balls.
    fn earliest(&self, pair: [u32; 2], all_motions: &SceneMotions<'_>) -> f64 {
        let [Some((tree_a, a)), Some((tree_b, b))] = pair.map(|index| self.tree_and_motion(index, all_motions)) else {
            return 0.0;
        };
        let center = |tree: &BvTree, motion: &Motion| to_world(motion.start(), &tree.bounds().center());
        let radii: f64 = [tree_a, tree_b].map(|tree| tree.bounds().half_extents().norm()).iter().sum();
        let gap = (center(tree_b, b) - center(tree_a, a)).norm() * (1.0 - 1e-9) - radii * 1.001;
        (gap.max(0.0) / closing_speed([tree_a, tree_b], [a, b]).max(f64::MIN_POSITIVE)).min(1.0)
    }

    fn tree_and_motion<'a>(
        &'a self,
        index: u32,
        all_motions: &'a SceneMotions<'_>,
    ) -> Option<(&'a Arc<BvTree>, &'a Motion)> {
        Some((&self.slots[index as usize].body.tree, all_motions.motion(index)?))
    }

    fn impact(
        &self,
        narrow: &mut NarrowPhase,
        pair: [u32; 2],
        all_motions: &SceneMotions<'_>,
        accuracy: f64,
    ) -> Result<(Option<BodyImpact>, SceneStats), SceneError> {
        narrow.stats = SceneStats { candidates: 1, ..SceneStats::default() };
        let [Some((tree_a, a)), Some((tree_b, b))] = pair.map(|index| self.tree_and_motion(index, all_motions)) else {
            return Ok((None, narrow.stats));
        };
        let bodies = self.ids(pair);
        let impact = if a.angle() == 0.0 {
            narrow.impact([tree_a, tree_b], [a, b], accuracy)?.map(|contact| in_world(bodies, &contact, a))
        } else if b.angle() == 0.0 {
            let swapped = narrow.impact([tree_b, tree_a], [b, a], accuracy)?;
            swapped.map(|contact| in_world([bodies[1], bodies[0]], &contact, b)).map(exchange_bodies)
        } else {
            conservative_advancement(narrow, [tree_a, tree_b], [a, b], accuracy)?
                .map(|contact| in_world(bodies, &contact, a))
        };
        Ok((impact, narrow.stats))
    }
}

impl NarrowPhase {
    /// When two bodies meet, of which the first does not turn: in its frame the second's motion is of the same kind.
    fn impact(
        &mut self,
        [a, b]: [&BvTree; 2],
        [motion_a, motion_b]: [&Motion; 2],
        accuracy: f64,
    ) -> Result<Option<MotionContact>, SceneError> {
        let start = Pose::relative(motion_a.start(), motion_b.start());
        let motion = Motion::new(start, Pose::relative(motion_a.end(), motion_b.end()));
        let impact = self.time_of_impact(a, b, &motion, accuracy)?;
        Ok(match impact {
            TimeOfImpact::NoImpact => None,
            TimeOfImpact::Touching(contact) | TimeOfImpact::Impact(contact) => Some(contact),
        })
    }
}

/// When two turning bodies meet: as long as their distance is not used up at their greatest speed, they don't.
fn conservative_advancement(
    narrow: &mut NarrowPhase,
    trees: [&Arc<BvTree>; 2],
    [a, b]: [&Motion; 2],
    accuracy: f64,
) -> Result<Option<MotionContact>, SceneError> {
    let speed = closing_speed(trees, [a, b]);
    let near = NEAR * speed;
    let touching = accuracy.max(FLOOR * speed);
    let mut steps_near = 0;
    let mut tracker = DistanceTracker::new(trees[0], trees[1]);
    let mut time = 0.0;
    loop {
        let pose = Pose::relative(&a.at(time), &b.at(time));
        let found = tracker.distance(&mut narrow.query, &pose);
        narrow.count_query();
        let Some(found) = found else { return Ok(None) };
        if found.distance == 0.0 {
            // Where they touch, normals tell the direction.
            let contact = narrow.time_of_impact(trees[0], trees[1], &Motion::new(pose, pose), accuracy)?;
            return Ok(match contact {
                TimeOfImpact::NoImpact => None,
                TimeOfImpact::Touching(contact) | TimeOfImpact::Impact(contact) => {
                    Some(MotionContact { time, ..contact })
                }
            });
        }
        steps_near += u32::from(found.distance <= near);
        if found.distance <= touching || steps_near > MAX_STEPS_NEAR {
            let normal = (found.on_b - found.on_a).try_normalize(0.0).unwrap_or_default();
            let (on_a, on_b, faces) = (found.on_a, found.on_b, found.faces);
            return Ok(Some(MotionContact { time, distance: found.distance, on_a, on_b, normal, faces }));
        }
        time += found.distance / speed * (1.0 - 1e-9);
        if time >= 1.0 {
            return Ok(None);
        }
    }
}

/// Bounds how fast two bodies may come near each other.
fn closing_speed(trees: [&Arc<BvTree>; 2], [a, b]: [&Motion; 2]) -> f64 {
    let linear = (b.linear() - a.linear()).norm();
    (linear + turning_speed(trees[0], a) + turning_speed(trees[1], b)) * (1.0 + 1e-3 + 1e-12)
}

/// A contact in the first body's frame.
fn in_world(bodies: [BodyId; 2], contact: &MotionContact, first: &Motion) -> BodyImpact {
    let pose = first.at(contact.time);
    BodyImpact {
        bodies,
        time: contact.time,
        distance: contact.distance,
        points: [contact.on_a, contact.on_b].map(|point| to_world(&pose, &point)),
        normal: (pose.rotation() * contact.normal).try_normalize(0.0).unwrap_or_default(),
        faces: contact.faces,
    }
}

/// The same, seen from the other body.
fn exchange_bodies(impact: BodyImpact) -> BodyImpact {
    let ([a, b], [on_a, on_b]) = (impact.bodies, impact.points);
    let faces = FacePair { face_a: impact.faces.face_b, face_b: impact.faces.face_a };
    BodyImpact { bodies: [b, a], points: [on_b, on_a], normal: -impact.normal, faces, ..impact }
}

/// A box in the world that a mesh stays in on its way.
///
/// Between its start and its end no point is farther from the straight line than an eighth of the turn's square times
/// its distance from the turn's axis: an arc's sagitta. Both ends' boxes hold the straight lines.
pub(super) fn swept_bounds(tree: &BvTree, motion: &Motion) -> Aabb {
    let ends = [motion.start(), motion.end()].map(|pose| posed_bounds(tree, pose));
    let hull = ends[0].union(&ends[1]);
    if hull.is_empty() || motion.angle() == 0.0 {
        return hull;
    }
    let arm = farthest(tree);
    let (angle, drift) = (motion.angle(), motion.drift());
    grown(&hull, arm * (angle * angle / 8.0 * (1.0 + 2.0 * motion.start().deviation() + 1e-12) + angle * drift))
}

/// Bounds the speed at which turning moves a mesh's points, relative to its origin.
pub(super) fn turning_speed(tree: &BvTree, motion: &Motion) -> f64 {
    let corners = tree.bounds().corners();
    let fastest = corners.iter().map(|corner| motion.speed(corner)).fold(0.0, f64::max);
    // What the sum and the difference round.
    (fastest - motion.linear().norm()).max(0.0) + 1e-15 * fastest
}

fn farthest(tree: &BvTree) -> f64 {
    tree.bounds().corners().iter().map(|corner| corner.coords.norm()).fold(0.0, f64::max)
}
