//! The menu of questions: each mode is a file beside this one and an arm here.

use bvtree::query::{DistanceOptions, DistanceTracker};
use bvtree::{BvTree, Pose, Query, SimdLevel};
use clap::ValueEnum;
use nalgebra::UnitVector3;
use serde_json::Value;

use super::answer::{Answer, STABLE};
use super::{contacts, distance, hit, pairs, relation, separation, within};

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
    /// Whether the distance is at most --tolerance, and where it is not, a proven lower bound of it
    Within,
    /// Whether the meshes are apart, touch, cross, or one is inside the other
    Relation,
    /// Where triangles touch: a row per pair of triangles
    Contacts,
}

/// What modes are told beside the pose.
pub struct ModeOptions {
    /// Of distance; the tolerance is within's too.
    pub distance: DistanceOptions,
    /// Of separation.
    pub direction: UnitVector3<f64>,
}

/// What one thread asks with.
pub struct Asker {
    pub query: Query,
    /// For distances that start from the one before.
    tracker: Option<DistanceTracker>,
}

impl Asker {
    pub fn new(simd: SimdLevel, tracker: Option<DistanceTracker>) -> Self {
        Self { query: Query::with_simd(simd), tracker }
    }
}

impl Mode {
    pub fn ask(self, asker: &mut Asker, a: &BvTree, b: &BvTree, b_to_a: &Pose, options: &ModeOptions) -> Answer {
        let Asker { query, tracker } = asker;
        match self {
            Mode::Hit => hit::ask(query, a, b, b_to_a),
            Mode::Pairs => pairs::ask(query, a, b, b_to_a),
            Mode::Distance => distance::ask(query, tracker.as_mut(), a, b, b_to_a, &options.distance),
            Mode::Separation => separation::ask(query, a, b, b_to_a, &options.direction),
            Mode::Within => within::ask(query, a, b, b_to_a, options.distance.absolute_tolerance),
            Mode::Relation => relation::ask(query, a, b, b_to_a),
            // Asked by themselves; here it is whether there are any.
            Mode::Contacts => pairs::ask(query, a, b, b_to_a),
        }
    }

    /// The columns of a row per pose.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Mode::Hit | Mode::Pairs => &STABLE,
            Mode::Distance => &distance::COLUMNS,
            Mode::Separation => &separation::COLUMNS,
            Mode::Within => &within::COLUMNS,
            Mode::Relation => &relation::COLUMNS,
            Mode::Contacts => &contacts::COLUMNS,
        }
    }

    /// The values of the mode's own columns, for each row that the answer makes.
    pub fn own_values(self, answer: &Answer) -> Vec<Vec<Value>> {
        match self {
            Mode::Hit | Mode::Pairs => vec![Vec::new()],
            Mode::Distance => vec![distance::values(answer)],
            Mode::Separation => vec![vec![answer.separation.into()]],
            Mode::Within => vec![within::values(answer)],
            Mode::Relation => vec![relation::values(answer)],
            Mode::Contacts => Vec::new(),
        }
    }
}
