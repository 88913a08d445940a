//! Thread pools, and interruption of long calls by Ctrl-C.
//!
//! The library works in the rayon pool it is called in. The global pool is never used, since a forked process has none
//! of its threads: the module has its own pools, and a child process forgets its parent's.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::calls;
use crate::errors::value_error;
use crate::signals::{Cancelled, SIGNAL_INTERVAL, Watched, here, waited_for};

/// Duration of work below which waking other threads is not worthwhile.
pub const ALONE: Duration = Duration::from_micros(300);

/// The thread pools of a process, by their number of threads; 0 for one per core.
struct Pools {
    process: u32,
    shared: HashMap<usize, Arc<ThreadPool>>,
    /// Pools that no work uses now; see [`interruptible_apart`].
    unused: HashMap<usize, Vec<Arc<ThreadPool>>>,
}

/// Calls `change` with the pools of this process.
fn pools<R>(change: impl FnOnce(&mut Pools) -> R) -> R {
    static POOLS: Mutex<Option<Pools>> = Mutex::new(None);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if pools.as_ref().is_some_and(|pools| pools.process != process::id()) {
        // Dropping the pools would wait for threads that this process does not have.
        std::mem::forget(pools.take());
    }
    let new = || Pools { process: process::id(), shared: HashMap::new(), unused: HashMap::new() };
    change(pools.get_or_insert_with(new))
}

/// Returns the number of threads, 0 for all cores.
///
/// # Errors
/// If it is 0 or above 4096.
pub fn number(threads: Option<usize>) -> PyResult<usize> {
    if threads.is_some_and(|threads| threads == 0 || threads > 4096) {
        return Err(value_error("threads: expected a number from 1 to 4096, or None for all cores"));
    }
    Ok(threads.unwrap_or(0))
}

fn new_pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let name = |index| format!("bvtree-{index}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    pool.map(Arc::new).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Returns a pool of `threads` threads; if None, of one per core or as many as `RAYON_NUM_THREADS` says.
pub fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let threads = number(threads)?;
    pools(|pools| match pools.shared.entry(threads) {
        Entry::Occupied(entry) => Ok(entry.get().clone()),
        Entry::Vacant(entry) => Ok(entry.insert(new_pool(threads)?).clone()),
    })
}

/// Maximum number of threads that become pools of their own: rayon keeps some kilobytes of each pool beyond the pool's
/// lifetime.
const MAX_OWN_POOLS: usize = 64;

/// Whether the calling thread is a pool of one thread by itself, so that the library's parallel work runs on it. The
/// thread becomes one on the first call, unless it belongs to another pool or [`MAX_OWN_POOLS`] threads have become
/// pools of their own before; those that have ended are included.
pub fn is_own_pool() -> bool {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
    }
    let build = || {
        if rayon::current_thread_index().is_some() {
            // This thread belongs to a pool already.
            return None;
        }
        let is_free = |count| (count < MAX_OWN_POOLS).then_some(count + 1);
        COUNT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_free).ok()?;
        ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok()
    };
    OWN.with(|own| own.get_or_init(build).is_some())
}

/// Does the work in a pool while Python's other threads run and signals are handled. On Ctrl-C the call returns
/// immediately, and queries on two trees stop; other work that does not check [`Cancelled`] is completed in the
/// background.
///
/// # Errors
/// The exception that a signal handler raises; ValueError if `threads` is not from 1 to 4096; RuntimeError if threads
/// can't be started.
pub fn interruptible<R: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Cancelled) -> R + Send + 'static,
) -> PyResult<R> {
    let pool = pool(threads)?;
    wait_for(py, &pool, work)
}

