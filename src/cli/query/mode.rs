//! The menu of questions: each mode is a file beside this one and an arm here.

use bvtree::query::QueryError;
use bvtree::{BvTree, Pose, Query};
use clap::ValueEnum;

use super::{hit, pairs};

/// What is asked at each pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Whether any triangles touch; stops at the first pair
    Hit,
    /// How many pairs of triangles touch, and a checksum of which
    Pairs,
}

/// What a mode found at one pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer {
    pub hit: bool,
    pub pairs: Option<u64>,
    /// Sum over the pairs of `splitmix64(face_a * 2^32 + face_b)`, modulo 2^64.
    pub pairs_checksum: Option<u64>,
    pub distance: Option<f64>,
}

impl Mode {
    pub fn ask(self, query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Result<Answer, QueryError> {
        match self {
            Mode::Hit => hit::ask(query, a, b, b_to_a),
            Mode::Pairs => pairs::ask(query, a, b, b_to_a),
        }
    }
}
