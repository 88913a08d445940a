//! Cooked trees: opening them from files and memory, and writing them.

use std::ffi::{c_char, c_void};
use std::io;
use std::io::Write;
use std::mem::MaybeUninit;

use bvtree::BvTree;
use bvtree::cook::CookError;

use super::BvtTree;
use super::build::{BvtBuildOptions, build_options};
use crate::ffi::{array, given, hand_over, out, text};
use crate::mesh::BvtMesh;
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};

/// Alignment in bytes of buffers that `bvt_tree_from_buffer` uses in place.
pub const BVT_BUFFER_ALIGNMENT: usize = 16;

/// Flag: check only the header, which takes a short time for files of any size. Use it for bytes that this program
/// wrote or has fully checked before. With damaged bytes, a call may give any result, panic or never end, but it never
/// accesses memory outside their buffer.
pub const BVT_OPEN_TRUSTED: u32 = 1;
/// Flag: map the file into memory in place of reading it. As long as the tree and everything made from it exist, nobody
/// may change the file in place or truncate it: that would be undefined behaviour. Replacing it by another file of the
/// same name is fine.
pub const BVT_OPEN_MAPPED: u32 = 2;

/// Callback that releases a buffer. It is called once, with the caller's `user`, when the buffer is no longer in use.
pub type BvtRelease = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Opens a cooked file. Flags are `BVT_OPEN_TRUSTED`, `BVT_OPEN_MAPPED` or both; 0 reads the file and checks every
/// byte.
///
/// Errors: `BVT_ERROR_IO` if the file cannot be read; `BVT_ERROR_FILE` if it is not a cooked tree or is damaged;
/// `BVT_ERROR_FORMAT_VERSION`; `BVT_ERROR_NOT_BUILT_IN` if a file is to be mapped and the library was built without the
/// feature `mmap`.
///
/// # Safety
/// `path` is UTF-8 and NUL-terminated. A mapped file is neither changed in place nor truncated as long as the tree and
/// everything made from it exist.
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
            // SAFETY: the caller promises that the file is not changed in place.
            flags => unsafe { mapped(path, flags & BVT_OPEN_TRUSTED != 0) }?,
        };
        hand_over(out, BvtTree::from(opened?));
        DONE
    })
}

fn checked(flags: u32, known: u32) -> Result<u32, Error> {
    if flags & !known != 0 {
        return Err(Error::argument(format_args!("flags: {flags} has an unknown bit")));
    }
    Ok(flags)
}

/// # Safety
/// While the tree lives, nobody changes the file in place or truncates it.
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

/// Opens a cooked tree from bytes at any address. The bytes are copied, checked, and not needed afterwards.
///
/// Errors: `BVT_ERROR_FILE` if the bytes are not a cooked tree or are damaged; `BVT_ERROR_FORMAT_VERSION`.
///
/// # Safety
/// `data` points to `size` bytes; it may be null if `size` is 0.
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
/// static data of the program. The bytes must begin at a multiple of `BVT_BUFFER_ALIGNMENT` and stay unchanged until
/// `release` is called with `user`. That happens once: on the thread that frees the tree's last owner, or before this
/// function returns if it fails or if the bytes are a compact file, which is unpacked into new memory. If `release` is
/// null, the bytes must stay unchanged as long as the tree and everything made from it exist. Flags are
/// `BVT_OPEN_TRUSTED`, or 0 to check every byte.
///
/// Errors: `BVT_ERROR_MISALIGNED`; `BVT_ERROR_FILE` if the bytes are not a cooked tree or are damaged;
/// `BVT_ERROR_FORMAT_VERSION`.
///
/// # Safety
/// `data` points to `size` bytes that stay valid and unchanged until they are released; `release` may be called from
/// any thread.
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
            return Err(Error::argument("size: more bytes than memory can hold"));
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

/// Callback that allocates `size` bytes at a multiple of `alignment`, or returns null if it cannot. The memory belongs
/// to the caller.
pub type BvtAllocate = Option<unsafe extern "C" fn(user: *mut c_void, size: usize, alignment: usize) -> *mut c_void>;

/// Callback that receives the next bytes of a cooked tree. Returns 0 to continue, anything else to stop.
pub type BvtWrite = Option<unsafe extern "C" fn(user: *mut c_void, data: *const u8, size: usize) -> i32>;

/// Writes a tree to a cooked file. The file appears whole under its name, or not at all.
///
/// Errors: `BVT_ERROR_IO`; `BVT_ERROR_NOT_BUILT_IN` if the library was built without the feature `files`.
///
/// # Safety
/// `path` is UTF-8 and NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_save(tree: Option<&BvtTree>, path: *const c_char) -> BvtStatus {
    panic_guard(|| {
        let tree = given(tree, "tree")?;
        // SAFETY: the caller promises it.
        save(tree, unsafe { text(path, "path") }?, false)?;
        DONE
    })
}

/// Writes a tree to a compact cooked file, of about 10 bytes per triangle in place of 40 to 70. The file appears whole
/// under its name, or not at all. All functions that open cooked files also open compact ones, which they unpack into
/// new memory in about half the time of a build. The opened tree gives the same results.
///
/// Errors: `BVT_ERROR_IO`; `BVT_ERROR_NOT_BUILT_IN` if the library was built without the feature `files`.
///
/// # Safety
/// `path` is UTF-8 and NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_save_compact(tree: Option<&BvtTree>, path: *const c_char) -> BvtStatus {
    panic_guard(|| {
        let tree = given(tree, "tree")?;
        // SAFETY: the caller promises it.
        save(tree, unsafe { text(path, "path") }?, true)?;
        DONE
    })
}

