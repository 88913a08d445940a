//! Walking on ground: along walls, up and down slopes, over steps; and finding ground.
//!
//! The desired move stays horizontal: walls deflect it horizontally, and the ground lifts or lowers it. Therefore the
//! horizontal speed on a slope is the same as on level ground, no wall can turn a walk upward, and in a corner of walls
//! the character stops.

use nalgebra::{Point3, Vector3};
use smallvec::{SmallVec, smallvec};

use super::collision_world::{CollisionWorld, Stop};
use super::options::CharacterOptions;
use super::slide::Planes;
use crate::numeric::error_bounds::{SAME_DIRECTION, SAME_DIRECTION_SQ, STEP_HEIGHT_ERROR};
use crate::probe::CapsuleContact;
use crate::scene::BodyId;
use crate::shape::ClosestPoint;

/// The largest number of stops in a substep.
const MAX_STOPS: usize = 12;

/// The shortest step forward onto a stair, in skins: it brings the foot, which stops a skin before the edge, onto the
/// stair.
const LEAST_STEP: f64 = 2.5;

/// The least distance of a supporting contact beyond the plane of a nearer one, in skins. For a capsule with a radius
/// of 30 skins, planes that meet at less than 1.5 degrees count as one.
const SUPPORT_CONCAVITY: f64 = 0.01;

/// A surface counts as flattening out if the upward component of its unit normal grows by more than this along a step
/// up.
const FLATTENING: f64 = 1e-3;

/// The largest number of directions tried for a step up, along the walls beside it.
const MAX_STEP_WALLS: usize = 3;

/// The squared difference of two horizontal normals below which they belong to one wall: an obstacle that also stops
/// the raised capsule is too high, and a step along it leads nowhere.
const SAME_WALL_SQ: f64 = 1e-4;

/// The smallest part of a displacement that is taken to be toward the edge of a step.
const MIN_STEP_APPROACH: f64 = 0.2;

/// The smallest part of a displacement that must remain along the walls beside a step up.
const MIN_STEP_PART: f64 = 0.02;

/// The result of a walk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walk {
    pub(super) is_blocked: bool,
    /// The distance gained beyond the displacement by a step up.
    pub(super) ahead: f64,
}

