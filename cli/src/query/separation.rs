//! `--mode separation`: the last contact as B is moved along a direction; beyond that length no triangles touch.

use bvtree::{BvTree, Pose, Query};
use nalgebra::UnitVector3;

use super::answer::{Answer, stable_and};

pub const COLUMNS: [&str; 7] = stable_and(["separation"]);

pub fn ask(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose, direction: &UnitVector3<f64>) -> Answer {
    let found = query.penetration_along(a, b, b_to_a, direction);
    // What doesn't touch need not be moved.
    let length = found.map_or(0.0, |found| found.depth);
    Answer { hit: found.is_some(), separation: Some(length), ..Answer::default() }
}
