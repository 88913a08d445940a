//! Where the dataset of real meshes is, for the tests and benches that use it.

use std::path::{Path, PathBuf};

/// The dataset's folder: `$BVTREE_DATASET`, else the one beside the repository. Where there is none, says so.
pub fn dataset() -> Option<PathBuf> {
    let folder = match std::env::var_os("BVTREE_DATASET") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/dataset"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped what needs the dataset: none at {}", folder.display());
    None
}
