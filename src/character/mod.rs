//! A kinematic character controller: an upright capsule that collides, slides, climbs steps, stops at steep slopes,
//! falls and rides on moving bodies.
//!
//! [`Character::step`] takes the desired velocity and a time, and moves the capsule among the bodies of a
//! [scene](crate::scene::Scene): trees, convex shapes and compounds of them. Every move is a continuous cast
//! ([`Probe::cast_capsule`]). Among bodies that are stationary, or move without turning, a capsule that starts free
//! touches nothing at any speed and time step, and a gap of about the skin remains, unless it is
//! [teleported](Character::teleport) into something or [crushed](StepOutcome::is_crushed). For moving bodies that turn,
//! [`Surroundings::motions`] states the error. Moves are computed with sums, products, quotients and square roots of
//! f64 only, so that the same input gives the same path on every machine.
//!
//! | Situation | Response |
//! |---|---|
//! | wall | slides along it with the remaining part of the velocity |
//! | two walls, a wall and the ground | slides along the crease, stops in an acute corner |
//! | step up to `max_step` | up, forward, down, if that ends on ground |
//! | slope up to `max_slope` | walked at the same horizontal speed |
//! | steeper slope | a wall from below; slides down it from above |
//! | ground that drops by less than `snap_distance` | followed |
//! | ground that drops farther, a jump | falls by gravity, exact for any time step, with some control |
//! | ceiling | ends a rise |
//! | several steep surfaces that carry it together | stands, walks along them, jumps |
//! | moving body | carries the character standing on it, pushes it out of its way, never into a static body |

mod camera;
mod collision_world;
mod obstacle;
mod options;
mod push;
mod slide;
mod surroundings;
#[cfg(test)]
mod tests;
mod walk;

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use crate::probe::{CapsuleContact, Probe};
use crate::scene::BodyId;
#[cfg(doc)]
use crate::scene::{Scene, SceneError};
use crate::shape::{Aabb, Capsule};
use collision_world::{CollisionWorld, Crusher, Crushers, upright};
use obstacle::{Obstacle, find, finite_or_zero};
use push::Pushes;

pub use collision_world::Overlap;
pub use options::{CharacterError, CharacterOptions};
pub use push::Push;
pub use surroundings::Surroundings;
pub use walk::Ground;

/// The largest magnitude of a velocity's coordinates after a step: the squares of such velocities are finite.
const MAX_VELOCITY: f64 = 1e150;

/// The character's input for a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Intent {
    /// The desired velocity, relative to the body that the character stands on; only its horizontal part is used. In
    /// the air it steers the fall.
    pub walk: Vector3<f64>,
    /// The upward speed of a jump if the character stands; zero or less for none.
    pub jump: f64,
}

/// The outcome of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepOutcome {
    /// Whether something other than ground was in the way.
    pub is_blocked: bool,
    /// Whether moving bodies left no space: the capsule may overlap one of them, but no stationary body.
    pub is_crushed: bool,
    /// The deepest overlap at the end of the step: with a moving body that crushed the character, with the same body
    /// after it has stopped, or with a body in which the character was placed or that appeared around it. It is
    /// reported in each step while it lasts. `None` if the capsule is free.
    pub overlap: Option<Overlap>,
}

/// A kinematic character controller: an upright capsule that walks. It keeps its scratch memory, so reuse it.
#[derive(Debug)]
#[doc(alias = "kinematic character controller")]
pub struct Character {
    options: CharacterOptions,
    now: Condition,
    pushes: Pushes,
    probe: Probe,
}

/// The state that a step starts from and changes.
#[derive(Clone, Debug)]
struct Condition {
    feet: Point3<f64>,
    state: State,
    /// Whether the character was teleported and may overlap something.
    is_teleported: bool,
    /// Whether the size changed and the capsule may overlap a body since: the lower end of its axis is still on the
    /// free side.
    is_resized: bool,
    crushers: Crushers,
}

impl Character {
    /// A character at rest in the air, with its lowest point at `feet`.
    ///
    /// # Errors
    /// If an option is out of range or the position is not finite.
    pub fn new(options: &CharacterOptions, feet: Point3<f64>) -> Result<Self, CharacterError> {
        options.check()?;
        Ok(Self { options: *options, now: Condition::at(feet)?, pushes: Pushes::new(), probe: Probe::new() })
    }

