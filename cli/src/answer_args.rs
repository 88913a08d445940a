//! How answers are written and computed, as options of every command that asks trees.

use std::env;
use std::io::{self, IsTerminal};

use bvtree::{SimdLevel, UnknownName};
use clap::Args;

use super::error::CliError;
use super::output::Format;

/// The environment's choice of instructions, where `--simd` makes none.
const SIMD_VARIABLE: &str = "BVTREE_SIMD";

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
        let asked = if self.simd.is_some() { self.simd } else { simd_from_environment()? };
        match asked {
            None => Ok(SimdLevel::detect()),
            // Whatever stands for portable code in this build, every CPU runs it.
            Some(level) if level.is_available() || level == SimdLevel::Portable => Ok(level),
            Some(level) => Err(CliError::new(format!("this CPU has no {level}"))
                .hint(format!("its best is {}, which is what is used where none is asked for", SimdLevel::detect()))),
        }
    }
}

fn simd_from_environment() -> Result<Option<SimdLevel>, CliError> {
    let Some(name) = env::var_os(SIMD_VARIABLE).filter(|name| !name.is_empty()) else { return Ok(None) };
    let level: Result<_, UnknownName> = name.to_string_lossy().parse();
    level.map(Some).map_err(|error| CliError::new(format!("environment variable {SIMD_VARIABLE}: {error}")))
}
