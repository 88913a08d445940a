//! How far B must be moved until it is free of A: along a direction, and along the best one that is found.

mod along;
mod least;

pub use along::DirectionalPenetration;
pub use least::Penetration;
