//! Callbacks that receive results one by one.

use std::ffi::c_void;
use std::ops::ControlFlow;

use crate::status::Error;

/// A caller's function and its `user` pointer.
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

    /// Passes an item to the caller's function; breaks unless it returns 0.
    pub(crate) fn visit(&self, item: impl Into<T>) -> ControlFlow<()> {
        let item = item.into();
        // SAFETY: as promised to `new`.
        match unsafe { (self.call)(self.user, &item) } {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    /// Passes items to the caller's function until it returns nonzero.
    pub(crate) fn visit_all<I: Into<T>>(&self, items: impl IntoIterator<Item = I>) {
        let _ = items.into_iter().try_for_each(|item| self.visit(item));
    }
}
