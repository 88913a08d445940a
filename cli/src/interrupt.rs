//! Ctrl-C, and the signals TERM and HUP: they end the process with 130 and leave no unfinished file behind.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bvtree::AtomicFile;

use super::error::CliError;

const INTERRUPTED: i32 = 130;

/// The temporary names of files that are being written. Locked while one appears, disappears or is made the final one.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on these signals remove unfinished files and end the process.
pub fn install() -> Result<(), CliError> {
    let end = || {
        let unfinished = unfinished();
        for path in &*unfinished {
            // There is nobody to tell.
            let _ = fs::remove_file(path);
        }
        process::exit(INTERRUPTED);
    };
    ctrlc::set_handler(end).map_err(|error| CliError::caused("cannot handle interrupts", &error))
}

/// Has a file written atomically, under a name that is removed if the process is interrupted.
pub fn write_or_remove<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    // Before the lock, which a pipe that nobody reads would keep.
    if !is_replaced(path) {
        let mut file = AtomicFile::create(path)?;
        let value = write(file.file())?;
        file.commit()?;
        return Ok(value);
    }
    let mut file = {
        let mut unfinished = unfinished();
        let file = AtomicFile::create(path)?;
        unfinished.extend(file.temporary_path().map(Path::to_owned));
        file
    };
    let written = write(file.file()).and_then(|value| {
        // Here, for it may take a while.
        file.file().sync_all()?;
        Ok(value)
    });
    // The name disappears, or becomes the final one, in one go.
    let temporary = file.temporary_path().map(Path::to_owned);
    let mut unfinished = unfinished();
    unfinished.retain(|path| Some(path) != temporary.as_ref());
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

/// Whether the path becomes a new file, as it does not if there is a pipe or a device.
fn is_replaced(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) || !path.exists()
}
