//! The menu of questions: each mode is a file beside this one and an arm here.

use bvtree::query::{Distance, QueryError};
use bvtree::{BvTree, Pose, Query};
use clap::ValueEnum;
use nalgebra::UnitVector3;
use serde_json::Value;

use super::{distance, hit, pairs, separation};

/// What is asked at each pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Whether any triangles touch; stops at the first pair
    Hit,
    /// How many pairs of triangles touch, and a checksum of which
    Pairs,
    /// The least distance, 0 where triangles touch; the closest points and their triangles
    Distance,
    /// How far B must be moved along --direction until no triangles touch
    Separation,
}

/// What a mode found at one pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer {
    pub hit: bool,
    pub pairs: Option<u64>,
    /// Sum over the pairs of `splitmix64(face_a * 2^32 + face_b)`, modulo 2^64.
    pub pairs_checksum: Option<u64>,
    pub distance: Option<f64>,
    pub closest: Option<Distance>,
    pub separation: Option<f64>,
}

/// The columns of every mode; those of its own come after them.
const STABLE: [&str; 6] = ["row", "label", "hit", "pairs", "pairs_checksum", "distance"];

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

impl Mode {
    pub fn ask(
        self,
        query: &mut Query,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        direction: &UnitVector3<f64>,
    ) -> Result<Answer, QueryError> {
        match self {
            Mode::Hit => hit::ask(query, a, b, b_to_a),
            Mode::Pairs => pairs::ask(query, a, b, b_to_a),
            Mode::Distance => distance::ask(query, a, b, b_to_a),
            Mode::Separation => separation::ask(query, a, b, b_to_a, direction),
        }
    }

    /// The columns of a row per pose.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Mode::Hit | Mode::Pairs => &STABLE,
            Mode::Distance => &distance::COLUMNS,
            Mode::Separation => &separation::COLUMNS,
        }
    }

    /// The values of the mode's own columns.
    pub fn own_values(self, answer: &Answer) -> Vec<Value> {
        match self {
            Mode::Hit | Mode::Pairs => Vec::new(),
            Mode::Distance => distance::values(answer),
            Mode::Separation => vec![answer.separation.into()],
        }
    }
}
