//! The library's character controller as a component.

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use bevy_transform::helper::TransformHelper;
use bvtree::character::{Character, CharacterError, CharacterOptions, Intent, StepOutcome, Surroundings};
use bvtree::scene::BodyId;
use bvtree::{Motion, Pose};
use nalgebra::{Point3, Vector3};

use crate::pose::{point, pose, vec3, vector};
use crate::scene::Errors;
use crate::{CollisionBody, CollisionErrorKind, CollisionScene};

/// A kinematic character controller, [`Character`], whose feet are at the entity's `Transform`. The entity must not
/// have a parent.
///
/// It steps in `FixedUpdate` ([`CollisionSystems::Characters`](crate::CollisionSystems::Characters)) among the bodies
/// of the [`CollisionScene`], and writes the translation. Bodies that are not static, and that other systems move in
/// `FixedUpdate` before the step, carry and push the character. A translation that another system writes teleports the
/// character. It falls while the level's tree is not loaded: spawn it afterwards.
///
/// If the entity has a [`CollisionBody`] too, for others to collide with, `mask` must exclude that body's groups.
#[derive(Component, Debug)]
#[require(Transform)]
pub struct CharacterController {
    /// The desired velocity, relative to the ground; only its horizontal part is used.
    pub walk: Vec3,
    /// The upward speed of a jump: the next step applies it if the character stands, and resets it to zero.
    pub jump: f32,
    /// The collision groups of the bodies that are obstacles; all by default.
    pub mask: u32,
    character: Character,
    outcome: StepOutcome,
    /// The translation that the last step wrote.
    written: Option<Vec3>,
    /// Whether the last step failed, which was reported.
    is_refused: bool,
}

impl CharacterController {
    /// A character at rest, which its first step teleports to the entity's `Transform`.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(options: &CharacterOptions) -> Result<Self, CharacterError> {
        Ok(Self {
            walk: Vec3::ZERO,
            jump: 0.0,
            mask: u32::MAX,
            character: Character::new(options, Point3::origin())?,
            outcome: StepOutcome::default(),
            written: None,
            is_refused: false,
        })
    }

    /// The defaults of [`CharacterOptions`], with y up as everywhere in Bevy.
    pub fn default_options() -> CharacterOptions {
        CharacterOptions { up: Vector3::y_axis(), ..CharacterOptions::default() }
    }

    /// The character: its ground, its velocity, its camera's offset and what it pushed.
    pub fn character(&self) -> &Character {
        &self.character
    }

    /// The character, to change its options or its velocity.
    pub fn character_mut(&mut self) -> &mut Character {
        &mut self.character
    }

    /// The outcome of the last step.
    pub fn outcome(&self) -> &StepOutcome {
        &self.outcome
    }

    /// Steps the character from the transform's translation, and writes its new position there.
    fn step(
        &mut self,
        transform: &mut Mut<Transform>,
        surroundings: &Surroundings,
        seconds: f64,
    ) -> Result<(), CharacterError> {
        if self.written != Some(transform.translation) {
            self.character.teleport(point(transform.translation))?;
        }
        let intent = Intent { walk: vector(self.walk), jump: f64::from(self.jump) };
        self.outcome = self.character.step(surroundings, &intent, seconds)?;
        self.jump = 0.0;
        let feet = vec3(&self.character.feet().coords);
        if self.written != Some(feet) || transform.translation != feet {
            transform.translation = feet;
        }
        self.written = Some(feet);
        Ok(())
    }
}

/// The motions of bodies from their poses in the scene to their current transforms.
#[derive(Resource, Debug, Default)]
pub(crate) struct Motions(Vec<(BodyId, Motion)>);

/// If there is a character, finds the bodies, other than static ones, whose transforms differ from their poses in the
/// scene.
pub(crate) fn find_motions(
    mut motions: ResMut<Motions>,
    collisions: Res<CollisionScene>,
    bodies: Query<(Entity, &CollisionBody)>,
    characters: Query<(), With<CharacterController>>,
    transforms: TransformHelper,
) {
    let motion = |(entity, body): (Entity, &CollisionBody)| -> Option<(BodyId, Motion)> {
        let id = collisions.body_of(entity).filter(|_| !body.is_static)?;
        let start = collisions.scene().body(id)?.pose;
        // A transform that is not rigid is reported when the scene follows it.
        let end: Pose = pose(&transforms.compute_global_transform(entity).ok()?).ok()?;
        (start != end).then(|| (id, Motion::new(start, end)))
    };
    motions.0.clear();
    if !characters.is_empty() {
        motions.0.extend(bodies.iter().filter_map(motion));
    }
}

/// Steps all characters, then sets the bodies that move to the ends of their motions.
pub(crate) fn step_characters(
    time: Res<Time<Fixed>>,
    motions: Res<Motions>,
    mut collisions: ResMut<CollisionScene>,
    mut characters: Query<(Entity, &mut CharacterController, &mut Transform)>,
    mut errors: Errors,
) {
    for (entity, mut controller, mut transform) in &mut characters {
        let around =
            Surroundings { mask: controller.mask, motions: &motions.0, ..Surroundings::new(collisions.scene()) };
        let outcome = controller.step(&mut transform, &around, time.delta_secs_f64());
        controller.is_refused = errors.report(controller.is_refused, entity, outcome.map_err(CollisionErrorKind::from));
    }
    for (id, motion) in &motions.0 {
        // A pose that the scene refuses is reported when the scene follows it.
        let _ = collisions.scene_mut().set_pose(*id, *motion.end());
    }
}
