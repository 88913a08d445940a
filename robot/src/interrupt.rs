//! The interruption of long calls by a check that the caller provides.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The check is called for one step in this many: it may look at a clock, which takes a good part of a step.
const STEPS: u32 = 16;

pub type Check = Arc<dyn Fn() -> bool + Send + Sync>;

/// The caller's check, which queries of trees call, too, and whether it has ended a call.
#[derive(Default)]
pub struct Interrupt {
    check: Option<Check>,
    is_set: Arc<AtomicBool>,
    steps: u32,
}

impl Interrupt {
    /// Replaces the check. The returned one stays true once either has been, until [`Interrupt::take`].
    pub fn set_check(&mut self, check: impl Fn() -> bool + Send + Sync + 'static) -> Check {
        let is_set = self.is_set.clone();
        let lasting: Check = Arc::new(move || {
            let ends = is_set.load(Ordering::Relaxed) || check();
            is_set.store(ends, Ordering::Relaxed);
            ends
        });
        self.check = Some(lasting.clone());
        lasting
    }

    /// Counts one step, such as a configuration. Returns whether the call is to end.
    #[inline]
    pub fn step(&mut self) -> bool {
        let Some(check) = &self.check else { return false };
        self.steps = (self.steps + 1) % STEPS;
        if self.steps == 0 { check() } else { self.is_set.load(Ordering::Relaxed) }
    }

    /// Whether the check has ended a call since this was last called; allows calls again.
    pub fn take(&mut self) -> bool {
        self.is_set.swap(false, Ordering::Relaxed)
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Interrupt").field("is_set", &self.is_set).finish_non_exhaustive()
    }
}
