//! Continuous collision detection: when moving bodies first meet, and bounds on their motions.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::body::{Geometry, normal_to_world};
use super::broad_phase::{Aabb32, DynamicTree};
use super::compound::{Part, PartPair, Simple};
use super::narrow_phase::NarrowPhase;
use super::shape_pairs::{PosedPair, frame_side};
use super::updates::check_motion;
use super::{BodyId, Scene, SceneError, SceneStats};
use crate::numeric::error_bounds::{
    ADVANCEMENT_STEP, APPROACH_SPEED, DISC_DISTANCE_ERROR, POSE_STRETCH, angular_part, chord_error,
};
use crate::parallel;
use crate::pose::{Motion, Pose};
use crate::query::{ClosestPair, DistanceTracker, FacePair, MotionContact, Solid, TimeOfImpact};
use crate::shape::{Aabb, Overlaps};
use crate::tree::BvTree;

/// The first contact of two moving bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyImpact {
    /// The bodies, the smaller id first.
    pub bodies: [BodyId; 2],
    /// The time, from 0 to 1, before which the bodies do not touch; 0 if they touch at the start.
    pub time: f64,
    /// The distance between the two triangles, or shapes, at the time of contact.
    pub distance: f64,
    /// The closest points of both bodies at the time of contact, in the world.
    pub points: [Point3<f64>; 2],
    /// The unit normal from the first body to the second at the time of contact, in the world; zero where it is
    /// undefined.
    pub normal: Vector3<f64>,
    /// The triangles that meet; [`NO_FACE`](super::NO_FACE) for a convex shape.
    pub faces: FacePair,
    /// The indices of the parts that meet; 0 for a body that is not a compound.
    pub parts: [u32; 2],
}

/// The distance, relative to the motion's length, that counts as contact in conservative advancement.
const CONTACT_DISTANCE: f64 = 1e-9;
/// The distance, relative to the motion's length, below which steps of conservative advancement are counted. After more
/// than [`MAX_STEPS_NEAR`] of them, bodies that slide along each other count as touching.
const COUNTED_DISTANCE: f64 = 1e-5;
const MAX_STEPS_NEAR: u32 = 2000;

/// The number of pairs that are computed together for the first impact, per thread.
const BLOCK: usize = 8;

/// The motions of all bodies that may meet.
struct SceneMotions<'a> {
    moving: HashMap<u32, &'a Motion>,
    /// Constant motions of the stationary bodies.
    fixed: HashMap<u32, Motion>,
}

impl SceneMotions<'_> {
    fn motion(&self, index: u32) -> Option<&Motion> {
        self.moving.get(&index).copied().or_else(|| self.fixed.get(&index))
    }
}

impl Scene {
    /// When each pair of bodies first meets during the given motions, in world coordinates and in the time from 0 to 1;
    /// in the order of their ids. Pairs that do not meet are left out. Bodies without a motion are stationary, and
    /// pairs of stationary bodies are not compared. The scene does not change.
    ///
    /// Pairs left out do not meet: up to rounding this is proven, as by
    /// [`Query::time_of_impact`](crate::Query::time_of_impact), for these [`Motion`]s only, in which a body's origin
    /// moves straight while the body turns about it at a constant rate (bodies carried by joints move along arcs
    /// instead; so do parts of a compound that turns). No reported time is later than the true contact. `accuracy` is
    /// how far apart the triangles may be at the reported time. It is not a clearance: bodies that pass each other
    /// within it may be left out. If both bodies of a pair turn, or one turns and one is a convex shape or moves on an
    /// arc, the time is found by conservative advancement of their distance (Mirtich 1996). After more than 2000 steps
    /// at distances below 1e-5 of the length of their fastest points' paths, the pair counts as an impact even if the
    /// bodies only slide past each other: a false impact is possible, a missed one is not.
    ///
    /// # Errors
    /// If a body does not exist or has two motions, a pose is not a rotation, its translation exceeds
    /// [`Scene::MAX_COORDINATE`] or is NaN, or a motion is too long; see
    /// [`Query::time_of_impact`](crate::Query::time_of_impact).
    #[doc(alias = "continuous collision detection")]
    #[doc(alias = "swept volume")]
    pub fn impacts(&mut self, motions: &[(BodyId, Motion)], accuracy: f64) -> Result<Vec<BodyImpact>, SceneError> {
        let (all_motions, pairs) = self.candidate_pairs(motions)?;
        let find = |narrow: &mut NarrowPhase, pair: &[u32; 2]| self.impact(narrow, *pair, &all_motions, accuracy);
        let results = parallel::map_with(&pairs, || self.narrow_phase(), find);
        self.stats = SceneStats::default();
        let mut impacts = Vec::new();
        for result in results {
            let (impact, work) = result?;
            self.stats += work;
            impacts.extend(impact);
        }
        Ok(impacts)
    }

