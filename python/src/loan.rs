//! Exclusive access to a value for one call at a time: the value is lent out whole.
//!
//! Calls never wait for each other in a circle: the call whose wait would close the circle fails.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::calls;
use crate::signals::SIGNAL_INTERVAL;

/// Holds the value while it is not lent out.
pub struct Lender<T> {
    inside: Mutex<Inside<T>>,
    returned: Condvar,
}

struct Inside<T> {
    value: Option<Box<T>>,
    /// The call that borrowed the value last.
    holder: u64,
    /// The borrower's thread, if the loan stays on it: a signal handler on that thread would wait for itself.
    at: Option<ThreadId>,
    /// Number of waiting calls. While it is 0, the condition variable is not notified: that would take as long as some
    /// whole calls.
    waiting: usize,
}

impl<T: Send> Lender<T> {
    pub fn new(value: T) -> Arc<Self> {
        let inside = Inside { value: Some(Box::new(value)), holder: calls::own(), at: None, waiting: 0 };
        Arc::new(Self { inside: Mutex::new(inside), returned: Condvar::new() })
    }

    /// Lends the value, after waiting until no other call has it. Meanwhile, Python's other threads run and signals are
    /// handled.
    ///
    /// # Errors
    /// The exception that a signal handler raises. RuntimeError if this is a signal handler that interrupted a call
    /// that uses the object, or if the call that has the object waits for this one: it is the query that called the
    /// Python function that this call is in, or waits for that query.
    pub fn lend(self: &Arc<Self>, py: Python<'_>) -> PyResult<Loan<T>> {
        let mut value = self.lock().take();
        while value.is_none() {
            if self.lock().at == Some(thread::current().id()) && !calls::is_called_back() {
                return Err(PyRuntimeError::new_err("it is in the midst of the call that the signal has interrupted"));
            }
            py.check_signals()?;
            let Some(after) = py.detach(|| self.wait()) else {
                return Err(PyRuntimeError::new_err("it is in the midst of the query that has called this function"));
            };
            value = after;
        }
        Ok(Loan { value, lender: self.clone() })
    }

    /// Waits a short time for the value. Returns `Some(Some(value))` if it was returned, `Some(None)` if not yet, and
    /// `None` if its borrower waits for this thread.
    fn wait(&self) -> Option<Option<Box<T>>> {
        let mut inside = self.lock();
        if inside.value.is_none() {
            if !calls::may_wait(inside.holder, self.address()) {
                return None;
            }
            inside.waiting += 1;
            // The wait ends with any return of the value, even if another call has borrowed it since: a new wait must
            // name that call.
            inside = self.returned.wait_timeout(inside, SIGNAL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
            inside.waiting -= 1;
            calls::waits_no_longer();
        }
        Some(inside.take())
    }

    /// Lends the value for work that stays on this thread. If a signal handler interrupts the work and asks for the
    /// value, it gets an error, because it would wait forever. See [`Lender::lend`].
    ///
    /// # Errors
    /// Those of [`Lender::lend`].
    pub fn lend_here(self: &Arc<Self>, py: Python<'_>) -> PyResult<Loan<T>> {
        let loan = self.lend(py)?;
        self.lock().at = Some(thread::current().id());
        Ok(loan)
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn lock(&self) -> MutexGuard<'_, Inside<T>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Inside<T> {
    fn take(&mut self) -> Option<Box<T>> {
        if self.value.is_some() {
            self.holder = calls::own();
        }
        self.value.take()
    }
}

/// A lent value. Dropping the loan, on any thread, returns the value to its lender.
pub struct Loan<T: Send> {
    /// `Some` until it is returned.
    value: Option<Box<T>>,
    lender: Arc<Lender<T>>,
}

impl<T: Send> Drop for Loan<T> {
    fn drop(&mut self) {
        let mut inside = self.lender.lock();
        (inside.value, inside.at) = (self.value.take(), None);
        if inside.waiting > 0 {
            calls::returned(self.lender.address());
            self.lender.returned.notify_one();
        }
    }
}

impl<T: Send> Deref for Loan<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("it goes back when the loan is dropped")
    }
}

impl<T: Send> DerefMut for Loan<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("it goes back when the loan is dropped")
    }
}
