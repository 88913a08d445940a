//! `bvtree robot`: checks configurations and motions of a robot, read from a URDF, and proves which of its links never
//! collide.

mod page;
mod setup;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bvtree::query::many;
use bvtree_robot::{Certificate, Checker, ConfigurationError, ImpactOptions};
use clap::{ArgGroup, Args, ValueEnum};
use serde_json::Value;

use crate::args::{AnswerArgs, NamePair, parse_positive, parse_whole};
use crate::atomic_write;
use crate::commands::robot::page::{Row, Rows};
use crate::commands::robot::setup::{Configurations, Setup};
use crate::error::{CONTACT, CliError, note};
use crate::input::TreeArgs;
use crate::output::{Layout, Progress, Table};
use crate::poses::parse_tolerance;

/// Check configurations and motions of a robot, and prove which links never collide
///
/// The robot is read from a URDF with its meshes (STL, OBJ, COLLADA, PLY, OFF or glTF). Every link is compared with
/// every other, except the two links of a joint and the pairs that the SRDF disables, and with every object of the
/// world. Links are solid: what is wholly inside one collides with it. Lengths are in metres, angles in radians.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("question").required(true))]
pub struct RobotArgs {
    /// The robot's URDF, as xacro prints it
    urdf: PathBuf,
    /// Check each configuration of a CSV file, `-` for stdin. The first line names the columns: the robot's joint
    /// values in any order. Writes one row for a free configuration, or a row for each pair of bodies that collide
    #[arg(long, value_name = "FILE", group = "question")]
    configurations: Option<PathBuf>,
    /// Prove that a path through the configurations of a CSV file is free, or find where it is blocked. Between two
    /// configurations all joint values change evenly
    #[arg(long, value_name = "FILE", group = "question")]
    path: Option<PathBuf>,
    /// Prove which pairs of bodies can never collide between the limits of the joints
    #[arg(long, group = "question")]
    never_colliding: bool,
    /// SRDF with the pairs of links that need no check, and with named states
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,
    /// Folder of a package, or a folder that holds packages, for `package://` names; can be given several times. The
    /// folders around the URDF are searched too
    #[arg(long, value_name = "DIR")]
    package_dir: Vec<PathBuf>,
    /// What stands around the robot, in the frame of its root link: a mesh, a cooked tree, a glTF scene, or a manifest
    /// of `bvtree clash` (its bodies, not its rules); can be given several times
    #[arg(long, value_name = "FILE")]
    world: Vec<PathBuf>,
    /// Let two bodies touch: two links, or a link and an object of the world; can be given several times
    #[arg(long, value_name = "BODY,BODY")]
    allow: Vec<NamePair>,
    /// Bodies that are not farther apart than this collide
    #[arg(long, value_name = "DISTANCE", allow_hyphen_values = true, value_parser = parse_tolerance,
        default_value = "0")]
    clearance: f64,
    /// State of the SRDF with the joint values that the CSV file has no columns for
    #[arg(long, value_name = "GROUP/STATE", conflicts_with = "never_colliding")]
    state: Option<String>,
    /// Check this number (2 to 2^40) of evenly spaced configurations on each edge of the path, its ends among them, and
    /// prove nothing
    #[arg(long, value_name = "N", requires = "path", value_parser = parse_steps)]
    steps: Option<usize>,
    /// Maximum number of configurations tried for each pair; with more, more pairs may be proven never to collide
    #[arg(long, value_name = "N", requires = "never_colliding", value_parser = parse_positive::<NonZeroUsize>,
        default_value = "1000")]
    budget: NonZeroUsize,
    /// Write an SRDF that disables the pairs of links that never collide, those that the given SRDF disables, and those
    /// that a joint connects or that do not move relative to each other. Pairs that only --allow excludes are not in it
    #[arg(long, value_name = "FILE", requires = "never_colliding")]
    write_srdf: Option<PathBuf>,
    /// Treatment of links whose mesh is not closed: solid (the winding number decides what is inside), surface, hull
    /// (the convex hull) or error
    #[arg(long, value_name = "CHOICE", value_enum, hide_possible_values = true, default_value = "solid")]
    open_meshes: OpenMeshes,
    /// Also write a page that shows the robot in 3D with a slider for each joint, and the answers in a list: choosing
    /// an answer shows the robot in that configuration, with the bodies that touch
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Folder that keeps the trees of the robot's meshes, so that robots with the same meshes open in less time from
    /// then on; it is created if need be
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Exit with 1 if a configuration or the path is not free
    #[arg(long, conflicts_with = "never_colliding")]
    exit_code: bool,
    #[command(flatten)]
    answers: AnswerArgs,
    #[command(flatten)]
    trees: TreeArgs,
}

