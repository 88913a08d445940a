//! A row per label with timings: one warm-up pass over all poses, then timed passes on one thread.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::answer::Answer;
use super::question::{Question, Report};
use crate::error::CliError;
use crate::output::{Layout, Table};

const COLUMNS: [&str; 9] = [
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
    /// One for each timed pass.
    times: Vec<Duration>,
}

/// Timings that are kept at once, 16 bytes each.
const MAX_TIMINGS: usize = 100_000_000;

/// Times every pose `passes` times. Returns at how many there is contact.
pub fn run(question: &Question, passes: usize, report: &Report) -> Result<usize, CliError> {
    let queries = question.poses.rows.len();
    if passes.checked_mul(queries.max(1)).is_none_or(|timings| timings > MAX_TIMINGS) {
        let message = format!("--repeat {passes}: passes times poses ({queries}) are more than {MAX_TIMINGS}");
        return Err(CliError::new(message).hint("repeat less often, or time some of the poses"));
    }
    let mut table = Table::new(report.format, &COLUMNS, Layout::Columns(&COLUMNS));
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
