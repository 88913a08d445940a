//! `--mode distance`: the least distance, and where it is.

use bvtree::query::{Distance, DistanceOptions, QueryError};
use bvtree::{BvTree, Pose, Query};
use serde_json::Value;

use super::mode::{Answer, stable_and};

/// The closest points are in A's frame.
pub const COLUMNS: [&str; 14] = stable_and(["ax", "ay", "az", "bx", "by", "bz", "face_a", "face_b"]);

pub fn ask(
    query: &mut Query,
    a: &BvTree,
    b: &BvTree,
    b_to_a: &Pose,
    options: &DistanceOptions,
) -> Result<Answer, QueryError> {
    let closest = query.distance_with(a, b, b_to_a, options)?;
    let distance = closest.map(|closest| closest.distance);
    Ok(Answer { hit: distance == Some(0.0), distance, closest, ..Answer::default() })
}

pub fn values(answer: &Answer) -> Vec<Value> {
    let Some(Distance { on_a, on_b, faces, .. }) = answer.closest else { return vec![Value::Null; 8] };
    let points = on_a.iter().chain(on_b.iter()).map(|&x| Value::from(x));
    points.chain([faces.face_a.into(), faces.face_b.into()]).collect()
}
