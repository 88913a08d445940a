//! A kinematic character controller: an upright capsule that walks.

use bvtree::character::{CharacterError, CharacterOptions, Ground, Intent, Push, Surroundings};
use bvtree::pose::unit_vector;
use bvtree::scene::BodyId;
use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::{point, vector};
use crate::errors::{JsResult, invalid};
use crate::scene::{GivenMotion, Scene, of_scene};

#[wasm_bindgen]
extern "C" {
    /// Sizes and limits of a character; all are optional.
    pub type GivenOptions;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn radius(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn height(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn up(this: &GivenOptions) -> JsResult<Option<Vec<f64>>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn skin(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = maxStep)]
    fn max_step(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = maxSlope)]
    fn max_slope(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = snapDistance)]
    fn snap_distance(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = perchRadiusThreshold)]
    fn perch_radius_threshold(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = cameraHalfLife)]
    fn camera_half_life(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn gravity(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = airAcceleration)]
    fn air_acceleration(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = maxSubstep)]
    fn max_substep(this: &GivenOptions) -> JsResult<Option<f64>>;

    /// The input of a step; all parts are optional.
    pub type GivenIntent;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn walk(this: &GivenIntent) -> JsResult<Option<Vec<f64>>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn jump(this: &GivenIntent) -> JsResult<Option<f64>>;

    /// The bodies that move during a step, and the obstacles; all parts are optional.
    pub type GivenSurroundings;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn motions(this: &GivenSurroundings) -> JsResult<Option<Vec<GivenMotion>>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = surfaceVelocities)]
    fn surface_velocities(this: &GivenSurroundings) -> JsResult<Option<Vec<GivenSurfaceVelocity>>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = oneSided)]
    fn one_sided(this: &GivenSurroundings) -> JsResult<Option<Vec<f64>>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn mask(this: &GivenSurroundings) -> JsResult<Option<u32>>;

    /// A surface that moves relative to its body.
    pub type GivenSurfaceVelocity;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn body(this: &GivenSurfaceVelocity) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn velocity(this: &GivenSurfaceVelocity) -> JsResult<Option<Vec<f64>>>;
}

/// A kinematic character controller: an upright capsule that walks among the bodies of a scene. It slides along walls,
/// climbs steps and slopes, falls, jumps, and rides on moving bodies, which push it out of their way.
#[wasm_bindgen]
pub struct Character {
    character: bvtree::Character,
    /// The numbers of the bodies that the last step found as ground or in the way.
    numbers: Vec<(BodyId, u32)>,
}

