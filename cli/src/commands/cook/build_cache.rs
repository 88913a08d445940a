//! The build cache, which decides which assets need no cooking: for each cooked asset, a digest of everything its files
//! depend on, and digests of the files.
//!
//! This module also finds the outputs that no asset has any more, and removes them (`--prune`).
//!
//! The cache is a file in the output folder, with an asset per line. Several processes may cook into one folder: each
//! adds its records under a lock.

use std::collections::{HashMap, HashSet};
use std::fs::{File, TryLockError};
use std::hash::Hash;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use bvtree::cook::FORMAT_VERSION;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::atomic_write;
use crate::commands::cook::plan::{Asset, Plan};
use crate::error::CliError;
use crate::input::is_read_once;

const FILE: &str = ".bvtree-cook.jsonl";
const LOCK: &str = ".bvtree-cook.lock";

/// The record of a cooked asset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub asset: String,
    pub input: PathBuf,
    /// The other files read for the asset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// The digest of everything the asset's files depend on.
    pub key: String,
    pub outputs: Vec<Output>,
    /// Outputs of earlier runs that are no outputs any more, such as those of other kinds; `--prune` removes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Output>,
}

/// A cooked file as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The path below the output folder, separated by `/`.
    pub path: String,
    pub bytes: u64,
    /// The digest of all bytes of the file.
    pub digest: String,
}

/// Records by the asset's name.
#[derive(Debug, Default)]
pub struct Records {
    pub by_asset: HashMap<String, Record>,
}

impl Records {
    /// Reads the records of a folder. Lines that can't be parsed, or that name outputs outside the folder, are ignored,
    /// so their assets are cooked again.
    pub fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
        let records = text.lines().filter_map(|line| serde_json::from_slice::<Record>(line.as_bytes()).ok());
        let records = records.filter(|record| record.outputs.iter().chain(&record.replaced).all(Output::is_below));
        Self { by_asset: records.map(|record| (record.asset.clone(), record)).collect() }
    }

    /// Whether the asset need not be cooked: nothing it depends on has changed, and its cooked files are intact.
    /// `false` for stdin, pipes and assets with a conflict.
    pub fn is_current(&self, folder: &Path, asset: &Asset) -> bool {
        if asset.conflict.is_some() || is_read_once(&asset.input) {
            return false;
        }
        let Some(record) = self.by_asset.get(&asset.name) else { return false };
        // An equal input in another folder names other files.
        if !record.files.is_empty() && record.input != asset.input {
            return false;
        }
        key(asset, &record.files).is_ok_and(|key| key == record.key)
            && record.outputs.iter().all(|output| output.is_intact(folder))
    }
}

/// Updates the folder's records: adds new ones, which remember the outputs that they replace, and removes the records
/// of assets that are gone.
pub fn update_records(folder: &Path, new: &[Record], gone: &[String]) -> Result<(), CliError> {
    if new.is_empty() && gone.is_empty() {
        return Ok(());
    }
    change_records(folder, |records| {
        for name in gone {
            records.remove(name);
        }
        for record in new {
            let mut record = record.clone();
            if let Some(earlier) = records.remove(&record.asset) {
                let is_replaced = |output: &Output| record.outputs.iter().all(|new| new.path != output.path);
                record.replaced = earlier.outputs.into_iter().chain(earlier.replaced).filter(is_replaced).collect();
            }
            records.insert(record.asset.clone(), record);
        }
    })
}

/// Changes the folder's records, keyed by the assets' names, under the lock.
fn change_records(folder: &Path, change: impl FnOnce(&mut HashMap<String, Record>)) -> Result<(), CliError> {
    let failed = |error: &io::Error| CliError::caused(format!("cannot write {}", folder.join(FILE).display()), error);
    let lock = File::create(folder.join(LOCK)).map_err(|error| failed(&error))?;
    // Where files can't be locked, the last writer wins; assets missing from its records are cooked again.
    let _ = lock.lock();
    let mut records = Records::read(folder).by_asset;
    change(&mut records);
    let mut names: Vec<&String> = records.keys().collect();
    names.sort_unstable();
    let mut text = String::new();
    for name in names {
        text += &serde_json::to_string(&records[name]).map_err(|error| failed(&error.into()))?;
        text.push('\n');
    }
    atomic_write::write(&folder.join(FILE), "what was cooked", text.as_bytes())
}

impl Output {
    /// Describes the file as it is now. The digest covers all bytes, because damage may be anywhere.
    pub fn of(folder: &Path, path: &str) -> io::Result<Self> {
        let mut hasher = Xxh3::new();
        let bytes = hash_file(&folder.join(path), &mut hasher)?;
        Ok(Self { path: path.to_owned(), bytes, digest: hex(&hasher) })
    }

