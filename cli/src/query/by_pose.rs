//! A row per pose (or per contact), in the order of the poses, on all threads.

use bvtree::query::many;
use serde_json::Value;

use super::answer::Answer;
use super::mode::Asker;
use super::{Question, Report};
use crate::error::CliError;
use crate::output::{Layout, Table};
use crate::poses::PoseRow;

/// Answers for every pose. Returns at how many there is contact.
pub fn run(question: &Question, report: &Report) -> Result<usize, CliError> {
    let columns = question.mode.columns(question.options.groups);
    let mut table = Table::new(report.format, columns, Layout::Columns(columns));
    let rows = &question.poses.rows;
    let mut progress = report.progress(rows.len());
    let (mut hits, mut done) = (0, 0);
    let ask = |asker: &mut Asker, row: &PoseRow| question.ask(asker, row);
    many::for_each_block(
        rows,
        || question.asker(),
        ask,
        |rows, answers| {
            for (row, (pose, answer)) in (done..).zip(rows.iter().zip(&answers)) {
                for answer in answer.rows() {
                    let own_values = question.mode.own_values(answer, &question.a.origin());
                    let groups = question.groups(&answer.groups);
                    table.row([values(row, question.label(pose), answer), own_values, groups].concat())?;
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

pub(super) fn values(row: usize, label: &str, answer: &Answer) -> Vec<Value> {
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
    /// The values of the columns of groups, if these are asked for.
    pub(super) fn groups(&self, names: &[Option<String>; 2]) -> Vec<Value> {
        if self.options.groups { names.iter().map(|name| name.as_deref().into()).collect() } else { Vec::new() }
    }

    pub(super) fn label(&self, row: &PoseRow) -> &str {
        &self.poses.labels[row.label]
    }
}
