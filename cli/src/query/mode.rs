//! The questions by name: each mode is a file beside this one and an arm here.

use bvtree::query::{DistanceOptions, DistanceTracker};
use bvtree::{BvTree, Pose, Query, SimdLevel};
use clap::ValueEnum;
use nalgebra::{Point3, UnitVector3};
use serde_json::Value;

use super::answer::{Answer, STABLE};
use super::{distance, hit, pairs, relation, separation, within};

/// What is asked at each pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Whether any triangles touch; stops at the first pair
    Hit,
    /// How many pairs of triangles touch, and a checksum of which
    Pairs,
    /// The least distance, 0 where triangles touch; the closest points and their triangles
    Distance,
    /// The last contact as B is moved along --direction: beyond that length no triangles touch
    Separation,
    /// Whether the distance is at most --tolerance, and where it is not, a proven lower bound of it
    Within,
    /// Whether the meshes are apart, touch, cross, or one is inside the other
    Relation,
    /// Where triangles touch: a row per pair of triangles
    Contacts,
}

/// What modes take beside the pose.
pub struct ModeOptions {
    /// Of distance; the tolerance is within's too.
    pub distance: DistanceOptions,
    /// Of separation.
    pub direction: UnitVector3<f64>,
    /// Whether answers name groups.
    pub groups: bool,
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
            Mode::Pairs if options.groups => pairs::ask_by_groups(query, a, b, b_to_a),
            Mode::Pairs => pairs::ask(query, a, b, b_to_a),
            Mode::Distance => distance::ask(query, tracker.as_mut(), a, b, b_to_a, &options.distance),
            Mode::Separation => separation::ask(query, a, b, b_to_a, &options.direction),
            Mode::Within => within::ask(query, a, b, b_to_a, options.distance.absolute_tolerance),
            Mode::Relation => relation::ask(query, a, b, b_to_a),
            // Asked by themselves; here it is whether there are any.
            Mode::Contacts => pairs::ask(query, a, b, b_to_a),
        }
    }

    /// Whether answers can name groups.
    pub fn knows_groups(self) -> bool {
        matches!(self, Mode::Pairs | Mode::Distance | Mode::Contacts)
    }

    /// The columns of a row per pose.
    pub fn columns(self, groups: bool) -> &'static [&'static str] {
        match self {
            Mode::Pairs if groups => &pairs::WITH_GROUPS,
            Mode::Distance if groups => &distance::WITH_GROUPS,
            // Contacts have rows of their own.
            Mode::Hit | Mode::Pairs | Mode::Contacts => &STABLE,
            Mode::Distance => &distance::COLUMNS,
            Mode::Separation => &separation::COLUMNS,
            Mode::Within => &within::COLUMNS,
            Mode::Relation => &relation::COLUMNS,
        }
    }

    /// The values of the mode's own columns; A's zero is at the origin in its source's frame.
    pub fn own_values(self, answer: &Answer, origin: &Point3<f64>) -> Vec<Value> {
        match self {
            Mode::Distance => distance::values(answer, origin),
            Mode::Separation => vec![answer.separation.into()],
            Mode::Within => within::values(answer),
            Mode::Relation => relation::values(answer),
            Mode::Hit | Mode::Pairs | Mode::Contacts => Vec::new(),
        }
    }
}
