//! Ctrl-C: ends the process with 130 and leaves no unfinished file behind.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use super::error::CliError;

const INTERRUPTED: i32 = 130;

/// The temporary name of the file that is being written. Locked while that appears, disappears or is made the final one.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on Ctrl-C removes the unfinished file, if there is one, and ends the process.
pub fn install() -> Result<(), CliError> {
    let end = || {
        let unfinished = unfinished();
        if let Some(path) = &*unfinished {
            // There is nobody to tell.
            let _ = fs::remove_file(path);
        }
        process::exit(INTERRUPTED);
    };
    ctrlc::set_handler(end).map_err(|error| CliError::caused("cannot handle interrupts", &error))
}

/// Makes a temporary file, has it written and gives it its name once it is on disk. Not to be called while a file is being
/// written.
pub fn write_or_remove<T, E: From<io::Error>>(
    path: &Path,
    make: impl FnOnce() -> io::Result<NamedTempFile>,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let mut temporary = {
        let mut unfinished = unfinished();
        let temporary = make()?;
        *unfinished = Some(temporary.path().to_owned());
        temporary
    };
    let written = write(temporary.as_file_mut()).and_then(|value| {
        temporary.as_file().sync_all()?;
        Ok(value)
    });
    let mut unfinished = unfinished();
    *unfinished = None;
    match written {
        Ok(value) => {
            temporary.persist(path).map_err(|error| error.error)?;
            Ok(value)
        }
        Err(error) => {
            drop(temporary);
            Err(error)
        }
    }
}