#[wasm_bindgen]
impl Character {
    /// Creates a character at rest in the air with its lowest point at `feet`, in the world. Options that are omitted
    /// are those of a person in metres, with z up.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] feet: &[f64],
        #[wasm_bindgen(unchecked_optional_param_type = "CharacterOptions")] options: Option<GivenOptions>,
    ) -> JsResult<Character> {
        let options = with_given(&CharacterOptions::default(), options)?;
        let character = bvtree::Character::new(&options, point(feet, "feet")?).map_err(of_character)?;
        Ok(Self { character, numbers: Vec::new() })
    }

    /// Advances by a time in seconds: the bodies in `surroundings.motions` move first, then the character walks or
    /// flies among them. `intent.walk` is the desired velocity, `intent.jump` the upward speed of a jump. Only bodies
    /// near the character cost time. After an error, or if the time is not positive and finite, the character has not
    /// moved; such a time only makes it forget the pushes of the step before.
    #[wasm_bindgen(unchecked_return_type = "CharacterStep")]
    pub fn step(
        &mut self,
        scene: &Scene,
        #[wasm_bindgen(unchecked_param_type = "Intent")] intent: &GivenIntent,
        time: f64,
        #[wasm_bindgen(unchecked_optional_param_type = "Surroundings")] surroundings: Option<GivenSurroundings>,
    ) -> JsResult<JsValue> {
        let walk = vector(&intent.walk()?.unwrap_or_else(|| vec![0.0; 3]), "walk")?;
        let intent = Intent { walk, jump: intent.jump()?.unwrap_or(0.0) };
        let character = &mut self.character;
        let outcome = within(scene, surroundings, |surroundings| character.step(surroundings, &intent, time))?;
        let (ground, pushes) = (self.character.ground().map(|ground| ground.body), self.character.pushes());
        let bodies = ground.into_iter().chain(pushes.iter().map(|push| push.body));
        // After a step of no time the character may stand on a body that is no longer in the scene.
        let number = |id: BodyId| scene.scene.body(id).map_or_else(|| self.number(id), |body| body.user as u32);
        self.numbers = bodies.map(|id| (id, number(id))).collect();
        let overlap = outcome.overlap.map(|overlap| answers::body_depth(scene.number(overlap.body), overlap.depth));
        let is_on_ground = self.character.ground().is_some();
        let overlap = overlap.unwrap_or(JsValue::UNDEFINED);
        Ok(answers::character_step(outcome.is_blocked, outcome.is_crushed, is_on_ground, overlap))
    }

    /// The ground under the character; `undefined` in the air.
    #[wasm_bindgen(unchecked_return_type = "Ground | undefined")]
    pub fn ground(&self) -> JsValue {
        self.character.ground().map_or(JsValue::UNDEFINED, |&Ground { normal, point, body, face }| {
            answers::of_body(self.number(body), answers::ground(&normal, &point, face))
        })
    }

    /// Returns the bodies that were in the way in the last step, static ones included, each with the contact that has
    /// the greatest `speed`: a game may push them. The impulse that a body receives when it stops the character is
    /// minus `normal`, times `speed`, times the character's mass.
    #[wasm_bindgen(unchecked_return_type = "Push[]")]
    pub fn pushes(&self) -> Array {
        let push = |&Push { body, point, normal, speed }: &Push| {
            answers::of_body(self.number(body), answers::push(&point, &normal, speed))
        };
        self.character.pushes().iter().map(push).collect()
    }

    /// Moves the character to another position, at rest in the air. The next step first pushes it out of overlaps.
    pub fn teleport(&mut self, #[wasm_bindgen(unchecked_param_type = "Numbers")] feet: &[f64]) -> JsResult<()> {
        self.character.teleport(point(feet, "feet")?).map_err(of_character)
    }

    /// Changes the velocity, in the world: a knockback, a launch pad, a dash. The character leaves the ground and
    /// flies.
    #[wasm_bindgen(js_name = setVelocity)]
    pub fn set_velocity(&mut self, #[wasm_bindgen(unchecked_param_type = "Numbers")] velocity: &[f64]) -> JsResult<()> {
        self.character.set_velocity(vector(velocity, "a velocity")?).map_err(of_character)
    }

    /// Changes some sizes and limits, such as the height to crouch; those that are omitted stay. The feet stay where
    /// they are unless `up` changes; then the lower end of the capsule's axis stays. The next step first pushes the
    /// character out of what it overlaps now.
    #[wasm_bindgen(js_name = setOptions)]
    pub fn set_options(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "CharacterOptions")] options: GivenOptions,
    ) -> JsResult<()> {
        let options = with_given(self.character.options(), Some(options))?;
        self.character.set_options(&options).map_err(of_character)
    }

    /// Returns whether the character would be free of all bodies, at the ends of their motions, after `setOptions`:
    /// whether there is room to stand up.
    #[wasm_bindgen(js_name = hasRoom)]
    pub fn has_room(
        &mut self,
        scene: &Scene,
        #[wasm_bindgen(unchecked_param_type = "CharacterOptions")] options: GivenOptions,
        #[wasm_bindgen(unchecked_optional_param_type = "Surroundings")] surroundings: Option<GivenSurroundings>,
    ) -> JsResult<bool> {
        let options = with_given(self.character.options(), Some(options))?;
        let character = &mut self.character;
        within(scene, surroundings, |surroundings| character.has_room(surroundings, &options))
    }

    /// The lowest point of the capsule, in the world.
    #[wasm_bindgen(getter, unchecked_return_type = "Point")]
    pub fn feet(&self) -> Array {
        answers::three(self.character.feet().into())
    }

    /// The height to add to the feet, along the up direction, for a camera or a model that glides over stairs. Steps up
    /// and down leave an offset that halves every `cameraHalfLife`; its magnitude is at most `maxStep`.
    #[wasm_bindgen(getter, js_name = cameraOffset)]
    pub fn camera_offset(&self) -> f64 {
        self.character.camera_offset()
    }

    /// The velocity: in the air, that of the flight; on the ground, the desired velocity relative to the ground.
    #[wasm_bindgen(getter, unchecked_return_type = "Point")]
    pub fn velocity(&self) -> Array {
        answers::three(self.character.velocity().into())
    }
}

