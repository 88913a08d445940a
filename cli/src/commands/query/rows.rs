//! Writes the answers of `bvtree query`: a row per pose, per contact or per label.

use std::time::{Duration, Instant};

use bvtree::query::{FacePair, many};
use bvtree::triangle::Triangle;
use bvtree::{Mesh, Pose};
use nalgebra::Vector3;
use serde_json::Value;

use crate::commands::query::mode::{Answer, Asker, GROUPS, STABLE, stable_values};
use crate::commands::query::{Question, Report};
use crate::error::CliError;
use crate::output::{Layout, Table, joined};
use crate::poses::PoseRow;

/// The maximum number of poses that are answered together: enough for neighbours to share results, and few enough for
/// rows to be written soon.
const MAX_RUN: usize = 256;

/// Writes the answer at every pose. Returns the number of poses with contact.
pub fn write_by_pose(question: &Question, report: &Report) -> Result<usize, CliError> {
    let columns = question.mode.columns(question.options.groups.is_some());
    let mut table = Table::new(report.format, columns, Layout::Columns(columns));
    let rows = &question.poses.rows;
    let mut progress = report.progress(rows.len());
    let (mut hits, mut done) = (0, 0);
    let length = if question.mode.shares_poses() { rows.len().div_ceil(8 * rayon::current_num_threads()) } else { 1 };
    let runs: Vec<&[PoseRow]> = rows.chunks(length.clamp(1, MAX_RUN)).collect();
    let ask = |asker: &mut Asker, rows: &&[PoseRow]| question.ask_many(asker, rows);
    many::for_each_block(
        &runs,
        || question.asker(),
        ask,
        |runs, answers| {
            let (rows, answers) = (runs.concat(), answers.concat());
            for (row, (pose, answer)) in (done..).zip(rows.iter().zip(&answers)) {
                for answer in answer.rows() {
                    let own_values = question.mode.own_values(answer, &question.a.origin());
                    let groups = question.groups(answer.groups.each_ref().map(Option::as_deref));
                    table.row(
                        [stable_values(question.mode, row, question.label(pose), answer), own_values, groups].concat(),
                    )?;
                }
            }
            hits += answers.iter().filter(|answer| answer.hit).count();
            done += rows.len();
            progress.advance(rows.len(), "");
            table.flush()
        },
    )?;
    drop(progress);
    table.finish()?;
    Ok(hits)
}

/// The columns of contacts: the unit normals of A's and B's triangle, and the points that the two have in common, three
/// numbers per point, in the frame of A's source.
const CONTACTS: [&str; 15] = joined(STABLE, ["face_a", "face_b", "nax", "nay", "naz", "nbx", "nby", "nbz", "points"]);
const CONTACTS_WITH_GROUPS: [&str; 17] = joined(CONTACTS, GROUPS);

/// Writes a row per contact, sorted by faces, pose after pose. A pose's pairs of faces are collected, eight bytes each;
/// since there may be many millions, the points of a pair are computed only when its row is written. Returns the number
/// of poses with contact.
pub fn write_contacts(question: &Question, report: &Report) -> Result<usize, CliError> {
    let mesh =
        |tree: &bvtree::BvTree| tree.to_mesh().map_err(|error| CliError::caused("cannot read triangles", &error));
    let (a, b) = (mesh(question.a)?, mesh(question.b)?);
    let columns: &[_] = if question.options.groups.is_some() { &CONTACTS_WITH_GROUPS } else { &CONTACTS };
    let mut table = Table::new(report.format, columns, Layout::Columns(columns));
    let mut progress = report.progress(question.poses.rows.len());
    let mut query = question.asker().query;
    let mut hits = 0;
    for (number, row) in question.poses.rows.iter().enumerate() {
        let pairs = query.intersecting_pairs(question.a, question.b, &row.pose);
        hits += usize::from(!pairs.is_empty());
        let answer = Answer { hit: true, pairs: Some(pairs.len() as u64), ..Answer::default() };
        let stable = stable_values(question.mode, number, question.label(row), &answer);
        for pair in pairs {
            let names = question.options.groups.map(|names| names.of_pair([question.a, question.b], pair));
            let groups = question.groups(names.unwrap_or_default());
            table.row([stable.clone(), contact(&a, &b, &row.pose, pair), groups].concat())?;
        }
        progress.advance(1, "");
        table.flush()?;
    }
    drop(progress);
    table.finish()?;
    Ok(hits)
}

