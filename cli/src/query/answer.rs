//! What is reported of one pose: the columns that every mode has, and what each mode adds.

use std::slice;

use bvtree::BvTree;
use bvtree::query::{ClosestPair, FacePair, Relation, Within};
use serde_json::Value;

/// What a mode found at one pose, or of two groups there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub hit: bool,
    pub pairs: Option<u64>,
    /// Sum over the pairs of `splitmix64(face_a * 2^32 + face_b)`, modulo 2^64.
    pub pairs_checksum: Option<u64>,
    pub distance: Option<f64>,
    pub closest: Option<ClosestPair>,
    pub separation: Option<f64>,
    pub within: Option<Within>,
    pub relation: Option<Relation>,
    /// Of A's and B's triangles, where the answer is about one pair or about those of two groups.
    pub groups: [Option<String>; 2],
    /// The same for each two groups that touch, if that is asked for.
    pub by_groups: Vec<Answer>,
}

impl Answer {
    /// What makes a row each.
    pub fn rows(&self) -> &[Self] {
        if self.by_groups.is_empty() { slice::from_ref(self) } else { &self.by_groups }
    }

    /// The names of the groups that a pair of triangles belongs to.
    pub fn groups_of(a: &BvTree, b: &BvTree, FacePair { face_a, face_b }: FacePair) -> [Option<String>; 2] {
        [(a, face_a), (b, face_b)].map(|(tree, face)| tree.group_of(face).map(|group| group.name.clone()))
    }
}

/// The columns of every mode; those of its own come after them.
pub const STABLE: [&str; 6] = ["row", "label", "hit", "pairs", "pairs_checksum", "distance"];

/// The values of the stable columns; the row and its label are the pose's.
pub fn stable_values(row: usize, label: &str, answer: &Answer) -> Vec<Value> {
    vec![
        row.into(),
        if label.is_empty() { Value::Null } else { label.into() },
        answer.hit.into(),
        answer.pairs.into(),
        answer.pairs_checksum.into(),
        answer.distance.into(),
    ]
}

/// After all others, if they are asked for.
pub const GROUPS: [&str; 2] = ["group_a", "group_b"];

/// The stable columns and a mode's own.
pub const fn stable_and<const N: usize, const M: usize>(own: [&'static str; N]) -> [&'static str; M] {
    joined(STABLE, own)
}

/// Some columns and others after them.
pub const fn joined<const L: usize, const N: usize, const M: usize>(
    first: [&'static str; L],
    then: [&'static str; N],
) -> [&'static str; M] {
    let mut columns = [""; M];
    let mut i = 0;
    while i < M {
        columns[i] = if i < L { first[i] } else { then[i - L] };
        i += 1;
    }
    columns
}
