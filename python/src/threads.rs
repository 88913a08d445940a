//! Who works, and how long calls end on Ctrl-C.
//!
//! The library works in the rayon pool it is called in. The global pool is never touched, for a forked process has none
//! of its threads: pools are the module's own, and a child forgets its parent's.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::value_error;
use crate::signals::{Cancelled, SIGNAL_INTERVAL, Watched, here, waited_for};

/// Less work is not worth waking other threads for.
pub const ALONE: Duration = Duration::from_micros(300);

struct Pools {
    process: u32,
    by_threads: HashMap<usize, Arc<ThreadPool>>,
}

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// A pool of so many threads; of one for each core if it is None, or as `RAYON_NUM_THREADS` tells.
pub fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    if threads.is_some_and(|threads| threads == 0 || threads > 4096) {
        return Err(value_error("threads: expected a number from 1 to 4096, or None for all cores"));
    }
    let threads = threads.unwrap_or(0);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if pools.as_ref().is_some_and(|pools| pools.process != process::id()) {
        // Dropping them would wait for threads that this process does not have.
        std::mem::forget(pools.take());
    }
    let pools = pools.get_or_insert_with(|| Pools { process: process::id(), by_threads: HashMap::new() });
    if let Some(pool) = pools.by_threads.get(&threads) {
        return Ok(pool.clone());
    }
    let name = |index| format!("bvtree-{index}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    let pool = Arc::new(pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?);
    pools.by_threads.insert(threads, pool.clone());
    Ok(pool)
}

/// More threads than these never become pools of their own: what rayon keeps of such a thread, some kilobytes, outlives
/// it.
const MAX_OWN_POOLS: usize = 64;

/// Whether the calling thread is a pool of its own, of one thread, so that what the library divides among threads is
/// done here. It becomes one when first asked, unless [`MAX_OWN_POOLS`] threads already have.
pub fn is_own_pool() -> bool {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
    }
    let build = || {
        let is_free = |count| (count < MAX_OWN_POOLS).then_some(count + 1);
        COUNT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_free).ok()?;
        ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok()
    };
    OWN.with(|own| own.get_or_init(build).is_some())
}

/// Does the work in a pool while Python's other threads run and signals are answered: on Ctrl-C the call ends at once,
/// and so do questions about two trees; other work that does not look at [`Cancelled`] ends when it is done, unseen.
///
/// # Errors
/// What a signal's handler raises.
pub fn interruptible<R: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Cancelled) -> R + Send + 'static,
) -> PyResult<R> {
    let pool = pool(threads)?;
    let cancelled = Cancelled::default();
    let (sender, receiver) = mpsc::channel();
    // Only one thread may wait at it, which is this one wherever the compiler can't tell.
    let receiver = Mutex::new(receiver);
    let seen = cancelled.clone();
    pool.spawn(move || {
        let _watched = waited_for(&seen);
        let done = catch_unwind(AssertUnwindSafe(|| work(&seen)));
        // Nobody may be waiting any more.
        let _ = sender.send(done);
    });
    loop {
        match py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL)) {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = py.check_signals() {
                    cancelled.set();
                    return Err(error);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the work was lost")),
        }
    }
}

/// Asks about each item, in order: the first ones on this thread and, if they are worth it, the rest in a pool.
///
/// # Errors
/// As [`interruptible`].
pub fn each<T: Send + Sync + 'static, R: Default + Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    items: Vec<T>,
    ask: impl Fn(&T) -> R + Send + Sync + 'static,
) -> PyResult<Vec<R>> {
    // Told even where no pool is needed.
    if threads == Some(0) {
        pool(threads)?;
    }
    let mut answers = Vec::with_capacity(items.len());
    here(py, || {
        let began = Instant::now();
        for (done, item) in items.iter().enumerate() {
            // Not at every one, for that takes as long as some questions do.
            if (done.is_power_of_two() || done % 16 == 15) && began.elapsed() > ALONE {
                break;
            }
            answers.push(ask(item));
        }
    })?;
    if answers.len() == items.len() {
        return Ok(answers);
    }
    let first = answers.len();
    answers.extend(map(py, threads, items, first, ask)?);
    Ok(answers)
}

/// Asks about each item, in order and in a pool.
///
/// # Errors
/// As [`interruptible`].
pub fn each_in_pool<T: Send + Sync + 'static, R: Default + Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    items: Vec<T>,
    ask: impl Fn(&T) -> R + Send + Sync + 'static,
) -> PyResult<Vec<R>> {
    map(py, threads, items, 0, ask)
}

fn map<T: Send + Sync + 'static, R: Default + Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    items: Vec<T>,
    first: usize,
    ask: impl Fn(&T) -> R + Send + Sync + 'static,
) -> PyResult<Vec<R>> {
    interruptible(py, threads, move |cancelled| {
        let ask = |_: &mut Watched, item: &T| if cancelled.is_set() { R::default() } else { ask(item) };
        bvtree::query::many::map(&items[first..], || waited_for(cancelled), ask)
    })
}
