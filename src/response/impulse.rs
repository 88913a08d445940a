//! The impulse law, on the relative velocity in the contact alone.

use nalgebra::{Matrix3, SVector, Vector3};

/// How two surfaces meet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// The part of the approach that comes back: 1 is elastic, 0 perfectly inelastic. Brought into 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient of friction: 0 is frictionless, infinity never slides. Not below 0.
    pub friction: f64,
}

/// What the contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Regime {
    /// The bodies don't approach, or neither can move: there is no impulse.
    Parting,
    /// Friction stops the slip, with less than there might be. (A bounce may bring on another one, where the bodies'
    /// arms couple the directions: `e K P1` is left of the motion in the contact. Stopping that as well could gain
    /// energy.)
    Sticking,
    /// The points slip, with as much friction as there may be.
    Sliding,
}

/// The impulse of a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impulse<const D: usize = 3> {
    /// On B; on A it is the opposite.
    pub on_b: SVector<f64, D>,
    /// Whether the contact sticks or slides.
    pub regime: Regime,
}

/// The law of the [module](super): `mobility` takes an impulse to the change of the relative velocity, and is positive
/// definite unless nothing can move.
pub(super) fn impulse(
    mobility: &Matrix3<f64>,
    velocity: &Vector3<f64>,
    normal: &Vector3<f64>,
    material: &Material,
) -> Impulse {
    let parting = Impulse { on_b: Vector3::zeros(), regime: Regime::Parting };
    let approach = -normal.dot(velocity);
    let along_normal = normal.dot(&(mobility * normal));
    // Not for NaN either.
    if !(approach > 0.0 && along_normal > 0.0) {
        return parting;
    }
    let stop = approach / along_normal;
    let bounce = (1.0 + material.restitution.clamp(0.0, 1.0)) * stop;
    let friction = material.friction.max(0.0);
    if friction == 0.0 {
        return Impulse { on_b: normal * bounce, regime: Regime::Sliding };
    }
    let Some(stick) = mobility.cholesky().map(|factor| factor.solve(&-velocity)) else { return parting };
    let tangential = stick - normal * stop;
    let rise = tangential.dot(normal);
    let slip = (tangential - normal * rise).norm();
    // k slip <= friction (bounce + k rise).
    let needed = slip - friction * rise;
    let k = if needed > friction * bounce { friction * bounce / needed } else { 1.0 };
    let regime = if k < 1.0 { Regime::Sliding } else { Regime::Sticking };
    Impulse { on_b: normal * bounce + tangential * k, regime }
}