    /// The first impact; ties go to the smallest ids. See [`Scene::impacts`].
    ///
    /// # Errors
    /// See [`Scene::impacts`]. Pairs that cannot meet before the first impact are left out, even if a motion is too
    /// long for them.
    pub fn first_impact(
        &mut self,
        motions: &[(BodyId, Motion)],
        accuracy: f64,
    ) -> Result<Option<BodyImpact>, SceneError> {
        let (all_motions, pairs) = self.candidate_pairs(motions)?;
        let mut pairs: Vec<_> =
            pairs.into_iter().map(|pair| (self.earliest(pair, &all_motions, accuracy), pair)).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.stats = SceneStats::default();
        let mut first: Option<BodyImpact> = None;
        for block in pairs.chunks(BLOCK * parallel::threads()) {
            let time = first.map_or(1.0, |first| first.time);
            let block: Vec<_> = block.iter().filter(|(earliest, _)| *earliest <= time).collect();
            let find = |narrow: &mut NarrowPhase, (_, pair): &&(f64, [u32; 2])| {
                self.impact(narrow, *pair, &all_motions, accuracy)
            };
            let results = parallel::map_with(&block, || self.narrow_phase(), find);
            if results.is_empty() {
                break;
            }
            // The first error, and the time before which its pair does not meet.
            let mut refused: Option<(f64, SceneError)> = None;
            for ((earliest, _), result) in block.into_iter().zip(results) {
                let (impact, work) = match result {
                    Ok(found) => found,
                    Err(error) => {
                        refused.get_or_insert((*earliest, error));
                        continue;
                    }
                };
                self.stats += work;
                let Some(impact) = impact else { continue };
                if first.is_none_or(|first| (impact.time, impact.bodies) < (first.time, first.bodies)) {
                    first = Some(impact);
                }
            }
            // How many later pairs a block has depends on the number of threads; whether there is an error must not.
            if let Some((earliest, error)) = refused
                && earliest <= first.map_or(1.0, |first| first.time)
            {
                return Err(error);
            }
        }
        Ok(first)
    }

