//! The folders of real meshes, and skipping of tests that lack something.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The dataset's folder: `$BVTREE_DATASET`, else `shared/dataset` in the repository or beside it. `None`, reported by
/// [`skipped`], if the folder does not exist.
pub fn dataset() -> Option<PathBuf> {
    shared("dataset", "BVTREE_DATASET", "")
}

/// A folder of real inputs: in `$BVTREE_REAL`, else in `shared/real` in the repository or beside it. `None`, reported
/// by
/// [`skipped`], if the folder does not exist.
pub fn real(name: &str) -> Option<PathBuf> {
    shared("real", "BVTREE_REAL", name)
}

fn shared(what: &str, variable: &str, inside: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os(variable) {
        Some(folder) => PathBuf::from(folder),
        None => {
            let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().take(4);
            let mut candidates = folders.map(|folder| folder.join("shared").join(what));
            candidates.find(|folder| folder.is_dir()).unwrap_or_else(|| Path::new("../shared").join(what))
        }
    };
    let folder = folder.join(inside);
    if folder.is_dir() {
        return Some(folder);
    }
    skipped(what, format_args!("there is none at {}", folder.display()));
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
