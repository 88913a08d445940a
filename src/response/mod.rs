//! Collision response: impulses with restitution and friction, in 3D and ([`planar`]) in the plane, and the mass
//! properties of meshes and convex shapes.
//!
//! | Item | Result | Source |
//! |---|---|---|
//! | [`collide`], [`planar::collide`] | velocities after a collision at a point | Chatterjee and Ruina 1998 |
//! | [`RigidBody`], [`planar::RigidBody`] | momenta, energy, velocity at a point | Newton, Euler |
//! | [`MassProperties::of`], [`MassProperties::of_shape`] | volume, centroid, inertia | Tonon 2004 (Mirtich 1996) |
//!
//! Units are the user's, as long as they agree. This is a layer for games and experiments, not a physics engine: there
//! are no joints, no islands and no resting contacts.
//!
//! # The law
//!
//! Let `u` be the velocity of B's point of contact less that of A's, `n` the normal from A to B, and `K` the matrix
//! that maps an impulse on B, and its opposite on A, to the change of `u`. Two impulses bound the outcome: `P1 = -(n.u
//! / n.Kn) n` stops the approach without friction, and `P2 = -K^-1 u` stops the points' relative motion altogether. The
//! impulse applied is
//!
//! `P = (1 + e) P1 + k (P2 - P1)`
//!
//! with the coefficient of restitution `e` and the greatest `k` from 0 to 1 for which `P` is in the friction cone
//! `|P_t| <= mu P_n`: `k = 1` is sticking, a smaller `k` is sliding. (Chatterjee and Ruina's tangential restitution is
//! 0 here.) For any two bodies:
//!
//! * The normal velocity after the collision is `-e n.u`, whatever the friction is, since `n.K(P2 - P1) = 0`.
//! * The lost energy is `(1 - e^2) (n.u)^2 / (2 n.Kn)` for the normal part and `(1 - (1 - k)^2) |P2 - P1|_K^2 / 2` for
//!   the tangential one, where `|v|_K^2 = v.Kv`, since `P1` and `P2 - P1` are orthogonal with respect to `K`. Neither
//!   is negative: energy never grows, as it can where the two parts are clamped one by one while `K` couples them.
//! * Momentum and angular momentum are conserved, since the two impulses are opposite and act at one point.

mod mass_properties;
pub mod planar;
mod rigid_body;

pub use mass_properties::{MassError, MassProperties};
pub use rigid_body::{Impulse, Material, Regime, RigidBody, RigidBodyError, collide};
