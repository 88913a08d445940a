//! `--mode hit`: whether any triangles touch.

use bvtree::{BvTree, Pose, Query};

use super::answer::Answer;

pub fn ask(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Answer {
    let hit = query.intersects(a, b, b_to_a);
    Answer { hit, ..Answer::default() }
}