/// Does work that calls Python functions. See [`interruptible`].
///
/// The work has a pool to itself. In a shared pool, a thread that waits takes on other work of the pool, in which a
/// Python function may need an object that the interrupted work has borrowed.
///
/// # Errors
/// As [`interruptible`].
pub fn interruptible_apart<R: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Cancelled) -> R + Send + 'static,
) -> PyResult<R> {
    let threads = number(threads)?;
    let unused = pools(|pools| pools.unused.get_mut(&threads).and_then(Vec::pop));
    let pool = unused.map_or_else(|| new_pool(threads), Ok)?;
    let used = Used { pool: pool.clone(), threads };
    wait_for(py, &pool, move |cancelled| {
        let _used = used;
        work(cancelled)
    })
}

/// Marks a pool as used; when this is dropped, other work can use the pool.
struct Used {
    pool: Arc<ThreadPool>,
    threads: usize,
}

impl Drop for Used {
    fn drop(&mut self) {
        pools(|pools| pools.unused.entry(self.threads).or_default().push(self.pool.clone()));
    }
}

fn wait_for<R: Send + 'static>(
    py: Python<'_>,
    pool: &ThreadPool,
    work: impl FnOnce(&Cancelled) -> R + Send + 'static,
) -> PyResult<R> {
    let cancelled = Cancelled::default();
    let (sender, receiver) = mpsc::channel();
    // Only one thread may wait for it; that is always this one, which the compiler cannot know.
    let receiver = Mutex::new(receiver);
    let seen = cancelled.clone();
    pool.spawn(move || {
        let _watched = waited_for(&seen);
        let done = catch_unwind(AssertUnwindSafe(|| work(&seen)));
        // The receiver may be gone.
        let _ = sender.send(done);
    });
    loop {
        match py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL)) {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = py.check_signals() {
                    cancelled.set();
                    calls::abandon();
                    return Err(error);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the work was lost")),
        }
    }
}

/// Runs a query for each item, in order: the first ones on this thread and, if the work is long enough, the rest in a
/// pool.
///
/// # Errors
/// See [`interruptible`].
pub fn each<T: Send + Sync + 'static, R: Default + Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    items: Vec<T>,
    ask: impl Fn(&T) -> R + Send + Sync + 'static,
) -> PyResult<Vec<R>> {
    // A wrong number of threads is an error even if no pool is needed.
    number(threads)?;
    let mut answers = Vec::with_capacity(items.len());
    here(py, || {
        let began = Instant::now();
        for (done, item) in items.iter().enumerate() {
            // Not after every item, since the clock takes as long as some queries.
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

/// Runs a query for runs of items, in order: the first ones on this thread and, if the work is long enough, the rest in
/// a pool.
///
/// # Errors
/// See [`interruptible`].
pub fn each_run<T: Send + Sync + 'static, R: Default + Clone + Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    items: Vec<T>,
    ask: impl Fn(&[T]) -> Vec<R> + Send + Sync + 'static,
) -> PyResult<Vec<R>> {
    // A wrong number of threads is an error even if no pool is needed.
    number(threads)?;
    let mut answers = Vec::with_capacity(items.len());
    here(py, || {
        let began = Instant::now();
        let mut length = 8;
        while answers.len() < items.len() && began.elapsed() < ALONE {
            let rest = &items[answers.len()..];
            answers.extend(ask(&rest[..rest.len().min(length)]));
            length *= 2;
        }
    })?;
    if answers.len() < items.len() {
        let first = answers.len();
        answers.extend(interruptible(py, threads, move |cancelled| {
            let rest = &items[first..];
            let runs: Vec<&[T]> = rest.chunks(rest.len().div_ceil(8 * rayon::current_num_threads())).collect();
            let ask = |_: &mut Watched, run: &&[T]| match cancelled.is_set() {
                true => vec![R::default(); run.len()],
                false => ask(run),
            };
            bvtree::query::many::map(&runs, || waited_for(cancelled), ask).concat()
        })?);
    }
    Ok(answers)
}

/// Runs a query for each item, in order and in a pool.
///
/// # Errors
/// See [`interruptible`].
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
