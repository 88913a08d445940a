//! Options of a character: sizes and limits.

use nalgebra::{UnitVector3, Vector3};
use thiserror::Error;

use crate::numeric::error_bounds::SLOPE_COSINE_ERROR;
use crate::scene::SceneError;

/// Sizes and limits of a [`Character`](super::Character), in the unit of the meshes and in seconds.
///
/// The values of [`Default`] suit a person in metres, with z up.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct CharacterOptions {
    /// Radius of the upright capsule. Above zero.
    pub radius: f64,
    /// Height of the capsule from the feet to the top, caps included. Twice the radius (a sphere) or more.
    pub height: f64,
    /// The up direction.
    pub up: UnitVector3<f64>,
    /// The gap kept to all surfaces; smaller, but never zero, between close surfaces and while sliding. Above zero and
    /// below the radius; a few hundredths of the radius work well.
    pub skin: f64,
    /// The height of the highest step that is walked up, and of the highest edge on which the side of the capsule's
    /// foot can stand.
    pub max_step: f64,
    /// The steepest walkable slope, as rise over run: 1 is 45 degrees. The character slides down steeper ones.
    pub max_slope: f64,
    /// Snap to ground: how far the character follows ground that drops away; if the ground drops farther, the character
    /// falls.
    pub snap_distance: f64,
    /// How far inside the capsule's side the edge of a ledge must be for the character to stand on it: how much of the
    /// foot must be on the ledge, and the least width of a step that is walked up. A ledge that is narrower holds the
    /// character only where walkable ground follows at most [`snap_distance`](Self::snap_distance) below the rest of
    /// the foot. Below the radius; 0 (the default) lets the character stand on any edge.
    #[doc(alias = "ledge")]
    #[doc(alias = "perch")]
    pub perch_radius_threshold: f64,
    /// The downward acceleration of gravity.
    pub gravity: f64,
    /// The acceleration in the air toward the desired velocity; 0 for none.
    pub air_acceleration: f64,
    /// The time in seconds in which half of [`Character::camera_offset`](super::Character::camera_offset) is gone; at
    /// 0, an offset is gone after one substep.
    pub camera_half_life: f64,
    /// The longest substep in seconds; longer steps are divided.
    pub max_substep: f64,
}

impl Default for CharacterOptions {
    fn default() -> Self {
        Self {
            radius: 0.3,
            height: 1.8,
            up: Vector3::z_axis(),
            skin: 0.01,
            max_step: 0.3,
            max_slope: 1.0,
            snap_distance: 0.35,
            perch_radius_threshold: 0.0,
            gravity: 9.81,
            air_acceleration: 10.0,
            camera_half_life: 0.05,
            max_substep: 1.0 / 60.0,
        }
    }
}

/// An error in the options, the position, the velocity or the surroundings of a character.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CharacterError {
    /// An option is negative, NaN or infinite, zero where it must be positive, or does not fit the radius.
    #[error("the option `{name}` is {value}")]
    OutOfRange {
        /// The field of [`CharacterOptions`].
        name: &'static str,
        /// The option's value.
        value: f64,
    },
    /// The position is NaN or infinite.
    #[error("the position is not finite")]
    PositionNotFinite,
    /// The velocity is NaN or infinite.
    #[error("the velocity is not finite")]
    VelocityNotFinite,
    /// A body that the surroundings name is not in the scene, has two motions, or moves from or to a pose that
    /// [`Scene::set_pose`](crate::scene::Scene::set_pose) refuses.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

impl CharacterOptions {
    pub(super) fn check(&self) -> Result<(), CharacterError> {
        let any = [
            ("max_step", self.max_step),
            ("max_slope", self.max_slope),
            ("snap_distance", self.snap_distance),
            ("perch_radius_threshold", self.perch_radius_threshold),
            ("gravity", self.gravity),
            ("camera_half_life", self.camera_half_life),
            ("air_acceleration", self.air_acceleration),
        ];
        let positive = [("radius", self.radius), ("skin", self.skin), ("max_substep", self.max_substep)];
        let fails = |&(_, value): &(&str, f64)| !(value >= 0.0 && value.is_finite());
        let fails_positive = |pair: &(&str, f64)| fails(pair) || pair.1 == 0.0;
        let odd = any.into_iter().find(fails).or_else(|| positive.into_iter().find(fails_positive));
        let odd = odd.or_else(|| (self.skin >= self.radius).then_some(("skin", self.skin)));
        let perch = self.perch_radius_threshold;
        let odd = odd.or_else(|| (perch >= self.radius).then_some(("perch_radius_threshold", perch)));
        // Also false for NaN.
        let tall = self.height >= 2.0 * self.radius && self.height.is_finite();
        match odd.or_else(|| (!tall).then_some(("height", self.height))) {
            Some((name, value)) => Err(CharacterError::OutOfRange { name, value }),
            None => Ok(()),
        }
    }

    /// The smallest cosine between up and the normal of walkable ground. A square root is the same on every machine; a
    /// cosine is not.
    pub(super) fn least_cosine(&self) -> f64 {
        1.0 / (1.0 + self.max_slope * self.max_slope).sqrt() - SLOPE_COSINE_ERROR
    }
}
