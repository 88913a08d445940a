//! Removes temporary files left behind by killed runs.

use std::fs;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

/// A file this young may not be locked yet by the one who writes it.
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
