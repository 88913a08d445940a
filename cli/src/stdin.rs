//! Stdin as an input: `-` wherever a mesh or a file of rows is read, once in a run.

use std::fs;
use std::io::{self, StdinLock};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::CliError;

static IS_TAKEN: AtomicBool = AtomicBool::new(false);

pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether what is read there is gone: stdin, a named pipe, a shell's `<(...)`.
pub fn is_read_once(path: &Path) -> bool {
    is_stdin(path) || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
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
