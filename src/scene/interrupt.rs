//! How a scene's question is ended before it has its answer.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Scene;
use super::narrow_phase::NarrowPhase;
use super::pair_cache::PairCache;

/// One in so many pairs of bodies is asked about after a look, for a look takes as long as some pairs do. What takes
/// longer looks by itself.
const PAIRS: u64 = 16;

/// Whether questions are to go on.
#[derive(Clone, Default)]
pub(super) struct Interrupt {
    check: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    is_set: Arc<AtomicBool>,
}

impl Interrupt {
    pub(super) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    fn look(&self) -> bool {
        let ends = self.is_set() || self.check.as_ref().is_some_and(|check| check());
        if ends {
            self.is_set.store(true, Ordering::Relaxed);
        }
        ends
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let check = self.check.as_ref().map(|_| "Fn");
        formatter.debug_struct("Interrupt").field("check", &check).field("is_set", &self.is_set).finish()
    }
}

impl Scene {
    /// Has questions about pairs of bodies end early: `check` is called about every millisecond, on all threads that
    /// ask, and once it says true, the question returns at once. So do all after it, until
    /// [`take_interrupted`](Scene::take_interrupted) is called.
    ///
    /// What a question returns that was ended early is of no use: ask whether it was, before its answer is believed.
    /// The scene forgets what it remembered of pairs then. See [`Query::interrupt_when`](crate::Query::interrupt_when).
    #[doc(alias = "cancel")]
    #[doc(alias = "abort")]
    #[doc(alias = "timeout")]
    pub fn interrupt_when(&mut self, check: impl Fn() -> bool + Send + Sync + 'static) {
        self.interrupt.check = Some(Arc::new(check));
    }

    /// Whether a question was ended early since this was last called; the next ones are asked again.
    pub fn take_interrupted(&mut self) -> bool {
        let was_set = self.interrupt.is_set.swap(false, Ordering::Relaxed);
        if was_set {
            // What an unfinished question found out is not true.
            self.pair_cache = PairCache::default();
        }
        was_set
    }

    /// Who asks about pairs on one thread.
    pub(super) fn narrow_phase(&self) -> NarrowPhase {
        let mut narrow = NarrowPhase::new(self.level);
        if self.interrupt.check.is_some() {
            let interrupt = self.interrupt.clone();
            narrow.query.interrupt_when(move || interrupt.look());
            narrow.interrupt = Some(self.interrupt.clone());
        }
        narrow
    }
}

impl NarrowPhase {
    /// Whether to leave out a pair, and all after it, for the question is to end.
    pub(super) fn is_interrupted(&mut self) -> bool {
        let Some(interrupt) = &self.interrupt else { return false };
        self.pairs += 1;
        if self.pairs % PAIRS == 1 { interrupt.look() } else { interrupt.is_set() }
    }
}