    /// Pairs of bodies, at least one of them moving, whose swept boxes overlap; sorted.
    fn candidate_pairs<'a>(
        &self,
        motions: &'a [(BodyId, Motion)],
    ) -> Result<(SceneMotions<'a>, Vec<[u32; 2]>), SceneError> {
        let mut all_motions = SceneMotions { moving: HashMap::new(), fixed: HashMap::new() };
        let mut swept_aabbs = Vec::new();
        let mut exact_aabbs = HashMap::new();
        for (id, motion) in motions {
            let slot = self.slot(*id).ok_or(SceneError::NoSuchBody(*id))?;
            if all_motions.moving.insert(id.index, motion).is_some() {
                return Err(SceneError::TwoMotions(*id));
            }
            check_motion(motion)?;
            if !slot.is_empty() {
                let bounds = swept_bounds(&slot.body.geometry, motion);
                swept_aabbs.push((id.index, Aabb32::around(&bounds, &self.origin)));
                exact_aabbs.insert(id.index, bounds);
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
        // The broad phase's boxes depend on earlier poses and on the scene's origin. These don't, and so neither does
        // the choice of pairs whose motion may be refused for its length.
        let exact_aabb = |index: u32| exact_aabbs.get(&index).unwrap_or(&self.slots[index as usize].bounds);
        pairs.retain(|[a, b]| exact_aabb(*a).overlaps(exact_aabb(*b)));
        pairs.sort_unstable();
        for &index in pairs.iter().flatten() {
            if !all_motions.moving.contains_key(&index) {
                let slot = &self.slots[index as usize];
                all_motions.fixed.entry(index).or_insert_with(|| Motion::new(slot.body.pose, slot.body.pose));
            }
        }
        Ok((all_motions, pairs))
    }

    /// A lower bound on the impact time that is reported for a pair, from the bodies' bounding spheres.
    fn earliest(&self, pair: [u32; 2], all_motions: &SceneMotions<'_>, accuracy: f64) -> f64 {
        let [Some((body_a, a)), Some((body_b, b))] = pair.map(|index| self.body_and_motion(index, all_motions)) else {
            return 0.0;
        };
        let [sphere_a, sphere_b] =
            [(body_a, a), (body_b, b)].map(|(body, motion)| body.bounding_sphere(motion.start()));
        let gap = (sphere_b.center - sphere_a.center).norm() - (sphere_a.radius + sphere_b.radius);
        let turning = [(body_a, a), (body_b, b)].map(|(body, motion)| turning_speed(&body.bounds(), motion));
        let speed = speed_bound([body_a, body_b], [a, b], turning).max(f64::MIN_POSITIVE);
        // Cylinders and cones count as touching within the error of their distances.
        let extent = (sphere_b.center - sphere_a.center).norm() + 2.0 * (sphere_a.radius + sphere_b.radius);
        let has_discs = body_a.has_discs() || body_b.has_discs();
        let error = if has_discs { 2.0 * DISC_DISTANCE_ERROR * 2.0 * extent } else { 0.0 };
        // An impact is reported when the bodies are this near, measured in a frame that may stretch.
        let contact_distance = accuracy.max(COUNTED_DISTANCE * speed).max(error) * POSE_STRETCH;
        ((gap - contact_distance).max(0.0) / speed).min(1.0)
    }

    fn body_and_motion<'a>(
        &'a self,
        index: u32,
        all_motions: &'a SceneMotions<'_>,
    ) -> Option<(&'a Geometry, &'a Motion)> {
        Some((&self.slots[index as usize].body.geometry, all_motions.motion(index)?))
    }

    fn impact(
        &self,
        narrow: &mut NarrowPhase,
        pair: [u32; 2],
        all_motions: &SceneMotions<'_>,
        accuracy: f64,
    ) -> Result<(Option<BodyImpact>, SceneStats), SceneError> {
        narrow.stats = SceneStats { candidates: 1, ..SceneStats::default() };
        let [Some((body_a, a)), Some((body_b, b))] = pair.map(|index| self.body_and_motion(index, all_motions)) else {
            return Ok((None, narrow.stats));
        };
        let bodies = self.ids(pair);
        let solids = pair.map(|index| self.slots[index as usize].body.solid());
        let mut first: Option<BodyImpact> = None;
        for parts in self.meeting_parts([body_a, body_b], [a, b]) {
            let impact = narrow.impact_of_parts([body_a, body_b], [a, b], parts, solids, accuracy)?;
            let Some((contact, frame)) = impact else { continue };
            if first.is_none_or(|first| (contact.time, parts) < (first.time, first.parts)) {
                first = Some(in_world(bodies, parts, &contact, &frame));
            }
        }
        Ok((first, narrow.stats))
    }

    /// The pairs of parts whose swept boxes overlap, sorted.
    fn meeting_parts(&self, bodies: [&Geometry; 2], motions: [&Motion; 2]) -> Vec<[u32; 2]> {
        if bodies.iter().all(|body| body.compound().is_none()) {
            return vec![[0; 2]];
        }
        let [swept_a, swept_b] = [0, 1].map(|side| {
            let parts = 0..bodies[side].part_count();
            let swept = parts.map(|part| (part, swept_bounds_of(bodies[side], part, motions[side])));
            let swept = swept.filter(|(_, bounds)| !bounds.is_empty());
            swept.map(|(part, bounds)| (part, Aabb32::around(&bounds, &self.origin))).collect::<Vec<_>>()
        });
        let tree = DynamicTree::build(&swept_a, self.level);
        let mut pairs = Vec::new();
        for (b, bounds) in &swept_b {
            let _ = tree.for_each_overlap(bounds, |a| {
                pairs.push([a, *b]);
                ControlFlow::Continue(())
            });
        }
        pairs.sort_unstable();
        pairs
    }
}

/// A part's own motion: straight, while it turns about its origin at a constant rate; `None` if it may move on an arc.
fn motion_of_part(body: &Geometry, part: u32, motion: &Motion) -> Option<Motion> {
    let Some(compound) = body.compound() else { return Some(*motion) };
    let local = &compound.parts()[part as usize].pose;
    let is_straight = motion.angle() == 0.0 || *local == Pose::identity();
    is_straight.then(|| Motion::new(motion.start().of_part(local), motion.end().of_part(local)))
}

