//! The modes of `bvtree query`: what each computes at a pose, and the columns of its rows.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::slice;

use bvtree::query::{
    ClosestPair, DeepestPoint, DepthOptions, DistanceOptions, DistanceTracker, FacePair, FreeInterval,
    HausdorffDirection, HausdorffDistance, OverlapDepth, OverlapRegion, PenetrationDepth, Relation, Within,
};
use bvtree::shape::Aabb;
use bvtree::{BvTree, Pose, Query, SimdLevel};
use clap::ValueEnum;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use nalgebra::{Point3, UnitVector3};
use serde_json::Value;

use crate::args::GroupNames;
use crate::output::joined;

/// The mode of a query: the quantity computed at each pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Whether any triangles touch; stops at the first pair
    Hit,
    /// The number of pairs of touching triangles, and a checksum of these pairs
    Pairs,
    /// The least distance, 0 where triangles touch; the closest points and their triangles
    Distance,
    /// The penetration depth along --direction: how far B moves in that direction until its last contact ends. An upper
    /// bound on the penetration depth, which is the least over all directions
    Penetration,
    /// The first way out along --direction: the first interval of lengths by which B, moved in that direction, is free
    /// of A
    FreeInterval,
    /// How deep the surfaces reach into the other solid: a proven interval, and the deepest point. Meshes that are not
    /// closed need --solid robust
    OverlapDepth,
    /// The overlap depth of each region in which the solids overlap: a row per region, with its bounding box
    OverlapRegions,
    /// The greatest distance from a point of one surface to the other: a proven interval, and the points
    HausdorffDistance,
    /// The length of the shortest move that frees B: a proven interval, and the move. Both meshes must be closed
    PenetrationDepth,
    /// Whether the distance is at most --tolerance; if not, a proven lower bound on the distance
    Within,
    /// Whether the meshes are separate, touch, cross, or one is inside the other
    Relation,
    /// Where triangles touch: a row per pair of triangles
    Contacts,
}

/// Parses `--mode`. The error for `depth` names the modes that compute depths.
#[derive(Clone)]
pub struct ModeParser;

impl TypedValueParser for ModeParser {
    type Value = Mode;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Mode, clap::Error> {
        if value == "depth" {
            let message = "there is no mode 'depth': --mode overlap-depth computes how deep the surfaces reach into \
                the other solid, --mode penetration-depth the shortest move that frees B, and --mode penetration \
                --direction X,Y,Z the move along a direction";
            return Err(command.clone().error(ErrorKind::InvalidValue, message));
        }
        EnumValueParser::<Mode>::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Mode::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// The options of the modes, other than the pose.
pub struct ModeOptions {
    /// Options for `distance`; `within` uses their tolerance too.
    pub distance: DistanceOptions,
    /// The direction for `penetration` and `free-interval`, in A's frame.
    pub direction: UnitVector3<f64>,
    /// Tolerances and limits of overlap depths, Hausdorff distances and penetration depths.
    pub depth: DepthOptions,
    /// Which names of groups answers include, if any.
    pub groups: Option<GroupNames>,
}

/// The query objects of one thread.
pub struct Asker {
    pub query: Query,
    /// The tracker for distances that start from the previous answer.
    tracker: Option<DistanceTracker>,
}

impl Asker {
    pub fn new(simd: SimdLevel, tracker: Option<DistanceTracker>) -> Self {
        Self { query: Query::with_simd(simd), tracker }
    }
}

/// The answer of a mode at one pose, or for two groups or a region of overlap at that pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub hit: bool,
    pub pairs: Option<u64>,
    /// The sum over the pairs of `splitmix64(face_a * 2^32 + face_b)`, modulo 2^64.
    pub pairs_checksum: Option<u64>,
    pub distance: Option<f64>,
    pub closest: Option<ClosestPair>,
    /// The penetration depth along `--direction`.
    pub depth: Option<f64>,
    pub free: Option<FreeInterval>,
    /// An overlap depth, or a Hausdorff distance, which has the same columns.
    pub overlap: Option<OverlapDepth>,
    /// The bounds of the region that the overlap depth is about.
    pub region: Option<Aabb>,
    pub penetration: Option<PenetrationDepth>,
    pub within: Option<Within>,
    pub relation: Option<Relation>,
    /// The groups of A's and B's triangles, where the answer is about one pair or about two groups.
    pub groups: [Option<String>; 2],
    /// The answers for each pair of groups that touch, if groups are requested, or for each region of overlap.
    pub parts: Vec<Answer>,
}

impl Answer {
    /// The answers that get a row each: the parts, or without parts this answer.
    pub fn rows(&self) -> &[Self] {
        if self.parts.is_empty() { slice::from_ref(self) } else { &self.parts }
    }

