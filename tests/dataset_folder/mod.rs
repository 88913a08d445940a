//! Where the dataset of real meshes is, for the tests and benches that use it.

mod skipped;

use std::path::{Path, PathBuf};

pub use skipped::skipped;

/// The dataset's folder: `$BVTREE_DATASET`, else the one beside the repository. Where there is none, what needs it is
/// skipped.
pub fn dataset() -> Option<PathBuf> {
    let folder = match std::env::var_os("BVTREE_DATASET") {
        Some(folder) => PathBuf::from(folder),
        // This file is part of packages in the repository's root and one level below it.
        None => {
            let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().take(3);
            let mut candidates = folders.map(|folder| folder.join("shared/dataset"));
            candidates.find(|folder| folder.is_dir()).unwrap_or_else(|| PathBuf::from("../shared/dataset"))
        }
    };
    if folder.is_dir() {
        return Some(folder);
    }
    skipped("dataset", format_args!("there is none at {}", folder.display()));
    None
}
