//! Which instructions the program uses: those of `--simd`, else of the environment, else the CPU's best.

use std::env;

use bvtree::{SimdLevel, UnknownName};

use super::error::CliError;

/// The environment's choice, where `--simd` makes none.
const VARIABLE: &str = "BVTREE_SIMD";

pub fn chosen(argument: Option<SimdLevel>) -> Result<SimdLevel, CliError> {
    let asked = if argument.is_some() { argument } else { from_environment()? };
    match asked {
        None => Ok(SimdLevel::detect()),
        // Whatever stands for portable code in this build, every CPU runs it.
        Some(level) if level.is_available() || level == SimdLevel::Portable => Ok(level),
        Some(level) => Err(CliError::new(format!("this CPU has no {level}"))
            .hint(format!("its best is {}, which is what is used where none is asked for", SimdLevel::detect()))),
    }
}

fn from_environment() -> Result<Option<SimdLevel>, CliError> {
    let Some(name) = env::var_os(VARIABLE).filter(|name| !name.is_empty()) else { return Ok(None) };
    let level: Result<_, UnknownName> = name.to_string_lossy().parse();
    level.map(Some).map_err(|error| CliError::new(format!("environment variable {VARIABLE}: {error}")))
}