impl CollisionWorld<'_> {
    /// Walks along a horizontal displacement, which takes `time`, as far as walls permit.
    pub(super) fn walk(&mut self, ground: &Ground, displacement: &Vector3<f64>, time: f64) -> Walk {
        let blocked = |is_blocked| Walk { is_blocked, ahead: 0.0 };
        let mut remaining = *displacement;
        let mut grounds: SmallVec<[Vector3<f64>; 8]> = smallvec![ground.normal];
        let mut walls = Planes::default();
        let negligible = 1e-9 * self.options.radius;
        for _ in 0..MAX_STOPS {
            let along = walls.project(&remaining);
            if along.norm() <= negligible {
                return blocked(remaining.norm() > negligible);
            }
            let lifted = along + self.up() * self.lift(&grounds, &along);
            let Some(stop) = self.advance(&lifted) else { return blocked(along != remaining) };
            remaining *= stop.remaining;
            if stop.remaining < 1.0 {
                grounds.clear();
            }
            let normal = stop.contact.normal;
            if self.is_walkable(&normal) {
                if grounds.iter().any(|known| (known - normal).norm_squared() < SAME_DIRECTION_SQ) {
                    return blocked(true);
                }
                grounds.push(normal);
                continue;
            }
            let onward = along * stop.remaining;
            match self.step_up(&stop, &onward) {
                Some(Step { gone, ground }) => {
                    let ahead = gone - onward.norm();
                    if ahead >= 0.0 {
                        return Walk { is_blocked: false, ahead };
                    }
                    remaining *= -ahead / onward.norm();
                    grounds.clear();
                    grounds.extend(ground.map(|ground| ground.normal));
                    walls.clear();
                }
                None => {
                    self.note_push(&stop, displacement, time);
                    walls.push(self.wall(&normal, &grounds, &along));
                }
            }
        }
        blocked(true)
    }

    /// The height by which the ground raises a horizontal displacement, according to the steepest of the touched
    /// planes.
    fn lift(&self, grounds: &[Vector3<f64>], along: &Vector3<f64>) -> f64 {
        let lifts = grounds.iter().map(|normal| -along.dot(normal) / normal.dot(&self.options.up));
        lifts.reduce(f64::max).unwrap_or(0.0)
    }

    /// The horizontal normal of an obstacle.
    ///
    /// A steep surface is a wall, whichever way it leans, and never lifts the character. Under a descending ceiling, or
    /// on ground that rises to one, the character walks along the crease of the two.
    fn wall(&self, normal: &Vector3<f64>, grounds: &[Vector3<f64>], along: &Vector3<f64>) -> Vector3<f64> {
        let up = self.up();
        let rise = normal.dot(&up);
        let mut wall = normal - up * rise;
        if rise < 0.0
            && let Some(ground) = grounds.iter().max_by(|a, b| {
                let lift = |normal: &Vector3<f64>| -along.dot(normal) / normal.dot(&up);
                lift(a).total_cmp(&lift(b))
            })
        {
            let flatness = ground.dot(&up);
            wall -= (ground - up * flatness) * (rise / flatness);
        }
        let against = -along / along.norm();
        wall.try_normalize(SAME_DIRECTION).filter(|wall| wall.dot(along) < 0.0).unwrap_or(against)
    }

    /// Steps up, forward and down if that ends on ground no higher than a step; otherwise the capsule stays.
    ///
    /// The shortest step decides whether the obstacle is a stair, so the result does not depend on the speed. On a
    /// surface that flattens out, such as a log, longer steps of up to a radius are tried too. Then the whole
    /// displacement is tried. A wall next to the stair deflects all of these.
    fn step_up(&mut self, stop: &Stop, displacement: &Vector3<f64>) -> Option<Step> {
        let feet = self.feet;
        if self.options.max_step == 0.0 || self.height(&stop.contact.point, &feet) > self.highest_step() {
            return None;
        }
        let (length, least) = (displacement.norm(), LEAST_STEP * self.options.skin);
        let mut along = *displacement;
        let obstacle = self.horizontal(&stop.contact.normal).unwrap_or_default();
        let (mut reach, threshold) = (least, self.options.perch_radius_threshold);
        if threshold > 0.0 {
            let beyond = self.beside(&stop.contact.point) - (self.options.radius - threshold) + 0.1 * self.options.skin;
            reach = least.max(beyond / (-obstacle.dot(displacement) / length).max(MIN_STEP_APPROACH));
        }
        let mut flatness = stop.contact.normal.dot(&self.options.up);
        let is_same = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).norm_squared() < SAME_WALL_SQ;
        let mut walls = Planes::default();
        for _ in 0..MAX_STEP_WALLS {
            let part = along.norm();
            if part <= MIN_STEP_PART * length {
                break;
            }
            let mut short = self.step_by(&feet, &(along * (reach / part)), 0.0);
            while short.flatness > flatness + FLATTENING && 2.0 * reach <= self.options.radius {
                (flatness, reach) = (short.flatness, 2.0 * reach);
                short = self.step_by(&feet, &(along * (reach / part)), 0.0);
            }
            if let Some(mut step) = short.step.filter(|step| step.ground.is_some()) {
                let on_step = std::mem::replace(&mut self.feet, feet);
                step.gone *= length / part;
                let goes_on = part > reach || threshold > 0.0;
                let follows = self.options.snap_distance;
                let whole = goes_on.then(|| self.step_by(&feet, &(along * (part.max(least) / part)), follows).step);
                return whole.flatten().map(|whole| Step { gone: whole.gone * (length / part), ..whole }).or_else(
                    || {
                        self.feet = on_step;
                        Some(step)
                    },
                );
            }
            self.feet = feet;
            let wall = short.wall.filter(|wall| !is_same(wall, &obstacle))?;
            walls.push(wall);
            along = walls.project(displacement);
        }
        None
    }

    /// Steps up, forward by a displacement, and down. The capsule stays if the step is blocked or ends on a surface
    /// that is no ground; see [`CollisionWorld::ground`] for `below`.
    fn step_by(&mut self, feet: &Point3<f64>, displacement: &Vector3<f64>, below: f64) -> Attempt {
        let up = self.up();
        self.advance(&(up * (self.options.max_step + self.options.skin)));
        let raised = (self.feet - feet).dot(&up);
        let stop = self.advance(displacement);
        let wall = stop.and_then(|stop| self.horizontal(&stop.contact.normal));
        let mut attempt = Attempt { step: None, wall, flatness: f64::NEG_INFINITY };
        let gone = displacement.norm() * (1.0 - stop.map_or(0.0, |stop| stop.remaining));
        if raised > 0.0 && gone > 1e-6 * self.options.radius {
            let Some(stop) = self.advance(&(up * -raised)) else {
                return Attempt { step: Some(Step { gone, ground: None }), ..attempt };
            };
            if self.height(&stop.contact.point, feet) <= self.highest_step() {
                let ground = self.ground(stop.body, &stop.contact, feet, below);
                if ground.is_some() {
                    return Attempt { step: Some(Step { gone, ground }), ..attempt };
                }
                attempt.flatness = stop.contact.normal.dot(&up);
            }
        }
        self.feet = *feet;
        attempt
    }

    fn horizontal(&self, normal: &Vector3<f64>) -> Option<Vector3<f64>> {
        let up = self.up();
        (normal - up * normal.dot(&up)).try_normalize(SAME_DIRECTION)
    }

    /// The greatest height of a step, with its rounding error.
    pub(super) fn highest_step(&self) -> f64 {
        self.options.max_step + STEP_HEIGHT_ERROR * self.options.skin
    }
}

