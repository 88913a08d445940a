//! The character's capsule among bodies: continuous moves, contacts, moving bodies that push and carry, and recovery
//! from overlaps.
//!
//! Moves are casts, most of them by [`CollisionWorld::advance_against`]: each position is reached along a path that is
//! proven free. A moving body's push is a desired move, which stationary bodies may cut short; the capsule then still
//! overlaps the moving body, and this is an [`Overlap`]. The push is computed in the moving body's own frame, where the
//! body is stationary and the capsule moves toward it. Only [`CollisionWorld::recover`] moves without a cast, out of
//! what the capsule was placed in or what appeared around it.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::obstacle::{Obstacle, find};
use super::options::CharacterOptions;
use super::push::Pushes;
use super::slide::Planes;
use crate::numeric::error_bounds::SAME_DIRECTION;
use crate::probe::{CapsuleContact, CastOptions, Probe};
use crate::scene::{BodyId, NO_FACE};
use crate::shape::{Aabb, Capsule, Segment};

/// The contact that stopped a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// The part of the move that remains, 0 to 1.
    pub(super) remaining: f64,
    pub(super) body: BodyId,
    pub(super) contact: CapsuleContact,
}

pub(super) struct CollisionWorld<'a> {
    pub(super) options: &'a CharacterOptions,
    pub(super) obstacles: &'a [Obstacle<'a>],
    pub(super) probe: &'a mut Probe,
    /// The lowest point of the capsule.
    pub(super) feet: Point3<f64>,
    /// Whether the capsule overlapped something at the end of the last substep.
    pub(super) overlaps: bool,
    /// Whether the lower end of the capsule's axis is known to be on the free side of all surfaces.
    pub(super) keeps_low_end: bool,
    /// The bodies that crush the capsule. They are no obstacles until the capsule is free of them.
    pub(super) crushers: Crushers,
    /// The bodies that were in the way.
    pub(super) pushes: Pushes,
    /// The region searched for bodies so far: a box around the positions of the capsule, with its margins.
    pub(super) visited: Aabb,
}

/// The bodies that crush a capsule: usually none.
pub(super) type Crushers = SmallVec<[Crusher; 2]>;

/// A body that crushes the capsule, or crushed it and has stopped since.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crusher {
    pub(super) body: BodyId,
    /// The position of the feet to which the body pushes the character: there the capsule is free of the body, on the
    /// side that it came from.
    free: Point3<f64>,
}

/// The way out of an overlap.
#[derive(Clone, Copy, Debug)]
struct Exit {
    body: BodyId,
    face: u32,
    /// The displacement that frees the capsule from the triangle or the convex shape.
    displacement: Vector3<f64>,
    /// Whether the capsule's axis crosses the triangle.
    is_crossed: bool,
}

impl Exit {
    /// The exit from the triangle of a contact, or from a convex shape.
    ///
    /// If the axis crosses the triangle, the exit is along the triangle's normal: an exit sideways, over an edge, would
    /// only lead into the next triangle of the same surface. A convex shape is solid: if the axis reaches into it, the
    /// normal of its one contact points along a way out.
    fn new(capsule: &Capsule, body: BodyId, contact: &CapsuleContact) -> Self {
        let (face, normal, radius) = (contact.face, contact.face_normal, capsule.radius);
        if contact.distance > -radius || normal == Vector3::zeros() || face == NO_FACE {
            return Self { body, face, displacement: contact.normal * -contact.distance, is_crossed: false };
        }
        let [a, b] = [capsule.segment.start, capsule.segment.end].map(|end| (end - contact.point).dot(&normal));
        let (front, back) = (radius - a.min(b), radius + a.max(b));
        let displacement = if front <= back { normal * front } else { normal * -back };
        Self { body, face, displacement, is_crossed: true }
    }

    fn with_gap(&self, skin: f64) -> Vector3<f64> {
        self.displacement * (1.0 + skin / self.displacement.norm())
    }
}

/// An overlap of the character with a body that could not be resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Overlap {
    /// The body.
    pub body: BodyId,
    /// The penetration depth: the length of the displacement that takes the capsule out of the triangle or convex shape
    /// that it overlaps most. For a body that crushes it, the depth of the capsule beyond the contact that would have
    /// stopped it.
    #[doc(alias = "penetration depth")]
    pub depth: f64,
}

/// How far casts look beyond a move, in skins: enough to keep the skin's gap from surfaces met at 15 degrees or more.
const LOOK_AHEAD: f64 = 4.0;

/// The options of a cast that ignores triangles that the capsule departs from or slides along.
const ONWARD: CastOptions = CastOptions { tolerance: 0.0, departing: false };

