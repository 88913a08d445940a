//! The character's capsule among bodies: continuous moves, contacts, depenetration, and moving bodies that push and
//! carry.
//!
//! All moves go through [`CollisionWorld::advance`], a cast: each position is reached along a path that is proven free.
//! A moving body's push is computed in the body's own frame, where it stands still and the capsule moves toward it.

use nalgebra::{Point3, Vector3};

use super::body::Body;
use super::options::CharacterOptions;
use super::slide::Planes;
use crate::numeric::error_bounds::SAME_DIRECTION;
use crate::probe::{CapsuleContact, CastOptions, Probe};
use crate::shape::{Capsule, Segment};

/// The contact that stopped a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// The part of the move that remains, 0 to 1.
    pub(super) remaining: f64,
    pub(super) body: usize,
    pub(super) contact: CapsuleContact,
}

pub(super) struct CollisionWorld<'a> {
    pub(super) options: &'a CharacterOptions,
    pub(super) bodies: &'a [Body<'a>],
    pub(super) probe: &'a mut Probe,
    /// The lowest point of the capsule.
    pub(super) feet: Point3<f64>,
}

/// How far casts look beyond a move, in skins: enough to keep the skin's gap from surfaces met at 15 degrees or more.
const LOOK_AHEAD: f64 = 4.0;

/// Triangles that the capsule departs from or slides along are ignored.
const ONWARD: CastOptions = CastOptions { tolerance: 0.0, departing: false };

