//! What a character is like: sizes and limits.

use nalgebra::{UnitVector3, Vector3};
use thiserror::Error;

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
    /// The way up.
    pub up: UnitVector3<f64>,
    /// The gap that is kept to everything, within a factor: where two surfaces leave less room, or one is glided past,
    /// it is less, but never zero. Above zero and below the radius; a few hundredths of it do well.
    pub skin: f64,
    /// The highest step that is walked up, and the highest edge that one can stand on with the side of the capsule's
    /// foot.
    pub max_step: f64,
    /// The steepest slope that is walked up and stood on, as rise over run: 1 is 45 degrees. Down steeper ones one
    /// slides.
    pub max_slope: f64,
    /// Snap to ground: how far down ground is followed when it drops away while walking; farther, one falls.
    pub snap_distance: f64,
    /// Acceleration downward.
    pub gravity: f64,
    /// How fast the wished walk changes the velocity in the air; 0 for none.
    pub air_acceleration: f64,
    /// The longest substep: longer time steps are divided into parts of this length or less.
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
            gravity: 9.81,
            air_acceleration: 10.0,
            max_substep: 1.0 / 60.0,
        }
    }
}

/// Why there is no character of such options or at such a place.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CharacterError {
    /// A size or a limit is negative, NaN or infinite, or zero where it may not be.
    #[error("the option `{name}` is {value}")]
    OutOfRange {
        /// The field of [`CharacterOptions`].
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The place is NaN or infinite.
    #[error("the position is not finite")]
    PositionNotFinite,
}

impl CharacterOptions {
    pub(super) fn check(&self) -> Result<(), CharacterError> {
        let any = [
            ("max_step", self.max_step),
            ("max_slope", self.max_slope),
            ("snap_distance", self.snap_distance),
            ("gravity", self.gravity),
            ("air_acceleration", self.air_acceleration),
        ];
        let positive = [("radius", self.radius), ("skin", self.skin), ("max_substep", self.max_substep)];
        let fails = |&(_, value): &(&str, f64)| !(value >= 0.0 && value.is_finite());
        let fails_positive = |pair: &(&str, f64)| fails(pair) || pair.1 == 0.0;
        let odd = any.into_iter().find(fails).or_else(|| positive.into_iter().find(fails_positive));
        let odd = odd.or_else(|| (self.skin >= self.radius).then_some(("skin", self.skin)));
        // Not for NaN either.
        let tall = self.height >= 2.0 * self.radius && self.height.is_finite();
        match odd.or_else(|| (!tall).then_some(("height", self.height))) {
            Some((name, value)) => Err(CharacterError::OutOfRange { name, value }),
            None => Ok(()),
        }
    }

    /// The least cosine between up and the normal of ground that is walked on. A square root is the same on every
    /// machine, which a cosine is not.
    pub(super) fn least_cosine(&self) -> f64 {
        1.0 / (1.0 + self.max_slope * self.max_slope).sqrt() - 1e-9
    }
}