impl NarrowPhase {
    /// The first contact of two parts, and the pose of the frame that its points are in.
    fn impact_of_parts(
        &mut self,
        bodies: [&Geometry; 2],
        motions: [&Motion; 2],
        parts: [u32; 2],
        solids: [Solid; 2],
        accuracy: f64,
    ) -> Result<Option<(MotionContact, Pose)>, SceneError> {
        let at = |time: f64| {
            let poses = motions.map(|motion| motion.at(time));
            PartPair::new(bodies, poses.each_ref(), parts)
        };
        let start = at(0.0);
        self.query.set_solids(solids[0], solids[1]);
        let own = [0, 1].map(|side| motion_of_part(bodies[side], parts[side], motions[side]));
        let found = match (start.geometries, &own) {
            ([Simple::Tree(tree_a), Simple::Tree(tree_b)], [Some(a), Some(b)]) if a.angle() == 0.0 => {
                self.impact([tree_a, tree_b], [a, b], accuracy)?
            }
            ([Simple::Tree(tree_a), Simple::Tree(tree_b)], [Some(a), Some(b)]) if b.angle() == 0.0 => {
                self.query.set_solids(solids[1], solids[0]);
                let swapped = self.impact([tree_b, tree_a], [b, a], accuracy)?;
                // The bodies are exchanged, and exchanged back; the frame is B's.
                return Ok(swapped.map(|contact| {
                    let faces = FacePair { face_a: contact.faces.face_b, face_b: contact.faces.face_a };
                    let (on_a, on_b) = (contact.on_b, contact.on_a);
                    let contact = MotionContact { on_a, on_b, normal: -contact.normal, faces, ..contact };
                    (contact, b.at(contact.time))
                }));
            }
            ([Simple::Tree(tree_a), Simple::Tree(tree_b)], _) => {
                let speed = closing_speed(bodies, motions, parts);
                let relative = |time: f64| {
                    let [a, b] = at(time).poses;
                    Pose::relative(&a, &b)
                };
                self.turning_impact([tree_a, tree_b], relative, speed, accuracy)?
            }
            _ => {
                let are_straight = own.iter().flatten().filter(|own| own.start().rotation() == own.end().rotation());
                let speed = (are_straight.count() < 2).then(|| closing_speed(bodies, motions, parts));
                self.shape_impact(at, speed, solids, accuracy)
            }
        };
        Ok(found.map(|contact| (contact, *at(contact.time).frame())))
    }

    /// The first contact of two trees, the first of which does not turn: in its frame, the second one's motion is a
    /// [`Motion`] too.
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

    /// The first contact of two trees that both turn, or one of which moves on an arc. `relative` is B's pose in A's
    /// frame at a time.
    fn turning_impact(
        &mut self,
        trees: [&Arc<BvTree>; 2],
        relative: impl Fn(f64) -> Pose,
        speed: f64,
        accuracy: f64,
    ) -> Result<Option<MotionContact>, SceneError> {
        let mut tracker = DistanceTracker::new(trees[0], trees[1]);
        let found = Approach::new(speed, accuracy, 0.0).first_contact(|time| {
            let found = tracker.distance(&mut self.query, &relative(time));
            self.count_query();
            found
        });
        let Some((time, found)) = found else { return Ok(None) };
        if found.distance > 0.0 {
            return Ok(Some(contact_at(time, &found)));
        }
        // In contact, the triangles' normals give the direction.
        let contact =
            self.time_of_impact(trees[0], trees[1], &Motion::new(relative(time), relative(time)), accuracy)?;
        Ok(match contact {
            TimeOfImpact::NoImpact => None,
            TimeOfImpact::Touching(contact) | TimeOfImpact::Impact(contact) => Some(MotionContact { time, ..contact }),
        })
    }

