//! How answers are written and computed, as options of every command that asks trees.

use std::io::{self, IsTerminal};

use bvtree::SimdLevel;
use clap::Args;

use super::error::CliError;
use super::output::Format;
use super::simd;

#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// How rows are written [default: text on a terminal, else csv]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Instructions to use: off, simd128, avx2 or avx512 [default: $BVTREE_SIMD, else the CPU's best]
    #[arg(long, value_name = "LEVEL")]
    simd: Option<SimdLevel>,
}

impl AnswerArgs {
    /// The format asked for, else what suits whoever reads stdout.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(if io::stdout().is_terminal() { Format::Text } else { Format::Csv })
    }

    /// The instructions that the argument or the environment asks for, else the CPU's best.
    pub fn simd(&self) -> Result<SimdLevel, CliError> {
        simd::chosen(self.simd)
    }
}