    /// Whether the path leads to a file below the output folder.
    fn is_below(&self) -> bool {
        Path::new(&self.path).components().all(|part| matches!(part, Component::Normal(_)))
    }

    /// Whether the file is as it was written. A file of another length is not read.
    fn is_intact(&self, folder: &Path) -> bool {
        let has_length = |metadata: fs::Metadata| metadata.is_file() && metadata.len() == self.bytes;
        fs::metadata(folder.join(&self.path)).is_ok_and(has_length)
            && Self::of(folder, &self.path).is_ok_and(|there| there == *self)
    }
}

/// The digest of what the asset's cooked files depend on: the content of its input and of `files`, the input's
/// extension, the options, and the versions of the program and the format.
pub fn key(asset: &Asset, files: &[PathBuf]) -> io::Result<String> {
    let mut hasher = Xxh3::new();
    hasher.update(concat!("bvtree ", env!("CARGO_PKG_VERSION"), "\n").as_bytes());
    hasher.update(&FORMAT_VERSION.to_le_bytes());
    hasher.update(asset.recipe.text().as_bytes());
    // The format may depend on the extension.
    hasher.update(asset.input.extension().unwrap_or_default().as_encoded_bytes());
    for path in std::iter::once(&asset.input).chain(files) {
        let length = hash_file(path, &mut hasher)?;
        hasher.update(&length.to_le_bytes());
    }
    Ok(hex(&hasher))
}

/// Hashes a file's bytes and returns their number.
fn hash_file(path: &Path, hasher: &mut Xxh3) -> io::Result<u64> {
    let mut buffer = vec![0; 1 << 16];
    let mut file = File::open(path)?;
    let mut length = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(length),
            Ok(read) => {
                hasher.update(&buffer[..read]);
                length += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hex(hasher: &Xxh3) -> String {
    format!("{:032x}", hasher.digest128())
}

/// The names of the assets that have a record and are not in the plan: their inputs no longer exist or are no longer
/// among those asked for.
pub fn gone(known: &Records, plan: &Plan) -> Vec<String> {
    let names: HashSet<_> = plan.assets.iter().map(|asset| &asset.name).collect();
    let mut gone: Vec<String> = known.by_asset.keys().filter(|name| !names.contains(name)).cloned().collect();
    gone.sort_unstable();
    gone
}

/// Removes the records of assets that are gone, and the files that records named before the run (`known`) or remember
/// as replaced and that no record has as outputs now. A file that is not as it was written stays: `cook` did not write
/// it. Calls `removed` with each file that was removed.
pub fn remove_outputs(
    gone: &[String],
    known: &Records,
    folder: &Path,
    mut removed: impl FnMut(&Path),
) -> Result<(), CliError> {
    update_records(folder, &[], gone)?;
    let now = Records::read(folder).by_asset;
    let outputs = now.values().flat_map(|record| &record.outputs);
    let left: HashSet<_> = outputs.filter_map(|output| identity(&folder.join(&output.path)).ok()).collect();
    let before = known.by_asset.values().flat_map(|record| record.outputs.iter().chain(&record.replaced));
    let mut outputs: Vec<&Output> = before.chain(now.values().flat_map(|record| &record.replaced)).collect();
    outputs.sort_unstable_by_key(|output| &output.path);
    for output in outputs {
        let path = folder.join(&output.path);
        let is_left = identity(&path).map_or(true, |file| left.contains(&file));
        if !is_left && output.is_intact(folder) && fs::remove_file(&path).is_ok() {
            removed(&path);
        }
    }
    if now.values().all(|record| record.replaced.is_empty()) {
        return Ok(());
    }
    // Another process may have replaced more outputs meanwhile.
    change_records(folder, |records| {
        for (name, record) in records {
            let seen = now.get(name).map_or(&[][..], |record| &record.replaced);
            record.replaced.retain(|output| !seen.contains(output));
        }
    })
}

/// What is equal for two paths of one file. Where upper and lower case are not distinguished, a file has several paths.
#[cfg(unix)]
fn identity(path: &Path) -> io::Result<impl Eq + Hash + use<>> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<impl Eq + Hash + use<>> {
    fs::canonicalize(path)
}

/// The age from which a temporary file that is not locked counts as abandoned. Younger files may be in use: writers
/// create a file shortly before they lock it.
const YOUNGEST: Duration = Duration::from_secs(2);

/// Removes temporary files that are older than 2 seconds and that no process is writing. Writers lock their files;
/// where locks can't be tested, files stay.
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
