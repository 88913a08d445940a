//! `bvtree motion`: two trees and motions in, when they meet out.

use std::path::{Path, PathBuf};

use bvtree::query::{Impact, many};
use bvtree::{Motion, Pose};
use clap::Args;
use serde_json::Value;

use super::answer_args::AnswerArgs;
use super::error::CliError;
use super::output::{Layout, Table};
use super::poses::{parse_finite, parse_tolerance, pose_of};
use super::progress::Progress;
use super::rows::for_each_row;
use super::tree_args::PairArgs;

/// Ask two meshes when they first meet, as one moves
///
/// A stands still. B moves from one pose to another in the time from 0 to 1: its translation is linear, its rotation a slerp about its
/// origin. A row is free (proven, not sampled), impact or touching (at the start already).
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MotionArgs {
    /// CSV file of motions, `-` for stdin: rows of a label, the start pose and the end pose, each as the 12 numbers
    /// r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz; lines that start with # are no rows
    #[arg(long, value_name = "FILE")]
    motions: PathBuf,
    /// How far apart triangles may still be at the time of impact, which is never late
    #[arg(long, value_name = "DISTANCE", value_parser = parse_tolerance)]
    tolerance: f64,
    #[command(flatten)]
    answers: AnswerArgs,
    #[command(flatten)]
    pair: PairArgs,
}

const EXAMPLES: &str = "\
Examples:
  bvtree motion gear.obj bolt.obj --motions motions.csv --tolerance 1e-6

Columns: row, label, result, time, distance, x, y, z, nx, ny, nz, face_a,
face_b: where the first triangles meet, in A's frame, and the normal there,
from A to B; empty where the motion is free.";

const COLUMNS: [&str; 13] =
    ["row", "label", "result", "time", "distance", "x", "y", "z", "nx", "ny", "nz", "face_a", "face_b"];

/// Fields of a row: the label and two poses.
const FIELDS: usize = 25;

pub fn run(args: &MotionArgs, quiet: bool) -> Result<(), CliError> {
    let simd = args.answers.simd()?;
    let motions = read(&args.motions)?;
    let [a, b] = args.pair.open()?;
    let format = args.answers.format();
    let mut table = Table::new(format, &COLUMNS, Layout::Columns(&COLUMNS));
    let mut progress = Progress::new(motions.len(), quiet, format);
    let mut row = 0_usize;
    many::for_each_block(
        &motions,
        simd,
        |query, (_, motion)| query.impact(&a, &b, motion, args.tolerance),
        |motions, answers| {
            for ((label, _), answer) in motions.iter().zip(answers) {
                let [a, b] = args.pair.paths().map(Path::display);
                let answer =
                    answer.map_err(|error| CliError::caused(format!("cannot move {b} past {a}, row {row}"), &error))?;
                table.row(values(row, label, &answer))?;
                row += 1;
            }
            progress.advance(motions.len(), "");
            table.flush()
        },
    )?;
    drop(progress);
    table.finish()
}

fn values(row: usize, label: &str, answer: &Impact) -> Vec<Value> {
    let label = if label.is_empty() { Value::Null } else { label.into() };
    let (result, contact) = match answer {
        Impact::Free => ("free", None),
        Impact::Touching(contact) => ("touching", Some(contact)),
        Impact::Impact(contact) => ("impact", Some(contact)),
    };
    let mut values = vec![row.into(), label, result.into()];
    match contact {
        Some(contact) => {
            let numbers = [contact.time, contact.distance].into_iter().chain(contact.on_a.coords.iter().copied());
            values.extend(numbers.chain(contact.normal.iter().copied()).map(Value::from));
            values.extend([contact.faces.face_a.into(), contact.faces.face_b.into()]);
        }
        None => values.resize(COLUMNS.len(), Value::Null),
    }
    values
}

fn read(path: &Path) -> Result<Vec<(String, Motion)>, CliError> {
    let mut motions = Vec::new();
    for_each_row(path, "motions", |text, place| {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        if fields.len() != FIELDS {
            return Err(CliError::new(format!("{}: expected {FIELDS} fields, found {}", place(), fields.len())).hint(
                "a row is a label, then r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz of the start and of the end",
            ));
        }
        let pose = |first: usize| -> Result<Pose, CliError> {
            let mut numbers = [0.0; 12];
            for (field, number) in (first..).zip(&mut numbers) {
                *number = parse_finite(fields[field]).ok_or_else(|| {
                    let found: String = fields[field].chars().take(32).collect();
                    let found = found.escape_debug();
                    CliError::new(format!(
                        "{}, field {}: expected a finite number, found '{found}'",
                        place(),
                        field + 1
                    ))
                })?;
            }
            pose_of(numbers)
                .map_err(|error| CliError::caused(format!("{}, pose from field {}", place(), first + 1), &error))
        };
        motions.push((fields[0].to_owned(), Motion::new(pose(1)?, pose(13)?)));
        Ok(())
    })?;
    Ok(motions)
}
