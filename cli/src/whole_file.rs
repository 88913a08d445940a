//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::error::CliError;
use super::interrupt;

/// Writes a file atomically: it appears complete under its name, or not at all, and then whatever was there before
/// stays; or to stdout, if the path is `-`. `what` names it in an error.
pub fn write(path: &Path, what: &str, content: &[u8]) -> Result<(), CliError> {
    if is_stdout(path) {
        let mut stdout = io::stdout().lock();
        return stdout.write_all(content).and_then(|()| stdout.flush()).map_err(|error| CliError::output(&error));
    }
    write_by(path, |file| file.write_all(content))
        .map_err(|error| CliError::caused(format!("cannot write {what} to {}", path.display()), &error))
}

/// Has a file written, as atomically.
pub fn write_by<T, E: From<io::Error>>(path: &Path, write: impl FnOnce(&mut File) -> Result<T, E>) -> Result<T, E> {
    interrupt::write_or_remove(path, write)
}

pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses stdout for a file that is written beside rows.
pub fn refuse_stdout(output: &Path) -> Result<(), CliError> {
    if !is_stdout(output) {
        return Ok(());
    }
    Err(CliError::new("cannot write to -: stdout has the rows").hint("give a file's name"))
}

/// Refuses, before there is any work to lose, what can't be written: into a missing folder, over a folder or over an
/// input.
pub fn check(output: &Path, inputs: &[&Path]) -> Result<(), CliError> {
    let refused = |why: &str| CliError::new(format!("cannot write to {}: {why}", output.display()));
    if !folder(output).is_dir() {
        return Err(refused("there is no such folder"));
    }
    let Ok(existing) = fs::canonicalize(output) else { return Ok(()) };
    if existing.is_dir() {
        return Err(refused("it is a folder"));
    }
    let is_input = inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == existing));
    if is_input { Err(refused("it is an input")) } else { Ok(()) }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
