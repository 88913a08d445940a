//! `--mode within`: whether the distance is at most a tolerance.

use bvtree::query::Within;
use bvtree::{BvTree, Pose, Query};
use serde_json::Value;

use super::answer::{Answer, stable_and};

/// The lower bound is given where the answer is no.
pub const COLUMNS: [&str; 8] = stable_and(["within", "lower_bound"]);

pub fn ask(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose, tolerance: f64) -> Answer {
    let within = query.within(a, b, b_to_a, tolerance);
    // A yes leaves open whether there is contact.
    let hit = within.is_yes() && query.intersects(a, b, b_to_a);
    Answer { hit, within: Some(within), ..Answer::default() }
}

pub fn values(answer: &Answer) -> Vec<Value> {
    match answer.within {
        None => vec![Value::Null; 2],
        Some(Within::Yes) => vec![true.into(), Value::Null],
        // Null if infinite, which an empty mesh is away.
        Some(Within::No { lower_bound }) => vec![false.into(), lower_bound.into()],
    }
}
