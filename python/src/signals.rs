//! Ctrl-C during queries: every query checks about every millisecond whether it should end.

use std::cell::RefCell;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Interval at which Python's signal handlers get a chance to run.
pub const SIGNAL_INTERVAL: Duration = Duration::from_millis(30);

/// A flag that is set once nobody waits for the result any more.
#[derive(Clone, Default)]
pub struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end, on any thread.
    pub fn ends_work(&self) -> bool {
        self.is_set() || is_interrupted()
    }
}

/// The source of interruptions of this thread's queries.
#[derive(Default)]
enum Watch {
    #[default]
    Nobody,
    /// Python's signal handlers, on a Python thread: the start of the interval until they run again, and the exception
    /// that they raised.
    Signals { looked: Option<Instant>, raised: Option<PyErr> },
    /// The thread that waits for this pool's work.
    Waiting(Cancelled),
}

thread_local! {
    static WATCH: RefCell<Watch> = const { RefCell::new(Watch::Nobody) };
}

/// Whether this thread's query should end.
pub fn is_interrupted() -> bool {
    let is_due = WATCH.with_borrow_mut(|watch| match watch {
        Watch::Nobody => Err(false),
        Watch::Waiting(cancelled) => Err(cancelled.is_set()),
        Watch::Signals { raised: Some(_), .. } => Err(true),
        Watch::Signals { looked, .. } => {
            if looked.get_or_insert_with(Instant::now).elapsed() <= SIGNAL_INTERVAL {
                return Err(false);
            }
            *looked = None;
            Ok(())
        }
    });
    // The borrow has ended here, since handlers may run queries too.
    is_due.map_or_else(|ends| ends, |()| raise())
}

/// Runs signal handlers. Returns whether one raised an exception.
#[cold]
fn raise() -> bool {
    let error = Python::attach(|py| py.check_signals()).err();
    WATCH.with_borrow_mut(|watch| match watch {
        Watch::Signals { raised, .. } => {
            *raised = error;
            raised.is_some()
        }
        Watch::Nobody | Watch::Waiting(_) => false,
    })
}

/// Does work on this Python thread while the other Python threads run.
///
/// # Errors
/// The exception that a signal handler raised. Queries have then stopped before their end, and their result is
/// discarded.
pub fn here<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    py.detach(|| {
        let _watched = watched_by(Watch::Signals { looked: None, raised: None });
        let done = work();
        WATCH.with_borrow_mut(|watch| match watch {
            Watch::Signals { raised, .. } => raised.take().map_or(Ok(done), Err),
            Watch::Nobody | Watch::Waiting(_) => Ok(done),
        })
    })
}

/// Makes this thread's queries end once `cancelled` is set, as long as the returned value is kept.
pub fn waited_for(cancelled: &Cancelled) -> Watched {
    watched_by(Watch::Waiting(cancelled.clone()))
}

/// Restores the previous watch when dropped.
pub struct Watched(Watch);

fn watched_by(watch: Watch) -> Watched {
    Watched(WATCH.replace(watch))
}

impl Drop for Watched {
    fn drop(&mut self) {
        WATCH.set(mem::take(&mut self.0));
    }
}
