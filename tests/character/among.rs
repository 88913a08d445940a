//! A character among a list of bodies: each step makes a scene of them. A body's id has its place in the list as index.

use std::ops::{Deref, DerefMut};

use bvtree::character::{CharacterError, CharacterOptions, Intent, StepOutcome, Surroundings};
use bvtree::scene::{self, BodyId, Geometry, Scene};
use bvtree::{Motion, Pose};
use nalgebra::{Point3, Vector3};

/// A body that stands still, or moves during a step.
#[derive(Clone)]
pub struct Body {
    geometry: Geometry,
    start: Pose,
    end: Pose,
    surface_velocity: Vector3<f64>,
    is_one_sided: bool,
}

impl Body {
    pub fn fixed(geometry: &(impl Into<Geometry> + Clone)) -> Self {
        Self::placed(geometry, &Pose::identity())
    }

    pub fn placed(geometry: &(impl Into<Geometry> + Clone), pose: &Pose) -> Self {
        let (geometry, surface_velocity) = (geometry.clone().into(), Vector3::zeros());
        Self { geometry, start: *pose, end: *pose, surface_velocity, is_one_sided: false }
    }

    pub fn moving(geometry: &(impl Into<Geometry> + Clone), start: &Pose, end: &Pose) -> Self {
        Self { end: *end, ..Self::placed(geometry, start) }
    }

    pub fn with_surface_velocity(self, surface_velocity: Vector3<f64>) -> Self {
        Self { surface_velocity, ..self }
    }

    pub fn one_sided(self) -> Self {
        Self { is_one_sided: true, ..self }
    }
}

/// What a step asks a character for.
fn among<T>(bodies: &[Body], ask: impl FnOnce(&Surroundings<'_>) -> T) -> T {
    let mut scene = Scene::new();
    let add = |body: &Body| scene.add(scene::Body::moving(body.geometry.clone(), body.start)).unwrap();
    let ids: Vec<BodyId> = bodies.iter().map(add).collect();
    let of = || ids.iter().copied().zip(bodies);
    let moves = |(_, body): &(BodyId, &Body)| body.start != body.end;
    let motions: Vec<_> = of().filter(moves).map(|(id, body)| (id, Motion::new(body.start, body.end))).collect();
    let velocities: Vec<_> = of().map(|(id, body)| (id, body.surface_velocity)).collect();
    let one_sided: Vec<_> = of().filter(|(_, body)| body.is_one_sided).map(|(id, _)| id).collect();
    let still = Surroundings::new(&scene);
    ask(&Surroundings { motions: &motions, surface_velocities: &velocities, one_sided: &one_sided, ..still })
}

#[derive(Debug)]
pub struct Character(bvtree::Character);

impl Character {
    pub fn new(options: &CharacterOptions, feet: Point3<f64>) -> Result<Self, CharacterError> {
        Ok(Self(bvtree::Character::new(options, feet)?))
    }

    pub fn step(&mut self, bodies: &[Body], intent: &Intent, time: f64) -> StepOutcome {
        among(bodies, |surroundings| self.0.step(surroundings, intent, time)).unwrap()
    }

    pub fn has_room(&mut self, bodies: &[Body], options: &CharacterOptions) -> Result<bool, CharacterError> {
        among(bodies, |surroundings| self.0.has_room(surroundings, options))
    }
}

impl Deref for Character {
    type Target = bvtree::Character;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Character {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
