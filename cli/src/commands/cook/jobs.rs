//! Processes several assets at once, within a memory budget.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::{fs, thread};

use bvtree::mesh::MeshFormat;
use serde_json::Value;

use crate::commands::cook::plan::Asset;
use crate::error::CliError;

/// The default memory budget in bytes for the assets in progress.
pub const MEMORY: u64 = 2 << 30;

/// Processes the assets on several threads and passes the results on, in the assets' order, on the calling thread.
/// After a result that `is_last` accepts, or at which `take` breaks, no thread takes another asset; those already taken
/// are finished, including those that still wait for memory.
pub fn for_each<T: Send>(
    assets: &[&Asset],
    jobs: usize,
    memory: u64,
    work: impl Fn(&Asset, &Pass<'_>) -> T + Sync,
    is_last: impl Fn(&T) -> bool + Sync,
    mut take: impl FnMut(&Asset, T) -> ControlFlow<()>,
) {
    let (next, stop, gate) = (AtomicUsize::new(0), AtomicBool::new(false), Gate::new(memory));
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.min(assets.len()) {
            let sender = sender.clone();
            let (next, stop, gate, work, is_last) = (&next, &stop, &gate, &work, &is_last);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(asset) = assets.get(number) else { break };
                    let pass = gate.enter(estimate(asset));
                    let result = work(asset, &pass);
                    if is_last(&result) {
                        stop.store(true, Ordering::Relaxed);
                    }
                    if sender.send((number, result)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut waiting, mut wanted) = (HashMap::new(), 0);
        'results: for (number, result) in results {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&wanted) {
                if take(assets[wanted], result).is_break() {
                    stop.store(true, Ordering::Relaxed);
                    break 'results;
                }
                wanted += 1;
            }
        }
    });
}

/// The maximum number of bytes per triangle that a mesh and its tree take while cooking (`docs/pipeline.md`).
const BYTES_OF_TRIANGLE: u64 = 110;

/// Estimates the memory in bytes that an asset takes while it is cooked.
fn estimate(asset: &Asset) -> u64 {
    in_tiles(asset).unwrap_or_else(|| estimate_whole(asset))
}

/// The memory in bytes within which the asset is cooked in tiles; `None` if it is cooked as a whole.
pub fn in_tiles(asset: &Asset) -> Option<u64> {
    asset.recipe.memory.filter(|&memory| estimate_whole(asset) > memory)
}

/// Estimates the memory in bytes that a whole mesh and its tree take. The estimate is computed from the files' sizes,
/// with factors from measurements (`docs/pipeline.md`).
fn estimate_whole(asset: &Asset) -> u64 {
    let extension = asset.input.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    let format = asset.recipe.read.format.or_else(|| MeshFormat::with_extension(extension.as_deref()?));
    let bytes = match extension.as_deref() {
        Some("gltf") => asset.bytes.saturating_add(buffers(&asset.input)),
        _ => asset.bytes,
    };
    let bytes_of_byte = match format {
        Some(MeshFormat::Gltf | MeshFormat::Ply) => 7,
        _ => 3,
    };
    bytes.saturating_mul(bytes_of_byte).saturating_add(1 << 20)
}

/// The total size in bytes of a glTF file's buffers, as the file declares them; 0 if the file can't be read or parsed.
fn buffers(path: &Path) -> u64 {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let text = if is_file { fs::read(path).unwrap_or_default() } else { Vec::new() };
    let document: Value = serde_json::from_slice(&text).unwrap_or_default();
    let buffers = document["buffers"].as_array().into_iter().flatten();
    buffers.filter_map(|buffer| buffer["byteLength"].as_u64()).fold(0, u64::saturating_add)
}

/// The most triangles of a mesh that can be cooked within `memory` bytes.
pub fn triangles_within(memory: u64) -> usize {
    usize::try_from(memory / BYTES_OF_TRIANGLE).unwrap_or(usize::MAX)
}

/// Admits assets that fit into the budget beside those in progress; an asset alone is always admitted.
struct Gate {
    limit: u64,
    used: Mutex<u64>,
    changed: Condvar,
}

/// An admitted asset and its estimated memory.
pub struct Pass<'a> {
    gate: &'a Gate,
    memory: Cell<u64>,
}

impl Pass<'_> {
    /// An error if the estimate exceeds `most`. Called before cooking, because the system may kill a process that
    /// exceeds the available memory.
    pub fn check(&self, asset: &Asset, most: u64) -> Result<(), CliError> {
        if self.memory.get() <= most {
            return Ok(());
        }
        let [needed, allowed] = [self.memory.get(), most].map(|bytes| bytes.div_ceil(1 << 20));
        let message = format!("{} needs about {needed} MiB, more than --max-memory allows", asset.input.display());
        Err(CliError::new(format!("{message} ({allowed} MiB)")))
    }

    /// Raises the estimate if `triangles`, known once the mesh is read, need more memory; less is then left for other
    /// assets.
    pub fn tell(&self, triangles: usize) {
        let memory = self.memory.get().max(BYTES_OF_TRIANGLE * triangles as u64);
        *self.gate.used.lock().unwrap_or_else(PoisonError::into_inner) += memory - self.memory.replace(memory);
    }
}

impl Gate {
    fn new(limit: u64) -> Self {
        Self { limit, used: Mutex::new(0), changed: Condvar::new() }
    }

    fn enter(&self, memory: u64) -> Pass<'_> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |used: &mut u64| *used > 0 && used.checked_add(memory).is_none_or(|sum| sum > self.limit);
        let mut used = self.changed.wait_while(used, is_full).unwrap_or_else(PoisonError::into_inner);
        *used += memory;
        Pass { gate: self, memory: Cell::new(memory) }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *self.gate.used.lock().unwrap_or_else(PoisonError::into_inner) -= self.memory.get();
        self.gate.changed.notify_all();
    }
}
