//! A kinematic character controller: an upright capsule that walks.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Mutex;

use bvtree::Character;
use bvtree::character::{CharacterOptions, Intent, Push, StepOutcome, Surroundings};
use bvtree::pose::unit_vector;

use crate::ffi::{Visitor, answer, array, hand_over, lock, out, shared};
use crate::ffi::{options, versioned};
use crate::panic_guard::{DONE, Outcome, panic_guard};
use crate::pose::{point, vector};
use crate::scene::{BvtBodyId, BvtBodyMotion, BvtScene, id, motions};
use crate::shape::BvtCapsule;
use crate::status::{BvtStatus, Error};

/// A character controller that walks among the bodies of a scene. One thread at a time may use it.
pub struct BvtCharacter {
    character: Mutex<Character>,
}

/// Sizes and limits of a character, in the unit of the meshes and in seconds. `bvt_character_defaults` returns those of
/// a person in metres, with z up; null and `{sizeof(BvtCharacterOptions)}`, with all other fields zero, mean the same.
/// To change only some fields, start from the defaults: if any other field is nonzero, zeros are not replaced.
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
    /// Gap kept between the capsule and obstacles; smaller, but never zero, between close surfaces and while sliding.
    /// Above 0 and below the radius.
    pub skin: f64,
    /// Height of the highest step that the character climbs.
    pub max_step: f64,
    /// Steepest slope that the character climbs, as rise over run.
    pub max_slope: f64,
    /// Snap distance: how far below the feet the character follows the ground.
    pub snap_distance: f64,
    /// Downward acceleration.
    pub gravity: f64,
    /// Acceleration in the air toward the desired walking velocity; 0 for none.
    pub air_acceleration: f64,
    /// Longest substep in seconds; longer time steps are divided, into at most 256 substeps.
    pub max_substep: f64,
    /// How far inside the capsule's side the edge of a ledge must be for the character to stand on it, and the least
    /// width of a step that it climbs, unless ground follows within `snap_distance` below; less than the radius. 0, the
    /// default, lets it stand on any edge.
    pub perch_radius_threshold: f64,
    /// Time in seconds in which `BvtCharacterStep::camera_offset` halves; at 0, an offset is gone after one substep.
    pub camera_half_life: f64,
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
            perch_radius_threshold: default.perch_radius_threshold,
            camera_half_life: default.camera_half_life,
        }
    }
}

impl BvtCharacterOptions {
    fn is_zero(&self) -> bool {
        let Self {
            struct_size: _,
            radius,
            height,
            up: [x, y, z],
            skin,
            max_step,
            max_slope,
            snap_distance,
            gravity,
            air_acceleration,
            max_substep,
            perch_radius_threshold,
            camera_half_life,
        } = *self;
        let sizes = [radius, height, x, y, z, skin, max_step, max_slope, snap_distance];
        let limits = [gravity, air_acceleration, max_substep, perch_radius_threshold, camera_half_life];
        sizes.iter().chain(&limits).all(|&number| number == 0.0)
    }
}

/// Returns the options of a person in metres, with z up and `struct_size` set.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_character_defaults() -> BvtCharacterOptions {
    BvtCharacterOptions::default()
}

/// Converts the caller's options to the library's. Of their values, only `up` is checked here.
///
/// # Safety
/// The options' `struct_size` is set.
unsafe fn checked(given: *const BvtCharacterOptions) -> Result<CharacterOptions, Error> {
    // SAFETY: the caller promises it.
    let given: BvtCharacterOptions = unsafe { options(given, "options") }?;
    let given = if given.is_zero() { BvtCharacterOptions::default() } else { given };
    let up = unit_vector(&given.up.into()).ok_or_else(|| Error::argument("up is zero or not finite"))?;
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
        perch_radius_threshold: given.perch_radius_threshold,
        camera_half_life: given.camera_half_life,
    })
}

/// Creates a character at rest in the air with its lowest point at `feet`, in the world. The options may be null.
///
/// Errors: `BVT_ERROR_ARGUMENT` if an option is out of range or `feet` is not finite.
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

/// Outcome of a character's step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtCharacterStep {
    /// Whether something other than ground blocked the character.
    pub is_blocked: bool,
    /// Whether moving bodies left no space for the capsule, which may then overlap one of them.
    pub is_crushed: bool,
    /// Whether the character stands on ground.
    pub is_on_ground: bool,
    /// Whether the capsule overlaps a body at the end of the step: one that crushed it, which may have stopped since,
    /// or one in which it was placed or that appeared around it. Set in each step while the overlap lasts.
    pub is_overlapping: bool,
    /// The lowest point of the capsule, in the world.
    pub feet: [f64; 3],
    /// Velocity, along the world's axes: in the air the velocity of the flight, on the ground the desired velocity
    /// relative to the ground.
    pub velocity: [f64; 3],
    /// The body that the capsule overlaps most, if `is_overlapping`; otherwise 0, which is also a body's id.
    pub overlap_body: BvtBodyId,
    /// Penetration depth of the capsule's overlap with `overlap_body`; 0 if the capsule is free.
    pub overlap_depth: f64,
    /// Height to add to the feet, along the up direction, for a camera or a model that glides over stairs. Steps up and
    /// down leave an offset that halves every `camera_half_life`; its absolute value is at most `max_step`.
    pub camera_offset: f64,
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
            overlap_body: outcome.overlap.map_or(0, |overlap| overlap.body.to_bits()),
            overlap_depth: outcome.overlap.map_or(0.0, |overlap| overlap.depth),
            camera_offset: character.camera_offset(),
        }
    }
}

