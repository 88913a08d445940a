//! Structures that may grow: each begins with its size as the caller knows it.

use std::mem::MaybeUninit;

use crate::status::Error;

/// A structure of options or facts that begins with its size.
///
/// # Safety
/// `#[repr(C)]`, begins with `struct_size: usize`, and every pattern of bits is valid for it: truth values are numbers.
pub(crate) unsafe trait VersionedStruct: Copy + Default {
    /// Size of the structure in the first version of this interface.
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Implements the trait for the named structures.
macro_rules! versioned {
    ($($name:ty),+ $(,)?) => {
        // SAFETY: in C's layout, of numbers and pointers, with the size in front.
        $(unsafe impl crate::versioned_struct::VersionedStruct for $name {})+
    };
}

pub(crate) use versioned;

/// Reads the caller's structure; fields that it lacks have their defaults, as has everything if the pointer is null.
///
/// # Safety
/// If not null, the pointer is to as many bytes as the `usize` in front says, or to a `usize` that is too small.
pub(crate) unsafe fn options<T: VersionedStruct>(pointer: *const T, name: &str) -> Result<T, Error> {
    let mut options = T::default();
    if pointer.is_null() {
        return Ok(options);
    }
    // SAFETY: every such structure begins with its size.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    check_size::<T>(size, name)?;
    let known = size.min(size_of::<T>());
    // SAFETY: the caller's structure has as many bytes, and so has ours, for which all bytes are valid.
    unsafe { pointer.cast::<u8>().copy_to_nonoverlapping((&raw mut options).cast(), known) };
    for place in known..size {
        // SAFETY: within the size that the structure states.
        if unsafe { pointer.cast::<u8>().add(place).read() } != 0 {
            return Err(Error::argument(format_args!("{name} asks for what this version of bvtree does not have")));
        }
    }
    Ok(options)
}

/// Writes facts into the caller's structure, as far as its size allows; `struct_size` stays as it is.
///
/// # Safety
/// If not null, the pointer is to as many bytes as the `usize` in front says, or to a `usize` that is too small.
pub(crate) unsafe fn facts<T: VersionedStruct>(pointer: *mut T, name: &str, facts: &T) -> Result<(), Error> {
    if pointer.is_null() {
        return Err(Error::null(name));
    }
    // SAFETY: every such structure begins with its size.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    check_size::<T>(size, name)?;
    let (from, known) = ((&raw const *facts).cast::<MaybeUninit<u8>>(), size.min(size_of::<T>()));
    let head = size_of::<usize>();
    // SAFETY: both have as many bytes, from the size on.
    unsafe { pointer.cast::<MaybeUninit<u8>>().add(head).copy_from_nonoverlapping(from.add(head), known - head) };
    Ok(())
}

/// Upper limit of a plausible size: a greater one was not initialized.
const MOST: usize = 4096;

fn check_size<T: VersionedStruct>(size: usize, name: &str) -> Result<(), Error> {
    if (T::FIRST_SIZE..=MOST).contains(&size) {
        return Ok(());
    }
    let expected = size_of::<T>();
    Err(Error::argument(format_args!("{name}: struct_size is {size}, expected {expected}: set it to sizeof")))
}