    /// Moves the character to another position, at rest in the air. The next step first pushes it out of overlaps.
    ///
    /// # Errors
    /// If the position is not finite.
    pub fn teleport(&mut self, feet: Point3<f64>) -> Result<(), CharacterError> {
        self.now = Condition::at(feet)?;
        Ok(())
    }

    /// Whether the character would be free of the obstacles after [`Character::set_options`] with these options:
    /// whether there is room to stand up, to grow, or to turn upright. Moving bodies are taken at the end of their
    /// motion.
    ///
    /// # Errors
    /// Those of [`Character::step`], and [`CharacterError::OutOfRange`].
    #[doc(alias = "stand up")]
    pub fn has_room(
        &mut self,
        surroundings: &Surroundings<'_>,
        options: &CharacterOptions,
    ) -> Result<bool, CharacterError> {
        options.check()?;
        self.probe.set_mask(Some(surroundings.mask));
        let feet = self.feet_with(options);
        let capsule = upright(options, &feet, &options.up);
        let ends = Aabb::from_points(&[capsule.segment.start, capsule.segment.end]);
        let region = ends.grown(capsule.radius + options.skin);
        let obstacles = surroundings.near(&surroundings.moving()?, Some(&region), &[]);
        Ok(CollisionWorld::new(options, &obstacles, &mut self.probe, feet).closest_contact(0.0).is_none())
    }

    /// Changes the sizes and limits, such as the height in order to crouch. The feet stay where they are; if the up
    /// direction changes, the lower end of the capsule's axis stays instead, so a character can walk around a planet.
    /// Ground and velocity stay too.
    ///
    /// The next step first pushes the character out of what it overlaps now, to the side on which its feet are;
    /// [`Character::has_room`] answers in advance whether it will overlap anything.
    ///
    /// # Errors
    /// If an option is out of range; then nothing changes.
    #[doc(alias = "crouch")]
    #[doc(alias = "resize")]
    pub fn set_options(&mut self, options: &CharacterOptions) -> Result<(), CharacterError> {
        options.check()?;
        self.now.feet = self.feet_with(options);
        let size = |options: &CharacterOptions| (options.radius, options.height, options.up);
        self.now.is_resized |= size(options) != size(&self.options);
        self.options = *options;
        Ok(())
    }

    /// The feet after a change of options.
    fn feet_with(&self, options: &CharacterOptions) -> Point3<f64> {
        let turn = self.options.up.into_inner() - options.up.into_inner();
        // Exactly the same feet if the direction is the same.
        if turn == Vector3::zeros() { self.now.feet } else { self.now.feet + turn * self.options.radius }
    }

    /// Changes the velocity, in the world: a knockback, a launch pad, a dash. The character leaves the ground and
    /// flies.
    ///
    /// # Errors
    /// If the velocity is not finite; then nothing changes.
    pub fn set_velocity(&mut self, velocity: Vector3<f64>) -> Result<(), CharacterError> {
        if !velocity.iter().all(|x| x.is_finite()) {
            return Err(CharacterError::VelocityNotFinite);
        }
        let state = &mut self.now.state;
        (state.velocity, state.ground, state.ahead) = (velocity, None, 0.0);
        Ok(())
    }

    /// The character's sizes and limits.
    pub fn options(&self) -> &CharacterOptions {
        &self.options
    }

    /// The lowest point of the capsule.
    pub fn feet(&self) -> Point3<f64> {
        self.now.feet
    }

    /// The capsule.
    pub fn capsule(&self) -> Capsule {
        upright(&self.options, &self.now.feet, &self.options.up)
    }

    /// The ground under the character; `None` in the air.
    pub fn ground(&self) -> Option<&Ground> {
        self.now.state.ground.as_ref()
    }

    /// The velocity: in the air that of the flight, on the ground the desired one relative to the ground; after a
    /// landing, what is left of the flight's. A step limits each of its coordinates to a magnitude of 1e150, so that it
    /// stays finite whatever the time.
    pub fn velocity(&self) -> Vector3<f64> {
        self.now.state.velocity
    }

