//! How a question is ended before it has its answer.

use std::fmt;
use std::ops::ControlFlow;

use super::state::Query;

/// So many steps of a descent, of which each tests a node or up to eight pairs of triangles, take about a millisecond.
pub(super) const STEPS: u32 = 1024;

type Check = Box<dyn Fn() -> bool + Send + Sync>;

/// Whether the question is to go on.
#[derive(Default)]
pub(super) struct Interrupt {
    check: Option<Check>,
    steps: u32,
    is_set: bool,
}

impl Interrupt {
    /// Told of each step. Breaks where the question is to end.
    #[inline(always)]
    pub(super) fn step(&mut self) -> ControlFlow<()> {
        self.steps += 1;
        if self.steps < STEPS { ControlFlow::Continue(()) } else { self.look() }
    }

    /// Told of [`STEPS`] at once.
    #[cold]
    pub(super) fn look(&mut self) -> ControlFlow<()> {
        self.is_set = self.is_set || self.check.as_ref().is_some_and(|check| check());
        if self.is_set {
            return ControlFlow::Break(());
        }
        self.steps = 0;
        ControlFlow::Continue(())
    }

    /// Of a descent, before its first look.
    #[inline(always)]
    pub(super) fn steps_left(&self) -> u32 {
        if self.is_set { 1 } else { STEPS }
    }

    pub(super) fn is_set(&self) -> bool {
        self.is_set
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { check, steps, is_set } = self;
        let check = check.as_ref().map(|_| "Fn");
        formatter
            .debug_struct("Interrupt")
            .field("check", &check)
            .field("steps", steps)
            .field("is_set", is_set)
            .finish()
    }
}

impl Query {
    /// Has a question end early: `check` is called about every millisecond while one is asked, and once it says true,
    /// the question returns at once. So do all questions after it, until [`take_interrupted`](Query::take_interrupted)
    /// is called.
    ///
    /// What a question returns that was ended early is of no use: ask whether it was, before its answer is believed.
    /// The check must not panic: who catches that has a query and a [`DistanceTracker`](crate::query::DistanceTracker)
    /// that know half of what they should.
    ///
    /// ```
    /// # use std::time::{Duration, Instant};
    /// # use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
    /// # use nalgebra::Point3;
    /// # let corners = vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
    /// # let tree = BvTree::build(&Mesh::from_arrays(corners, vec![[0, 1, 2]])?, &BuildOptions::default())?;
    /// let mut query = Query::new();
    /// let deadline = Instant::now() + Duration::from_secs(60);
    /// query.interrupt_when(move || Instant::now() > deadline);
    /// let pairs = query.collect_pairs(&tree, &tree, &Pose::identity());
    /// let pairs = if query.take_interrupted() { None } else { Some(pairs) };
    /// assert_eq!(pairs.map(|pairs| pairs.len()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "cancel")]
    #[doc(alias = "abort")]
    #[doc(alias = "timeout")]
    #[doc(alias = "progress handler")]
    pub fn interrupt_when(&mut self, check: impl Fn() -> bool + Send + Sync + 'static) {
        self.engine.interrupt.check = Some(Box::new(check));
    }

    /// Whether a question was ended early since this was last called; the next ones are asked again.
    pub fn take_interrupted(&mut self) -> bool {
        let interrupt = &mut self.engine.interrupt;
        let was_set = std::mem::take(&mut interrupt.is_set);
        if was_set {
            interrupt.steps = 0;
        }
        was_set
    }
}
