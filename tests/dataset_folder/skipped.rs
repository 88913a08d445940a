//! What a machine lacks: tests that need it are skipped, and fail where CI demands it.

use std::fmt::Display;

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