const EXAMPLES: &str = "\
Examples:
  bvtree robot arm.urdf --srdf arm.srdf --configurations samples.csv
  bvtree robot arm.urdf --world cell.json --path path.csv --clearance 0.005
  bvtree robot arm.urdf --world table.stl --allow base,table --path path.csv
  bvtree robot arm.urdf --never-colliding --write-srdf arm.srdf
  bvtree robot arm.urdf --path path.csv --html path.html

A joint has one value with its name; a planar joint has NAME/x, NAME/y and
NAME/theta; a floating joint has NAME/trans_x to trans_z and NAME/rot_x to
rot_w. Fixed joints have none, nor have those that mimic another.

Columns of --configurations: row (from 0), free, a, b (two bodies that collide).
Columns of --path: edge (from 0), result (free or blocked), proven, parameter
(of the edge, from 0 to 1, where it is first blocked), a, b, distance. `proven`
is 1 if the result is about all configurations of the edge, 0 with --steps.
A blocked edge is proven to be free before the parameter; there or up to 0.01 mm
of motion later, the bodies are at most the clearance and 0.01 mm apart.
Columns of --never-colliding: a, b, certificate (never: proven; meets: they
collide at the configuration; unknown: not decided within --budget),
configuration (the joint values in the robot's order).";

/// A value of `--open-meshes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OpenMeshes {
    Solid,
    Surface,
    Hull,
    Error,
}

fn parse_steps(text: &str) -> Result<usize, String> {
    let known = parse_whole(text).ok().filter(|steps| (2..=1 << 40).contains(steps));
    known.ok_or_else(|| "expected a whole number from 2 to 2^40".to_owned())
}

const CONFIGURATION_COLUMNS: [&str; 4] = ["row", "free", "a", "b"];
const PATH_COLUMNS: [&str; 7] = ["edge", "result", "proven", "parameter", "a", "b", "distance"];
const CERTIFICATE_COLUMNS: [&str; 4] = ["a", "b", "certificate", "configuration"];

pub fn run(args: &RobotArgs, quiet: bool) -> Result<ExitCode, CliError> {
    let inputs = args.srdf.iter().chain([&args.urdf]).chain(&args.configurations).chain(&args.path).chain(&args.world);
    let inputs: Vec<&Path> = inputs.map(PathBuf::as_path).collect();
    let outputs: Vec<&Path> = args.write_srdf.iter().chain(&args.html).map(PathBuf::as_path).collect();
    outputs.iter().try_for_each(|output| atomic_write::refuse_stdout(output))?;
    atomic_write::check(&outputs, &inputs)?;
    let setup = Setup::open(args)?;
    let mut listed = Listed { rows: args.html.is_some().then(Rows::default), all_free: true };
    let file = args.configurations.as_ref().or(args.path.as_ref());
    let rows = file.map(|file| setup.configurations(file, args, quiet)).transpose()?;
    let about = match &rows {
        Some(rows) if args.path.is_some() => follow(args, &setup, rows, &mut listed, quiet)?,
        Some(rows) => check(args, &setup, rows, &mut listed, quiet)?,
        None => certify(args, &setup, &mut listed, quiet)?,
    };
    if let (Some(path), Some(listed)) = (&args.html, listed.rows) {
        let through = rows.as_ref().filter(|_| args.path.is_some()).map(|rows| rows.values.as_slice());
        atomic_write::write(path, "the page", page::html(&setup, listed, about, through)?.as_bytes())?;
    }
    let is_free = listed.all_free;
    Ok(if args.exit_code && !is_free { ExitCode::from(CONTACT) } else { ExitCode::SUCCESS })
}

/// What is kept of the answers besides the table: rows for the page, and whether all answers were free.
struct Listed {
    /// The page's rows, if there is a page.
    rows: Option<Rows>,
    all_free: bool,
}

impl Listed {
    fn add(&mut self, row: impl FnOnce() -> Row) {
        if let Some(rows) = &mut self.rows {
            rows.add(row());
        }
    }
}