    /// The first contact of two bodies, at least one of which is a convex shape, in the pair's frame at the time of
    /// contact. `speed` bounds their closing speed; it is `None` if neither turns or moves on an arc.
    fn shape_impact<'a>(
        &mut self,
        at: impl Fn(f64) -> PartPair<'a>,
        speed: Option<f64>,
        solids: [Solid; 2],
        accuracy: f64,
    ) -> Option<MotionContact> {
        let pair = at(0.0);
        let PosedPair::Shapes(start) = pair.posed() else { return None };
        if let Some(inner) = start.inner(&mut self.probe, solids) {
            let closest = self.distance_of(&pair.posed(), f64::INFINITY)?.inside(inner);
            return Some(contact_at(0.0, &closest));
        }
        let Some(speed) = speed else {
            let fixed = frame_side(pair.geometries);
            let [from, to] = [0.0, 1.0].map(|time| {
                let poses = at(time).poses;
                Pose::relative(&poses[fixed], &poses[1 - fixed]).translation().to_owned()
            });
            let hit = start.cast(&mut self.probe, &(to - from), accuracy);
            self.count_shapes(&start);
            let (time, normal) = hit?;
            let closest = self.distance_of(&at(time).posed(), f64::INFINITY)?;
            return Some(MotionContact { normal, ..contact_at(time, &closest) });
        };
        let approach = Approach::new(speed, accuracy, start.distance_error());
        let (time, found) = approach.first_contact(|time| self.distance_of(&at(time).posed(), f64::INFINITY))?;
        let contact = contact_at(time, &found);
        let pair = at(time);
        let PosedPair::Shapes(pair) = pair.posed() else { return None };
        match pair.cast(&mut self.probe, &Vector3::zeros(), 0.0) {
            Some((_, normal)) if found.distance == 0.0 => Some(MotionContact { normal, ..contact }),
            _ => Some(contact),
        }
    }
}

fn contact_at(time: f64, found: &ClosestPair) -> MotionContact {
    let normal = (found.on_b - found.on_a).try_normalize(0.0).unwrap_or_default();
    let ClosestPair { distance, on_a, on_b, faces } = *found;
    MotionContact { time, distance, on_a, on_b, normal, faces }
}

/// Conservative advancement: bodies stay apart until their distance is used up at the greatest closing speed.
struct Approach {
    speed: f64,
    /// The distance that counts as contact.
    touching: f64,
    /// How much a computed distance may exceed the true one.
    error: f64,
}

impl Approach {
    fn new(speed: f64, accuracy: f64, error: f64) -> Self {
        Self { speed, touching: accuracy.max(CONTACT_DISTANCE * speed).max(2.0 * error), error }
    }

    /// The first contact and its time; `None` if there is none up to time 1. `distance` returns the closest points at a
    /// given time.
    fn first_contact(&self, mut distance: impl FnMut(f64) -> Option<ClosestPair>) -> Option<(f64, ClosestPair)> {
        let mut steps_near = 0;
        let mut time = 0.0;
        loop {
            let found = distance(time)?;
            steps_near += u32::from(found.distance <= COUNTED_DISTANCE * self.speed);
            if found.distance <= self.touching || steps_near > MAX_STEPS_NEAR {
                return Some((time, found));
            }
            time += (found.distance - self.error) / self.speed * ADVANCEMENT_STEP;
            if time >= 1.0 {
                return None;
            }
        }
    }
}

/// An upper bound on the speed at which two parts approach each other; `motions` are those of their bodies.
fn closing_speed(bodies: [&Geometry; 2], motions: [&Motion; 2], parts: [u32; 2]) -> f64 {
    let speed = |side: usize| turning_speed(&part_bounds(bodies[side], parts[side]), motions[side]);
    speed_bound(bodies, motions, [speed(0), speed(1)])
}

fn speed_bound(bodies: [&Geometry; 2], [a, b]: [&Motion; 2], turning: [f64; 2]) -> f64 {
    let linear = (b.linear() - a.linear()).norm();
    // What a frame that stretches adds to radii at one time, and takes from them at another.
    let stretch: f64 = bodies.iter().map(|body| 2.0 * body.stretch_of_radii()).sum();
    (linear + turning[0] + turning[1]) * APPROACH_SPEED + stretch
}

/// The box of a part in its body's frame.
fn part_bounds(body: &Geometry, part: u32) -> Aabb {
    let Some(compound) = body.compound() else { return body.bounds() };
    let Part { geometry, pose } = &compound.parts()[part as usize];
    if *pose == Pose::identity() { geometry.bounds() } else { geometry.posed(pose) }
}

/// Converts a contact from its frame to the world.
fn in_world(bodies: [BodyId; 2], parts: [u32; 2], contact: &MotionContact, frame: &Pose) -> BodyImpact {
    BodyImpact {
        bodies,
        time: contact.time,
        distance: contact.distance,
        points: [contact.on_a, contact.on_b].map(|point| frame.transform_point(&point)),
        normal: normal_to_world(frame, &contact.normal),
        faces: contact.faces,
        parts,
    }
}

