//! A row per pose (or per contact), in the order of the poses, on all threads.

use bvtree::query::many;

use super::answer::stable_values;
use super::mode::Asker;
use super::question::{Question, Report};
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
                    table.row([stable_values(row, question.label(pose), answer), own_values, groups].concat())?;
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