    /// The height to add to the feet, along the up direction, for a camera or a model that glides over stairs: steps up
    /// and down, which move the feet instantly, leave an offset that halves every
    /// [`camera_half_life`](CharacterOptions::camera_half_life). The offset is at most
    /// [`max_step`](CharacterOptions::max_step), up or down. Slopes, falls and lifts leave none.
    ///
    /// ```
    /// # use bvtree::character::{Character, CharacterOptions};
    /// # use nalgebra::Point3;
    /// # let character = Character::new(&CharacterOptions::default(), Point3::origin())?;
    /// let eyes = character.feet().z + character.camera_offset() + 1.7;
    /// # assert_eq!(eyes, 1.7);
    /// # Ok::<(), bvtree::character::CharacterError>(())
    /// ```
    #[doc(alias = "smoothing")]
    pub fn camera_offset(&self) -> f64 {
        self.now.state.camera_offset
    }

    /// The bodies that were in the way in the last step, static ones included, in the order in which they were met,
    /// each with the contact that has the greatest [`Push::speed`]. The floor on which the character lands is included;
    /// the floor on which it walks, and bodies that carry or crush it, are not.
    ///
    /// ```
    /// # use bvtree::character::{Character, CharacterError, CharacterOptions, Intent, Surroundings};
    /// # use bvtree::scene::Scene;
    /// # use nalgebra::{Point3, Vector3};
    /// # fn hit(_: bvtree::scene::BodyId, _: Point3<f64>, _: Vector3<f64>) {}
    /// # let scene = Scene::new();
    /// # let mut character = Character::new(&CharacterOptions::default(), Point3::origin())?;
    /// character.step(&Surroundings::new(&scene), &Intent::default(), 1.0 / 60.0)?;
    /// for push in character.pushes() {
    ///     // A person of 70 kg, who does not throw with all of it.
    ///     hit(push.body, push.point, push.impulse(70.0) * 0.2);
    /// }
    /// # Ok::<(), CharacterError>(())
    /// ```
    #[doc(alias = "impulse")]
    #[doc(alias = "push")]
    pub fn pushes(&self) -> &[Push] {
        &self.pushes
    }

    /// Advances by `time`, in seconds; unless it is positive and finite, only clears [`Character::pushes`].
    ///
    /// Moving bodies move first; then the character walks or flies among their final poses. The scene's broad phase
    /// finds the bodies near the character: the others cost no time, and the result is the same as with all. The cost
    /// grows with the distance in units of the radius, and with the time in units of [`CharacterOptions::max_substep`].
    ///
    /// # Errors
    /// [`CharacterError::Scene`]: [`SceneError::NoSuchBody`] if the scene lacks a body that the surroundings name,
    /// [`SceneError::TwoMotions`] if one has two motions, [`SceneError::NotARotation`] or [`SceneError::TooFar`] if one
    /// moves from or to a pose that [`Scene::set_pose`] refuses. Then nothing changes.
    pub fn step(
        &mut self,
        surroundings: &Surroundings<'_>,
        intent: &Intent,
        time: f64,
    ) -> Result<StepOutcome, CharacterError> {
        const TRIES: usize = 6;
        self.probe.set_mask(Some(surroundings.mask));
        let moving = surroundings.moving()?;
        let (kept, any_moves) = (self.now.known_bodies(), surroundings.any_moves());
        let before = self.now.clone();
        let mut region = self.reach(intent, time);
        for _ in 0..TRIES {
            if region.size().iter().any(|side| !side.is_finite()) {
                break;
            }
            let near = surroundings.near(&moving, Some(&region), &kept);
            let (outcome, visited) = self.step_among(&near, any_moves, intent, time);
            if region.union(&visited) == region {
                return Ok(outcome);
            }
            // The capsule went farther than foreseen: bodies there may have been left out.
            self.now = before.clone();
            region = region.union(&visited).grown(region.half_extents().max());
        }
        Ok(self.step_among(&surroundings.near(&moving, None, &kept), any_moves, intent, time).0)
    }