impl Character {
    fn number(&self, id: BodyId) -> u32 {
        self.numbers.iter().find(|(known, _)| *known == id).map_or(u32::MAX, |&(_, number)| number)
    }
}

/// Calls `work` with the surroundings: a scene and what moves in it.
fn within<T>(
    scene: &Scene,
    given: Option<GivenSurroundings>,
    work: impl FnOnce(&Surroundings<'_>) -> Result<T, CharacterError>,
) -> JsResult<T> {
    let still = Surroundings::new(&scene.scene);
    let Some(given) = given else { return work(&still).map_err(of_character) };
    let motions = scene.motions(&given.motions()?.unwrap_or_default())?;
    let velocity = |given: &GivenSurfaceVelocity| {
        let id = scene.id(given.body()?.unwrap_or(f64::NAN))?;
        Ok((id, vector(&given.velocity()?.unwrap_or_default(), "a surface's velocity")?))
    };
    let velocities = given.surface_velocities()?.unwrap_or_default();
    let velocities = velocities.iter().map(velocity).collect::<JsResult<Vec<_>>>()?;
    let mask = given.mask()?.unwrap_or(u32::MAX);
    let one_sided = given.one_sided()?.unwrap_or_default();
    let one_sided = one_sided.iter().map(|&body| scene.id(body)).collect::<JsResult<Vec<_>>>()?;
    let surroundings =
        Surroundings { mask, motions: &motions, surface_velocities: &velocities, one_sided: &one_sided, ..still };
    work(&surroundings).map_err(of_character)
}

/// Returns the options after replacing those that are given.
fn with_given(options: &CharacterOptions, given: Option<GivenOptions>) -> JsResult<CharacterOptions> {
    let Some(given) = given else { return Ok(*options) };
    let up = given.up()?.map(|up| unit_vector(&vector(&up, "up")?).ok_or_else(|| invalid("up is zero or not finite")));
    Ok(CharacterOptions {
        radius: given.radius()?.unwrap_or(options.radius),
        height: given.height()?.unwrap_or(options.height),
        up: up.unwrap_or(Ok(options.up))?,
        skin: given.skin()?.unwrap_or(options.skin),
        max_step: given.max_step()?.unwrap_or(options.max_step),
        max_slope: given.max_slope()?.unwrap_or(options.max_slope),
        snap_distance: given.snap_distance()?.unwrap_or(options.snap_distance),
        perch_radius_threshold: given.perch_radius_threshold()?.unwrap_or(options.perch_radius_threshold),
        camera_half_life: given.camera_half_life()?.unwrap_or(options.camera_half_life),
        gravity: given.gravity()?.unwrap_or(options.gravity),
        air_acceleration: given.air_acceleration()?.unwrap_or(options.air_acceleration),
        max_substep: given.max_substep()?.unwrap_or(options.max_substep),
    })
}

fn of_character(error: CharacterError) -> JsValue {
    match error {
        CharacterError::Scene(error) => of_scene(error),
        _ => invalid(error),
    }
}
