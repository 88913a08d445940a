//! Files that are written completely or not at all, also when Ctrl-C, TERM or HUP ends the process (with exit code
//! 130).

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io, process};

use bvtree::AtomicFile;

use crate::error::CliError;

/// Writes a file atomically, or to stdout if the path is `-`. If writing fails, an earlier file stays as it was. `what`
/// names the file in an error.
pub fn write(path: &Path, what: &str, content: &[u8]) -> Result<(), CliError> {
    if is_stdout(path) {
        let mut stdout = io::stdout().lock();
        return stdout.write_all(content).and_then(|()| stdout.flush()).map_err(|error| CliError::output(&error));
    }
    write_by(path, |file| file.write_all(content))
        .map_err(|error| CliError::caused(format!("cannot write {what} to {}", path.display()), &error))
}

/// Writes a file through the closure `write`, as atomically as [`write()`].
pub fn write_by<T, E: From<io::Error>>(path: &Path, write: impl FnOnce(&mut File) -> Result<T, E>) -> Result<T, E> {
    write_or_remove(path, write)
}

pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses stdout for a file that is written in addition to rows.
pub fn refuse_stdout(output: &Path) -> Result<(), CliError> {
    if !is_stdout(output) {
        return Ok(());
    }
    Err(CliError::new("cannot write to -: stdout is used for the rows").hint("give a file name"))
}

/// Checks before the work starts that files can be written: none may be in a missing folder, replace a folder, an input
/// or another of them.
pub fn check(outputs: &[&Path], inputs: &[&Path]) -> Result<(), CliError> {
    for (index, output) in outputs.iter().enumerate() {
        let refused = |why: &str| CliError::new(format!("cannot write to {}: {why}", output.display()));
        if !folder(output).is_dir() {
            return Err(refused("there is no such folder"));
        }
        if output.is_dir() {
            return Err(refused("it is a folder"));
        }
        let own = place(output);
        if inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| Some(input) == own)) {
            return Err(refused("it is an input"));
        }
        if is_replaced(output) && outputs[..index].iter().any(|other| place(other) == own) {
            return Err(refused("another output has the same name"));
        }
    }
    Ok(())
}

/// The path of a file that need not exist, in its folder's canonical form.
fn place(path: &Path) -> Option<PathBuf> {
    let absent = || Some(fs::canonicalize(folder(path)).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(absent)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

const INTERRUPTED: i32 = 130;

/// The temporary names of files that are being written. Locked while a temporary file is created, removed or renamed to
/// its final name.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Installs a handler for Ctrl-C, TERM and HUP that removes unfinished files and ends the process.
pub fn handle_interrupts() -> Result<(), CliError> {
    let end = || {
        let unfinished = unfinished();
        for path in &*unfinished {
            // A failure cannot be reported here.
            let _ = fs::remove_file(path);
        }
        process::exit(INTERRUPTED);
    };
    ctrlc::set_handler(end).map_err(|error| CliError::caused("cannot handle interrupts", &error))
}

/// Writes a file atomically. The temporary file is removed if the process is interrupted.
fn write_or_remove<T, E: From<io::Error>>(path: &Path, write: impl FnOnce(&mut File) -> Result<T, E>) -> Result<T, E> {
    // This precedes the lock, because opening a pipe blocks until it has a reader.
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
        // Synced before the lock is taken, because it may take a while.
        file.file().sync_all()?;
        Ok(value)
    });
    // The lock is held until the temporary file is removed or has its final name.
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

/// Whether the path is replaced by a new file; false for an existing pipe or device.
fn is_replaced(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) || !path.exists()
}
