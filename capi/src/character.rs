//! A kinematic character controller: an upright capsule that walks.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Mutex;

use bvtree::Character;
use bvtree::character::{Body, CharacterOptions, Intent, StepOutcome, Surroundings};
use nalgebra::Unit;

use crate::ffi::{answer, array, given, hand_over, lock, out, shared};
use crate::ffi::{options, versioned};
use crate::panic_guard::{DONE, Outcome, panic_guard};
use crate::pose::{BvtPose, point, vector};
use crate::scene::{BvtBodyId, BvtBodyMotion, BvtScene, id, motions};
use crate::shape::BvtCapsule;
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// A character controller that walks over meshes. One thread at a time may use it.
pub struct BvtCharacter {
    character: Mutex<Character>,
}

/// Sizes and limits of a character, in the unit of the meshes and in seconds. `bvt_character_defaults` returns those of
/// a person in metres, with z up.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtCharacterOptions {
    /// Must be `sizeof(BvtCharacterOptions)`.
    pub struct_size: usize,
    /// Radius of the upright capsule.
    pub radius: f64,
    /// Height from the feet to the top; at least twice the radius.
    pub height: f64,
    /// The up direction, of any nonzero length.
    pub up: [f64; 3],
    /// Gap kept between the capsule and every obstacle.
    pub skin: f64,
    /// Height of the highest step that the character climbs.
    pub max_step: f64,
    /// Steepest slope that the character climbs, as rise over run.
    pub max_slope: f64,
    /// Snap distance: how far below the feet the character follows the ground.
    pub snap_distance: f64,
    /// Downward acceleration.
    pub gravity: f64,
    /// Acceleration of the velocity toward the desired walk while in the air.
    pub air_acceleration: f64,
    /// Longest substep in seconds; longer time steps are divided.
    pub max_substep: f64,
}

versioned!(BvtCharacterOptions);

impl Default for BvtCharacterOptions {
    fn default() -> Self {
        let default = CharacterOptions::default();
        Self {
            struct_size: size_of::<Self>(),
            radius: default.radius,
            height: default.height,
            up: default.up.into_inner().into(),
            skin: default.skin,
            max_step: default.max_step,
            max_slope: default.max_slope,
            snap_distance: default.snap_distance,
            gravity: default.gravity,
            air_acceleration: default.air_acceleration,
            max_substep: default.max_substep,
        }
    }
}

/// Returns the options of a person in metres, with z up and `struct_size` set.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_character_defaults() -> BvtCharacterOptions {
    BvtCharacterOptions::default()
}

/// The library's options.
///
/// # Safety
/// The options' `struct_size` is set.
unsafe fn checked(given: *const BvtCharacterOptions) -> Result<CharacterOptions, Error> {
    // SAFETY: the caller promises it.
    let given: BvtCharacterOptions = unsafe { options(given, "options") }?;
    let up = Unit::try_new(given.up.into(), 0.0).ok_or_else(|| Error::argument("up is zero or not finite"))?;
    Ok(CharacterOptions {
        radius: given.radius,
        height: given.height,
        up,
        skin: given.skin,
        max_step: given.max_step,
        max_slope: given.max_slope,
        snap_distance: given.snap_distance,
        gravity: given.gravity,
        air_acceleration: given.air_acceleration,
        max_substep: given.max_substep,
    })
}

/// Creates a character at rest in the air with its lowest point at `feet`, in the world. The options may be null.
///
/// Errors: `BVT_ERROR_ARGUMENT` if an option is out of range.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_character_new(
    options_given: *const BvtCharacterOptions,
    feet: Option<&[f64; 3]>,
    character: Option<&mut MaybeUninit<*mut BvtCharacter>>,
) -> BvtStatus {
    panic_guard(|| {
        let (feet, out) = (point(feet, "feet")?, out(character, "character")?);
        // SAFETY: the caller promises it.
        let options = unsafe { checked(options_given) }?;
        hand_over(out, BvtCharacter { character: Mutex::new(Character::new(&options, feet)?) });
        DONE
    })
}

/// Frees a character. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_character_free(character: Option<Box<BvtCharacter>>) {
    drop(character);
}