/// The swept volume: a world AABB that contains the body during the whole motion.
///
/// The union of the boxes at both ends contains the chord of every point's path; a point leaves its chord by at most
/// [`chord_error`].
fn swept_bounds(body: &Geometry, motion: &Motion) -> Aabb {
    swept([motion.start(), motion.end()].map(|pose| body.posed(pose)), &body.bounds(), motion)
}

/// [`swept_bounds`] of a part.
fn swept_bounds_of(body: &Geometry, part: u32, motion: &Motion) -> Aabb {
    let ends = [motion.start(), motion.end()].map(|pose| {
        let (simple, posed) = body.part(part, pose);
        let bounds = simple.posed(&posed);
        if bounds.is_empty() { bounds } else { bounds.grown(body.rounding(pose)) }
    });
    swept(ends, &part_bounds(body, part), motion)
}

fn swept(ends: [Aabb; 2], bounds: &Aabb, motion: &Motion) -> Aabb {
    let hull = ends[0].union(&ends[1]);
    if hull.is_empty() || motion.angle() == 0.0 {
        return hull;
    }
    let arm = bounds.corners().iter().map(|corner| corner.coords.norm()).fold(0.0, f64::max);
    let (angle, drift) = (motion.angle(), motion.drift());
    hull.grown(chord_error(arm, angle, drift, motion.start().deviation()))
}

/// An upper bound on the speed that rotation gives to points in a box, relative to the body's origin.
fn turning_speed(bounds: &Aabb, motion: &Motion) -> f64 {
    let fastest = bounds.corners().iter().map(|corner| motion.speed(corner)).fold(0.0, f64::max);
    angular_part(fastest, motion.linear().norm())
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Matrix3};
    use proptest::prelude::*;

    use super::*;
    use crate::numeric::error_bounds::MOTION_STRETCH;

    /// Random poses, all of which stretch a little, by up to nearly the allowed maximum.
    fn any_pose() -> impl Strategy<Value = Pose> {
        let vector = || prop::array::uniform3(-1.0..1.0_f64);
        (vector(), vector(), prop::array::uniform3(-4.9e-5..4.9e-5_f64), 0..2).prop_map(|(at, turn, stretch, turns)| {
            let turn = Vector3::from(turn) * (3.0 * f64::from(turns));
            let isometry = Isometry3::new(Vector3::from(at) * 5.0, turn);
            let stretch = Matrix3::from_diagonal(&Vector3::from(stretch).add_scalar(1.0));
            let rotation = isometry.rotation.to_rotation_matrix().into_inner() * stretch;
            Pose::new(rotation, isometry.translation.vector).expect("stretches by less than it may")
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn spheres_and_swept_boxes_hold_what_moves(start in any_pose(), end in any_pose()) {
            let corners = [[0.0_f32, 0.0, 0.0], [3.0, 0.5, 0.0], [0.0, 0.5, 2.0]].map(nalgebra::Point3::from);
            let mesh = crate::Mesh::from_arrays(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
            let tree = Geometry::Tree(BvTree::build(&mesh, &crate::BuildOptions::default()).unwrap().into());
            let motion = Motion::new(start, end);
            let swept = swept_bounds(&tree, &motion);
            let speed = motion.linear().norm() + turning_speed(&tree.bounds(), &motion);
            let mut before = corners.map(|corner| start.transform(&corner));
            for i in 0..=64 {
                let pose = motion.at(f64::from(i) / 64.0);
                let sphere = tree.bounding_sphere(&pose);
                let posed = corners.map(|corner| pose.transform(&corner));
                for (point, before) in posed.iter().zip(before) {
                    prop_assert!(swept.contains(point), "{point} {swept:?}");
                    prop_assert!((point - sphere.center).norm() <= sphere.radius);
                    prop_assert!((point - before).norm() <= speed / 64.0 + 1e-12);
                }
                before = posed;
            }
        }

        #[test]
        fn frames_stretch_by_less_than_a_thousandth(start in any_pose(), end in any_pose(), time in 0.0..1.0_f64) {
            let stretches = Motion::new(start, end).at(time).rotation().singular_values();
            let [least, most] = [1.0 / (1.0 + MOTION_STRETCH), 1.0 + MOTION_STRETCH];
            prop_assert!(stretches.iter().all(|stretch| (least..=most).contains(stretch)), "{stretches}");
        }
    }
}
