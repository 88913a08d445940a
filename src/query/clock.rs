//! The clock of time limits.

use std::time::Duration;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use bare::set_clock;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn now() -> Option<std::time::Instant> {
    Some(std::time::Instant::now())
}

/// Bare WebAssembly has no clock but its host's.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod bare {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the clock of time limits, such as [`DepthOptions::time_limit`](super::super::DepthOptions::time_limit), on
    /// bare WebAssembly: a function that returns the time since a fixed moment. Later calls do nothing.
    pub fn set_clock(now: fn() -> Duration) {
        // A clock that was set before stays.
        let _ = CLOCK.set(now);
    }

    pub(super) fn now() -> Option<Duration> {
        CLOCK.get().map(|now| now())
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
use bare::now;

/// Returns a function that says whether the time limit that starts now is over. Without a limit, or a clock, it never
/// is.
pub(super) fn time_limit(limit: Option<Duration>) -> impl Fn() -> bool {
    let end = limit.and_then(|limit| now()?.checked_add(limit));
    move || end.is_some_and(|end| now() >= Some(end))
}
