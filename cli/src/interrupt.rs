//! Ctrl-C: ends the process with 130 and leaves no unfinished file behind.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bvtree::AtomicFile;

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

/// Has a file written atomically, under a name that is removed if the process is interrupted. Not to be called while a file
/// is being written.
pub fn write_or_remove<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let mut file = {
        let mut unfinished = unfinished();
        let file = AtomicFile::create(path)?;
        *unfinished = file.temporary_path().map(Path::to_owned);
        file
    };
    let written = write(file.file()).and_then(|value| {
        // Here, for it may take a while.
        file.file().sync_all()?;
        Ok(value)
    });
    // The name disappears, or becomes the final one, in one go. A pipe has none, and may keep this thread waiting.
    let has_name = file.temporary_path().is_some();
    let mut unfinished = unfinished();
    *unfinished = None;
    let _locked = has_name.then_some(unfinished);
    match written {
        Ok(value) => {
            file.commit()?;
            Ok(value)
        }
        Err(error) => {
            drop(file);
            Err(error)
        }
    }
}
