//! `--mode distance`: the least distance, and where it is.

use bvtree::query::{ClosestPair, DistanceOptions, DistanceTracker};
use bvtree::{BvTree, Pose, Query};
use nalgebra::Point3;
use serde_json::Value;

use super::answer::{Answer, GROUPS, joined, stable_and};

/// The closest points are in the frame of A's source.
pub const COLUMNS: [&str; 14] = stable_and(["ax", "ay", "az", "bx", "by", "bz", "face_a", "face_b"]);
pub const WITH_GROUPS: [&str; 16] = joined(COLUMNS, GROUPS);

/// From the answer before where the tracker is given.
pub fn ask(
    query: &mut Query,
    tracker: Option<&mut DistanceTracker>,
    a: &BvTree,
    b: &BvTree,
    b_to_a: &Pose,
    options: &DistanceOptions,
) -> Answer {
    let closest = match tracker {
        Some(tracker) => tracker.distance_with(query, b_to_a, options),
        None => query.distance_with(a, b, b_to_a, options),
    };
    let distance = closest.map(|closest| closest.distance);
    let groups = closest.map(|closest| Answer::groups_of(a, b, closest.faces)).unwrap_or_default();
    Answer { hit: distance == Some(0.0), distance, closest, groups, ..Answer::default() }
}

pub fn values(answer: &Answer, origin: &Point3<f64>) -> Vec<Value> {
    let Some(ClosestPair { on_a, on_b, faces, .. }) = answer.closest else { return vec![Value::Null; 8] };
    let [on_a, on_b] = [on_a, on_b].map(|point| point + origin.coords);
    let points = on_a.iter().chain(on_b.iter()).map(|&x| Value::from(x));
    points.chain([faces.face_a.into(), faces.face_b.into()]).collect()
}
