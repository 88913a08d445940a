//! `bvtree query`: queries two trees at poses, and writes a row per pose or contact, or timings per label.

mod mode;
mod rows;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bvtree::query::{DepthOptions, DistanceOptions, DistanceTracker, Solid};
use bvtree::{BvTree, Pose, SimdLevel};
use clap::Args;
use nalgebra::{UnitVector3, Vector3};
use serde_json::Value;

use crate::args::GroupNames;
use crate::args::{AnswerArgs, SolidArgs, parse_positive, require_closed};
use crate::error::{CONTACT, CliError, note};
use crate::input::PairArgs;
use crate::output::{Format, Progress};
use crate::poses::{PoseArgs, PoseRow, Poses, parse_direction, parse_tolerance};

use mode::{Answer, Asker, Mode, ModeOptions, ModeParser};
pub use mode::{GROUPS, PairSum};

/// Compute contacts, distances and penetration of two meshes
///
/// A is fixed; a pose x -> R x + t maps B's coordinates into A's frame. A and B are cooked trees (.bvt) or meshes (OBJ,
/// STL, PLY, OFF or glTF), for which trees are built in memory. Except for proven intervals and distances with a
/// tolerance, answers are exact: the kind of tree, the SIMD level and the number of threads affect only the time.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct QueryArgs {
    /// What to compute at each pose
    #[arg(long, value_parser = ModeParser, default_value = "hit")]
    mode: Mode,
    /// With --mode penetration and free-interval, the direction in which B moves, in A's frame; any nonzero length
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_direction,
        required_if_eq_any([("mode", "penetration"), ("mode", "free-interval")]))]
    direction: Option<UnitVector3<f64>>,
    /// With --mode within, the distance to compare with; with --mode distance, the amount by which the answer may
    /// exceed the least distance; in A's units
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = parse_tolerance, required_if_eq("mode",
        "within"))]
    tolerance: Option<f64>,
    /// In modes that return an interval, the largest difference between the bounds, as a fraction of the lower bound
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = parse_tolerance, default_value = "0.01")]
    relative: f64,
    /// In modes that return an interval, the time for each pose, or for each region, after which the bounds found so
    /// far are reported
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = parse_tolerance)]
    budget: Option<f64>,
    /// With --mode distance, start from the answer at the previous pose, which is faster where successive poses are
    /// close; the answers are the same
    #[arg(long)]
    warm: bool,
    #[command(flatten)]
    solid: SolidArgs,
    /// CSV file of poses, `-` for stdin: a first line that starts with #, then rows of
    /// mesh_a,mesh_b,label,r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz. No entry of
    /// R^T R may differ from the identity by more than 1e-4; a note reports a difference of more than 2e-6
    #[arg(long, value_name = "FILE", conflicts_with_all = ["translate", "rotate"])]
    poses: Option<PathBuf>,
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    answers: AnswerArgs,
    /// Exit with 1 if there is contact at any pose, with 0 otherwise
    #[arg(long)]
    exit_code: bool,
    /// Add columns group_a and group_b, the groups (objects, nodes) or materials of the triangles: a row per pair of
    /// touching groups with --mode pairs, the closest triangles with --mode distance, each pair with --mode contacts
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "object")]
    #[arg(conflicts_with = "by_label")]
    groups: Option<GroupNames>,
    /// Write a row of timings per label: passes over all poses on one thread, after a warm-up
    #[arg(long)]
    by_label: bool,
    /// Number of timed passes; passes times poses may be at most 100 million
    #[arg(long, value_name = "N", value_parser = parse_positive::<NonZeroUsize>, requires = "by_label",
        default_value = "10")]
    repeat: NonZeroUsize,
    #[command(flatten)]
    pair: PairArgs,
}

const EXAMPLES: &str = "\
Examples:
  bvtree query gear.obj bolt.obj --translate 0.5,0,0 --rotate 0,0,1,90
  bvtree query gear.obb.bvt bolt.obb.bvt --poses poses.csv --mode pairs
  bvtree query gear.obb.bvt bolt.obb.bvt --poses poses.csv --by-label
  bvtree query gear.obj bolt.obj --exit-code || echo contact

Columns: row, label, hit, pairs, pairs_checksum, distance; columns that a mode
does not compute are empty. Additional columns:
  --mode distance     ax, ay, az, bx, by, bz: the closest points of A and of B in
                      A's frame; face_a, face_b: their triangles
  --mode penetration  penetration: how far B moves along --direction until no
                      triangles touch; 0 if none touch at the pose
  --mode free-interval
                      start, end: B is free of A after a move along --direction
                      of a length between them, the first such lengths; end is
                      empty if it stays free
  --mode overlap-depth
                      instead of pairs to distance: lower, upper: bounds of the
                      depth, 0 if nothing overlaps; x, y, z: the deepest point in
                      A's frame; surface_x, surface_y, surface_z: the point of the
                      other surface closest to it; on: the mesh, a or b, on whose
                      surface the deepest point is
  --mode overlap-regions
                      a row per region of overlap with the columns of
                      overlap-depth, and the corners of the region's bounding
                      box in A's frame: lower_x, lower_y, lower_z, upper_x,
                      upper_y, upper_z
  --mode hausdorff-distance
                      the columns of overlap-depth, of the point farthest from
                      the other surface
  --mode penetration-depth
                      instead of pairs to distance: lower, upper: bounds of the
                      depth, 0 if nothing overlaps; x, y, z: the move of length
                      upper that frees B, in A's frame
  --mode within       within; lower_bound of the distance, if not within
  --mode relation     relation: separate, touching, crossing, a_in_b, b_in_a or
                      undefined (within the hull of a mesh that is not closed;
                      --solid robust decides)
  --mode contacts     a row per pair of touching triangles: face_a, face_b; their
                      unit normals nax, nay, naz, nbx, nby, nbz; points: three
                      numbers each in A's frame, a single point, the ends of a
                      segment or the corners of a polygon
