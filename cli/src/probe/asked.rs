//! One tree that is asked, a block of questions after the other.

use std::path::PathBuf;

use bvtree::{BvTree, Probe};
use clap::Args;
use rayon::prelude::*;
use serde_json::Value;

use crate::answer_args::AnswerArgs;
use crate::error::CliError;
use crate::output::{Layout, Table};
use crate::progress::Progress;
use crate::tree_args::TreeArgs;

/// The mesh that is asked, and how.
#[derive(Debug, Args)]
pub struct Asked {
    /// The cooked tree (.bvt) or mesh (OBJ, STL, PLY, OFF or glTF, of which a tree is built in memory)
    mesh: PathBuf,
    /// Name the group (object, material, node) of each triangle, in a last column: group
    #[arg(long)]
    groups: bool,
    #[command(flatten)]
    answers: AnswerArgs,
    #[command(flatten)]
    trees: TreeArgs,
}

/// Questions answered between two looks at the progress.
const BLOCK: usize = 1 << 14;

impl Asked {
    /// Writes a row for each question, in order, and answers on all threads: the triangle, if there is one, and the
    /// values. The last of the columns is the group's.
    pub fn answer<Q: Sync>(
        &self,
        questions: &[Q],
        columns: &'static [&'static str],
        quiet: bool,
        ask: impl Fn(&mut Probe, &BvTree, &Q) -> (Option<u32>, Vec<Value>) + Sync,
    ) -> Result<(), CliError> {
        let columns = if self.groups { columns } else { &columns[..columns.len() - 1] };
        let simd = self.answers.simd()?;
        let tree = self.trees.open(&self.mesh)?;
        let format = self.answers.format();
        let mut table = Table::new(format, columns, Layout::Columns(columns));
        let mut progress = Progress::new(questions.len(), quiet, format);
        let mut row = 0_usize;
        for block in questions.chunks(BLOCK) {
            let ask = |probe: &mut Probe, question| ask(probe, &tree, question);
            let answers: Vec<_> = block.par_iter().map_init(|| Probe::with_simd(simd), ask).collect();
            for (face, answer) in answers {
                let group = || face.and_then(|face| tree.group_of(face)).map(|group| group.name.as_str()).into();
                let group = self.groups.then(group);
                table.row([vec![row.into()], answer, group.into_iter().collect()].concat())?;
                row += 1;
            }
            table.flush()?;
            progress.advance(block.len(), "");
        }
        drop(progress);
        table.finish()
    }
}