    fn of_pairs(&PairSum { pairs, checksum }: &PairSum) -> Self {
        Self { hit: pairs > 0, pairs: Some(pairs), pairs_checksum: Some(checksum), ..Self::default() }
    }
}

/// The number of pairs of triangles and a checksum that does not depend on their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairSum {
    pub pairs: u64,
    /// The sum over the pairs of `splitmix64(face_a * 2^32 + face_b)`, modulo 2^64.
    pub checksum: u64,
}

impl PairSum {
    pub fn add(&mut self, FacePair { face_a, face_b }: FacePair) {
        self.pairs += 1;
        self.checksum = self.checksum.wrapping_add(splitmix64(u64::from(face_a) << 32 | u64::from(face_b)));
    }
}

/// The mixing function of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
fn splitmix64(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The first columns of every mode whose answer is not a pair of bounds ([`Mode::is_interval`]); the mode's own columns
/// come after them.
pub const STABLE: [&str; 6] = ["row", "label", "hit", "pairs", "pairs_checksum", "distance"];

/// The last columns, if groups are requested.
pub const GROUPS: [&str; 2] = ["group_a", "group_b"];

const PAIRS_WITH_GROUPS: [&str; 8] = joined(STABLE, GROUPS);
/// The columns of distances; the closest points are in the frame of A's source.
const DISTANCE: [&str; 14] = joined(STABLE, ["ax", "ay", "az", "bx", "by", "bz", "face_a", "face_b"]);
const DISTANCE_WITH_GROUPS: [&str; 16] = joined(DISTANCE, GROUPS);
const PENETRATION: [&str; 7] = joined(STABLE, ["penetration"]);
const FREE_INTERVAL: [&str; 8] = joined(STABLE, ["start", "end"]);
/// The columns of overlap depths; the deepest point, and the point of the other surface closest to it, are in the frame
/// of A's source.
const OVERLAP_DEPTH: [&str; 12] =
    ["row", "label", "hit", "lower", "upper", "x", "y", "z", "surface_x", "surface_y", "surface_z", "on"];
const OVERLAP_REGIONS: [&str; 18] =
    joined(OVERLAP_DEPTH, ["lower_x", "lower_y", "lower_z", "upper_x", "upper_y", "upper_z"]);
/// The columns of penetration depths; the translation is in A's frame.
const PENETRATION_DEPTH: [&str; 8] = ["row", "label", "hit", "lower", "upper", "x", "y", "z"];
/// The columns of `--mode within`; the lower bound is empty where `within` is yes.
const WITHIN: [&str; 8] = joined(STABLE, ["within", "lower_bound"]);
const RELATION: [&str; 7] = joined(STABLE, ["relation"]);

/// The values of a mode's first columns, those of [`STABLE`] that it has; `row` and `label` are the pose's.
pub fn stable_values(mode: Mode, row: usize, label: &str, answer: &Answer) -> Vec<Value> {
    let mut values: Vec<Value> = vec![
        row.into(),
        if label.is_empty() { Value::Null } else { label.into() },
        answer.hit.into(),
        answer.pairs.into(),
        answer.pairs_checksum.into(),
        answer.distance.into(),
    ];
    if mode.is_interval() {
        values.truncate(3);
    }
    values
}

impl Mode {
    /// Computes the answer at one pose.
    pub fn ask(self, asker: &mut Asker, a: &BvTree, b: &BvTree, b_to_a: &Pose, options: &ModeOptions) -> Answer {
        let Asker { query, tracker } = asker;
        match self {
            Mode::Hit => Answer { hit: query.intersects(a, b, b_to_a), ..Answer::default() },
            // Contacts have rows of their own (`rows.rs`); timings by label count their pairs.
            Mode::Pairs | Mode::Contacts => match options.groups {
                Some(names) if self == Mode::Pairs => pairs_by_groups(query, a, b, b_to_a, names),
                _ => pairs(query, a, b, b_to_a),
            },
            Mode::Distance => distance(query, tracker.as_mut(), a, b, b_to_a, options),
            Mode::Penetration => {
                let found = query.penetration_along(a, b, b_to_a, &options.direction);
                // Meshes that do not touch need no move.
                let depth = found.map_or(0.0, |found| found.depth);
                Answer { hit: found.is_some(), depth: Some(depth), ..Answer::default() }
            }
            Mode::FreeInterval => {
                let free = query.free_interval_along(a, b, b_to_a, &options.direction);
                Answer { hit: query.intersects(a, b, b_to_a), free: Some(free), ..Answer::default() }
            }
            Mode::OverlapDepth => {
                let overlap = query.overlap_depth(a, b, b_to_a, &options.depth).ok();
                let hit = overlap.is_some_and(|found| found.upper > 0.0) || query.intersects(a, b, b_to_a);
                Answer { hit, overlap, ..Answer::default() }
            }
            Mode::OverlapRegions => {
                let found = query.overlap_regions(a, b, b_to_a, &options.depth).unwrap_or_default();
                let hit = !found.is_empty() || query.intersects(a, b, b_to_a);
                let answer = |region: &OverlapRegion| Answer {
                    hit,
                    overlap: Some(region.depth),
                    region: Some(region.bounds),
                    ..Answer::default()
                };
                Answer { hit, parts: found.iter().map(answer).collect(), ..Answer::default() }
            }
            Mode::HausdorffDistance => {
                let found = query.hausdorff_distance(a, b, b_to_a, HausdorffDirection::Both, &options.depth);
                let overlap = found.map(|HausdorffDistance { lower, upper, point, closest, is_on_b }| {
                    let deepest = Some(DeepestPoint { point, way_out: closest, is_on_b });
                    OverlapDepth { lower, upper, deepest }
                });
                Answer { hit: query.intersects(a, b, b_to_a), overlap, ..Answer::default() }
            }
            Mode::PenetrationDepth => {
                let penetration = query.penetration_depth(a, b, b_to_a, &options.depth).ok();
                let hit = penetration.is_some_and(|found| found.upper > 0.0) || query.intersects(a, b, b_to_a);
                Answer { hit, penetration, ..Answer::default() }
            }
            Mode::Within => {
                let within = query.within(a, b, b_to_a, options.distance.absolute_tolerance);
                // Meshes within the tolerance may touch or not.
                let hit = within.is_yes() && query.intersects(a, b, b_to_a);
                Answer { hit, within: Some(within), ..Answer::default() }
            }
            Mode::Relation => {
                let relation = query.relation(a, b, b_to_a);
                let hit = match relation {
                    Relation::Separate | Relation::Undefined => false,
                    Relation::Touching => true,
                    // Surfaces may touch or not.
                    Relation::Crossing | Relation::AInB | Relation::BInA => query.intersects(a, b, b_to_a),
                };
                Answer { hit, relation: Some(relation), ..Answer::default() }
            }
        }
    }

    /// Computes the answers at many poses. Hits, and distances without a tracker, are computed for all poses together,
    /// which saves work where neighbouring poses are close.
    pub fn ask_many(
        self,
        asker: &mut Asker,
        a: &BvTree,
        b: &BvTree,
        poses: &[Pose],
        options: &ModeOptions,
    ) -> Vec<Answer> {
        let query = &mut asker.query;
        match self {
            Mode::Hit => {
                let hits = query.intersects_many(a, b, poses);
                hits.into_iter().map(|hit| Answer { hit, ..Answer::default() }).collect()
            }
            Mode::Distance if asker.tracker.is_none() => {
                let found = query.distance_many(a, b, poses, &options.distance);
                found.into_iter().map(|closest| of_closest(a, b, closest, options.groups)).collect()
            }
            _ => poses.iter().map(|pose| self.ask(asker, a, b, pose, options)).collect(),
        }
    }

    /// Whether neighbouring poses are answered together; see [`Mode::ask_many`].
    pub fn shares_poses(self) -> bool {
        matches!(self, Mode::Hit | Mode::Distance)
    }

    /// Whether the answer is a pair of bounds, `lower` and `upper`, on one quantity.
    pub fn is_interval(self) -> bool {
        self.is_depth() || self == Mode::HausdorffDistance
    }

    /// Whether the answer is a depth of solids: meshes must be closed, except for overlaps with `--solid robust`.
    pub fn is_depth(self) -> bool {
        matches!(self, Mode::OverlapDepth | Mode::OverlapRegions | Mode::PenetrationDepth)
    }

    /// Whether answers can name groups.
    pub fn knows_groups(self) -> bool {
        matches!(self, Mode::Pairs | Mode::Distance | Mode::Contacts)
    }

    /// The columns of a row per pose.
    pub fn columns(self, groups: bool) -> &'static [&'static str] {
        match self {
            Mode::Pairs if groups => &PAIRS_WITH_GROUPS,
            Mode::Distance if groups => &DISTANCE_WITH_GROUPS,
            Mode::Hit | Mode::Pairs | Mode::Contacts => &STABLE,
            Mode::Distance => &DISTANCE,
            Mode::Penetration => &PENETRATION,
            Mode::FreeInterval => &FREE_INTERVAL,
            Mode::OverlapDepth | Mode::HausdorffDistance => &OVERLAP_DEPTH,
            Mode::OverlapRegions => &OVERLAP_REGIONS,
            Mode::PenetrationDepth => &PENETRATION_DEPTH,
            Mode::Within => &WITHIN,
            Mode::Relation => &RELATION,
        }
    }

    /// The values of the mode's own columns. `origin` is the origin of A's mesh in the frame of its source.
    pub fn own_values(self, answer: &Answer, origin: &Point3<f64>) -> Vec<Value> {
        match self {
            Mode::Hit | Mode::Pairs | Mode::Contacts => Vec::new(),
            Mode::Distance => match answer.closest {
                None => vec![Value::Null; 8],
                Some(ClosestPair { on_a, on_b, faces, .. }) => {
                    let [on_a, on_b] = [on_a, on_b].map(|point| point + origin.coords);
                    let points = on_a.iter().chain(on_b.iter()).map(|&x| Value::from(x));
                    points.chain([faces.face_a.into(), faces.face_b.into()]).collect()
                }
            },
            Mode::Penetration => vec![answer.depth.into()],
            // The end is infinite, and so null in JSON, if B never meets A again.
            Mode::FreeInterval => match answer.free {
                None => vec![Value::Null; 2],
                Some(FreeInterval { start, end }) => vec![start.into(), end.into()],
            },
            Mode::OverlapDepth | Mode::OverlapRegions | Mode::HausdorffDistance => {
                let count = self.columns(false).len() - 3;
                let Some(OverlapDepth { lower, upper, deepest }) = answer.overlap else {
                    return vec![Value::Null; count];
                };
                let mut values: Vec<Value> = vec![lower.into(), upper.into()];
                match deepest {
                    Some(deepest) => {
                        let points = [deepest.point, deepest.way_out].map(|point| point + origin.coords);
                        values.extend(points.iter().flat_map(|point| point.iter()).map(|&x| Value::from(x)));
                        values.push(if deepest.is_on_b { "b" } else { "a" }.into());
                    }
                    None => values.resize(9, Value::Null),
                }
                for corner in answer.region.iter().flat_map(|bounds| [bounds.lower, bounds.upper]) {
                    values.extend((corner + origin.coords).iter().map(|&x| Value::from(x)));
                }
                values
            }
            Mode::PenetrationDepth => match answer.penetration {
                None => vec![Value::Null; 5],
                Some(PenetrationDepth { lower, upper, translation }) => {
                    [lower, upper].iter().chain(translation.iter()).map(|&x| Value::from(x)).collect()
                }
            },
            Mode::Within => match answer.within {
                None => vec![Value::Null; 2],
                Some(Within::Yes) => vec![true.into(), Value::Null],
                // The bound is infinite, and so null in JSON, if a mesh is empty.
                Some(Within::No { lower_bound }) => vec![false.into(), lower_bound.into()],
            },
            Mode::Relation => vec![answer.relation.map(Relation::name).into()],
        }
    }
}

