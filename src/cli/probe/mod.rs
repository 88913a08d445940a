//! `bvtree ray` and `bvtree closest`: one tree and a file of questions in, a row per question out.

mod closest;
mod numbers;
mod ray;

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use bvtree::{BvTree, Probe, SimdLevel, VolumeKind};
use clap::Args;
use rayon::prelude::*;
use serde_json::Value;

use super::build_args::BuildArgs;
use super::error::CliError;
use super::input;
use super::output::{Format, Layout, Table};
use super::progress::Progress;
use super::query::simd_level;

pub use closest::{ClosestArgs, run as run_closest};
pub use ray::{RayArgs, run as run_ray};

/// The mesh that is asked, and how.
#[derive(Debug, Args)]
struct Asked {
    /// The cooked tree (.bvt) or mesh (Wavefront OBJ, of which a tree is built in memory)
    mesh: PathBuf,
    /// How rows are written [default: text on a terminal, else csv]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Instructions to use: off, avx2 or avx512 [default: $BVTREE_SIMD, else the CPU's best]
    #[arg(long, value_name = "LEVEL")]
    simd: Option<SimdLevel>,
    /// Volume kind of the tree: aabb, obb or sphere [default: a cooked tree's, else obb]
    #[arg(long, value_name = "KIND", help_heading = "Build options")]
    volume: Option<VolumeKind>,
    #[command(flatten)]
    build: BuildArgs,
}

/// Questions answered between two looks at the progress.
const BLOCK: usize = 1 << 14;

impl Asked {
    /// Writes a row for each question, in order, and answers on all threads.
    fn answer<Q: Sync>(
        &self,
        questions: &[Q],
        columns: &'static [&'static str],
        quiet: bool,
        ask: impl Fn(&mut Probe, &BvTree, &Q) -> Vec<Value> + Sync,
    ) -> Result<(), CliError> {
        let simd = simd_level(self.simd)?;
        let tree = input::open_or_build(&self.mesh, self.volume, None, &self.build)?;
        let format = self.format.unwrap_or(if io::stdout().is_terminal() { Format::Text } else { Format::Csv });
        let mut table = Table::new(format, columns, Layout::Columns(columns));
        let mut progress = Progress::new(questions.len(), quiet, format);
        let mut row = 0_usize;
        for block in questions.chunks(BLOCK) {
            let ask = |probe: &mut Probe, question| ask(probe, &tree, question);
            let answers: Vec<_> = block.par_iter().map_init(|| Probe::with_simd(simd), ask).collect();
            for answer in answers {
                table.row([vec![row.into()], answer].concat())?;
                row += 1;
            }
            table.flush()?;
            progress.advance(block.len(), "");
        }
        drop(progress);
        table.finish()
    }
}
