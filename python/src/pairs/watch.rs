//! Ctrl-C in a question at one pose, which a thread of Python's asks itself: its answer may be so long that it is looked for on the way.

use std::ops::ControlFlow;
use std::time::Instant;

use pyo3::prelude::*;

use crate::threads::LOOK;

/// The clock is not looked at for every part of an answer.
const PARTS: u32 = 1024;

/// Told of each part of an answer.
pub(super) struct Watch {
    is_pythons: bool,
    parts: u32,
    /// When signals were last looked for, or the first look.
    looked: Option<Instant>,
    raised: Option<PyErr>,
}

impl Watch {
    /// On a thread of Python's.
    pub(super) fn here() -> Self {
        Self { is_pythons: true, parts: 0, looked: None, raised: None }
    }

    /// In a pool: who waits there looks for signals.
    pub(super) fn elsewhere() -> Self {
        Self { is_pythons: false, ..Self::here() }
    }

    /// Whether to go on.
    #[inline]
    pub(super) fn part(&mut self) -> ControlFlow<()> {
        self.parts += 1;
        if self.parts < PARTS { ControlFlow::Continue(()) } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> ControlFlow<()> {
        self.parts = 0;
        if self.is_pythons && self.looked.get_or_insert_with(Instant::now).elapsed() > LOOK {
            self.looked = None;
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                self.raised = Some(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// The answer, unless it was broken off.
    ///
    /// # Errors
    /// What a signal's handler raised.
    pub(super) fn unless_raised<R>(self, answer: R) -> PyResult<R> {
        self.raised.map_or(Ok(answer), Err)
    }
}