/// Calls `ask` for each item, in parallel on all cores, and writes the items' rows in order. `rows` makes rows from an
/// item's index and answer; `place` names an item's origin in errors.
fn answer<T: Sync, A: Send>(
    args: &RobotArgs,
    (setup, items, columns, quiet): (&Setup, &[T], &'static [&'static str], bool),
    ask: impl Fn(&mut Checker, &T) -> Result<A, ConfigurationError> + Sync + Send,
    place: impl Fn(usize) -> String,
    mut rows: impl FnMut(usize, A) -> Vec<Vec<Value>>,
) -> Result<(), CliError> {
    let format = args.answers.format();
    let writes_files = args.html.is_some() || args.write_srdf.is_some();
    let mut table = Table::new(format, columns, Layout::Columns(columns)).beside_files(writes_files);
    let mut progress = Progress::new(items.len(), quiet, format);
    let mut index = 0;
    many::for_each_block(
        items,
        || setup.checker(),
        ask,
        |block, answers| {
            for answer in answers {
                let answer = answer.map_err(|error| CliError::caused(place(index), &error))?;
                rows(index, answer).into_iter().try_for_each(|row| table.row(row))?;
                index += 1;
            }
            progress.advance(block.len(), "");
            table.flush()
        },
    )?;
    drop(progress);
    table.finish()
}

/// Answers `--configurations`. Returns two labels for the HTML page: that of the rows that collide, and that of all
/// rows.
fn check(
    args: &RobotArgs,
    setup: &Setup,
    rows: &Configurations,
    listed: &mut Listed,
    quiet: bool,
) -> Result<[&'static str; 2], CliError> {
    let names = setup.names();
    if args.exit_code && rows.values.is_empty() {
        return Err(CliError::new("--exit-code: there are no configurations, so collision is undecided")
            .hint("an empty file does not mean that all configurations are free"));
    }
    answer(
        args,
        (setup, &rows.values, &CONFIGURATION_COLUMNS, quiet),
        |checker, values| checker.colliding(values, args.clearance),
        |row| rows.places[row].clone(),
        |row, pairs| {
            let pairs: Vec<_> = pairs.iter().map(|pair| setup.pairs[*pair]).collect();
            listed.add(|| Row {
                title: format!("Row {row}"),
                answer: match pairs.len() {
                    0 => "free".to_owned(),
                    1 => "1 pair collides".to_owned(),
                    count => format!("{count} pairs collide"),
                },
                collides: !pairs.is_empty(),
                values: Some(rows.values[row].clone()),
                pairs: pairs.clone(),
                along: None,
            });
            if pairs.is_empty() {
                return vec![vec![row.into(), true.into(), Value::Null, Value::Null]];
            }
            listed.all_free = false;
            let bodies = pairs.iter().map(|pair| pair.map(|body| names[body].into()));
            bodies.map(|[a, b]| vec![row.into(), false.into(), a, b]).collect()
        },
    )?;
    Ok(["Colliding", "configurations"])
}

/// The point at which an edge is blocked.
struct Blocked {
    parameter: f64,
    /// The two bodies; `None` if they touch by no more than rounding, so that they can't be named.
    bodies: Option<[usize; 2]>,
    distance: Option<f64>,
}

/// Answers `--path`. Returns two labels for the HTML page: that of the edges that are blocked, and that of all edges.
fn follow(
    args: &RobotArgs,
    setup: &Setup,
    rows: &Configurations,
    listed: &mut Listed,
    quiet: bool,
) -> Result<[&'static str; 2], CliError> {
    let names = setup.names();
    if rows.values.len() < 2 {
        return Err(CliError::new(format!("{}: expected at least two rows below it, a path", rows.header)));
    }
    answer(
        args,
        (setup, &rows.values.windows(2).collect::<Vec<_>>(), &PATH_COLUMNS, quiet),
        |checker, edge| blocked(args, setup, checker, &edge[0], &edge[1]),
        |edge| {
            let from = &rows.values[edge];
            let wrong_end = usize::from(setup.robot.interpolate(from, from, 0.0).is_ok());
            rows.places[edge + wrong_end].clone()
        },
        |edge, found| {
            listed.add(|| edge_row(args, setup, &rows.values[edge..], edge, found.as_ref()));
            let result = if found.is_some() { "blocked" } else { "free" };
            let mut row = vec![edge.into(), result.into(), args.steps.is_none().into()];
            if let Some(Blocked { parameter, bodies, distance }) = found {
                let [a, b] = [0, 1].map(|side| bodies.map(|bodies| names[bodies[side]]).into());
                row.extend([parameter.into(), a, b, distance.into()]);
                listed.all_free = false;
            }
            row.resize(PATH_COLUMNS.len(), Value::Null);
            vec![row]
        },
    )?;
    Ok(["Blocked", "edges"])
}

