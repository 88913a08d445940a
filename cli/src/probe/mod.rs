//! `bvtree ray` and `bvtree closest`: one tree and a file of questions in, a row per question out.

mod asked;
mod closest;
mod ray;

pub use closest::{ClosestArgs, run as run_closest};
pub use ray::{RayArgs, run as run_ray};
