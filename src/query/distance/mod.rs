//! How far apart two meshes are: the least distance, whether it is within a tolerance, and all pairs of triangles that
//! near.

mod answer;
mod least;
mod near_pairs;
mod nearest;
mod rounding;
mod within;

pub use answer::{ClosestPair, DistanceOptions};
pub(super) use nearest::Nearest;
pub use within::Within;