/// The result of an attempt to step up.
struct Attempt {
    step: Option<Step>,
    /// The horizontal normal of a wall that ended the step.
    wall: Option<Vector3<f64>>,
    /// The upward component of the unit normal of a surface, low enough but too steep, on which the step would have
    /// ended.
    flatness: f64,
}

/// A step up.
struct Step {
    /// The distance walked.
    gone: f64,
    /// The ground; `None` if the step led over a thin obstacle, back to the height of the feet.
    ground: Option<Ground>,
}

/// The ground that a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ground {
    /// The unit normal of the ground.
    pub normal: Vector3<f64>,
    /// The contact point on the body, in the world.
    pub point: Point3<f64>,
    /// The body.
    pub body: BodyId,
    /// The triangle's index in the mesh of the body, or of a compound's part; [`NO_FACE`](crate::scene::NO_FACE) for a
    /// convex shape.
    pub face: u32,
}

impl CollisionWorld<'_> {
    pub(super) fn is_walkable(&self, normal: &Vector3<f64>) -> bool {
        normal.dot(&self.options.up) >= self.options.least_cosine()
    }

    /// The height of a point above the ground, which is one skin below the feet.
    pub(super) fn height(&self, point: &Point3<f64>, feet: &Point3<f64>) -> f64 {
        (point - feet).dot(&self.options.up) + self.options.skin
    }

    /// The ground at a contact: a walkable surface, or an edge of a walkable face low enough for a step from `feet`. A
    /// contact with a ledge that is too far from the axis is ground only if other ground follows at most `below` under
    /// the capsule.
    pub(super) fn ground(
        &mut self,
        body: BodyId,
        contact: &CapsuleContact,
        feet: &Point3<f64>,
        below: f64,
    ) -> Option<Ground> {
        if !self.holds(contact, below) {
            return None;
        }
        let ground = |normal| Ground { normal, point: contact.point, body, face: contact.face };
        if self.is_walkable(&contact.normal) {
            return Some(ground(contact.normal));
        }
        if contact.normal.dot(&self.options.up) <= 0.0 || self.height(&contact.point, feet) > self.highest_step() {
            return None;
        }
        // The flattest face around the edge or corner.
        let (up, near) = (self.up(), 0.1 * self.options.skin);
        let margin =
            (self.capsule().segment.closest_point(&contact.point) - contact.point).norm() - self.options.radius;
        let mut flattest = (f64::NEG_INFINITY, u32::MAX, Vector3::zeros());
        self.for_each_contact(margin.max(0.0) + near, |_, other| {
            let normal = other.face_normal * 1f64.copysign(other.face_normal.dot(&contact.normal));
            let steepness = normal.dot(&up);
            let is_there = (other.point - contact.point).norm_squared() <= near * near;
            if is_there && (steepness > flattest.0 || (steepness == flattest.0 && other.face < flattest.1)) {
                flattest = (steepness, other.face, normal);
            }
        });
        self.is_walkable(&flattest.2).then(|| ground(flattest.2))
    }

    /// The distance of a point from the capsule's axis.
    fn beside(&self, point: &Point3<f64>) -> f64 {
        let (up, arm) = (self.up(), point - self.feet);
        (arm - up * arm.dot(&up)).norm()
    }

    /// Whether a contact supports the character: it is close enough to the axis, or a capsule that is narrower by the
    /// perch threshold finds ground when it is lowered by at most `below` more than it sinks on the steepest walkable
    /// slope.
    fn holds(&mut self, contact: &CapsuleContact, below: f64) -> bool {
        let CharacterOptions { radius, perch_radius_threshold: threshold, skin, .. } = *self.options;
        let (up, narrow) = (self.up(), radius - threshold);
        if threshold == 0.0 || self.beside(&contact.point) <= narrow {
            return true;
        }
        let options = CharacterOptions { radius: narrow, perch_radius_threshold: 0.0, ..*self.options };
        let mut world = CollisionWorld::new(&options, self.obstacles, self.probe, self.feet);
        world.crushers.clone_from(&self.crushers);
        // A narrower capsule is this much higher over a slope.
        let gap = (threshold + 2.0 * skin) / options.least_cosine() - threshold;
        let stop = world.advance(&(up * -(gap + below)));
        let feet = world.feet;
        let is_held = stop.is_some_and(|stop| world.ground(stop.body, &stop.contact, &feet, 0.0).is_some());
        self.visited = self.visited.union(&world.visited);
        is_held
    }

    /// Looks for ground at most `depth` below and stands on it; otherwise the capsule stays.
    pub(super) fn stand(&mut self, depth: f64) -> Option<Ground> {
        let (feet, up, skin) = (self.feet, self.up(), self.options.skin);
        let stop = self.advance(&(up * -(depth + skin)))?;
        let feet_there = self.feet;
        let follows = self.options.snap_distance;
        let found = self.ground(stop.body, &stop.contact, &feet_there, follows).or_else(|| self.support());
        if found.is_none() {
            self.feet = feet;
        }
        found
    }

    /// The surfaces that the capsule touches, each once: a contact on or behind the plane of a nearer one belongs to
    /// the same convex surface.
    fn supports(&mut self) -> SmallVec<[(BodyId, CapsuleContact); 8]> {
        let (behind, mut contacts) = (SUPPORT_CONCAVITY * self.options.skin, SmallVec::<[_; 16]>::new());
        self.for_each_contact(2.0 * self.options.skin, |body, contact| contacts.push((body, contact)));
        contacts.sort_unstable_by(|(a_body, a), (b_body, b)| {
            a.distance.total_cmp(&b.distance).then((a_body, a.face).cmp(&(b_body, b.face)))
        });
        let mut supports = SmallVec::<[(BodyId, CapsuleContact); 8]>::new();
        for (body, contact) in contacts {
            if supports.iter().all(|(_, near)| (contact.point - near.point).dot(&near.normal) > behind) {
                supports.push((body, contact));
            }
        }
        supports
    }

    /// Walkable ground next to a steep surface, or the ground of several surfaces that are each too steep but together
    /// support the capsule: a funnel, a groove, two edges.
    ///
    /// The capsule would slide down along the vector nearest to the direction of gravity that enters none of the
    /// planes. The difference between the two is the direction of the supporting force, and the normal of the ground.
    pub(super) fn support(&mut self) -> Option<Ground> {
        let (up, supports) = (self.up(), self.supports());
        let flatness = |(_, contact): &&(BodyId, CapsuleContact)| contact.normal.dot(&up);
        let (body, contact) = *supports.iter().max_by(|a, b| flatness(a).total_cmp(&flatness(b)))?;
        let CapsuleContact { normal, point, face, .. } = contact;
        let is_walkable = self.is_walkable(&normal);
        let holds = is_walkable && self.holds(&contact, self.options.snap_distance);
        if holds || supports.len() == 1 {
            return holds.then_some(Ground { normal, point, body, face });
        }
        let mut planes = Planes::default();
        supports.iter().for_each(|(_, contact)| planes.push(contact.normal));
        let descent = planes.project(&-up);
        let joint = (up + descent).try_normalize(SAME_DIRECTION)?;
        // A ledge too far from the axis holds only together with what else keeps the capsule from sliding off.
        let holds = !is_walkable || joint.dot(&up) > normal.dot(&up) + FLATTENING;
        (holds && self.is_walkable(&joint)).then_some(Ground { normal: joint, point, body, face })
    }
}
