//! What every form of a comparison can do.

use std::path::Path;

use super::measure::Measured;
use crate::error::CliError;

/// How a comparison is written: mesh by mesh.
pub trait Report {
    /// Writes what was measured of a mesh: one for each kind, preset by preset.
    fn mesh(&mut self, path: &Path, measured: &[Measured]) -> Result<(), CliError>;

    /// Writes what is left when all meshes are done.
    fn finish(self: Box<Self>) -> Result<(), CliError>;
}

/// The file's name without folder and extension.
pub fn name(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
