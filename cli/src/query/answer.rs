//! What is told of one pose: the columns that every mode has, and what each mode adds.

use bvtree::query::{ClosestPair, Relation, Within};

/// What a mode found at one pose.
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
}

/// The columns of every mode; those of its own come after them.
pub const STABLE: [&str; 6] = ["row", "label", "hit", "pairs", "pairs_checksum", "distance"];

/// The stable columns and a mode's own.
pub const fn stable_and<const N: usize, const M: usize>(own: [&'static str; N]) -> [&'static str; M] {
    let mut columns = [""; M];
    let mut i = 0;
    while i < M {
        columns[i] = if i < STABLE.len() { STABLE[i] } else { own[i - STABLE.len()] };
        i += 1;
    }
    columns
}