impl CollisionWorld<'_> {
    pub(super) fn up(&self) -> Vector3<f64> {
        *self.options.up
    }

    pub(super) fn capsule(&self) -> Capsule {
        upright(self.options, &self.feet, &self.up())
    }

    /// Moves the capsule along `displacement` until its gap to an obstacle is the skin.
    pub(super) fn advance(&mut self, displacement: &Vector3<f64>) -> Option<Stop> {
        self.advance_against(displacement, |_| true)
    }

    /// Moves like [`CollisionWorld::advance`], with only some bodies as obstacles.
    pub(super) fn advance_against(
        &mut self,
        displacement: &Vector3<f64>,
        counts: impl Fn(&Body<'_>) -> bool,
    ) -> Option<Stop> {
        let length = displacement.norm();
        // Also false for NaN and infinity.
        if !(length > 0.0 && length < f64::INFINITY) {
            return None;
        }
        let capsule = self.capsule();
        let mut stretched = displacement * (1.0 + LOOK_AHEAD * self.options.skin / length);
        let mut first: Option<(f64, usize, CapsuleContact)> = None;
        for (body, one) in self.bodies.iter().enumerate().filter(|(_, body)| counts(body)) {
            if let Some(hit) = one.cast(self.probe, &capsule, &stretched, &ONWARD) {
                let distance = hit.time * stretched.norm();
                if first.is_none_or(|(least, ..)| distance < least) {
                    first = Some((distance, body, hit.contact));
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

    /// Calls `visit` with all contacts within the margin and their bodies.
    pub(super) fn for_each_contact(&mut self, margin: f64, mut visit: impl FnMut(usize, CapsuleContact)) {
        let capsule = self.capsule();
        for (body, one) in self.bodies.iter().enumerate() {
            one.for_each_contact(self.probe, &capsule, margin, |contact| visit(body, contact));
        }
    }

    /// The contact of smallest distance within the margin.
    pub(super) fn closest_contact(&mut self, margin: f64) -> Option<(usize, CapsuleContact)> {
        let mut best: Option<(usize, CapsuleContact)> = None;
        self.for_each_contact(margin, |body, contact| {
            let key = |(body, contact): &(usize, CapsuleContact)| (contact.distance, *body, contact.face);
            if best.as_ref().is_none_or(|best| key(&(body, contact)) < key(best)) {
                best = Some((body, contact));
            }
        });
        best
    }

    /// Restores the gap of one skin where it became narrow, as far as space permits.
    pub(super) fn widen_gap(&mut self) {
        const TRIES: usize = 4;
        let skin = self.options.skin;
        let narrow = 0.5 * skin;
        let (feet, mut nearest) = (self.feet, self.closest_contact(narrow));
        let Some(first) = nearest.map(|(_, contact)| contact.distance) else { return };
        for _ in 0..TRIES {
            let Some((_, contact)) = nearest else { return };
            // At most half of the free space, so that two walls share it.
            let displacement = contact.normal * (skin - contact.distance);
            let capsule = self.capsule();
            let casts =
                self.bodies.iter().filter_map(|body| body.cast(self.probe, &capsule, &(displacement * 2.0), &ONWARD));
            let room = casts.map(|hit| hit.time).fold(1.0, f64::min);
            self.feet += displacement * room;
            nearest = self.closest_contact(narrow);
        }
        // Without free space the capsule stays where it is, rather than shake.
        if nearest.is_some_and(|(_, contact)| contact.distance < 1.5 * first) {
            self.feet = feet;
        }
    }

    /// Pushes the capsule out of overlaps, along the shortest vector of the deepest contact each time. Returns whether
    /// it is free.
    pub(super) fn push_out(&mut self) -> bool {
        const TRIES: usize = 32;
        for _ in 0..TRIES {
            match self.closest_contact(0.0) {
                Some((_, contact)) if contact.normal != Vector3::zeros() => {
                    self.feet += contact.normal * (self.options.skin - contact.distance);
                }
                Some(_) => return false,
                None => return true,
            }
        }
        self.closest_contact(0.0).is_none()
    }
}

/// The upright capsule whose lowest point is `feet`.
pub(super) fn upright(options: &CharacterOptions, feet: &Point3<f64>, up: &Vector3<f64>) -> Capsule {
    let (low, high) = (options.radius, options.height - options.radius);
    Capsule { segment: Segment { start: feet + up * low, end: feet + up * high }, radius: options.radius }
}

/// The part of a move's length by which it approaches a contact's plane; at least 1e-9, to divide by.
fn closing(displacement: &Vector3<f64>, length: f64, contact: &CapsuleContact) -> f64 {
    (-contact.normal.dot(displacement) / length).max(SAME_DIRECTION)
}

impl CollisionWorld<'_> {
    /// Moves the bodies to the end of the step. Returns false if moving and fixed bodies leave no space.
    pub(super) fn ride(&mut self, standing_on: Option<usize>) -> bool {
        let carrier = standing_on.and_then(|body| self.bodies.get(body));
        let mut goal = carrier.map_or(self.feet, |carrier| carrier.carry(&self.feet));
        for body in self.bodies.iter().filter(|body| body.moves()) {
            goal = self.pushed(body, &goal);
        }
        let displacement = goal - self.feet;
        self.slide(&displacement, |body| !body.moves());
        let is_free = self.closest_contact(0.0).is_none();
        is_free || self.push_out()
    }

    /// The position of the capsule, which would go to `goal`, if the body may push it.
    fn pushed(&mut self, body: &Body<'_>, goal: &Point3<f64>) -> Point3<f64> {
        const MAX_STOPS: usize = 8;
        let skin = self.options.skin;
        let up = body.direction_in_end_frame(&self.up());
        let (mut at, end) = (body.in_start_frame(&self.feet), body.in_end_frame(goal));
        let mut remaining = end - at;
        let mut planes = Planes::default();
        let options = CastOptions { tolerance: 0.0, departing: false };
        for _ in 0..MAX_STOPS {
            let along = planes.project(&remaining);
            let length = along.norm();
            if !(length > 0.0 && length < f64::INFINITY) {
                break;
            }
            let capsule = upright(self.options, &at, &up);
            let stretched: Vector3<f64> = along * (1.0 + skin / length);
            let hit = self.probe.cast_capsule(body.tree(), &capsule, &stretched, &options);
            let Some(hit) = hit else {
                at += along;
                break;
            };
            let closing = (-hit.contact.normal.dot(&along) / length).max(SAME_DIRECTION);
            let travel = (hit.time * (length + skin) - skin / closing).clamp(0.0, length);
            at += along * (travel / length);
            remaining *= 1.0 - travel / length;
            planes.push(hit.contact.normal);
            if travel == length {
                break;
            }
        }
        // Exactly the goal if nothing was in the way.
        if at == body.in_start_frame(&self.feet) + (end - body.in_start_frame(&self.feet)) {
            *goal
        } else {
            body.in_world(&at)
        }
    }
}
