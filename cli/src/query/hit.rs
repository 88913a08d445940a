//! `--mode hit`: whether any triangles touch.

use bvtree::query::QueryError;
use bvtree::{BvTree, Pose, Query};

use super::mode::Answer;

pub fn ask(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Result<Answer, QueryError> {
    let hit = query.intersects(a, b, b_to_a)?;
    Ok(Answer { hit, ..Answer::default() })
}
