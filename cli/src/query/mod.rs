//! `bvtree query`: two trees and poses in, an answer per pose or a timing per label out.

pub mod answer;
mod by_label;
mod by_pose;
mod contacts;
mod distance;
mod hit;
mod mode;
mod pairs;
mod question;
mod relation;
mod separation;
mod within;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use bvtree::query::DistanceOptions;
use clap::Args;
use nalgebra::{UnitVector3, Vector3};

use super::answer_args::AnswerArgs;
use super::error::{CliError, note};
use super::exit_code::CONTACT;
use super::output::Format;
use super::poses::{PoseArgs, Poses, parse_direction, parse_tolerance};
use super::tree_args::PairArgs;
use super::whole_numbers::parse_positive;
use mode::{Mode, ModeOptions};
use question::{Question, Report};

/// Ask two meshes whether, and with which triangles, they touch, and how far apart they are
///
/// A stands still; a pose x -> R x + t takes B's points into A's frame. Each of the two is a cooked tree (.bvt) or a
/// mesh (OBJ, STL, PLY, OFF or glTF), of which a tree is built in memory. Answers are exact: the kind of tree, the
/// instructions and the threads change nothing but the time.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct QueryArgs {
    /// What to ask
    #[arg(long, value_enum, default_value_t = Mode::Hit)]
    mode: Mode,
    /// Of --mode separation: where B is moved, in A's frame; of any length
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_direction, required_if_eq("mode", "separation"))]
    direction: Option<UnitVector3<f64>>,
    /// With --mode within, the distance that is asked about; with --mode distance, what the answer may exceed the least
    /// distance by; in A's units
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = parse_tolerance, required_if_eq("mode", "within"))]
    tolerance: Option<f64>,
    /// With --mode distance, start from the answer at the pose before: faster where poses follow each other closely,
    /// and the same answers
    #[arg(long)]
    warm: bool,
    /// CSV file of poses, `-` for stdin: a first line that starts with #, then rows of
    /// mesh_a,mesh_b,label,r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz. R must be a rotation but for 1e-4 in any entry
    /// of R^T R, as matrices written with few digits are; more than 2e-6 is noted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["translate", "rotate"])]
    poses: Option<PathBuf>,
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    answers: AnswerArgs,
    /// Exit with 1 if there is contact at any pose, with 0 if there is none
    #[arg(long)]
    exit_code: bool,
    /// Name the groups (objects, materials, nodes) that triangles belong to, in columns group_a and group_b: with
    /// --mode pairs a row for each two groups that touch, with --mode distance of the closest triangles, with --mode
    /// contacts of each pair
    #[arg(long, conflicts_with = "by_label")]
    groups: bool,
    /// A row of timings per label: after a warm-up, passes over all poses on one thread
    #[arg(long)]
    by_label: bool,
    /// Number of timed passes; times poses 100 million at most
    #[arg(long, value_name = "N", value_parser = parse_positive::<NonZeroUsize>, requires = "by_label", default_value = "10")]
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

Columns: row, label, hit, pairs, pairs_checksum, distance; what a mode does
not compute is empty. After them, with --mode distance: ax, ay, az, bx, by, bz,
the closest points of A and of B in A's frame, and face_a, face_b; with --mode
within: within, lower_bound (where it is not, the distance is at least that);
with --mode separation: separation, the last contact as B is moved along the direction,
beyond which no triangles touch; 0 where they don't as they stand;
with --mode relation: relation (separate, touching, crossing, a_in_b, b_in_a,
or undefined: within the bounds of a mesh that is not closed). --mode contacts
prints a row per pair of touching triangles: face_a, face_b, their unit normals
nax, nay, naz, nbx, nby, nbz, and points, three numbers each in A's frame: one
point, the ends of a segment, or the corners of a polygon.
Meshes that were cooked with --origin are where they were: poses and points
are in the frames of their sources.
pairs_checksum is, modulo 2^64, the sum over all pairs of
splitmix64(face_a * 2^32 + face_b); a face is a triangle's index in its mesh,
counted from 0 in file order.

Columns with --by-label: label, queries, hits, pairs, distance_sum,
micros_per_query (median over the passes), micros_best (mean of each pose's
fastest pass), volume_tests and triangle_tests (means per query).";

pub fn run(args: &QueryArgs, quiet: bool) -> Result<ExitCode, CliError> {
    let simd = args.answers.simd()?;
    if args.groups && !args.mode.knows_groups() {
        return Err(CliError::new("--groups: this mode's answers are not about triangles")
            .hint("ask with --mode pairs, distance or contacts"));
    }
    let mut poses = match &args.poses {
        Some(path) => Poses::read(path)?,
        None => Poses::single(args.pose.pose()?),
    };
    if args.exit_code && poses.rows.is_empty() {
        return Err(CliError::new("--exit-code: there are no poses, and so no answer")
            .hint("an empty file of poses does not mean that there is no contact"));
    }
    if !quiet && let Some(path) = &args.poses {
        poses.surprises(args.pair.paths()).iter().for_each(|text| note(format!("{}: {text}", path.display())));
    }
    let trees = args.pair.open()?;
    if !quiet {
        args.pair.surprises(&trees).iter().for_each(note);
    }
    let [a, b] = trees;
    // Poses are of the sources' frames.
    poses.rows.iter_mut().for_each(|row| row.pose = row.pose.with_origins(&a.origin(), &b.origin()));
    let format = args.answers.format();
    let report = Report { format, quiet };
    let queries = poses.rows.len();
    let distance = DistanceOptions { absolute_tolerance: args.tolerance.unwrap_or(0.0), ..DistanceOptions::default() };
    let options = ModeOptions { distance, direction: args.direction.unwrap_or(Vector3::x_axis()), groups: args.groups };
    let question = Question { mode: args.mode, simd, a: &a, b: &b, poses, options, is_warm: args.warm };
    let hits = if args.by_label {
        by_label::run(&question, args.repeat.get(), &report)?
    } else if args.mode == Mode::Contacts {
        contacts::run(&question, &report)?
    } else {
        by_pose::run(&question, &report)?
    };
    if !quiet && queries == 0 {
        eprintln!("note: no poses");
    } else if !quiet && queries > 1 && format == Format::Text {
        eprintln!("contact at {hits} of {queries} poses");
    }
    Ok(if args.exit_code && hits > 0 { ExitCode::from(CONTACT) } else { ExitCode::SUCCESS })
}
