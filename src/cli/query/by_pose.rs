//! A row per pose (or per contact), in the order of the poses, on all threads.

use std::time::{Duration, Instant};

use bvtree::Query;
use bvtree::query::QueryError;
use rayon::prelude::*;
use serde_json::Value;

use super::mode::Answer;
use super::{Question, Report};
use crate::cli::error::CliError;
use crate::cli::output::{Layout, Table};
use crate::cli::poses::PoseRow;

/// Rows go out in blocks that take about this long.
const BLOCK_TIME: Duration = Duration::from_millis(50);

/// Answers for every pose. Returns at how many there is contact.
pub fn run(question: &Question, report: &Report) -> Result<usize, CliError> {
    let columns = question.mode.columns();
    let mut table = Table::new(report.format, columns, Layout::Columns(columns));
    let rows = &question.poses.rows;
    let mut progress = report.progress(rows.len());
    let mut hits = 0;
    let mut done = 0;
    let mut block = rayon::current_num_threads();
    while done < rows.len() {
        let began = Instant::now();
        let poses = &rows[done..rows.len().min(done + block)];
        let answers = poses
            .par_iter()
            .map_init(|| Query::with_simd(question.simd), |query, row| question.ask(query, row))
            .collect::<Result<Vec<Answer>, QueryError>>()
            .map_err(|error| question.failure(&error))?;
        if began.elapsed() < BLOCK_TIME {
            block *= 2;
        }
        for (row, (pose, answer)) in (done..).zip(poses.iter().zip(&answers)) {
            for own_values in question.mode.own_values(answer) {
                table.row([values(row, question.label(pose), answer), own_values].concat())?;
            }
        }
        table.flush()?;
        hits += answers.iter().filter(|answer| answer.hit).count();
        done += poses.len();
        progress.advance(poses.len(), "");
    }
    drop(progress);
    table.finish()?;
    Ok(hits)
}

fn values(row: usize, label: &str, answer: &Answer) -> Vec<Value> {
    vec![
        row.into(),
        if label.is_empty() { Value::Null } else { label.into() },
        answer.hit.into(),
        answer.pairs.into(),
        answer.pairs_checksum.into(),
        answer.distance.into(),
    ]
}

impl Question<'_> {
    fn label(&self, row: &PoseRow) -> &str {
        &self.poses.labels[row.label]
    }
}
