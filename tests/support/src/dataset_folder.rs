//! The folder of the dataset of real meshes, and skipping of tests that lack something.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The dataset's folder: `$BVTREE_DATASET`, else `shared/dataset` in the repository or beside it. `None`, reported by
/// [`skipped`], if the folder does not exist.
pub fn dataset() -> Option<PathBuf> {
    let folder = match std::env::var_os("BVTREE_DATASET") {
        Some(folder) => PathBuf::from(folder),
        None => {
            let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().take(4);
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

/// Reports that something is skipped because the machine lacks `what`. Panics if `$BVTREE_MAY_SKIP` is set, as CI sets
/// it, and this list of names between commas does not have `what`.
#[track_caller]
pub fn skipped(what: &str, reason: impl Display) {
    if let Ok(names) = std::env::var("BVTREE_MAY_SKIP") {
        let may_skip = names.split(',').any(|name| name == what);
        assert!(may_skip, "{reason}; what needs the {what} must run, for BVTREE_MAY_SKIP is {names:?}");
    }
    eprintln!("skipped what needs the {what}: {reason}");
}