/// A mesh at a pose that may change during a step, such as a platform or a door.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct BvtCharacterBody<'a> {
    /// The mesh.
    pub tree: Option<&'a BvtTree>,
    /// Pose in the world at the start of the step.
    pub start: BvtPose,
    /// Pose in the world at the end of the step.
    pub end: BvtPose,
    /// Velocity in the world of a surface that moves relative to the mesh, such as a conveyor belt; otherwise zero.
    pub surface_velocity: [f64; 3],
}

impl<'a> BvtCharacterBody<'a> {
    fn checked(&self) -> Result<Body<'a>, Error> {
        let tree = given(self.tree, "tree of a body")?;
        let body = Body::moving(&tree.tree, &self.start.checked()?, &self.end.checked()?);
        Ok(body.with_surface_velocity(self.surface_velocity.into()))
    }
}

/// Outcome of a character's step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtCharacterStep {
    /// Whether something other than ground blocked the character.
    pub is_blocked: bool,
    /// Whether moving bodies left no space for the capsule. `overlap_body` is the one that crushes it most.
    pub is_crushed: bool,
    /// Whether the character stands on ground.
    pub is_on_ground: bool,
    /// Whether the capsule overlaps a body at the end of the step: one that crushed it, which may have stopped since,
    /// or one in which it was placed or that appeared around it. Set in each step while the overlap lasts.
    pub is_overlapping: bool,
    /// The lowest point of the capsule, in the world.
    pub feet: [f64; 3],
    /// Velocity in the world: in the air that of the flight, on the ground that of the desired walk.
    pub velocity: [f64; 3],
    /// Index among the step's bodies of the one that the capsule overlaps most, or in a scene the low 32 bits of its
    /// id; 0 if it is free.
    pub overlap_body: usize,
    /// Penetration depth of that overlap; 0 if the capsule is free.
    pub overlap_depth: f64,
}

impl BvtCharacterStep {
    fn new(character: &Character, outcome: &StepOutcome) -> Self {
        Self {
            is_blocked: outcome.is_blocked,
            is_crushed: outcome.is_crushed,
            is_on_ground: character.ground().is_some(),
            is_overlapping: outcome.overlap.is_some(),
            feet: character.feet().into(),
            velocity: character.velocity().into(),
            overlap_body: outcome.overlap.map_or(0, |overlap| overlap.body),
            overlap_depth: outcome.overlap.map_or(0.0, |overlap| overlap.depth),
        }
    }
}

/// Advances a character by a time step in seconds: the bodies move first, then the character walks or flies among them.
/// `walk` is the desired velocity; `jump` is the upward speed of a jump, or 0.
///
/// Errors: `BVT_ERROR_POSE`.
///
/// # Safety
/// There are `count` bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_character_step(
    character: Option<&BvtCharacter>,
    bodies: *const BvtCharacterBody<'_>,
    count: usize,
    walk: Option<&[f64; 3]>,
    jump: f64,
    time: f64,
    step: Option<&mut MaybeUninit<BvtCharacterStep>>,
) -> BvtStatus {
    panic_guard(|| {
        let mut character = lock(character.map(|character| &character.character), "character")?;
        let (walk, out) = (vector(walk, "walk")?, out(step, "step")?);
        // SAFETY: the caller promises it.
        let bodies = unsafe { array(bodies, count, "bodies") }?;
        let bodies = bodies.iter().map(BvtCharacterBody::checked).collect::<Result<Vec<_>, Error>>()?;
        let outcome = character.step(&bodies, &Intent { walk, jump }, time);
        out.write(BvtCharacterStep::new(&character, &outcome));
        DONE
    })
}

/// A surface that moves relative to its body, such as a conveyor belt.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtSurfaceVelocity {
    /// The body.
    pub body: BvtBodyId,
    /// Velocity in the world.
    pub velocity: [f64; 3],
}

