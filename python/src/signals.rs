//! Ctrl-C in what a thread asks: every question looks, about every millisecond, whether it is to end.

use std::cell::RefCell;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How often Python's signal handlers get a chance to run.
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

    /// Whether the work is to end, whichever thread does it.
    pub fn ends_work(&self) -> bool {
        self.is_set() || is_interrupted()
    }
}

/// Who may end what this thread asks.
#[derive(Default)]
enum Watch {
    #[default]
    Nobody,
    /// Python's signal handlers, on a thread of Python's: when they were last looked for, or the first look, and what
    /// they raised.
    Signals { looked: Option<Instant>, raised: Option<PyErr> },
    /// Who waits for a pool.
    Waiting(Cancelled),
}

thread_local! {
    static WATCH: RefCell<Watch> = const { RefCell::new(Watch::Nobody) };
}

/// Whether this thread's question is to end.
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
    // Without the borrow, for handlers may ask questions too.
    is_due.map_or_else(|ends| ends, |()| raise())
}

/// Has signals' handlers run; whether one raised something.
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

/// Does work on this thread, which is Python's, while its other threads run.
///
/// # Errors
/// What a signal's handler raised: then questions were ended early, and the answer is of no use.
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

/// Ends this thread's questions, as long as the result is kept, once nobody waits for them any more.
pub fn waited_for(cancelled: &Cancelled) -> Watched {
    watched_by(Watch::Waiting(cancelled.clone()))
}

/// Gives the watch back to who had it.
pub struct Watched(Watch);

fn watched_by(watch: Watch) -> Watched {
    Watched(WATCH.replace(watch))
}

impl Drop for Watched {
    fn drop(&mut self) {
        WATCH.set(mem::take(&mut self.0));
    }
}