    /// The region in which a step is likely to stay.
    fn reach(&self, intent: &Intent, time: f64) -> Aabb {
        let (options, State { velocity, ground_velocity, .. }) = (&self.options, &self.now.state);
        let capsule = self.capsule();
        let speed = velocity.norm() + ground_velocity.norm() + intent.walk.norm() + intent.jump.abs();
        let travel = (speed + options.gravity * time) * time;
        let around = options.radius + options.max_step + options.snap_distance + 8.0 * options.skin;
        let ends = Aabb::from_points(&[capsule.segment.start, capsule.segment.end]);
        ends.grown(2.0 * travel + around)
    }

    /// Advances among the obstacles. Also returns the region in which bodies were sought.
    fn step_among(
        &mut self,
        obstacles: &[Obstacle<'_>],
        any_moves: bool,
        intent: &Intent,
        time: f64,
    ) -> (StepOutcome, Aabb) {
        const MAX_PARTS: f64 = 256.0;
        let mut outcome = StepOutcome::default();
        self.pushes.clear();
        if !(time > 0.0 && time.is_finite()) {
            return (outcome, Aabb::empty());
        }
        let walk = finite_or_zero(intent.walk);
        let walk = walk - *self.options.up * walk.dot(&self.options.up);
        let Condition { feet, mut state, is_teleported, is_resized, .. } = self.now;
        let crushers = std::mem::take(&mut self.now.crushers);
        let mut world = CollisionWorld::new(&self.options, obstacles, &mut self.probe, feet);
        (world.keeps_low_end, world.crushers) = (is_resized && !is_teleported, crushers);
        world.pushes = std::mem::take(&mut self.pushes);
        if is_teleported || is_resized {
            world.recover();
        }
        let mut before = world.feet;
        let carrier = state.ground.and_then(|ground| find(obstacles, ground.body)).filter(|body| body.carries());
        // The quotient by a tiny time may be infinite.
        state.ground_velocity =
            carrier.map_or_else(Vector3::zeros, |body| finite_or_zero((body.carry(&before, time) - before) / time));
        if carrier.is_some() || any_moves {
            world.ride(state.ground.map(|ground| ground.body), time);
            before = world.feet;
            let moves = |crusher: &Crusher| find(obstacles, crusher.body).is_some_and(Obstacle::moves);
            outcome.is_crushed = world.crushers.iter().any(moves);
        }
        let parts = (time / self.options.max_substep).max(walk.norm() * time / self.options.radius);
        let parts = parts.ceil().clamp(1.0, MAX_PARTS);
        let mut jump = if intent.jump > 0.0 && intent.jump.is_finite() { intent.jump } else { 0.0 };
        for _ in 0..parts as usize {
            outcome.is_blocked |= state.substep(&mut world, &walk, std::mem::take(&mut jump), time / parts);
            // Products with an enormous time overflow.
            state.velocity = state.velocity.map(limited);
        }
        if let Some((overlap, contact)) = world.yield_to_crushers() {
            outcome.overlap = Some(overlap);
            // Toward the body that crushes it, the character neither falls nor flies.
            state.velocity -= contact.normal * state.velocity.dot(&contact.normal).min(0.0);
            if world.is_walkable(&contact.normal) {
                let CapsuleContact { normal, point, face, .. } = contact;
                state.ground = Some(Ground { normal, point, body: overlap.body, face });
            }
        }
        if world.overlaps {
            world.recover();
            let feet = world.feet;
            if !world.leave() {
                // Stays rather than shakes, and sinks no deeper.
                world.feet = feet;
                let mut overlap = world.overlap();
                if state.ground.is_none() {
                    world.feet = before;
                    let earlier = world.overlap();
                    if earlier.zip(overlap).is_some_and(|(earlier, now)| earlier.depth < now.depth) {
                        (overlap, state.velocity) = (earlier, Vector3::zeros());
                    } else {
                        world.feet = feet;
                    }
                }
                outcome.overlap = outcome.overlap.or(overlap);
            }
        }
        self.now = Condition {
            feet: world.feet,
            state,
            is_teleported: false,
            is_resized: is_resized && outcome.overlap.is_some(),
            crushers: std::mem::take(&mut world.crushers),
        };
        self.pushes = std::mem::take(&mut world.pushes);
        (outcome, world.visited)
    }
}

/// A coordinate of a velocity, of at most [`MAX_VELOCITY`] in magnitude; zero if it is NaN.
fn limited(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(-MAX_VELOCITY, MAX_VELOCITY) }
}

