//! `--mode contacts`: where triangles intersect, a row per pair.

use bvtree::query::Contact;
use bvtree::{BvTree, Pose, Query};
use serde_json::Value;

use super::answer::{Answer, stable_and};

/// Normals of A's and B's triangle and, three numbers per point, the points; in A's frame.
pub const COLUMNS: [&str; 15] = stable_and(["face_a", "face_b", "nax", "nay", "naz", "nbx", "nby", "nbz", "points"]);

pub fn ask(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Answer {
    let contacts = query.contacts(a, b, b_to_a);
    Answer { hit: !contacts.is_empty(), pairs: Some(contacts.len() as u64), contacts, ..Answer::default() }
}

pub fn rows(answer: &Answer) -> Vec<Vec<Value>> {
    answer.contacts.iter().map(row).collect()
}

fn row(contact: &Contact) -> Vec<Value> {
    let faces = [contact.faces.face_a.into(), contact.faces.face_b.into()];
    let normals = contact.normals.iter().flat_map(|normal| normal.iter().map(|&x| x.into()));
    let points: Vec<f64> = contact.points.iter().flat_map(|point| [point.x, point.y, point.z]).collect();
    faces.into_iter().chain(normals).chain([points.into()]).collect()
}
