//! Ctrl-C: ends the process with 130, but never between the start and the end of writing a file.

use std::process;
use std::sync::{Mutex, PoisonError};

use super::error::CliError;

const INTERRUPTED: i32 = 130;

/// Held while a file is being written.
static WRITING: Mutex<()> = Mutex::new(());

/// From here on Ctrl-C ends the process as soon as no file is half written.
pub fn install() -> Result<(), CliError> {
    let end = || {
        let _no_file_is_half_written = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        process::exit(INTERRUPTED);
    };
    ctrlc::set_handler(end).map_err(|error| CliError::caused("cannot handle interrupts", &error))
}

/// Does `write` with Ctrl-C put off until it is done, so that no partial file stays behind.
pub fn uninterrupted<T>(write: impl FnOnce() -> T) -> T {
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    write()
}
