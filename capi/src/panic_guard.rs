//! Entry and exit of every C call: errors and panics become a status and a message.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::status::{BvtStatus, Error, remember};

thread_local! {
    /// Whether this thread is in the library, so that a panic is told to the caller and not printed.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// What a question gives: whether there is an answer.
pub(crate) type Outcome = Result<BvtStatus, Error>;

/// It is done.
pub(crate) const DONE: Outcome = Ok(BvtStatus::BVT_OK);

/// Does the work of one call from C. What goes wrong is kept for `bvt_last_error`; nothing unwinds into the caller.
pub(crate) fn panic_guard(work: impl FnOnce() -> Outcome) -> BvtStatus {
    quieten();
    let was_inside = INSIDE.replace(true);
    // What a panic leaves half done is behind a lock, which it poisons.
    let done = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(was_inside);
    match done {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => {
            remember(&error.text);
            error.status
        }
        // The hook has kept the text.
        Err(_) => BvtStatus::BVT_ERROR_PANIC,
    }
}

/// Has panics of the library told to the caller in place of printed, but where they end the process.
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
