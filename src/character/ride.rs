//! Bodies that move: who stands on one is carried, who is in the way is pushed.
//!
//! The push is found in the moving body's own frame, in which the body stands still and the capsule comes toward it: so
//! it is as continuous as any other move, and nobody is passed through.

use nalgebra::{Point3, Vector3};

use super::body::Body;
use super::planes::Planes;
use super::surroundings::{Surroundings, upright};
use crate::probe::CastOptions;

impl Surroundings<'_> {
    /// Takes the bodies from the start of the step to its end. False if what moves and what stands left no room.
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

    /// Where the capsule ends up that would be at `goal`, if the body comes in its way.
    fn pushed(&mut self, body: &Body<'_>, goal: &Point3<f64>) -> Point3<f64> {
        const MAX_STOPS: usize = 8;
        let skin = self.options.skin;
        let up = body.direction_in_end_frame(&self.up());
        let (mut at, end) = (body.in_start_frame(&self.feet), body.in_end_frame(goal));
        let mut left = end - at;
        let mut planes = Planes::default();
        let options = CastOptions { tolerance: 0.0, departing: false };
        for _ in 0..MAX_STOPS {
            let along = planes.free_part(&left);
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
            let closing = (-hit.contact.normal.dot(&along) / length).max(1e-9);
            let travel = (hit.time * (length + skin) - skin / closing).clamp(0.0, length);
            at += along * (travel / length);
            left *= 1.0 - travel / length;
            planes.push(hit.contact.normal);
            if travel == length {
                break;
            }
        }
        // To the bit where nothing was in the way.
        if at == body.in_start_frame(&self.feet) + (end - body.in_start_frame(&self.feet)) {
            *goal
        } else {
            body.in_world(&at)
        }
    }
}
