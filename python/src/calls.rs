//! Which calls wait for which: a query calls a Python function, whose queries may use objects that other calls have.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A number of each thread, and another one once it no longer waits for some work.
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
    /// This thread's call, and those that wait for it if a query called the function that it is in.
    pub fn current() -> Self {
        CALLERS.with_borrow(|callers| {
            let ids: Vec<CallId> = callers.ids().iter().copied().chain([OWN.get()]).collect();
            Self(Some(ids.into()))
        })
    }

    fn ids(&self) -> &[CallId] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Calls a Python function in the midst of a query that these calls wait for.
    pub fn call_back<R>(&self, call: impl FnOnce() -> R) -> R {
        let before = CALLERS.replace(self.clone());
        let result = call();
        CALLERS.set(before);
        result
    }
}

/// Whether a query called the function that this thread is in.
pub fn is_called_back() -> bool {
    CALLERS.with_borrow(|callers| !callers.ids().is_empty())
}

/// This thread's call.
pub fn own() -> CallId {
    OWN.get()
}

/// This thread's call ends before its work, which goes on and keeps what it has a while.
pub fn abandon() {
    OWN.set(new_id());
}

/// Calls that wait until another one returns an object.
struct Wait {
    waiting: Calls,
    holder: CallId,
    /// Address of the object's lender.
    lender: usize,
}

/// Under the lock of a lender, that lender's waits are exactly those for its present loan.
static WAITS: Mutex<Vec<Wait>> = Mutex::new(Vec::new());

fn waits<R>(change: impl FnOnce(&mut Vec<Wait>) -> R) -> R {
    change(&mut WAITS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Notes that this thread waits for what `holder` has, unless `holder` waits for this thread, at once or by others.
/// Returns whether it may wait.
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

/// This thread waits no longer.
pub fn waits_no_longer() {
    waits(|waits| waits.retain(|wait| wait.waiting.ids().last() != Some(&own())));
}

/// The object of a lender was returned, so nobody waits for who had it.
pub fn returned(lender: usize) {
    waits(|waits| waits.retain(|wait| wait.lender != lender));
}
