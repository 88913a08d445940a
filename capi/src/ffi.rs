//! Arguments from C: converts pointers to references, or returns an error that names the argument.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use crate::status::{BvtStatus, Error};

/// Out pointer: the caller's memory for a result, which need not be initialized.
pub(crate) type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// Returns the target of a pointer that must not be null.
pub(crate) fn given<'a, T>(pointer: Option<&'a T>, name: &str) -> Result<&'a T, Error> {
    pointer.ok_or_else(|| Error::null(name))
}

/// Returns the target of an out pointer, checked before the work starts.
pub(crate) fn out<'a, T>(pointer: Out<'a, T>, name: &str) -> Result<&'a mut MaybeUninit<T>, Error> {
    pointer.ok_or_else(|| Error::null(name))
}

/// Passes ownership of a new object to C, which frees it.
pub(crate) fn hand_over<T>(out: &mut MaybeUninit<*mut T>, object: T) {
    out.write(Box::into_raw(Box::new(object)));
}

/// Writes the result if there is one.
pub(crate) fn answer<T>(out: &mut MaybeUninit<T>, answer: Option<impl Into<T>>) -> Result<BvtStatus, Error> {
    match answer {
        Some(answer) => {
            out.write(answer.into());
            Ok(BvtStatus::BVT_OK)
        }
        None => Ok(BvtStatus::BVT_NONE),
    }
}

/// Returns the items of a caller's array; a null pointer is an empty array.
///
/// # Safety
/// If not null, the pointer is to `count` items that nobody changes during `'a`.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T], Error> {
    if count == 0 {
        return Ok(&[]);
    }
    check_array(pointer, count, name)?;
    // SAFETY: it is not null, aligned and no larger than memory; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Returns the caller's space for `count` results, which need not be initialized.
///
/// # Safety
/// If not null, the pointer is to room for `count` items that nobody else uses during `'a`.
pub(crate) unsafe fn out_slice<'a, T>(
    pointer: *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [MaybeUninit<T>], Error> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_array(pointer, count, name)?;
    // SAFETY: as of `array`, and what is not initialized is allowed here.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), count) })
}

fn check_array<T>(pointer: *const T, count: usize, name: &str) -> Result<(), Error> {
    if pointer.is_null() {
        return Err(Error::null(name));
    }
    if !pointer.is_aligned() {
        return Err(Error::argument(format_args!("{name} is not aligned to {} bytes", align_of::<T>())));
    }
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(Error::argument(format_args!("{name}: {count} items are more than there can be"))),
    }
}

/// Returns a caller's text, or `None` if the pointer is null.
///
/// # Safety
/// If not null, the pointer is to bytes that end with a zero and that nobody changes during `'a`.
pub(crate) unsafe fn optional_text<'a>(pointer: *const c_char, name: &str) -> Result<Option<&'a str>, Error> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller promises it.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| Error::argument(format_args!("{name} is not UTF-8")))
}

/// Returns a caller's text, which must not be null. See [`optional_text`].
///
/// # Safety
/// See [`optional_text`].
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Error> {
    // SAFETY: the caller promises it.
    unsafe { optional_text(pointer, name) }?.ok_or_else(|| Error::null(name))
}

/// Locks an object for one caller at a time; never waits.
pub(crate) fn lock<'a, T>(object: Option<&'a Mutex<T>>, name: &str) -> Result<MutexGuard<'a, T>, Error> {
    given(object, name)?.try_lock().map_err(|error| busy(&error, name))
}

/// Locks an object for reading, shared with other readers; never waits.
pub(crate) fn shared<'a, T>(object: Option<&'a RwLock<T>>, name: &str) -> Result<RwLockReadGuard<'a, T>, Error> {
    given(object, name)?.try_read().map_err(|error| busy(&error, name))
}

/// Locks an object for changes; never waits.
pub(crate) fn changed<'a, T>(object: Option<&'a RwLock<T>>, name: &str) -> Result<RwLockWriteGuard<'a, T>, Error> {
    given(object, name)?.try_write().map_err(|error| busy(&error, name))
}

fn busy<T>(error: &TryLockError<T>, name: &str) -> Error {
    match error {
        TryLockError::WouldBlock => {
            let text = format_args!("{name} is in use, by another thread or by the call whose callback asks");
            Error::new(BvtStatus::BVT_ERROR_BUSY, text)
        }
        TryLockError::Poisoned(_) => {
            Error::new(BvtStatus::BVT_ERROR_PANIC, format_args!("a call has failed in {name}: free it"))
        }
    }
}