#[cfg(feature = "files")]
fn save(tree: &BvtTree, path: &str, is_compact: bool) -> Result<(), Error> {
    Ok(if is_compact { tree.tree.save_compact(path) } else { tree.tree.save(path) }?)
}

#[cfg(not(feature = "files"))]
fn save(_: &BvtTree, _: &str, _: bool) -> Result<(), Error> {
    Err(Error::not_built_in("files"))
}

/// Builds a tree directly into a cooked file and opens it: the same as `bvt_tree_build` and `bvt_tree_save`, with about
/// half the memory. Runs on all threads of the pool. The options may be null.
///
/// Errors: see `bvt_tree_build` and `bvt_tree_save`.
///
/// # Safety
/// `path` is UTF-8 and NUL-terminated; strings in the options are null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_cook(
    mesh: Option<&BvtMesh>,
    options: *const BvtBuildOptions,
    path: *const c_char,
    tree: Option<&mut MaybeUninit<*mut BvtTree>>,
) -> BvtStatus {
    panic_guard(|| {
        let (mesh, out) = (given(mesh, "mesh")?, out(tree, "tree")?);
        // SAFETY: the caller promises it.
        let options = unsafe { build_options(options) }?;
        // SAFETY: as above.
        let path = unsafe { text(path, "path") }?;
        hand_over(out, cook(mesh, &options, path)?);
        DONE
    })
}

#[cfg(feature = "files")]
fn cook(mesh: &BvtMesh, options: &bvtree::BuildOptions, path: &str) -> Result<BvtTree, Error> {
    Ok(bvtree::BvTree::cook(&mesh.mesh, options, path)?.into())
}

#[cfg(not(feature = "files"))]
fn cook(_: &BvtMesh, _: &bvtree::BuildOptions, _: &str) -> Result<BvtTree, Error> {
    Err(Error::not_built_in("files"))
}

/// Passes the bytes of a tree's cooked file to `write`, piece by piece, on this thread.
///
/// Errors: `BVT_ERROR_CALLER` if `write` returns nonzero.
///
/// # Safety
/// `write` may be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_write(tree: Option<&BvtTree>, write: BvtWrite, user: *mut c_void) -> BvtStatus {
    panic_guard(|| {
        let tree = given(tree, "tree")?;
        let write = write.ok_or_else(|| Error::null("write"))?;
        let take = |bytes: &[u8]| {
            // SAFETY: the caller promises it; the bytes are there meanwhile.
            match unsafe { write(user, bytes.as_ptr(), bytes.len()) } {
                0 => Ok(()),
                _ => Err(io::Error::other("")),
            }
        };
        let refused = |_| Error::new(BvtStatus::BVT_ERROR_CALLER, "write returned an error");
        tree.tree.write_to(Pieces(take)).map_err(refused)?;
        DONE
    })
}

/// Writes the bytes of a tree's cooked file into memory from `allocate`, which is called with the exact size and the
/// alignment that `bvt_tree_from_buffer` needs to use the bytes in place.
///
/// Errors: `BVT_ERROR_CALLER` if `allocate` returns null.
///
/// # Safety
/// `allocate` may be called with `user`; the memory that it returns has the requested size and alignment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_to_bytes(
    tree: Option<&BvtTree>,
    allocate: BvtAllocate,
    user: *mut c_void,
    data: Option<&mut MaybeUninit<*mut u8>>,
    size: Option<&mut MaybeUninit<usize>>,
) -> BvtStatus {
    panic_guard(|| {
        let (tree, data, size_out) = (given(tree, "tree")?, out(data, "data")?, out(size, "size")?);
        let allocate = allocate.ok_or_else(|| Error::null("allocate"))?;
        let size = cooked_size(tree)?;
        // SAFETY: the caller promises it.
        let memory: *mut u8 = unsafe { allocate(user, size, BVT_BUFFER_ALIGNMENT) }.cast();
        if memory.is_null() {
            return Err(Error::new(BvtStatus::BVT_ERROR_CALLER, format_args!("allocate did not return {size} bytes")));
        }
        let mut written = 0;
        let copy = |bytes: &[u8]| {
            if bytes.len() > size - written {
                return Err(io::Error::other("more bytes than were counted"));
            }
            // SAFETY: the memory has space for these bytes after those already written.
            unsafe { memory.add(written).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            written += bytes.len();
            Ok(())
        };
        tree.tree.write_to(Pieces(copy)).map_err(io_error)?;
        data.write(memory);
        size_out.write(size);
        DONE
    })
}

/// Writes the size of a tree's cooked file in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_tree_cooked_size(tree: Option<&BvtTree>, size: Option<&mut MaybeUninit<usize>>) -> BvtStatus {
    panic_guard(|| {
        let (tree, out) = (given(tree, "tree")?, out(size, "size")?);
        out.write(cooked_size(tree)?);
        DONE
    })
}

fn cooked_size(tree: &BvtTree) -> Result<usize, Error> {
    let mut size = 0;
    let count = |bytes: &[u8]| {
        size += bytes.len();
        Ok(())
    };
    tree.tree.write_to(Pieces(count)).map_err(io_error)?;
    Ok(size)
}

fn io_error(error: io::Error) -> Error {
    Error::new(BvtStatus::BVT_ERROR_IO, error)
}

/// A writer that calls a closure.
struct Pieces<F>(F);

impl<F: FnMut(&[u8]) -> io::Result<()>> Write for Pieces<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
