//! Stdin as an input: `-` wherever a mesh or a file of rows is read, once in a run.

use std::io::{self, StdinLock};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::CliError;

static IS_TAKEN: AtomicBool = AtomicBool::new(false);

pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Stdin, for the one who asks first.
pub fn take() -> Result<StdinLock<'static>, CliError> {
    if IS_TAKEN.swap(true, Ordering::Relaxed) {
        return Err(
            CliError::new("stdin (-) is asked for twice: it can be read once").hint("give one of the two as a file")
        );
    }
    Ok(io::stdin().lock())
}
