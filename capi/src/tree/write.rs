//! Writing cooked trees: to a file, into the caller's memory, or piece by piece.

use std::ffi::{c_char, c_void};
use std::io::{self, Write};
use std::mem::MaybeUninit;

use super::BvtTree;
use super::build::{BvtBuildOptions, build_options};
use crate::ffi::{given, hand_over, out, text};
use crate::mesh::BvtMesh;
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};

/// Callback that allocates `size` bytes at a multiple of `alignment`, or returns null if it cannot. The memory belongs
/// to the caller.
pub type BvtAllocate = Option<unsafe extern "C" fn(user: *mut c_void, size: usize, alignment: usize) -> *mut c_void>;

/// Callback that receives the next bytes of a cooked tree. Anything but 0 stops the writing.
pub type BvtWrite = Option<unsafe extern "C" fn(user: *mut c_void, data: *const u8, size: usize) -> i32>;

/// Writes a tree to a cooked file. The file appears whole under its name, or not at all.
///
/// Errors: `BVT_ERROR_IO`.
///
/// # Safety
/// `path` is UTF-8 and ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_tree_save(tree: Option<&BvtTree>, path: *const c_char) -> BvtStatus {
    panic_guard(|| {
        let tree = given(tree, "tree")?;
        // SAFETY: the caller promises it.
        save(tree, unsafe { text(path, "path") }?)?;
        DONE
    })
}

#[cfg(feature = "files")]
fn save(tree: &BvtTree, path: &str) -> Result<(), Error> {
    Ok(tree.tree.save(path)?)
}

#[cfg(not(feature = "files"))]
fn save(_: &BvtTree, _: &str) -> Result<(), Error> {
    Err(Error::not_built_in("files"))
}

/// Builds a tree directly into a cooked file and opens it. It does what `bvt_tree_build` and `bvt_tree_save` do with
/// about half the memory. Runs on all threads of the pool. The options may be null.
///
/// Errors: see `bvt_tree_build` and `bvt_tree_save`.
///
/// # Safety
/// The path and the texts in the options end with zeros; the path is UTF-8.
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
/// Errors: `BVT_ERROR_CALLER` if `write` gives anything but 0.
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
        let refused = |_| Error::new(BvtStatus::BVT_ERROR_CALLER, "write gave an error");
        tree.tree.write_to(Pieces(take)).map_err(refused)?;
        DONE
    })
}

/// Writes the bytes of a tree's cooked file into memory from `allocate`, which is called with the exact size and
/// aligned so that `bvt_tree_from_buffer` can use the bytes in place.
///
/// Errors: `BVT_ERROR_CALLER` if there is no memory.
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
        let memory: *mut u8 = unsafe { allocate(user, size, super::BVT_BUFFER_ALIGNMENT) }.cast();
        if memory.is_null() {
            return Err(Error::new(BvtStatus::BVT_ERROR_CALLER, format_args!("allocate gave no {size} bytes")));
        }
        let mut written = 0;
        let copy = |bytes: &[u8]| {
            if bytes.len() > size - written {
                return Err(io::Error::other("more bytes than were counted"));
            }
            // SAFETY: there is room for as many bytes behind those that are written.
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
