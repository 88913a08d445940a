//! Finds the files that a robot's description names.

use std::path::{Path, PathBuf};

/// The places where a file may be, the likeliest first.
pub fn candidates(uri: &str, folder: &Path, package_dirs: &[PathBuf]) -> Vec<PathBuf> {
    let rest = match uri.split_once("://") {
        Some(("package" | "model", rest)) => rest.trim_start_matches('/'),
        Some(("file", rest)) => return vec![PathBuf::from(rest)],
        _ => {
            let relative = Path::new(uri);
            return [folder]
                .into_iter()
                .chain(package_dirs.iter().map(PathBuf::as_path))
                .map(|dir| dir.join(relative))
                .collect();
        }
    };
    let (package, inside) = rest.split_once('/').unwrap_or((rest, ""));
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut candidates = Vec::new();
    // A package's own folder, or one that holds packages: those given, then those around the description.
    for folder in package_dirs.iter().map(PathBuf::as_path).chain(absolute.ancestors()) {
        if folder.file_name().is_some_and(|name| name == package) {
            candidates.push(folder.join(inside));
        }
        candidates.push(folder.join(rest));
    }
    candidates
}