impl Condition {
    /// The condition of a character at rest in the air.
    fn at(feet: Point3<f64>) -> Result<Self, CharacterError> {
        if !feet.iter().all(|x| x.is_finite()) {
            return Err(CharacterError::PositionNotFinite);
        }
        let (velocity, ground_velocity) = (Vector3::zeros(), Vector3::zeros());
        let state = State { velocity, ground: None, ground_velocity, ahead: 0.0, camera_offset: 0.0 };
        Ok(Self { feet, state, is_teleported: true, is_resized: false, crushers: Crushers::new() })
    }

    /// The bodies that the character stands on or is crushed by.
    fn known_bodies(&self) -> SmallVec<[BodyId; 4]> {
        let ground = self.state.ground.iter().map(|ground| ground.body);
        ground.chain(self.crushers.iter().map(|crusher| crusher.body)).collect()
    }
}

/// The state that a substep changes besides the position.
#[derive(Clone, Copy, Debug)]
struct State {
    velocity: Vector3<f64>,
    ground: Option<Ground>,
    /// The velocity of the ground in the last step.
    ground_velocity: Vector3<f64>,
    /// How far climbing steps has moved the character beyond its desired walk; subtracted from the next walks.
    ahead: f64,
    camera_offset: f64,
}

impl State {
    /// Advances by a substep. Returns whether something was in the way.
    fn substep(&mut self, world: &mut CollisionWorld<'_>, walk: &Vector3<f64>, jump: f64, time: f64) -> bool {
        let up = world.up();
        self.camera_offset *= camera::remaining(time, world.options.camera_half_life);
        if let Some(ground) = self.ground {
            if jump == 0.0 {
                return self.walk(world, &ground, walk, time);
            }
            self.ground = None;
            self.velocity = walk + self.ground_velocity + up * jump;
        }
        self.fly(world, walk, time)
    }

    fn walk(&mut self, world: &mut CollisionWorld<'_>, ground: &Ground, walk: &Vector3<f64>, time: f64) -> bool {
        let length = walk.norm() * time;
        let saved = self.ahead.min(length);
        let part = if saved > 0.0 { 1.0 - saved / length } else { 1.0 };
        let before = world.feet;
        let walked = world.walk(ground, &(walk * (time * part)), time * part);
        self.ahead = (self.ahead - saved + walked.ahead).max(0.0);
        self.velocity = *walk;
        self.ground = world.stand(world.options.snap_distance);
        if self.ground.is_none() {
            self.velocity += self.ground_velocity;
        }
        world.widen_gap();
        if let Some(now) = self.ground {
            let (up, most) = (world.up(), world.options.max_step);
            let jolt = camera::jolt(&(world.feet - before), &up, [&ground.normal, &now.normal]);
            self.camera_offset = (self.camera_offset - jolt).clamp(-most, most);
        }
        walked.is_blocked
    }

    fn fly(&mut self, world: &mut CollisionWorld<'_>, walk: &Vector3<f64>, time: f64) -> bool {
        let (up, options) = (world.up(), world.options);
        let mut steering = Vector3::zeros();
        if *walk != Vector3::zeros() {
            let level = self.velocity - up * self.velocity.dot(&up);
            let change = walk - level;
            let most = options.air_acceleration * time;
            steering = change * (most / change.norm()).min(1.0);
        }
        let fall = up * (-options.gravity * time);
        let displacement = (self.velocity + steering + fall * 0.5) * time;
        let flight = world.fly(&displacement, time);
        // Steering into a steep slope must not slow the slide down it.
        let velocity = self.velocity + flight.planes.project(&steering) + fall;
        self.velocity = flight.planes.project(&velocity);
        if flight.ground.is_some() {
            self.ground = flight.ground;
            self.velocity -= up * self.velocity.dot(&up);
        }
        if flight.is_stopped {
            world.widen_gap();
        } else {
            world.overlaps = world.closest_contact(0.0).is_some();
        }
        flight.is_stopped && flight.ground.is_none()
    }
}
