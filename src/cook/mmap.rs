//! Memory-mapped cooked files (feature `mmap`): nothing is copied, and processes share the memory.

#![allow(unsafe_code)]

use std::path::Path;

use memmap2::Mmap;

use super::error::CookError;
use super::header::Header;
use super::open::{Check, at_path, open_file, tree};
use crate::tree::BvTree;

impl BvTree {
    /// Opens a cooked file by memory-mapping, after the checks of [`BvTree::open`]. Nothing is copied, and processes
    /// that map the same file share its memory; only a compact file is decoded into memory of its own.
    ///
    /// ```
    /// # use bvtree::{BuildOptions, BvTree, Mesh};
    /// # let mesh = Mesh::from_slices(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("triangle.bvt");
    /// BvTree::build(&mesh, &BuildOptions::default())?.save(&path)?;
    /// // SAFETY: the file lies in a folder of ours, where files are only replaced as a whole.
    /// let tree = unsafe { BvTree::open_mapped(&path)? };
    /// # assert_eq!(tree.triangle_count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    /// While the tree lives, no process may change the file in place or truncate it: memory that Rust assumes to be
    /// constant would change, which is undefined behaviour, and reading a truncated part ends the process (SIGBUS).
    /// Replacing the file by another, as [`BvTree::save`] does, is safe. Use [`BvTree::open`] if you cannot guarantee
    /// this.
    ///
    /// # Errors
    /// Fails as [`BvTree::open`] does.
    pub unsafe fn open_mapped(path: impl AsRef<Path>) -> Result<Self, CookError> {
        // SAFETY: the caller guarantees what `map` requires.
        at_path(path.as_ref(), |path| unsafe { map(path, Check::All) })
    }

    /// Maps a trusted cooked file and reads only its header and groups. This takes the same short time for any size,
    /// except that compact files are decoded; pages are loaded when queries need them. Damaged files have the effects
    /// described at [`BvTree::open_trusted`].
    ///
    /// # Safety
    /// The requirements of [`BvTree::open_mapped`] apply.
    ///
    /// # Errors
    /// Fails as [`BvTree::open_trusted`] does.
    pub unsafe fn open_mapped_trusted(path: impl AsRef<Path>) -> Result<Self, CookError> {
        // SAFETY: the caller guarantees what `map` requires.
        at_path(path.as_ref(), |path| unsafe { map(path, Check::HeaderOnly) })
    }
}

/// # Safety
/// The file must not change as long as the tree lives.
unsafe fn map(path: &Path, check: Check) -> Result<BvTree, CookError> {
    let (file, _) = open_file(path)?;
    // SAFETY: the caller guarantees that the file does not change. Its bytes are only read, as integers and floats, for
    // which every bit pattern is valid.
    let map = unsafe { Mmap::map(&file)? };
    let header = Header::decode(&map, map.len() as u64)?;
    tree(header, Box::new(map), check)
}
