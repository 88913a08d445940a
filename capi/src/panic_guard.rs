//! Guard around every C call: errors and panics become a status and a message.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::status::{BvtStatus, Error, remember};

thread_local! {
    /// Whether this thread is inside the library, so that a panic is reported to the caller and not printed.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

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
        // The panic hook has kept the message.
        Err(_) => BvtStatus::BVT_ERROR_PANIC,
    }
}

/// Keeps panics of the library from being printed, because the caller gets their message. Panics that end the process
/// are still printed.
fn quieten() {
    static HOOK: Once = Once::new();
    if cfg!(panic = "unwind") {
        HOOK.call_once(|| {
            let others = take_hook();
            set_hook(Box::new(move |panic| if INSIDE.get() { tell(panic) } else { others(panic) }));
        });
    }
}

fn tell(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("panic");
    let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
    remember(&format!("internal error of bvtree: {text}{place}"));
}