Poses and points are in the frames of the source files, even for meshes cooked
with --origin.
pairs_checksum is, modulo 2^64, the sum over all pairs of
splitmix64(face_a * 2^32 + face_b). A face is the index of a triangle in its
mesh, counted from 0 in file order.

Columns with --by-label: label, queries, hits, pairs, distance_sum,
micros_per_query (median over the passes), micros_best (mean of each pose's
fastest pass), volume_tests and triangle_tests (means per query).";

pub fn run(args: &QueryArgs, quiet: bool) -> Result<ExitCode, CliError> {
    let simd = args.answers.simd()?;
    if args.groups.is_some() && !args.mode.knows_groups() {
        return Err(CliError::new("--groups: this mode does not report triangles")
            .hint("use --mode pairs, distance or contacts"));
    }
    let mut poses = match &args.poses {
        Some(path) => Poses::read(path)?,
        None => Poses::single(args.pose.pose()?),
    };
    if args.exit_code && poses.rows.is_empty() {
        return Err(CliError::new("--exit-code: there are no poses, so contact is undecided")
            .hint("an empty pose file does not mean that there is no contact"));
    }
    if !quiet && let Some(path) = &args.poses {
        poses.warnings(args.pair.paths()).iter().for_each(|text| note(format!("{}: {text}", path.display())));
    }
    let trees = args.pair.open()?;
    if !quiet {
        args.pair.warnings(&trees).iter().for_each(note);
    }
    GroupNames::check(args.groups, [&*trees[0], &*trees[1]])?;
    let [a, b] = trees;
    // Poses are in the frames of the source files.
    poses.rows.iter_mut().for_each(|row| row.pose = row.pose.with_origins(&a.origin(), &b.origin()));
    let solids = args.solid.choose([&a, &b], args.pair.paths())?;
    if args.mode.is_depth() {
        for (i, (tree, path)) in [&a, &b].into_iter().zip(args.pair.paths()).enumerate() {
            if args.mode == Mode::PenetrationDepth {
                require_closed(tree, path, "--mode penetration takes open meshes")?;
            } else if solids[i] != Solid::Robust {
                require_closed(tree, path, "--solid robust takes open meshes")?;
            }
        }
    }
    let format = args.answers.format();
    let report = Report { format, quiet };
    let queries = poses.rows.len();
    let distance = DistanceOptions { absolute_tolerance: args.tolerance.unwrap_or(0.0), ..DistanceOptions::default() };
    let time_limit = args.budget.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let depth = DepthOptions { relative_tolerance: args.relative, time_limit, ..DepthOptions::default() };
    let direction = args.direction.unwrap_or(Vector3::x_axis());
    let options = ModeOptions { distance, direction, depth, groups: args.groups };
    let question = Question { mode: args.mode, simd, a: &a, b: &b, poses, options, is_warm: args.warm, solids };
    let hits = if args.by_label {
        rows::write_by_label(&question, args.repeat.get(), &report)?
    } else if args.mode == Mode::Contacts {
        rows::write_contacts(&question, &report)?
    } else {
        rows::write_by_pose(&question, &report)?
    };
    if !quiet && queries == 0 {
        eprintln!("note: no poses");
    } else if !quiet && queries > 1 && format == Format::Text {
        eprintln!("contact at {hits} of {queries} poses");
    }
    Ok(if args.exit_code && hits > 0 { ExitCode::from(CONTACT) } else { ExitCode::SUCCESS })
}

/// A mode with its trees, poses and options.
struct Question<'a> {
    pub mode: Mode,
    pub simd: SimdLevel,
    pub a: &'a Arc<BvTree>,
    pub b: &'a Arc<BvTree>,
    pub poses: Poses,
    pub options: ModeOptions,
    pub solids: [Solid; 2],
    /// Whether distances start from the answer at the previous pose.
    pub is_warm: bool,
}

impl Question<'_> {
    /// Creates the query objects of one thread.
    pub fn asker(&self) -> Asker {
        let tracker = self.is_warm.then(|| DistanceTracker::new(self.a, self.b));
        let mut asker = Asker::new(self.simd, tracker);
        asker.query.set_solids(self.solids[0], self.solids[1]);
        asker
    }

    pub fn ask(&self, asker: &mut Asker, row: &PoseRow) -> Answer {
        self.mode.ask(asker, self.a, self.b, &row.pose, &self.options)
    }

    /// The answers at consecutive poses.
    pub fn ask_many(&self, asker: &mut Asker, rows: &[PoseRow]) -> Vec<Answer> {
        let poses: Vec<Pose> = rows.iter().map(|row| row.pose).collect();
        self.mode.ask_many(asker, self.a, self.b, &poses, &self.options)
    }

    /// The values of the columns `group_a` and `group_b`, or none if groups are not requested.
    pub fn groups(&self, names: [Option<&str>; 2]) -> Vec<Value> {
        if self.options.groups.is_some() { names.map(Value::from).into() } else { Vec::new() }
    }

    pub fn label(&self, row: &PoseRow) -> &str {
        &self.poses.labels[row.label]
    }
}

/// How the answers are written.
struct Report {
    pub format: Format,
    pub quiet: bool,
}

impl Report {
    pub fn progress(&self, steps: usize) -> Progress {
        Progress::new(steps, self.quiet, self.format)
    }
}
