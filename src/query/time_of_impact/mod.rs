//! When a moving mesh first meets one that stands still: continuous collision detection.
//!
//! The motion is cut into windows of time, each a turn of at most an eighth of a radian, and the windows in which not
//! even the meshes' balls meet are left out. For each of the others both trees are descended once: within a window a
//! volume's centre moves nearly straight, so the straight part is swept exactly, and a bound of what is left, with the
//! volume's turning, is added to the volume. Pairs of triangles advance conservatively.

mod advance;
mod answer;
mod at_start;
mod first_contact;
mod motion_bounds;
mod question;
mod touching;

pub use answer::{MotionContact, TimeOfImpact};
