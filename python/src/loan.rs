//! What one call at a time may change: lent out whole.
//!
//! No thread of a pool ever waits for it. One that waits in the midst of its work takes on other work, which may want the same, and would
//! wait for itself.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use crate::threads::LOOK;

/// Has the value while nobody else does.
pub struct Lender<T> {
    value: Mutex<Option<Box<T>>>,
    returned: Condvar,
}

impl<T: Send> Lender<T> {
    pub fn new(value: T) -> Arc<Self> {
        Arc::new(Self { value: Mutex::new(Some(Box::new(value))), returned: Condvar::new() })
    }

    /// Waits until no other call has it, while Python's other threads run and signals are answered.
    ///
    /// # Errors
    /// What a signal's handler raises.
    pub fn lend(self: &Arc<Self>, py: Python<'_>) -> PyResult<Loan<T>> {
        let mut value = self.lock().take();
        while value.is_none() {
            py.check_signals()?;
            value = py.detach(|| {
                let waiting = self.returned.wait_timeout_while(self.lock(), LOOK, |value| value.is_none());
                waiting.unwrap_or_else(PoisonError::into_inner).0.take()
            });
        }
        Ok(Loan { value, lender: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<T>>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The value, which goes back when this is dropped, wherever that is.
pub struct Loan<T: Send> {
    /// There until it goes back.
    value: Option<Box<T>>,
    lender: Arc<Lender<T>>,
}

impl<T: Send> Drop for Loan<T> {
    fn drop(&mut self) {
        *self.lender.lock() = self.value.take();
        self.lender.returned.notify_one();
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
