//! The pair filter of a scene: a Python callable that chooses the pairs of bodies to compare.

use std::sync::{Arc, Mutex, PoisonError};

use bvtree::scene::Neighbors;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::{PyScene, State};
use crate::calls::Calls;

/// A Python callable, and the first exception that it raised in a query.
pub(super) struct PairFilter {
    accepts: Py<PyAny>,
    /// The calls that wait for the current query.
    callers: Mutex<Calls>,
    raised: Mutex<Option<PyErr>>,
}

impl PairFilter {
    /// Whether the callable accepts two bodies; no more bodies are accepted once it has raised an exception.
    fn accepts(&self, pair: &Neighbors<'_>) -> bool {
        if self.has_raised() {
            return false;
        }
        let [a, b] = pair.bodies.map(|body| body.user);
        let callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let asked =
            callers.call_back(|| Python::attach(|py| self.accepts.bind(py).call1((a.min(b), a.max(b)))?.is_truthy()));
        asked.unwrap_or_else(|error| {
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            false
        })
    }

    pub(super) fn has_raised(&self) -> bool {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl State {
    /// Sets the scene's pair filter; the scene forgets the results of the previous filter.
    fn apply_filter(&mut self) {
        match self.filter.clone() {
            Some(filter) => self.scene.set_pair_filter(move |pair| filter.accepts(pair)),
            None => self.scene.set_pair_filter(|_| true),
        }
    }

    /// Tells the filter which calls wait for the query that this thread is about to run.
    pub(super) fn note_callers(&self) {
        if let Some(filter) = &self.filter {
            *filter.callers.lock().unwrap_or_else(PoisonError::into_inner) = Calls::current();
        }
    }

    /// Fails with the exception that the filter raised in a query, whose result is then meaningless.
    pub(super) fn raised_by_filter(&mut self) -> PyResult<()> {
        let Some(filter) = &self.filter else { return Ok(()) };
        let raised = filter.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(Ok(()), |error| {
            self.apply_filter();
            Err(error)
        })
    }
}

#[pymethods]
impl PyScene {
    /// Sets a function that chooses the pairs of bodies that are compared, among those that static bodies, groups,
    /// masks and `set_ignored` don't exclude.
    ///
    /// It is called when two bodies come near each other, from several threads, which wait for each other unless Python
    /// runs without the global interpreter lock. The scene remembers the result until the bodies move apart or one is
    /// replaced, so the result must depend only on the numbers; set the function again if its results change. Pairs
    /// that are known beforehand are faster with `set_ignored` or `set_groups`.
    ///
    /// Args:
    ///     accepts: Called with two bodies' numbers, the smaller first; its result is true if they are to be compared.
    ///         An exception that it raises ends the query, which raises it in turn. It may use other objects, but not
    ///         the scene. None compares all pairs.
    ///
    /// Raises:
    ///     TypeError: If `accepts` is neither callable nor None.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> scene, ball = bvtree.Scene(), bvtree.ConvexShape.sphere(1.0)
    ///     >>> owner = {scene.add(ball): name for name in ("Anna", "Anna", "Bela")}
    ///     >>> scene.set_pair_filter(lambda a, b: owner[a] != owner[b])
    ///     >>> scene.intersecting_pairs()
    ///     array([[0, 2],
    ///            [1, 2]])
    fn set_pair_filter(&self, py: Python<'_>, accepts: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        if accepts.as_ref().is_some_and(|accepts| !accepts.is_callable()) {
            return Err(PyTypeError::new_err("argument 'accepts' must be callable, or None"));
        }
        let filter = accepts.map(|accepts| {
            Arc::new(PairFilter { accepts: accepts.unbind(), callers: Mutex::default(), raised: Mutex::default() })
        });
        self.change(py, |state| {
            state.filter = filter;
            state.apply_filter();
            Ok(())
        })
    }
}
