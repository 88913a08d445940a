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
use std::path::{Path, PathBuf};
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
    /// Reads the records of a folder. Lines that can't be parsed are ignored, so their assets are cooked
    /// again.
    pub fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
        let records = text.lines().filter_map(|line| serde_json::from_slice::<Record>(line.as_bytes()).ok());
        Self { by_asset: records.map(|record| (record.asset.clone(), record)).collect() }
    }

    /// The outputs of all records.
    fn outputs(&self) -> impl Iterator<Item = &Output> {
        self.by_asset.values().flat_map(|record| &record.outputs)
    }

    /// Whether the asset need not be cooked: nothing it depends on has changed, and its cooked files are intact.
    /// `false` for stdin, pipes and assets with a conflict.
    pub fn is_current(&self, folder: &Path, asset: &Asset) -> bool {
        if asset.conflict.is_some() || is_read_once(&asset.input) {
            return false;
        }
        let Some(record) = self.by_asset.get(&asset.name) else { return false };
        key(asset, &record.files).is_ok_and(|key| key == record.key)
            && record.outputs.iter().all(|output| output.is_intact(folder))
    }
}

/// Updates the folder's records: adds new ones and removes those of assets that are gone.
pub fn update_records(folder: &Path, new: &[Record], gone: &[String]) -> Result<(), CliError> {
    if new.is_empty() && gone.is_empty() {
        return Ok(());
    }
    let failed = |error: &io::Error| CliError::caused(format!("cannot write {}", folder.join(FILE).display()), error);
    let lock = File::create(folder.join(LOCK)).map_err(|error| failed(&error))?;
    // Where files can't be locked, the last writer wins; assets missing from its records are cooked again.
    let _ = lock.lock();
    let mut records = Records::read(folder);
    for name in gone {
        records.by_asset.remove(name);
    }
    records.by_asset.extend(new.iter().map(|record| (record.asset.clone(), record.clone())));
    let mut names: Vec<String> = records.by_asset.keys().cloned().collect();
    names.sort_unstable();
    let mut text = String::new();
    for name in names {
        text += &serde_json::to_string(&records.by_asset[&name]).map_err(|error| failed(&error.into()))?;
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

/// Removes the records of assets that are gone, and the outputs that records named before the run (`known`) and none
/// names after it. Calls `removed` with each file that was removed.
pub fn remove_outputs(
    gone: &[String],
    known: &Records,
    folder: &Path,
    mut removed: impl FnMut(&Path),
) -> Result<(), CliError> {
    update_records(folder, &[], gone)?;
    let left = Records::read(folder);
    let left: HashSet<_> = left.outputs().filter_map(|output| identity(&folder.join(&output.path)).ok()).collect();
    let mut paths: Vec<PathBuf> = known.outputs().map(|output| folder.join(&output.path)).collect();
    paths.sort_unstable();
    for path in paths {
        let is_left = identity(&path).map_or(true, |file| left.contains(&file));
        if !is_left && fs::remove_file(&path).is_ok() {
            removed(&path);
        }
    }
    Ok(())
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