/// A scene in which a character walks, and what moves in it during a step.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct BvtSurroundings {
    /// Must be `sizeof(BvtSurroundings)`.
    pub struct_size: usize,
    /// The scene. Bodies without a motion stand still at their poses.
    pub scene: *const BvtScene,
    /// Motions of bodies during the step; their poses in the scene don't count. May be null if there are none.
    pub motions: *const BvtBodyMotion,
    /// Number of motions.
    pub motion_count: usize,
    /// Surfaces that move relative to their bodies. May be null if there are none.
    pub surface_velocities: *const BvtSurfaceVelocity,
    /// Number of these surfaces.
    pub surface_velocity_count: usize,
    /// Collision groups of the obstacles, as a bit set; 0 means all.
    pub mask: u32,
}

versioned!(BvtSurroundings);

impl Default for BvtSurroundings {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            scene: ptr::null(),
            motions: ptr::null(),
            motion_count: 0,
            surface_velocities: ptr::null(),
            surface_velocity_count: 0,
            mask: 0,
        }
    }
}

/// Calls `work` with the library's surroundings.
///
/// # Safety
/// The structure's `struct_size` is set, its scene exists, and it has as many motions and surfaces as it says.
unsafe fn within(given: *const BvtSurroundings, work: impl FnOnce(&Surroundings<'_>) -> Outcome) -> Outcome {
    // SAFETY: the caller promises it.
    let given = unsafe { options(given, "surroundings") }?;
    // SAFETY: as above.
    let scene = unsafe { given.scene.as_ref() };
    let scene = shared(scene.map(|scene| &scene.scene), "scene of the surroundings")?;
    // SAFETY: as above.
    let moving = unsafe { motions(given.motions, given.motion_count) }?;
    // SAFETY: as above.
    let velocities = unsafe { array(given.surface_velocities, given.surface_velocity_count, "surface velocities") }?;
    let velocities: Vec<_> = velocities.iter().map(|one| (id(one.body), one.velocity.into())).collect();
    let mask = if given.mask == 0 { u32::MAX } else { given.mask };
    work(&Surroundings { scene: &scene, mask, motions: &moving, surface_velocities: &velocities })
}

/// Advances a character like `bvt_character_step` among the bodies of a scene. Only bodies near the character
/// cost time. `overlap_body` of the step and `body` of the ground are then the low 32 bits of a body's id.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if a body has two motions; `BVT_ERROR_POSE`. The character does
/// not move then.
///
/// # Safety
/// The surroundings' `struct_size` is set, and they have as many motions and surfaces as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_character_step_in(
    character: Option<&BvtCharacter>,
    surroundings: *const BvtSurroundings,
    walk: Option<&[f64; 3]>,
    jump: f64,
    time: f64,
    step: Option<&mut MaybeUninit<BvtCharacterStep>>,
) -> BvtStatus {
    panic_guard(|| {
        let mut character = lock(character.map(|character| &character.character), "character")?;
        let (walk, out) = (vector(walk, "walk")?, out(step, "step")?);
        let advance = |surroundings: &Surroundings<'_>| {
            let outcome = character.step_in(surroundings, &Intent { walk, jump }, time)?;
            out.write(BvtCharacterStep::new(&character, &outcome));
            DONE
        };
        // SAFETY: the caller promises it.
        unsafe { within(surroundings, advance) }
    })
}

/// Teleports a character to another point, at rest in the air.
///
/// Errors: `BVT_ERROR_ARGUMENT` if the point is not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_character_teleport(character: Option<&BvtCharacter>, feet: Option<&[f64; 3]>) -> BvtStatus {
    panic_guard(|| {
        lock(character.map(|character| &character.character), "character")?.teleport(point(feet, "feet")?)?;
        DONE
    })
}

/// Changes the velocity of a character, in the world: it leaves the ground and flies.
///
/// Errors: `BVT_ERROR_ARGUMENT` if the velocity is not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_character_set_velocity(
    character: Option<&BvtCharacter>,
    velocity: Option<&[f64; 3]>,
) -> BvtStatus {
    panic_guard(|| {
        let mut character = lock(character.map(|character| &character.character), "character")?;
        character.set_velocity(vector(velocity, "velocity")?)?;
        DONE
    })
}