fn pairs(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Answer {
    let mut sum = PairSum::default();
    query.for_each_intersecting_pair(a, b, b_to_a, |pair| {
        sum.add(pair);
        ControlFlow::Continue(())
    });
    Answer::of_pairs(&sum)
}

/// The answer about all pairs of triangles, with a part for each pair of groups that touch, sorted by name.
fn pairs_by_groups(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose, names: GroupNames) -> Answer {
    let mut sum = PairSum::default();
    let mut by_groups: BTreeMap<[Option<&str>; 2], PairSum> = BTreeMap::new();
    query.for_each_intersecting_pair(a, b, b_to_a, |pair| {
        sum.add(pair);
        by_groups.entry(names.of_pair([a, b], pair)).or_default().add(pair);
        ControlFlow::Continue(())
    });
    let owned = |name: Option<&str>| name.map(str::to_owned);
    let by_groups = by_groups.iter().map(|(names, sum)| Answer { groups: names.map(owned), ..Answer::of_pairs(sum) });
    Answer { parts: by_groups.collect(), ..Answer::of_pairs(&sum) }
}

/// The distance, starting from the previous answer if there is a tracker.
fn distance(
    query: &mut Query,
    tracker: Option<&mut DistanceTracker>,
    a: &BvTree,
    b: &BvTree,
    b_to_a: &Pose,
    options: &ModeOptions,
) -> Answer {
    let closest = match tracker {
        Some(tracker) => tracker.distance_with(query, b_to_a, &options.distance),
        None => query.distance_with(a, b, b_to_a, &options.distance),
    };
    of_closest(a, b, closest, options.groups)
}

fn of_closest(a: &BvTree, b: &BvTree, closest: Option<ClosestPair>, names: Option<GroupNames>) -> Answer {
    let distance = closest.map(|closest| closest.distance);
    let groups = names.zip(closest).map(|(names, closest)| names.of_pair([a, b], closest.faces));
    let groups = groups.unwrap_or_default().map(|name| name.map(str::to_owned));
    Answer { hit: distance == Some(0.0), distance, closest, groups, ..Answer::default() }
}
