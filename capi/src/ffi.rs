//! Arguments from C: pointers become references, callbacks become visitors, and structures are read as far as the
//! caller knows them. Errors name the argument.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use crate::status::{BvtStatus, Error};

/// Out pointer: the caller's memory for a result, which need not be initialized.
pub(crate) type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// Returns the target of a pointer that must not be null.
pub(crate) fn given<'a, T>(pointer: Option<&'a T>, name: &str) -> Result<&'a T, Error> {
    pointer.ok_or_else(|| Error::null(name))
}

/// Returns the target of an out pointer that must not be null. Call it before the work starts.
pub(crate) fn out<'a, T>(pointer: Out<'a, T>, name: &str) -> Result<&'a mut MaybeUninit<T>, Error> {
    pointer.ok_or_else(|| Error::null(name))
}

/// Passes ownership of a new object to C, which frees it.
pub(crate) fn hand_over<T>(out: &mut MaybeUninit<*mut T>, object: T) {
    out.write(Box::into_raw(Box::new(object)));
}

/// Writes the result if there is one; otherwise returns `BVT_NONE`.
pub(crate) fn answer<T>(out: &mut MaybeUninit<T>, answer: Option<impl Into<T>>) -> Result<BvtStatus, Error> {
    match answer {
        Some(answer) => {
            out.write(answer.into());
            Ok(BvtStatus::BVT_OK)
        }
        None => Ok(BvtStatus::BVT_NONE),
    }
}

/// Returns the items of a caller's array. The pointer may be null if `count` is 0.
///
/// # Safety
/// If not null, the pointer points to `count` items that nobody changes during `'a`.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T], Error> {
    if count == 0 {
        return Ok(&[]);
    }
    check_array(pointer, count, name)?;
    // SAFETY: it is not null, aligned and no larger than memory; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Returns the caller's space for `count` results. The space need not be initialized; the pointer may be null if
/// `count` is 0.
///
/// # Safety
/// If not null, the pointer points to space for `count` items that nobody else uses during `'a`.
pub(crate) unsafe fn out_slice<'a, T>(
    pointer: *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [MaybeUninit<T>], Error> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_array(pointer, count, name)?;
    // SAFETY: see `array`; the items need not be initialized.
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
        _ => Err(Error::argument(format_args!("{name}: {count} items are more than memory can hold"))),
    }
}

/// Returns a caller's string, or `None` if the pointer is null.
///
/// # Safety
/// If not null, the pointer points to a NUL-terminated string that nobody changes during `'a`.
pub(crate) unsafe fn optional_text<'a>(pointer: *const c_char, name: &str) -> Result<Option<&'a str>, Error> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller promises it.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| Error::argument(format_args!("{name} is not UTF-8")))
}

/// Returns a caller's string. A null pointer is an error. See [`optional_text`].
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
            let text = format_args!("{name} is in use, by another thread or by the call that runs this callback");
            Error::new(BvtStatus::BVT_ERROR_BUSY, text)
        }
        TryLockError::Poisoned(_) => {
            Error::new(BvtStatus::BVT_ERROR_PANIC, format_args!("an earlier call failed inside {name}: free it"))
        }
    }
}

/// A caller's function and its `user` pointer.
#[derive(Clone, Copy)]
pub(crate) struct Visitor<T> {
    call: unsafe extern "C" fn(*mut c_void, *const T) -> i32,
    user: *mut c_void,
}

impl<T> Visitor<T> {
    /// Creates a visitor from a caller's function, which must not be null.
    ///
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

/// A structure of options or properties that begins with its size.
///
/// # Safety
/// The structure is `#[repr(C)]`, begins with `struct_size: usize`, and every bit pattern is valid for it: booleans are
/// stored as integers.
pub(crate) unsafe trait VersionedStruct: Copy + Default {
    /// Size of the structure in the first version of this interface.
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Implements `VersionedStruct` for the named structures.
macro_rules! versioned {
    ($($name:ty),+ $(,)?) => {
        // SAFETY: these structures are in C's layout, of numbers and pointers, and begin with their size.
        $(unsafe impl crate::ffi::VersionedStruct for $name {})+
    };
}

pub(crate) use versioned;

/// Reads the caller's structure. Fields that the caller's version lacks get their defaults; so do all fields if the
/// pointer is null.
///
/// # Safety
/// A non-null pointer points to a readable `usize`, the size of the structure in bytes, this field included. If that
/// size is at least [`VersionedStruct::FIRST_SIZE`], as many bytes are readable.
pub(crate) unsafe fn options<T: VersionedStruct>(pointer: *const T, name: &str) -> Result<T, Error> {
    let mut options = T::default();
    if pointer.is_null() {
        return Ok(options);
    }
    // SAFETY: every such structure begins with its size.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    check_size::<T>(size, name)?;
    let known = size.min(size_of::<T>());
    // SAFETY: both structures have at least `known` bytes, and every bit pattern is valid for ours.
    unsafe { pointer.cast::<u8>().copy_to_nonoverlapping((&raw mut options).cast(), known) };
    for place in known..size {
        // SAFETY: within the size that the structure states.
        if unsafe { pointer.cast::<u8>().add(place).read() } != 0 {
            return Err(Error::argument(format_args!("{name} sets a field that this version of bvtree does not have")));
        }
    }
    Ok(options)
}

/// Writes properties into the caller's structure, as far as its size allows; `struct_size` is not changed.
///
/// # Safety
/// A non-null pointer points to a readable `usize`, the size of the structure in bytes, this field included. If that
/// size is at least [`VersionedStruct::FIRST_SIZE`], as many bytes are writable.
pub(crate) unsafe fn facts<T: VersionedStruct>(pointer: *mut T, name: &str, facts: &T) -> Result<(), Error> {
    if pointer.is_null() {
        return Err(Error::null(name));
    }
    // SAFETY: every such structure begins with its size.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    check_size::<T>(size, name)?;
    let (from, known) = ((&raw const *facts).cast::<MaybeUninit<u8>>(), size.min(size_of::<T>()));
    let head = size_of::<usize>();
    // SAFETY: both structures have at least `known` bytes, and the first `head` of them are the size.
    unsafe { pointer.cast::<MaybeUninit<u8>>().add(head).copy_from_nonoverlapping(from.add(head), known - head) };
    Ok(())
}

/// Upper limit of a plausible `struct_size`: a greater one was not initialized.
const MAX_SIZE: usize = 4096;

fn check_size<T: VersionedStruct>(size: usize, name: &str) -> Result<(), Error> {
    if (T::FIRST_SIZE..=MAX_SIZE).contains(&size) {
        return Ok(());
    }
    let expected = size_of::<T>();
    Err(Error::argument(format_args!("{name}: struct_size is {size}, expected {expected}: set it to sizeof")))
}
