//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::error::CliError;
use super::interrupt;

/// Writes a file atomically: it appears complete under its name, or not at all, and then whatever was there before
/// stays. `what` names it in an error.
pub fn write(path: &Path, what: &str, content: &[u8]) -> Result<(), CliError> {
    interrupt::uninterrupted(|| write_by_renaming(path, content))
        .map_err(|error| CliError::caused(format!("cannot write {what} to {}", path.display()), &error))
}

fn write_by_renaming(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bvtree-").suffix(".tmp");
    #[cfg(unix)]
    {
        // As for any new file: the process's mask applies. Temporary files are private otherwise.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(content)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Refuses to write over a file that is read.
pub fn check_is_no_input(output: &Path, inputs: &[&Path]) -> Result<(), CliError> {
    let Ok(existing) = fs::canonicalize(output) else { return Ok(()) };
    if existing.is_dir() {
        return Err(CliError::new(format!("{} is a folder: expected a file to write", output.display())));
    }
    match inputs.iter().find(|input| fs::canonicalize(input).is_ok_and(|input| input == existing)) {
        Some(input) => Err(CliError::new(format!("{} is an input: it would be overwritten", input.display()))),
        None => Ok(()),
    }
}
