//! The interruption of a query by a check that the caller provides.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Steps between two calls of the check, about a millisecond. A step tests a node or up to eight pairs of triangles, or
/// advances one moving pair.
pub(super) const STEPS: u32 = 1024;

type Check = Arc<dyn Fn() -> bool + Send + Sync>;

/// The caller's check, and whether the check has ended a query.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    check: Option<Check>,
    steps: u32,
    is_set: bool,
}

impl Interrupt {
    /// Replaces the check.
    pub(crate) fn set_check(&mut self, check: Check) {
        self.check = Some(check);
    }

    /// Counts one step. Breaks if the query is to end.
    #[inline(always)]
    pub(crate) fn step(&mut self) -> ControlFlow<()> {
        self.steps += 1;
        if self.steps < STEPS { ControlFlow::Continue(()) } else { self.poll() }
    }

    /// Calls the check, unless it has already ended the query. Breaks if the query is to end. Called once every
    /// [`STEPS`] steps.
    #[cold]
    pub(super) fn poll(&mut self) -> ControlFlow<()> {
        self.is_set = self.is_set || self.check.as_ref().is_some_and(|check| check());
        if self.is_set {
            return ControlFlow::Break(());
        }
        self.steps = 0;
        ControlFlow::Continue(())
    }

    /// Steps of a traversal until its first [`poll`](Self::poll).
    #[inline(always)]
    pub(super) fn steps_left(&self) -> u32 {
        if self.is_set { 1 } else { STEPS }
    }

    /// Ends the query if a clone, which a visitor has polled, has ended it.
    pub(crate) fn join(&mut self, clone: &Self) {
        self.is_set |= clone.is_set;
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_set
    }

    /// Whether the check has ended a query since this was last called; allows queries again.
    pub(crate) fn take(&mut self) -> bool {
        let was_set = std::mem::take(&mut self.is_set);
        if was_set {
            self.steps = 0;
        }
        was_set
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Interrupt").field("is_set", &self.is_set).finish_non_exhaustive()
    }
}