/// The faces, their normals, and the points that they have in common, in the frame of A's source.
fn contact(a: &Mesh, b: &Mesh, b_to_a: &Pose, FacePair { face_a, face_b }: FacePair) -> Vec<Value> {
    let posed = b.triangles()[face_b as usize].map(|corner| b_to_a.transform(&b.vertices()[corner as usize]));
    let triangles = [a.triangle(face_a), Triangle { vertices: posed }];
    let points = triangles[0].intersection(&triangles[1]);
    let points: Vec<f64> = points.iter().flat_map(|point| <[f64; 3]>::from(point + a.origin().coords)).collect();
    let normals = triangles.map(|triangle| unit_normal(&triangle));
    let normals = normals.iter().flat_map(|normal| normal.iter().map(|&x| x.into()));
    [face_a.into(), face_b.into()].into_iter().chain(normals).chain([points.into()]).collect()
}

/// The unit normal of a triangle; zero if it has no area.
fn unit_normal(triangle: &Triangle) -> Vector3<f64> {
    triangle.scaled_normal().try_normalize(0.0).unwrap_or_default()
}

const TIMINGS: [&str; 9] = [
    "label",
    "queries",
    "hits",
    "pairs",
    "distance_sum",
    "micros_per_query",
    "micros_best",
    "volume_tests",
    "triangle_tests",
];

/// One pose's answer, work and timings.
struct Sample {
    answer: Answer,
    volume_tests: u64,
    triangle_tests: u64,
    /// The time of each timed pass.
    times: Vec<Duration>,
}

/// The maximum number of timings kept in memory, 16 bytes each.
const MAX_TIMINGS: usize = 100_000_000;

/// Times every pose `passes` times, and writes a row per label. Returns the number of poses with contact.
pub fn write_by_label(question: &Question, passes: usize, report: &Report) -> Result<usize, CliError> {
    let queries = question.poses.rows.len();
    if passes.checked_mul(queries.max(1)).is_none_or(|timings| timings > MAX_TIMINGS) {
        let message = format!("--repeat {passes}: passes times poses ({queries}) are more than {MAX_TIMINGS}");
        return Err(CliError::new(message).hint("repeat less often, or time some of the poses"));
    }
    let mut table = Table::new(report.format, &TIMINGS, Layout::Columns(&TIMINGS));
    let samples = measure(question, passes, report);
    for (label, name) in question.poses.labels.iter().enumerate() {
        let rows = question.poses.rows.iter().zip(&samples);
        let samples: Vec<&Sample> = rows.filter(|(row, _)| row.label == label).map(|(_, sample)| sample).collect();
        table.row(values(name, passes, &samples))?;
    }
    table.finish()?;
    Ok(samples.iter().filter(|sample| sample.answer.hit).count())
}

fn measure(question: &Question, passes: usize, report: &Report) -> Vec<Sample> {
    let rows = &question.poses.rows;
    let mut asker = question.asker();
    let mut progress = report.progress(passes + 1);
    let mut samples = Vec::with_capacity(rows.len());
    for row in rows {
        let answer = question.ask(&mut asker, row);
        let stats = asker.query.stats();
        let times = Vec::with_capacity(passes);
        let (volume_tests, triangle_tests) = (stats.volume_tests, stats.triangle_tests);
        samples.push(Sample { answer, volume_tests, triangle_tests, times });
    }
    for _ in 0..passes {
        progress.advance(1, "passes");
        for (row, sample) in rows.iter().zip(&mut samples) {
            let began = Instant::now();
            std::hint::black_box(question.ask(&mut asker, row));
            sample.times.push(began.elapsed());
        }
    }
    samples
}

fn values(label: &str, passes: usize, samples: &[&Sample]) -> Vec<Value> {
    let queries = samples.len() as f64;
    let mut pass_times: Vec<f64> =
        (0..passes).map(|pass| samples.iter().map(|sample| micros(sample.times[pass])).sum()).collect();
    let best: f64 = samples.iter().filter_map(|sample| sample.times.iter().min()).map(|&time| micros(time)).sum();
    vec![
        label.into(),
        samples.len().into(),
        samples.iter().filter(|sample| sample.answer.hit).count().into(),
        samples.iter().map(|sample| sample.answer.pairs).sum::<Option<u64>>().into(),
        samples.iter().map(|sample| sample.answer.distance).sum::<Option<f64>>().into(),
        (median(&mut pass_times) / queries).into(),
        (best / queries).into(),
        (samples.iter().map(|sample| sample.volume_tests).sum::<u64>() as f64 / queries).into(),
        (samples.iter().map(|sample| sample.triangle_tests).sum::<u64>() as f64 / queries).into(),
    ]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The middle value, or the mean of the middle two.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}
