//! Callbacks: answers that are handed on one by one.

use std::ffi::c_void;
use std::ops::ControlFlow;

use crate::status::Error;

/// A function of the caller's and what it is called with.
#[derive(Clone, Copy)]
pub(crate) struct Visitor<T> {
    call: unsafe extern "C" fn(*mut c_void, *const T) -> i32,
    user: *mut c_void,
}

impl<T> Visitor<T> {
    /// # Safety
    /// The function may be called with `user` and any item, on this thread and as long as the visitor is used.
    pub(crate) unsafe fn new(
        call: Option<unsafe extern "C" fn(*mut c_void, *const T) -> i32>,
        user: *mut c_void,
    ) -> Result<Self, Error> {
        Ok(Self { call: call.ok_or_else(|| Error::null("visit"))?, user })
    }

    /// Hands an item on: breaks unless the caller's function returns 0.
    pub(crate) fn visit(&self, item: impl Into<T>) -> ControlFlow<()> {
        let item = item.into();
        // SAFETY: as promised to `new`.
        match unsafe { (self.call)(self.user, &item) } {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    /// Hands on all items, or as many as the caller's function wants.
    pub(crate) fn visit_all<I: Into<T>>(&self, items: impl IntoIterator<Item = I>) {
        let _ = items.into_iter().try_for_each(|item| self.visit(item));
    }
}