/// Changes the sizes and limits of a character, such as the height to crouch. The feet, the ground and the velocity
/// stay; the next step first pushes the character out of what it overlaps now.
///
/// Errors: `BVT_ERROR_ARGUMENT` if an option is out of range; then nothing changes.
///
/// # Safety
/// The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_character_set_options(
    character: Option<&BvtCharacter>,
    options: *const BvtCharacterOptions,
) -> BvtStatus {
    panic_guard(|| {
        let mut character = lock(character.map(|character| &character.character), "character")?;
        // SAFETY: the caller promises it.
        character.set_options(&unsafe { checked(options) }?)?;
        DONE
    })
}

/// Writes whether a character would be free of the bodies, at the ends of their steps, with other options: whether
/// there is room to stand up.
///
/// Errors: `BVT_ERROR_ARGUMENT` if an option is out of range; `BVT_ERROR_POSE`.
///
/// # Safety
/// There are `count` bodies. The options' `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_character_has_room(
    character: Option<&BvtCharacter>,
    bodies: *const BvtCharacterBody<'_>,
    count: usize,
    options: *const BvtCharacterOptions,
    has_room: Option<&mut MaybeUninit<bool>>,
) -> BvtStatus {
    panic_guard(|| {
        let mut character = lock(character.map(|character| &character.character), "character")?;
        let out = out(has_room, "has_room")?;
        // SAFETY: the caller promises it.
        let (bodies, options) = unsafe { (array(bodies, count, "bodies")?, checked(options)?) };
        let bodies = bodies.iter().map(BvtCharacterBody::checked).collect::<Result<Vec<_>, Error>>()?;
        out.write(character.has_room(&bodies, &options)?);
        DONE
    })
}

/// Writes whether a character would be free of the bodies of a scene with other options; see
/// `bvt_character_has_room` and `bvt_character_step_in`.
///
/// Errors: `BVT_ERROR_ARGUMENT` if an option is out of range, and those of `bvt_character_step_in`.
///
/// # Safety
/// The `struct_size` of both structures is set, and there are as many motions and surfaces as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_character_has_room_in(
    character: Option<&BvtCharacter>,
    surroundings: *const BvtSurroundings,
    options: *const BvtCharacterOptions,
    has_room: Option<&mut MaybeUninit<bool>>,
) -> BvtStatus {
    panic_guard(|| {
        let mut character = lock(character.map(|character| &character.character), "character")?;
        let out = out(has_room, "has_room")?;
        // SAFETY: the caller promises it.
        let options = unsafe { checked(options) }?;
        let ask = |surroundings: &Surroundings<'_>| {
            out.write(character.has_room_in(surroundings, &options)?);
            DONE
        };
        // SAFETY: the caller promises it.
        unsafe { within(surroundings, ask) }
    })
}

/// Writes the current capsule of a character, in the world.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_character_capsule(
    character: Option<&BvtCharacter>,
    capsule: Option<&mut MaybeUninit<BvtCapsule>>,
) -> BvtStatus {
    panic_guard(|| {
        let character = lock(character.map(|character| &character.character), "character")?;
        out(capsule, "capsule")?.write((&character.capsule()).into());
        DONE
    })
}

/// The ground under a character.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtGround {
    /// Unit normal of the walkable surface, in the world.
    pub normal: [f64; 3],
    /// Point of contact, in the world.
    pub point: [f64; 3],
    /// Index of the body among those passed to the step; in a scene, the low 32 bits of its id.
    pub body: usize,
    /// Index of the triangle.
    pub face: u32,
}

impl From<&bvtree::character::Ground> for BvtGround {
    fn from(ground: &bvtree::character::Ground) -> Self {
        Self { normal: ground.normal.into(), point: ground.point.into(), body: ground.body, face: ground.face }
    }
}

/// Writes the ground that a character stands on. Returns `BVT_NONE` in the air.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_character_ground(
    character: Option<&BvtCharacter>,
    ground: Option<&mut MaybeUninit<BvtGround>>,
) -> BvtStatus {
    panic_guard(|| {
        let character = lock(character.map(|character| &character.character), "character")?;
        answer(out(ground, "ground")?, character.ground())
    })
}
