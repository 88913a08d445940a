//! Opening a cooked file by memory-mapping (feature `mmap`): nothing is copied, and processes share the memory.

#![allow(unsafe_code)]

use std::path::Path;

use memmap2::Mmap;

use super::error::CookError;
use super::header::Header;
use super::open::{Check, at_path, open_file, tree};
use crate::tree::BvTree;

impl BvTree {
    /// Opens a cooked file by memory-mapping, after the checks of [`BvTree::open`]: nothing is copied, and processes
    /// that map one file share its memory.
    ///
    /// ```
    /// # use bvtree::{BuildOptions, BvTree, Mesh};
    /// # let mesh = Mesh::from_arrays(vec![[0.0; 3].into(), [1.0, 0.0, 0.0].into(), [0.0, 1.0, 0.0].into()], vec![[0, 1, 2]])?;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("triangle.bvt");
    /// BvTree::build(&mesh, &BuildOptions::default())?.save(&path)?;
    /// // SAFETY: the file lies in a folder of our own, where files are only ever replaced as a whole.
    /// let tree = unsafe { BvTree::open_mapped(&path)? };
    /// # assert_eq!(tree.triangle_count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    /// As long as the tree lives, nobody may change the file in place or cut it off: neither this process nor another. (To
    /// replace it by another file of its name, as [`BvTree::save`] does, is fine: the tree keeps the old one.) Otherwise
    /// memory that Rust takes for constant changes, which is undefined behaviour, and what is cut off ends the process
    /// where it is read (SIGBUS). Where that can't be promised, [`BvTree::open`] reads the file instead.
    ///
    /// # Errors
    /// As [`BvTree::open`].
    pub unsafe fn open_mapped(path: impl AsRef<Path>) -> Result<Self, CookError> {
        // SAFETY: the caller promises what `map` asks for.
        at_path(path.as_ref(), |path| unsafe { map(path, Check::All) })
    }

    /// As [`BvTree::open_mapped`], without reading more of the file than its header and groups: takes the same short
    /// time for any size, and pages come in when queries need them.
    ///
    /// What [`BvTree::open_trusted`] says of damaged files holds here too.
    ///
    /// # Safety
    /// As [`BvTree::open_mapped`].
    ///
    /// # Errors
    /// As [`BvTree::open_trusted`].
    pub unsafe fn open_mapped_trusted(path: impl AsRef<Path>) -> Result<Self, CookError> {
        // SAFETY: the caller promises what `map` asks for.
        at_path(path.as_ref(), |path| unsafe { map(path, Check::HeaderOnly) })
    }
}

/// # Safety
/// The file must not change as long as the tree lives.
unsafe fn map(path: &Path, check: Check) -> Result<BvTree, CookError> {
    let (file, _) = open_file(path)?;
    // SAFETY: the caller promises that the file does not change. Its bytes are only read, as integers and floats, for
    // which every bit pattern is valid.
    let map = unsafe { Mmap::map(&file)? };
    let header = Header::decode(&map, map.len() as u64)?;
    tree(header, Box::new(map), check)
}
