//! Several assets at once, as memory allows.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;

use bvtree::mesh::MeshFormat;

use super::plan::Asset;
use crate::error::CliError;

/// For assets at once, where nothing else is said.
pub const MEMORY: u64 = 2 << 30;

/// Does the work for each asset on as many threads, and hands the results over in the assets' order, here.
pub fn for_each<T: Send>(
    assets: &[&Asset],
    jobs: usize,
    memory: u64,
    work: impl Fn(&Asset) -> T + Sync,
    mut take: impl FnMut(&Asset, T) -> ControlFlow<()>,
) {
    let (next, stop, gate) = (AtomicUsize::new(0), AtomicBool::new(false), Gate::new(memory));
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.min(assets.len()) {
            let sender = sender.clone();
            let (next, stop, gate, work) = (&next, &stop, &gate, &work);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(asset) = assets.get(number) else { break };
                    let _pass = gate.enter(estimate(asset));
                    if sender.send((number, work(asset))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut waiting, mut wanted) = (BTreeMap::new(), 0);
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

/// The memory that an asset takes while it is cooked, at most, as far as its file's size tells: from what was measured (`docs/pipeline.md`).
pub fn estimate(asset: &Asset) -> u64 {
    let extension = asset.input.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    let format = asset.recipe.read.format.or_else(|| MeshFormat::with_extension(extension.as_deref()?));
    let bytes_of_byte = match format {
        Some(MeshFormat::Gltf | MeshFormat::Ply) => 7,
        _ => 3,
    };
    (1 << 20) + bytes_of_byte * asset.bytes
}

/// Before it is tried: the system may end a process that takes more than there is.
pub fn needs_too_much(asset: &Asset, most: u64) -> CliError {
    let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let needed = megabytes(estimate(asset));
    let message = format!("{} needs about {needed} MiB, more than --max-memory allows", asset.input.display());
    CliError::new(format!("{message} ({} MiB)", megabytes(most)))
}

/// Lets in what fits beside those that are in already; or, however large, what comes alone.
struct Gate {
    limit: u64,
    used: Mutex<u64>,
    changed: Condvar,
}

struct Pass<'a> {
    gate: &'a Gate,
    memory: u64,
}

impl Gate {
    fn new(limit: u64) -> Self {
        Self { limit, used: Mutex::new(0), changed: Condvar::new() }
    }

    fn enter(&self, memory: u64) -> Pass<'_> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |used: &mut u64| *used > 0 && used.saturating_add(memory) > self.limit;
        let mut used = self.changed.wait_while(used, is_full).unwrap_or_else(PoisonError::into_inner);
        *used += memory;
        Pass { gate: self, memory }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *self.gate.used.lock().unwrap_or_else(PoisonError::into_inner) -= self.memory;
        self.gate.changed.notify_all();
    }
}
