//! How long work takes, where there is a clock: bare WebAssembly has none.

use std::time::Duration;

/// What the work gives, and how long it took; `None` where nobody can tell.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, Option<Duration>) {
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        return (work(), None);
    }
    let began = std::time::Instant::now();
    let result = work();
    (result, Some(began.elapsed()))
}
