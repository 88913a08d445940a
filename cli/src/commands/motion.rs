//! `bvtree motion`: reads two meshes and motions of one of them, and writes when the meshes first touch in each motion.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvtree::query::{TimeOfImpact, many};
use bvtree::{BvTree, Motion, Pose, Query};
use clap::Args;
use nalgebra::Point3;
use serde_json::Value;

use crate::args::GroupNames;
use crate::args::{AnswerArgs, SolidArgs};
use crate::csv_tables::for_each_row;
use crate::error::{CliError, note};
use crate::input::PairArgs;
use crate::output::{Layout, Progress, Table};
use crate::poses::{parse_tolerance, pose_of};

/// Find when two meshes first touch as one of them moves
///
/// A is fixed. B moves from one pose to another in the time from 0 to 1: its translation is linear, its rotation a
/// slerp about its origin. The result is free, impact, or touching (already at the start). Free is proven, not sampled,
/// but only for this motion: another motion between the same poses, such as that of a robot's link, may collide.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MotionArgs {
    /// CSV file of motions, `-` for stdin: rows of a label, the start pose and the end pose, each as the 12 numbers
    /// r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz; lines that start with # are ignored
    #[arg(long, value_name = "FILE")]
    motions: PathBuf,
    /// Largest distance that may remain between the triangles at the reported time of impact, which is never late. It
    /// is not a clearance: B may pass A at a smaller distance and be free
    #[arg(long, alias = "tolerance", value_name = "DISTANCE", allow_hyphen_values = true,
        value_parser = parse_tolerance)]
    accuracy: f64,
    /// Add columns group_a and group_b, the groups (objects, nodes) or materials of the first triangles that touch
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "object")]
    groups: Option<GroupNames>,
    #[command(flatten)]
    solid: SolidArgs,
    #[command(flatten)]
    answers: AnswerArgs,
    #[command(flatten)]
    pair: PairArgs,
}

const EXAMPLES: &str = "\
Examples:
  bvtree motion gear.obj bolt.obj --motions motions.csv --accuracy 1e-6

Columns: row, label, result, time, distance, x, y, z, nx, ny, nz, face_a,
face_b. x, y, z is the point where the first triangles touch, in A's frame, and
nx, ny, nz the normal there, from A to B; both are empty if the motion is free.
With --groups, group_a and group_b come last. Poses are in the frames of the
source files; a mesh cooked with --origin rotates about its new origin.";

/// The columns of a row; the last two are written only if groups are requested.
const COLUMNS: [&str; 15] = [
    "row", "label", "result", "time", "distance", "x", "y", "z", "nx", "ny", "nz", "face_a", "face_b", "group_a",
    "group_b",
];

/// The fields of a row: the label, the pose at the start and the one at the end.
const FIELDS: [&str; 25] = [
    "label", "from_r00", "from_r01", "from_r02", "from_tx", "from_r10", "from_r11", "from_r12", "from_ty", "from_r20",
    "from_r21", "from_r22", "from_tz", "to_r00", "to_r01", "to_r02", "to_tx", "to_r10", "to_r11", "to_r12", "to_ty",
    "to_r20", "to_r21", "to_r22", "to_tz",
];

pub fn run(args: &MotionArgs, quiet: bool) -> Result<(), CliError> {
    let simd = args.answers.simd()?;
    let motions = read(&args.motions)?;
    let trees = args.pair.open()?;
    GroupNames::check(args.groups, [&*trees[0], &*trees[1]])?;
    let [a, b] = &trees;
    if !quiet {
        args.pair.warnings(&trees).iter().for_each(note);
    }
    let [solid_a, solid_b] = args.solid.choose([a, b], args.pair.paths())?;
    let origins = [a.origin(), b.origin()];
    // Poses are in the frames of the source files.
    let between_meshes = |pose: &Pose| pose.with_origins(&origins[0], &origins[1]);
    let motions: Vec<_> = motions
        .iter()
        .map(|(label, motion)| (label, Motion::new(between_meshes(motion.start()), between_meshes(motion.end()))))
        .collect();
    let format = args.answers.format();
    let columns = if args.groups.is_some() { &COLUMNS[..] } else { &COLUMNS[..COLUMNS.len() - 2] };
    let mut table = Table::new(format, columns, Layout::Columns(columns));
    let mut progress = Progress::new(motions.len(), quiet, format);
    let mut row = 0_usize;
    many::for_each_block(
        &motions,
        || {
            let mut query = Query::with_simd(simd);
            query.set_solids(solid_a, solid_b);
            query
        },
        |query, (_, motion)| query.time_of_impact(a, b, motion, args.accuracy),
        |motions, answers| {
            for ((label, _), answer) in motions.iter().zip(answers) {
                let [a, b] = args.pair.paths().map(Path::display);
                let answer =
                    answer.map_err(|error| CliError::caused(format!("cannot move {b} past {a}, row {row}"), &error))?;
                let mut values = values(row, label, &answer, &origins[0]);
                if let Some(names) = args.groups {
                    values.extend(groups(&answer, &trees, names));
                }
                table.row(values)?;
                row += 1;
            }
            progress.advance(motions.len(), "");
            table.flush()
        },
    )?;
    drop(progress);
    table.finish()
}

fn values(row: usize, label: &str, answer: &TimeOfImpact, origin: &Point3<f64>) -> Vec<Value> {
    let label = if label.is_empty() { Value::Null } else { label.into() };
    let (result, contact) = match answer {
        TimeOfImpact::NoImpact => ("free", None),
        TimeOfImpact::Touching(contact) => ("touching", Some(contact)),
        TimeOfImpact::Impact(contact) => ("impact", Some(contact)),
    };
    let mut values = vec![row.into(), label, result.into()];
    match contact {
        Some(contact) => {
            let numbers =
                [contact.time, contact.distance].into_iter().chain(<[f64; 3]>::from(contact.on_a + origin.coords));
            values.extend(numbers.chain(contact.normal.iter().copied()).map(Value::from));
            values.extend([contact.faces.face_a.into(), contact.faces.face_b.into()]);
        }
        None => values.resize(COLUMNS.len() - 2, Value::Null),
    }
    values
}

/// The names of the groups that the first touching triangles belong to.
fn groups(answer: &TimeOfImpact, [a, b]: &[Arc<BvTree>; 2], names: GroupNames) -> [Value; 2] {
    match answer {
        TimeOfImpact::Touching(contact) | TimeOfImpact::Impact(contact) => {
            names.of_pair([a, b], contact.faces).map(Value::from)
        }
        TimeOfImpact::NoImpact => [Value::Null, Value::Null],
    }
}

fn read(path: &Path) -> Result<Vec<(String, Motion)>, CliError> {
    let mut motions = Vec::new();
    for_each_row(path, "motions", &FIELDS, |row| {
        let pose = |first: usize| {
            pose_of(row.numbers(first)?)
                .map_err(|error| CliError::caused(format!("{}, pose from field {}", row.place(), first + 1), &error))
        };
        motions.push((row.fields[0].to_owned(), Motion::new(pose(1)?, pose(13)?)));
        Ok(())
    })?;
    Ok(motions)
}
