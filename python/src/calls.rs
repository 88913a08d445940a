//! Detects deadlocks: a query may call a Python function whose own queries need objects that other calls have borrowed.
//! This module records which calls wait for which.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Identifies a call: each thread has a number, which is replaced when the thread abandons work that goes on without
/// it.
type CallId = u64;

fn new_id() -> CallId {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

thread_local! {
    static OWN: Cell<CallId> = Cell::new(new_id());
    static CALLERS: RefCell<Calls> = const { RefCell::new(Calls(None)) };
}

/// The calls that wait for some work, the outermost first; none by default.
#[derive(Clone, Default)]
pub struct Calls(Option<Arc<[CallId]>>);

impl Calls {
    /// Returns this thread's call and, if a query called the Python function that the thread is in, the calls that wait
    /// for that query.
    pub fn current() -> Self {
        CALLERS.with_borrow(|callers| {
            let ids: Vec<CallId> = callers.ids().iter().copied().chain([OWN.get()]).collect();
            Self(Some(ids.into()))
        })
    }

    fn ids(&self) -> &[CallId] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Calls a Python function from within a query that these calls wait for.
    pub fn call_back<R>(&self, call: impl FnOnce() -> R) -> R {
        let before = CALLERS.replace(self.clone());
        let result = call();
        CALLERS.set(before);
        result
    }
}

/// Whether a query called the Python function that this thread is in.
pub fn is_called_back() -> bool {
    CALLERS.with_borrow(|callers| !callers.ids().is_empty())
}

/// Returns the id of this thread's call.
pub fn own() -> CallId {
    OWN.get()
}

/// Gives this thread a new id, because its call ends while its work goes on and keeps the borrowed objects for a while.
pub fn abandon() {
    OWN.set(new_id());
}

/// Calls that wait until another call, the holder, returns an object.
struct Wait {
    waiting: Calls,
    holder: CallId,
    /// Address of the object's lender.
    lender: usize,
}

/// All waits. While a lender is locked, its waits here are exactly those for its current loan.
static WAITS: Mutex<Vec<Wait>> = Mutex::new(Vec::new());

fn waits<R>(change: impl FnOnce(&mut Vec<Wait>) -> R) -> R {
    change(&mut WAITS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Records that this thread waits for an object that `holder` has borrowed, unless `holder` waits for this thread,
/// directly or through other calls. Returns whether this thread may wait.
pub fn may_wait(holder: CallId, lender: usize) -> bool {
    let waiting = Calls::current();
    let callers = waiting.ids().len() - 1;
    if waiting.ids()[..callers].contains(&holder) {
        return false;
    }
    waits(|waits| {
        let (mut reached, mut next) = (vec![holder], 0);
        while let Some(&call) = reached.get(next) {
            next += 1;
            for wait in waits.iter().filter(|wait| wait.waiting.ids().contains(&call)) {
                if waiting.ids().contains(&wait.holder) {
                    return false;
                }
                if !reached.contains(&wait.holder) {
                    reached.push(wait.holder);
                }
            }
        }
        waits.push(Wait { waiting, holder, lender });
        true
    })
}

/// Removes the wait of this thread.
pub fn waits_no_longer() {
    waits(|waits| waits.retain(|wait| wait.waiting.ids().last() != Some(&own())));
}

/// Removes all waits for a lender, whose object was returned.
pub fn returned(lender: usize) {
    waits(|waits| waits.retain(|wait| wait.lender != lender));
}
