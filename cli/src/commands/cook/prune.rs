//! Removes what no longer belongs in the output folder: the outputs of assets that are gone (`--prune`), and temporary
//! files that killed runs left behind.

use std::collections::HashSet;
use std::fs;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use crate::commands::cook::build_cache::{self, Records};
use crate::commands::cook::plan::Plan;
use crate::error::CliError;

/// The assets with a record that the plan lacks, by name: their inputs no longer exist or are no longer named.
pub fn gone(known: &Records, plan: &Plan) -> Vec<String> {
    let names: HashSet<_> = plan.assets.iter().map(|asset| &asset.name).collect();
    let mut gone: Vec<String> = known.by_asset.keys().filter(|name| !names.contains(name)).cloned().collect();
    gone.sort_unstable();
    gone
}

/// Removes the outputs and the records of assets that are gone. Calls `removed` with each file.
pub fn remove_outputs(
    gone: &[String],
    known: &Records,
    folder: &Path,
    mut removed: impl FnMut(&Path),
) -> Result<(), CliError> {
    for output in gone.iter().flat_map(|name| &known.by_asset[name].outputs) {
        let path = folder.join(&output.path);
        if fs::remove_file(&path).is_ok() {
            removed(&path);
        }
    }
    build_cache::update_records(folder, &[], gone)
}

/// The age from which a temporary file that is not locked counts as abandoned: a new file is locked only shortly after
/// it is created.
const YOUNGEST: Duration = Duration::from_secs(2);

/// Removes the temporary files that no process is writing: a writer holds a lock on its file. Files stay where locks
/// can't be tested.
pub fn remove_abandoned_temp_files(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !(name.starts_with(".bvtree-") && name.ends_with(".tmp")) {
            continue;
        }
        let age = entry.metadata().ok().and_then(|metadata| metadata.modified().ok()?.elapsed().ok());
        let is_abandoned = || match File::open(entry.path()).map(|file| file.try_lock()) {
            Ok(Ok(())) => true,
            Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) | Err(_) => false,
        };
        if age.is_some_and(|age| age > YOUNGEST) && is_abandoned() {
            let _ = fs::remove_file(entry.path());
        }
    }
}
