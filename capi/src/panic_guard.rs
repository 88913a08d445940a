//! Guard around every C call: errors and panics become a status and a message.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, Once, PoisonError};

use crate::status::{BvtStatus, Error, remember};

thread_local! {
    /// Whether this thread is inside the library, so that a panic is reported to the caller and not printed.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The messages of the last panics, with their locations. A panic on a thread of the pool is caught on the caller's
/// thread, where only its text arrives.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps the list short. A message is read right after its panic, so it's found unless more threads panic at once.
const MAX_PANICS: usize = 100;

/// Outcome of a call: a status that says whether there is a result, or an error.
pub(crate) type Outcome = Result<BvtStatus, Error>;

/// The call succeeded.
pub(crate) const DONE: Outcome = Ok(BvtStatus::BVT_OK);

/// Runs one call from C. Keeps the message of an error for `bvt_last_error`; nothing unwinds into the caller.
pub(crate) fn panic_guard(work: impl FnOnce() -> Outcome) -> BvtStatus {
    quieten();
    let was_inside = INSIDE.replace(true);
    // A lock guards every state that a panic could leave half changed, and the panic poisons that lock.
    let done = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(was_inside);
    match done {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => {
            remember(&error.text);
            error.status
        }
        Err(payload) => {
            let text = text_of(&*payload);
            let panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
            // The text of one panic may be the beginning of another's.
            let is_it = |panic: &&String| {
                panic.strip_prefix(text).is_some_and(|place| place.is_empty() || place.starts_with(" ("))
            };
            let located = panics.iter().rev().find(is_it).map_or(text, String::as_str);
            remember(&format!("internal error of bvtree: {located}"));
            BvtStatus::BVT_ERROR_PANIC
        }
    }
}

/// Keeps panics of the library from being printed, because the caller gets their message. Panics that end the process
/// are still printed.
fn quieten() {
    static HOOK: Once = Once::new();
    if cfg!(panic = "unwind") {
        HOOK.call_once(|| {
            let others = take_hook();
            set_hook(Box::new(move |panic| if INSIDE.get() || on_pool() { keep(panic) } else { others(panic) }));
        });
    }
}

/// Whether this is a thread of a pool. What runs there for the library runs inside a call of another thread.
fn on_pool() -> bool {
    #[cfg(feature = "rayon")]
    return rayon::current_thread_index().is_some();
    #[cfg(not(feature = "rayon"))]
    false
}

fn keep(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
    let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    if panics.len() == MAX_PANICS {
        panics.remove(0);
    }
    panics.push(text_of(panic.payload()).to_owned() + &place);
}

fn text_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic")
}
