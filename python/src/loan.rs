//! Exclusive access to a value for one call at a time: the value is lent out whole.
//!
//! Threads of a pool never wait for it: a pool thread that waits takes on other work, which may need the same value and
//! would wait for itself.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::signals::SIGNAL_INTERVAL;
use crate::threads::is_called_back;

/// Holds the value while it is not lent out.
pub struct Lender<T> {
    inside: Mutex<Inside<T>>,
    returned: Condvar,
}

struct Inside<T> {
    value: Option<Box<T>>,
    /// Thread of the borrower, if the loan stays there: a signal handler on that thread would wait for itself.
    at: Option<ThreadId>,
    /// Number of waiting calls. If it is 0, no call is woken, which would take as long as some calls do.
    waiting: usize,
}

impl<T: Send> Lender<T> {
    pub fn new(value: T) -> Arc<Self> {
        let inside = Inside { value: Some(Box::new(value)), at: None, waiting: 0 };
        Arc::new(Self { inside: Mutex::new(inside), returned: Condvar::new() })
    }

    /// Waits until no other call has the value; meanwhile, Python's other threads run and signals are handled.
    ///
    /// # Errors
    /// The error for a signal handler: what the handler raises, or RuntimeError if it interrupted a call that uses the
    /// object. RuntimeError if a query calls a function that uses the object, which would wait for that query.
    pub fn lend(self: &Arc<Self>, py: Python<'_>) -> PyResult<Loan<T>> {
        let mut value = self.lock().value.take();
        while value.is_none() {
            if is_called_back() {
                return Err(PyRuntimeError::new_err("it is in the midst of the query that has called this function"));
            }
            if self.lock().at == Some(thread::current().id()) {
                return Err(PyRuntimeError::new_err("it is in the midst of the call that the signal has interrupted"));
            }
            py.check_signals()?;
            value = py.detach(|| {
                let mut inside = self.lock();
                inside.waiting += 1;
                let waited = self.returned.wait_timeout_while(inside, SIGNAL_INTERVAL, |inside| inside.value.is_none());
                let mut inside = waited.unwrap_or_else(PoisonError::into_inner).0;
                inside.waiting -= 1;
                inside.value.take()
            });
        }
        Ok(Loan { value, lender: self.clone() })
    }

    /// Lends the value for work on this thread while signals are handled. See [`Lender::lend`].
    ///
    /// # Errors
    /// As [`Lender::lend`].
    pub fn lend_here(self: &Arc<Self>, py: Python<'_>) -> PyResult<Loan<T>> {
        let loan = self.lend(py)?;
        self.lock().at = Some(thread::current().id());
        Ok(loan)
    }

    fn lock(&self) -> MutexGuard<'_, Inside<T>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lent value, which is returned when this is dropped, on any thread.
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