/// The page's row for an edge, which shows the robot where the edge is blocked, or else at its start.
fn edge_row(args: &RobotArgs, setup: &Setup, ends: &[Vec<f64>], edge: usize, found: Option<&Blocked>) -> Row {
    let parameter = found.map_or(0.0, |found| found.parameter);
    let answer = match found {
        Some(_) => format!("blocked at {parameter:.4}"),
        None if args.steps.is_some() => "free at its steps".to_owned(),
        None => "free, proven".to_owned(),
    };
    Row {
        title: format!("Edge {edge}"),
        answer,
        collides: found.is_some(),
        // The edge has an answer, so its ends are valid configurations.
        values: setup.robot.interpolate(&ends[0], &ends[1], parameter).ok(),
        pairs: found.and_then(|found| found.bodies).into_iter().collect(),
        along: Some(edge as f64 + parameter),
    }
}

/// The first point found at which the motion between two configurations is blocked; `None` if none is found.
fn blocked(
    args: &RobotArgs,
    setup: &Setup,
    checker: &mut Checker,
    from: &[f64],
    to: &[f64],
) -> Result<Option<Blocked>, ConfigurationError> {
    let Some(steps) = args.steps else {
        let options = ImpactOptions { clearance: args.clearance, ..ImpactOptions::default() };
        let found = checker.first_impact(from, to, &options)?;
        return Ok(found.map(|impact| Blocked {
            parameter: impact.parameter,
            bodies: Some(impact.bodies),
            distance: Some(impact.distance),
        }));
    };
    let Some(index) = checker.first_blocked(from, to, steps, args.clearance)? else { return Ok(None) };
    let parameter = if index == 0 { 0.0 } else { index as f64 / (steps - 1) as f64 };
    let between = setup.robot.interpolate(from, to, parameter)?;
    let pair = checker.colliding(&between, args.clearance)?.first().copied();
    Ok(Some(Blocked { parameter, bodies: pair.map(|pair| setup.pairs[pair]), distance: None }))
}

/// Answers `--never-colliding`. Returns two labels for the HTML page: that of the pairs that can collide, and that of
/// all pairs.
fn certify(args: &RobotArgs, setup: &Setup, listed: &mut Listed, quiet: bool) -> Result<[&'static str; 2], CliError> {
    let names = setup.names();
    let limits = setup.robot.certificate_limits();
    let mut certificates = Vec::new();
    answer(
        args,
        (setup, &Vec::from_iter(0..setup.pairs.len()), &CERTIFICATE_COLUMNS, quiet),
        |checker, &pair| checker.certificate(pair, &limits, args.clearance, args.budget.get()),
        |_| args.urdf.display().to_string(),
        |pair, certificate| {
            let [a, b] = setup.pairs[pair].map(|body| names[body]);
            let (word, configuration) = match &certificate {
                Certificate::Never => ("never", Value::Null),
                Certificate::Meets(values) => ("meets", values.clone().into()),
                _ => ("unknown", Value::Null),
            };
            listed.add(|| Row {
                title: format!("{a} and {b}"),
                answer: match certificate {
                    Certificate::Never => "never collide: proven".to_owned(),
                    Certificate::Meets(_) => "collide here".to_owned(),
                    _ => "not decided".to_owned(),
                },
                collides: matches!(certificate, Certificate::Meets(_)),
                values: if let Certificate::Meets(values) = &certificate { Some(values.clone()) } else { None },
                pairs: vec![setup.pairs[pair]],
                along: None,
            });
            certificates.push(certificate);
            vec![vec![a.into(), b.into(), word.into(), configuration]]
        },
    )?;
    if let Some(path) = &args.write_srdf {
        atomic_write::write(path, "the SRDF", setup.robot.to_srdf(&certificates).as_bytes())?;
    }
    if !quiet {
        let never = certificates.iter().filter(|certificate| **certificate == Certificate::Never).count();
        note(format!("{never} of {} pairs never collide: proven", certificates.len()));
    }
    Ok(["Can collide", "pairs of bodies"])
}