/// A surface that moves relative to its body, such as a conveyor belt.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtSurfaceVelocity {
    /// The body.
    pub body: BvtBodyId,
    /// Velocity of the surface relative to the body, along the world's axes.
    pub velocity: [f64; 3],
}

/// A scene in which a character walks, and what moves in it during a step.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct BvtSurroundings {
    /// Must be `sizeof(BvtSurroundings)`.
    pub struct_size: usize,
    /// The scene. Bodies without a motion are stationary.
    pub scene: *const BvtScene,
    /// Motions of bodies during the step; their poses in the scene are ignored. May be null if there are none.
    pub motions: *const BvtBodyMotion,
    /// Number of motions.
    pub motion_count: usize,
    /// Surfaces that move relative to their bodies. May be null if there are none.
    pub surface_velocities: *const BvtSurfaceVelocity,
    /// Number of surface velocities.
    pub surface_velocity_count: usize,
    /// Collision groups of the obstacles, as a bit set; 0 means all.
    pub mask: u32,
    /// Bodies whose triangles the character passes from behind, such as platforms that it jumps onto from below. May be
    /// null if there are none.
    pub one_sided: *const BvtBodyId,
    /// Number of one-sided bodies.
    pub one_sided_count: usize,
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
            one_sided: ptr::null(),
            one_sided_count: 0,
        }
    }
}

/// Calls `work` with the library's surroundings.
///
/// # Safety
/// The structure's `struct_size` is set, its scene exists, and its arrays are as long as their counts say.
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
    // SAFETY: as above.
    let one_sided = unsafe { array(given.one_sided, given.one_sided_count, "one-sided bodies") }?;
    let one_sided: Vec<_> = one_sided.iter().map(|&body| id(body)).collect();
    let surroundings =
        Surroundings { scene: &scene, mask, motions: &moving, surface_velocities: &velocities, one_sided: &one_sided };
    work(&surroundings)
}

/// Advances a character by a time step in seconds: the bodies of the scene move first, then the character walks or
/// flies among them. `walk` is the desired velocity relative to the body that the character stands on, of which only
/// the horizontal part is used; in the air it steers the fall. `jump` is the upward speed of a jump if the character
/// stands, or 0. Only bodies near the character cost time. If `time` is not positive and finite, the step only forgets
/// the pushes of the step before.
///
/// Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if a body has two motions or one that begins or ends farther
/// than 1e30 from the world's origin; `BVT_ERROR_POSE`. After an error, the character has not moved.
///
/// # Safety
/// The surroundings' `struct_size` is set, their scene exists, and their arrays are as long as their counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_character_step(
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
            let outcome = character.step(surroundings, &Intent { walk, jump }, time)?;
            out.write(BvtCharacterStep::new(&character, &outcome));
            DONE
        };
        // SAFETY: the caller promises it.
        unsafe { within(surroundings, advance) }
    })
}

/// A body that was in the way of a character, for a game to push. The body counts as standing still.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtCharacterPush {
    /// The body.
    pub body: BvtBodyId,
    /// Contact point on the body, in the world.
    pub point: [f64; 3],
    /// Unit normal of the contact, from the body to the character.
    pub normal: [f64; 3],
    /// Speed, in length units per second, at which the character would have kept moving into the body, opposite to
    /// `normal`. The impulse that the body receives when it stops the character is `-mass * speed * normal`, where
    /// `mass` is the character's.
    pub speed: f64,
}

impl From<&Push> for BvtCharacterPush {
    fn from(push: &Push) -> Self {
        let Push { body, point, normal, speed } = *push;
        Self { body: body.to_bits(), point: point.into(), normal: normal.into(), speed }
    }
}

/// Callback that receives a push. Returns 0 to continue, anything else to stop. It must not throw.
pub type BvtVisitCharacterPush = Option<unsafe extern "C" fn(user: *mut c_void, push: *const BvtCharacterPush) -> i32>;

/// Calls `visit` with each body that was in the way of a character in its last step, static ones included, in the order
/// in which they were met, until `visit` returns nonzero. Each is reported once, at the contact with the highest
/// `speed`. The floor on which the character lands is included; the floor on which it walks, and bodies that carry or
/// crush it, are not.
///
/// # Safety
/// `visit` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_character_for_each_push(
    character: Option<&BvtCharacter>,
    visit: BvtVisitCharacterPush,
    user: *mut c_void,
) -> BvtStatus {
    panic_guard(|| {
        let character = lock(character.map(|character| &character.character), "character")?;
        // SAFETY: the caller promises it.
        let visitor = unsafe { Visitor::new(visit, user) }?;
        visitor.visit_all(character.pushes());
        DONE
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

/// Changes the sizes and limits of a character, such as the height in order to crouch. The ground and the velocity
/// stay. The feet stay where they are unless the up direction changes: then the lower end of the capsule's axis stays
/// instead. The next step first pushes the character out of what it overlaps now.
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

/// Writes whether a character would be free of the bodies of a scene, at the ends of their motions, if it had other
/// options: for example, whether there is room to stand up.
///
/// Errors: `BVT_ERROR_ARGUMENT` if an option is out of range, and the errors of `bvt_character_step`.
///
/// # Safety
/// The `struct_size` of both structures is set, the scene exists, and the arrays of the surroundings are as long as
/// their counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_character_has_room(
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
            out.write(character.has_room(surroundings, &options)?);
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
    /// The body.
    pub body: BvtBodyId,
    /// Index of the triangle; `BVT_NO_FACE` for a convex shape.
    pub face: u32,
}

impl From<&bvtree::character::Ground> for BvtGround {
    fn from(ground: &bvtree::character::Ground) -> Self {
        let (normal, point) = (ground.normal.into(), ground.point.into());
        Self { normal, point, body: ground.body.to_bits(), face: ground.face }
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
