//! Which files are cooked: those named, those below folders, those that globs match.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use bvtree::mesh::MeshFormat;
use walkdir::WalkDir;

use crate::error::CliError;
use crate::stdin::is_stdin;

/// A file to cook.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub path: PathBuf,
    /// Its folder below the one that was named: the cooked file stands there too.
    pub below: PathBuf,
}

/// The files that an input means, in the order of their names; one that is not there is found too, and fails when it is
/// read.
pub fn find(input: &Path) -> Result<Vec<Found>, CliError> {
    let one = || vec![Found { path: input.to_owned(), below: PathBuf::new() }];
    if is_stdin(input) || input.is_file() {
        return Ok(one());
    }
    if input.is_dir() {
        return in_folder(input);
    }
    match input.to_str() {
        Some(pattern) if pattern.contains(['*', '?', '[']) => matching(pattern),
        _ => Ok(one()),
    }
}

/// Meshes below a folder, by their extensions. Hidden files and folders are passed over.
fn in_folder(folder: &Path) -> Result<Vec<Found>, CliError> {
    let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    let mut found = Vec::new();
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name())) {
        let entry = entry.map_err(|error| CliError::caused("cannot read the folder", &error))?;
        // A link counts as what it leads to, but for folders, which might lead in circles.
        if is_mesh(entry.path()) && is_file_or_lost(entry.path()) {
            let below = entry.path().parent().and_then(|parent| parent.strip_prefix(folder).ok());
            found.push(Found { path: entry.path().to_owned(), below: below.unwrap_or(Path::new("")).to_owned() });
        }
    }
    if found.is_empty() {
        let message = format!("there is no mesh in the folder {}", folder.display());
        return Err(CliError::new(message).hint("meshes are files named .obj, .stl, .ply, .off, .gltf or .glb"));
    }
    Ok(found)
}

/// Whether it is a file, or a link that leads nowhere: such a link fails when it is read, in place of being passed
/// over in silence.
fn is_file_or_lost(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

fn is_mesh(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    extension.is_some_and(|extension| MeshFormat::with_extension(&extension).is_some())
}

fn matching(pattern: &str) -> Result<Vec<Found>, CliError> {
    let wrong = |error: &dyn std::error::Error| CliError::caused(format!("the pattern '{pattern}'"), error);
    // The folder before the first part that is not plain: structure below it is kept.
    let parts = Path::new(pattern).components();
    let base: PathBuf = parts
        .take_while(|part| part.as_os_str().to_str().is_some_and(|text| !text.contains(['*', '?', '['])))
        .collect();
    let mut found = Vec::new();
    for path in glob::glob(pattern).map_err(|error| wrong(&error))? {
        let path = path.map_err(|error| wrong(&error))?;
        if is_file_or_lost(&path) {
            let below = path.parent().and_then(|parent| parent.strip_prefix(&base).ok()).unwrap_or(Path::new(""));
            found.push(Found { below: below.to_owned(), path });
        }
    }
    if found.is_empty() { Err(CliError::new(format!("no file matches '{pattern}'"))) } else { Ok(found) }
}
