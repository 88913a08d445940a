//! Opening cooked trees, from files and from bytes in memory.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use bvtree::BvTree;
use bvtree::cook::CookError;

use super::BvtTree;
use crate::ffi::{array, hand_over, out, text};
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};

/// Alignment in bytes of buffers that `bvt_tree_from_buffer` uses in place.
pub const BVT_BUFFER_ALIGNMENT: usize = 16;

/// Flag: check only the header, in a short time that does not depend on the size. Use it for bytes that this program
/// wrote or has fully checked before. Damaged bytes may give any result, panic or never end, but never access memory
/// outside their buffer.
pub const BVT_OPEN_TRUSTED: u32 = 1;
/// Flag: map the file into memory in place of reading it. While the tree lives, nobody may change the file in place or
/// truncate it, which is undefined behaviour; replacing it by another file of the same name is fine.
pub const BVT_OPEN_MAPPED: u32 = 2;

/// Callback that releases a buffer. It is called once, with the caller's `user`, when the buffer is not used any more.
pub type BvtRelease = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Opens a cooked file. Flags are `BVT_OPEN_TRUSTED`, `BVT_OPEN_MAPPED` or both; 0 reads the file and checks every
/// byte.
///
/// Errors: `BVT_ERROR_IO` if it can't be read; `BVT_ERROR_FILE` if it is no cooked tree or damaged;
/// `BVT_ERROR_FORMAT_VERSION`.
///
/// # Safety
/// `path` is UTF-8 and ends with a zero byte. A mapped file stays as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_open(
    path: *const c_char,
    flags: u32,
    tree: Option<&mut MaybeUninit<*mut BvtTree>>,
) -> BvtStatus {
    panic_guard(|| {
        let out = out(tree, "tree")?;
        // SAFETY: the caller promises it.
        let path = unsafe { text(path, "path") }?;
        let opened = match checked(flags, BVT_OPEN_TRUSTED | BVT_OPEN_MAPPED)? {
            0 => BvTree::open(path),
            BVT_OPEN_TRUSTED => BvTree::open_trusted(path),
            // SAFETY: the caller promises that the file stays as it is.
            flags => unsafe { mapped(path, flags & BVT_OPEN_TRUSTED != 0) }?,
        };
        hand_over(out, BvtTree::from(opened?));
        DONE
    })
}

fn checked(flags: u32, known: u32) -> Result<u32, Error> {
    if flags & !known != 0 {
        return Err(Error::argument(format_args!("flags: {flags} is not among those there are here")));
    }
    Ok(flags)
}

/// # Safety
/// As long as the tree lives, nobody changes the file in place or cuts it off.
#[cfg(feature = "mmap")]
unsafe fn mapped(path: &str, trusted: bool) -> Result<Result<BvTree, CookError>, Error> {
    // SAFETY: the caller promises it.
    Ok(unsafe { if trusted { BvTree::open_mapped_trusted(path) } else { BvTree::open_mapped(path) } })
}

/// # Safety
/// There are no preconditions.
#[cfg(not(feature = "mmap"))]
unsafe fn mapped(_: &str, _: bool) -> Result<Result<BvTree, CookError>, Error> {
    Err(Error::not_built_in("mmap"))
}

/// Opens a cooked tree from bytes at any address. They are copied, checked, and not needed afterwards.
///
/// Errors: `BVT_ERROR_FILE` if they are no cooked tree or damaged; `BVT_ERROR_FORMAT_VERSION`.
///
/// # Safety
/// There are `size` bytes at `data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_from_bytes(
    data: *const u8,
    size: usize,
    tree: Option<&mut MaybeUninit<*mut BvtTree>>,
) -> BvtStatus {
    panic_guard(|| {
        let out = out(tree, "tree")?;
        // SAFETY: the caller promises it.
        let bytes = unsafe { array(data, size, "data") }?;
        hand_over(out, BvtTree::from(BvTree::from_bytes(bytes)?));
        DONE
    })
}

/// Opens a cooked tree from bytes that are used in place, without a copy, such as a part of a pak file in memory or
/// static data of the program. They must begin at a multiple of `BVT_BUFFER_ALIGNMENT` bytes and stay unchanged until
/// `release` is called with `user`. That happens once, on the thread that frees the tree's last owner, or before this
/// call returns if it fails. If `release` is null, the bytes must stay unchanged as long as the tree and everything
/// made from it. Flags are `BVT_OPEN_TRUSTED`, or 0 to check every byte.
///
/// Errors: `BVT_ERROR_MISALIGNED`; `BVT_ERROR_FILE` if they are no cooked tree or damaged; `BVT_ERROR_FORMAT_VERSION`.
///
/// # Safety
/// There are `size` bytes at `data` until they are released; `release` may be called from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_from_buffer(
    data: *const u8,
    size: usize,
    flags: u32,
    release: BvtRelease,
    user: *mut c_void,
    tree: Option<&mut MaybeUninit<*mut BvtTree>>,
) -> BvtStatus {
    panic_guard(|| {
        // Takes ownership first, so that the buffer is released whatever happens.
        let lent = Lent { data, size, release, user };
        let out = out(tree, "tree")?;
        let trusted = checked(flags, BVT_OPEN_TRUSTED)? != 0;
        if data.is_null() {
            return Err(Error::null("data"));
        }
        if size > isize::MAX as usize {
            return Err(Error::argument("size: more bytes than there can be"));
        }
        let opened = if trusted { BvTree::from_buffer_trusted(lent) } else { BvTree::from_buffer(lent) };
        hand_over(out, BvtTree::from(opened?));
        DONE
    })
}

/// The caller's bytes, released when dropped.
struct Lent {
    data: *const u8,
    size: usize,
    release: BvtRelease,
    user: *mut c_void,
}

// SAFETY: the bytes are only read, and the caller of `bvt_tree_from_buffer` lets `release` be called from any thread.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: neither null nor too large, and valid until `release` is called.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: this is the one call that the caller expects.
            unsafe { release(self.user) }
        }
    }
}