impl<'a> CollisionWorld<'a> {
    /// A capsule with its lowest point at `feet`, crushed by nothing.
    pub(super) fn new(
        options: &'a CharacterOptions,
        obstacles: &'a [Obstacle<'a>],
        probe: &'a mut Probe,
        feet: Point3<f64>,
    ) -> Self {
        let (crushers, pushes, visited) = (Crushers::new(), Pushes::new(), Aabb::empty());
        Self { options, obstacles, probe, feet, overlaps: false, keeps_low_end: false, crushers, pushes, visited }
    }

    pub(super) fn up(&self) -> Vector3<f64> {
        *self.options.up
    }

    pub(super) fn capsule(&self) -> Capsule {
        upright(self.options, &self.feet, &self.up())
    }

    /// Notes that bodies were sought within a margin of a moving capsule.
    fn visit(&mut self, capsule: &Capsule, displacement: &Vector3<f64>, margin: f64) {
        let Segment { start, end } = capsule.segment;
        let reach = Vector3::repeat(capsule.radius + margin.max(0.0));
        for point in [start, end, start + displacement, end + displacement] {
            self.visited.grow(&(point - reach));
            self.visited.grow(&(point + reach));
        }
    }

    /// Moves the capsule along `displacement` until its gap to an obstacle is the skin. Returns the contact that
    /// stopped it, if any.
    pub(super) fn advance(&mut self, displacement: &Vector3<f64>) -> Option<Stop> {
        self.advance_against(displacement, |_| true)
    }

    /// Moves like [`CollisionWorld::advance`], with only some bodies as obstacles.
    pub(super) fn advance_against(
        &mut self,
        displacement: &Vector3<f64>,
        counts: impl Fn(&Obstacle<'_>) -> bool,
    ) -> Option<Stop> {
        let length = displacement.norm();
        // Also false for NaN and infinity.
        if !(length > 0.0 && length < f64::INFINITY) {
            return None;
        }
        let capsule = self.capsule();
        let mut stretched = displacement * (1.0 + LOOK_AHEAD * self.options.skin / length);
        self.visit(&capsule, &stretched, 0.0);
        let mut first: Option<(f64, BodyId, CapsuleContact)> = None;
        for obstacle in counting(self.obstacles, &self.crushers, counts) {
            if let Some(hit) = obstacle.cast(self.probe, &capsule, &stretched, &ONWARD) {
                let distance = hit.time * stretched.norm();
                if first.is_none_or(|(least, ..)| distance < least) {
                    first = Some((distance, obstacle.id, hit.contact));
                    stretched = displacement * (distance / length);
                }
            }
        }
        let Some((distance, body, contact)) = first else {
            self.feet += displacement;
            return None;
        };
        let travel = distance - self.options.skin / closing(displacement, length, &contact);
        if travel >= length {
            self.feet += displacement;
            return None;
        }
        let part = (travel / length).max(0.0);
        self.feet += displacement * part;
        Some(Stop { remaining: 1.0 - part, body, contact })
    }

    /// Calls `visit` with each contact within the margin, and its body.
    pub(super) fn for_each_contact(&mut self, margin: f64, visit: impl FnMut(BodyId, CapsuleContact)) {
        self.for_each_contact_of(margin, |_| true, visit);
    }

    /// Calls `visit` like [`CollisionWorld::for_each_contact`], with the contacts of only some bodies.
    fn for_each_contact_of(
        &mut self,
        margin: f64,
        counts: impl Fn(&Obstacle<'_>) -> bool,
        mut visit: impl FnMut(BodyId, CapsuleContact),
    ) {
        let capsule = self.capsule();
        self.visit(&capsule, &Vector3::zeros(), margin);
        for obstacle in counting(self.obstacles, &self.crushers, counts) {
            obstacle.for_each_contact(self.probe, &capsule, margin, |contact| visit(obstacle.id, contact));
        }
    }

    /// The contact of smallest distance within the margin.
    pub(super) fn closest_contact(&mut self, margin: f64) -> Option<(BodyId, CapsuleContact)> {
        self.closest_contact_of(margin, |_| true)
    }

    fn closest_contact_of(
        &mut self,
        margin: f64,
        counts: impl Fn(&Obstacle<'_>) -> bool,
    ) -> Option<(BodyId, CapsuleContact)> {
        let mut best: Option<(BodyId, CapsuleContact)> = None;
        self.for_each_contact_of(margin, counts, |body, contact| {
            let key = |(body, contact): &(BodyId, CapsuleContact)| (contact.distance, *body, contact.face);
            if best.as_ref().is_none_or(|best| key(&(body, contact)) < key(best)) {
                best = Some((body, contact));
            }
        });
        best
    }

    /// Restores the gap of one skin where it became narrow, as far as space permits, and notes overlaps.
    pub(super) fn widen_gap(&mut self) {
        const TRIES: usize = 4;
        let skin = self.options.skin;
        let narrow = 0.5 * skin;
        let (feet, mut nearest) = (self.feet, self.closest_contact(narrow));
        let Some(first) = nearest.map(|(_, contact)| contact.distance) else {
            self.overlaps = false;
            return;
        };
        for _ in 0..TRIES {
            let Some((_, contact)) = nearest else { break };
            if contact.distance < -narrow {
                break;
            }
            // At most half of the free space, so that two walls share it.
            let displacement = contact.normal * (skin - contact.distance);
            let capsule = self.capsule();
            self.visit(&capsule, &(displacement * 2.0), 0.0);
            let casts = counting(self.obstacles, &self.crushers, |_| true)
                .filter_map(|obstacle| obstacle.cast(self.probe, &capsule, &(displacement * 2.0), &ONWARD));
            let room = casts.map(|hit| hit.time).fold(1.0, f64::min);
            self.feet += displacement * room;
            nearest = self.closest_contact(narrow);
        }
        self.overlaps = nearest.is_some_and(|(_, contact)| contact.distance < 0.0);
        // Without free space the capsule stays where it is, rather than shake.
        if nearest.is_some_and(|(_, contact)| contact.distance < (1.5 * first).max(0.0)) {
            self.feet = feet;
            self.overlaps = first < 0.0;
        }
    }
}

/// The upright capsule whose lowest point is `feet`.
pub(super) fn upright(options: &CharacterOptions, feet: &Point3<f64>, up: &Vector3<f64>) -> Capsule {
    let (low, high) = (options.radius, options.height - options.radius);
    Capsule { segment: Segment { start: feet + up * low, end: feet + up * high }, radius: options.radius }
}

/// The obstacles for which `counts` returns true, except those that crush the capsule.
fn counting<'a>(
    obstacles: &'a [Obstacle<'a>],
    crushers: &'a [Crusher],
    counts: impl Fn(&Obstacle<'_>) -> bool,
) -> impl Iterator<Item = &'a Obstacle<'a>> {
    let is_obstacle = move |id: BodyId| crushers.iter().all(|crusher| crusher.body != id);
    obstacles.iter().filter(move |obstacle| is_obstacle(obstacle.id) && counts(obstacle))
}

/// How far a contact's plane is approached per unit of movement; at least 1e-9, so that it can be a divisor.
fn closing(displacement: &Vector3<f64>, length: f64, contact: &CapsuleContact) -> f64 {
    (-contact.normal.dot(displacement) / length).max(SAME_DIRECTION)
}

impl CollisionWorld<'_> {
    /// Moves the bodies to the end of the step: they carry and push the capsule as far as stationary bodies permit.
    pub(super) fn ride(&mut self, standing_on: Option<BodyId>, time: f64) {
        let (obstacles, start) = (self.obstacles, self.feet);
        let before = std::mem::take(&mut self.crushers);
        let from = |obstacle: &Obstacle<'_>| {
            let crusher = before.iter().find(|crusher| crusher.body == obstacle.id);
            obstacle.in_start_frame(crusher.map_or(&start, |crusher| &crusher.free))
        };
        let moving = || obstacles.iter().filter(|obstacle| obstacle.moves());
        let carrier = standing_on.and_then(|body| find(obstacles, body));
        let mut goal = carrier.map_or(start, |carrier| carrier.carry(&start, time));
        self.visit(&upright(self.options, &start, &self.up()), &(goal - start), self.options.skin);
        let mut pushes = 0;
        for obstacle in moving() {
            let pushed = self.pushed(obstacle, from(obstacle), &goal);
            self.visit(&upright(self.options, &start, &self.up()), &(pushed - start), self.options.skin);
            pushes += u32::from(pushed != goal);
            goal = pushed;
        }
        self.crushers.clone_from(&before);
        self.slide(&(goal - start), |body| !body.moves());
        if pushes > 1 || !before.is_empty() || (self.feet - goal).norm() > self.negligible() {
            self.crushers.retain(|crusher| find(obstacles, crusher.body).is_some_and(|obstacle| !obstacle.moves()));
            self.visit(&self.capsule(), &Vector3::zeros(), self.options.skin);
            for obstacle in moving() {
                let free = self.pushed(obstacle, from(obstacle), &self.feet.clone());
                if self.crush(obstacle, &free).is_some() {
                    self.crushers.push(Crusher { body: obstacle.id, free });
                }
            }
        }
        // What turned onto the capsule.
        if let Some(exit) = self.make_way(|body| body.moves()) {
            self.crushers.push(Crusher { body: exit.body, free: self.feet + exit.with_gap(self.options.skin) });
        }
    }

    /// The contact at which a body stops the capsule on the way from `free`, and the depth by which the capsule is
    /// beyond it.
    fn crush(&mut self, body: &Obstacle<'_>, free: &Point3<f64>) -> Option<(f64, CapsuleContact)> {
        let displacement = self.feet - free;
        let hit = body.cast(self.probe, &upright(self.options, free, &self.up()), &displacement, &ONWARD)?;
        let depth = -hit.contact.normal.dot(&displacement) * (1.0 - hit.time);
        (depth > self.negligible()).then_some((depth, hit.contact))
    }

    /// Moves the capsule toward the positions to which the crushing bodies push it, and forgets the bodies that it is
    /// free of. Returns the deepest overlap that remains, with its contact.
    pub(super) fn yield_to_crushers(&mut self) -> Option<(Overlap, CapsuleContact)> {
        let obstacles = self.obstacles;
        let mut deepest: Option<(Overlap, CapsuleContact)> = None;
        let mut i = 0;
        while let Some(&Crusher { body, free }) = self.crushers.get(i) {
            let crush = find(obstacles, body).and_then(|one| {
                let free = self.pushed(one, one.in_end_frame(&free), &self.feet.clone());
                self.slide(&(free - self.feet), |_| true);
                let free = self.pushed(one, one.in_end_frame(&free), &self.feet.clone());
                Some((free, self.crush(one, &free)?))
            });
            let Some((free, (depth, contact))) = crush else {
                self.crushers.remove(i);
                continue;
            };
            self.crushers[i].free = free;
            if deepest.is_none_or(|(overlap, _)| depth > overlap.depth) {
                deepest = Some((Overlap { body, depth }, contact));
            }
            i += 1;
        }
        deepest
    }

    /// Moves the capsule out of overlaps with some bodies, as far as stationary bodies permit. Returns the exit from
    /// the deepest overlap that remains.
    ///
    /// A triangle that the capsule's axis has crossed moves nothing, since the side that the capsule came from is
    /// unknown there.
    fn make_way(&mut self, counts: impl Fn(&Obstacle<'_>) -> bool) -> Option<Exit> {
        const TRIES: usize = 16;
        for _ in 0..TRIES {
            let exit = self.exit(&counts)?;
            let feet = self.feet;
            if !exit.is_crossed {
                self.slide(&exit.with_gap(self.options.skin), |body| !body.moves());
            }
            if (self.feet - feet).norm() <= self.negligible() {
                return Some(exit);
            }
        }
        self.exit(&counts)
    }

    /// Moves the capsule out of all overlaps, as far as stationary bodies permit. Returns whether it is free.
    pub(super) fn leave(&mut self) -> bool {
        self.make_way(|_| true).is_none()
    }

    /// Moves the capsule out of stationary bodies, by the shortest displacement found along which at least one point of
    /// its axis crosses no surface: along the normals of contacts, along those of faces, or straight up. If there is
    /// none, the capsule stays.
    pub(super) fn recover(&mut self) {
        if self.is_free_of_fixed() {
            return;
        }
        let (start, skin) = (self.feet, self.options.skin);
        let by_contact = |world: &mut Self| {
            let deepest = world.closest_contact_of(0.0, |body| !body.moves());
            deepest.map(|(_, contact)| contact.normal * (skin - contact.distance))
        };
        let by_face = |world: &mut Self| world.exit(|body| !body.moves()).map(|exit| exit.with_gap(skin));
        let mut best: Option<(f64, Point3<f64>)> = None;
        for way in 0..3 {
            self.feet = start;
            let is_free = match way {
                0 => self.push_out(by_contact),
                1 => self.push_out(by_face),
                _ => self.rise(),
            };
            let displacement = self.feet - start;
            let length = displacement.norm();
            if is_free
                && length <= self.options.height
                && best.is_none_or(|(least, _)| length < least)
                && self.keeps_side(&start, &displacement)
            {
                best = Some((length, self.feet));
            }
            // The way out of a surface that the axis crosses is longer than a radius.
            if best.is_some_and(|(length, _)| length <= self.options.radius) {
                break;
            }
        }
        self.feet = best.map_or(start, |(_, feet)| feet);
    }

    fn is_free_of_fixed(&mut self) -> bool {
        self.closest_contact_of(0.0, |body| !body.moves()).is_none()
    }

    /// Pushes the capsule out of one triangle after another. Returns whether it becomes free.
    fn push_out(&mut self, exit: impl Fn(&mut Self) -> Option<Vector3<f64>>) -> bool {
        const TRIES: usize = 32;
        for _ in 0..TRIES {
            match exit(self) {
                Some(exit) if exit != Vector3::zeros() => self.feet += exit,
                Some(_) => return false,
                None => return self.is_free_of_fixed(),
            }
        }
        false
    }

    /// Lifts the capsule to the first free height. Returns whether there is one.
    fn rise(&mut self) -> bool {
        let (start, lift) = (self.feet, self.up() * (0.5 * self.options.radius));
        for i in 1..=(2.0 * self.options.height / self.options.radius).min(64.0) as usize {
            self.feet = start + lift * i as f64;
            if self.is_free_of_fixed() {
                self.advance_against(&-lift, |body| !body.moves());
                return true;
            }
        }
        false
    }

    /// Whether one of three points of the capsule's axis, or the lower end if its side is known, moves from `start` by
    /// a displacement through free space.
    fn keeps_side(&mut self, start: &Point3<f64>, displacement: &Vector3<f64>) -> bool {
        let capsule = upright(self.options, start, &self.up());
        self.visit(&capsule, displacement, 0.0);
        let Segment { start: low, end: high } = capsule.segment;
        let count = if self.keeps_low_end { 1 } else { 3 };
        [low, nalgebra::center(&low, &high), high].into_iter().take(count).any(|point| {
            let point = Capsule { segment: Segment { start: point, end: point }, radius: 0.0 };
            counting(self.obstacles, &self.crushers, |body| !body.moves())
                .all(|obstacle| obstacle.cast(self.probe, &point, displacement, &ONWARD).is_none())
        })
    }

    /// The deepest overlap.
    pub(super) fn overlap(&mut self) -> Option<Overlap> {
        self.exit(|_| true).map(|exit| Overlap { body: exit.body, depth: exit.displacement.norm() })
    }

    /// The longest exit from a triangle or convex shape that the capsule overlaps. `None` if it overlaps nothing.
    fn exit(&mut self, counts: impl Fn(&Obstacle<'_>) -> bool) -> Option<Exit> {
        let (capsule, negligible) = (self.capsule(), self.negligible());
        let mut longest: Option<Exit> = None;
        self.for_each_contact_of(0.0, counts, |body, contact| {
            let exit = Exit::new(&capsule, body, &contact);
            let key = |exit: &Exit| (-exit.displacement.norm(), exit.body, exit.face);
            if exit.displacement.norm() > negligible && longest.is_none_or(|longest| key(&exit) < key(&longest)) {
                longest = Some(exit);
            }
        });
        longest
    }

    /// The length below which a displacement is zero up to rounding.
    fn negligible(&self) -> f64 {
        SAME_DIRECTION * self.options.radius
    }

    /// Where a capsule that is to be at `goal` ends up if the body is in its way; `goal` itself if it is not. `from` is
    /// a position in the body's frame at which the capsule is free of the body.
    fn pushed(&mut self, body: &Obstacle<'_>, from: Point3<f64>, goal: &Point3<f64>) -> Point3<f64> {
        const MAX_STOPS: usize = 8;
        let skin = self.options.skin;
        let up = body.direction_in_end_frame(&self.up());
        let (mut at, end) = (from, body.in_end_frame(goal));
        let mut remaining = end - at;
        let mut planes = Planes::default();
        for _ in 0..MAX_STOPS {
            let along = planes.project(&remaining);
            let length = along.norm();
            if !(length > 0.0 && length < f64::INFINITY) {
                break;
            }
            let capsule = upright(self.options, &at, &up);
            let stretched: Vector3<f64> = along * (1.0 + skin / length);
            let hit = body.cast_local(self.probe, &capsule, &stretched, &ONWARD);
            let Some(hit) = hit else {
                at += along;
                break;
            };
            let closing = closing(&along, length, &hit.contact);
            let travel = (hit.time * (length + skin) - skin / closing).clamp(0.0, length);
            at += along * (travel / length);
            remaining *= 1.0 - travel / length;
            planes.push(hit.contact.normal);
            if travel == length {
                break;
            }
        }
        // Returns exactly the goal if no obstacle was in the way.
        if at == from + (end - from) { *goal } else { body.in_world(&at) }
    }
}
