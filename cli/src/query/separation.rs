//! `--mode separation`: how far B must be moved along a direction until no triangles touch.

use bvtree::query::QueryError;
use bvtree::{BvTree, Pose, Query};
use nalgebra::UnitVector3;

use super::mode::{Answer, stable_and};

pub const COLUMNS: [&str; 7] = stable_and(["separation"]);

pub fn ask(
    query: &mut Query,
    a: &BvTree,
    b: &BvTree,
    b_to_a: &Pose,
    direction: &UnitVector3<f64>,
) -> Result<Answer, QueryError> {
    let separation = query.separation(a, b, b_to_a, direction)?;
    // What doesn't touch need not be moved.
    let length = separation.map_or(0.0, |separation| separation.length);
    Ok(Answer { hit: separation.is_some(), separation: Some(length), ..Answer::default() })
}
