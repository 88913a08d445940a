//! Cooked trees: `.bvt` files that are used as they lie in memory, read or mapped.
//!
//! A file is self-contained: nodes, triangles, face numbers, groups and build options. One version of this library
//! writes the same bytes for the same mesh and options, on every machine and with any number of threads; another
//! version may write other bytes under the same format version. [`BvTree::save`] writes it atomically; [`BvTree::cook`]
//! writes it while the tree is built, in about half the memory. Opening parses and rebuilds nothing: queries use the
//! arrays as the file has them.
//!
//! | | checked: no file can crash or hang a query | trusted: only the header is looked at |
//! |---|---|---|
//! | read into memory | [`BvTree::open`] | [`BvTree::open_trusted`] |
//! | mapped, if nobody changes the file meanwhile | [`BvTree::open_mapped`] | [`BvTree::open_mapped_trusted`] |
//! | bytes in memory, copied | [`BvTree::from_bytes`] | |
//! | bytes in memory, used in place | [`BvTree::from_buffer`] | [`BvTree::from_buffer_trusted`] |
//!
//! To read a file and check it takes two to three times as long as to map it and check it. Checked are checksums and
//! structure; that volumes enclose their triangles is checked by [`BvTree::validate`] alone.
//!
//! ```
//! use bvtree::{BuildOptions, BvTree, Mesh};
//!
//! let mesh = Mesh::from_arrays(vec![[0.0; 3].into(), [1.0, 0.0, 0.0].into(), [0.0, 1.0, 0.0].into()], vec![[0, 1, 2]])?;
//! let tree = BvTree::build(&mesh, &BuildOptions::default())?;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("triangle.obb.bvt");
//! tree.save(&path)?;
//! assert_eq!(BvTree::open(&path)?.triangle_count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`BvTree::cook`]: crate::BvTree::cook
//! [`BvTree::save`]: crate::BvTree::save
//! [`BvTree::open`]: crate::BvTree::open
//! [`BvTree::open_trusted`]: crate::BvTree::open_trusted
//! [`BvTree::open_mapped`]: crate::BvTree::open_mapped
//! [`BvTree::open_mapped_trusted`]: crate::BvTree::open_mapped_trusted
//! [`BvTree::from_bytes`]: crate::BvTree::from_bytes
//! [`BvTree::from_buffer`]: crate::BvTree::from_buffer
//! [`BvTree::from_buffer_trusted`]: crate::BvTree::from_buffer_trusted
//! [`BvTree::validate`]: crate::BvTree::validate
#![doc = include_str!("FORMAT.md")]

#[cfg(target_endian = "big")]
compile_error!("cooked files are little-endian and used in place: big-endian hosts are not supported");

#[cfg(feature = "files")]
mod atomic_file;
mod error;
mod header;
#[cfg(feature = "mmap")]
mod mmap;
mod open;
mod sections;
mod write;

#[cfg(feature = "files")]
pub use atomic_file::AtomicFile;
pub use error::CookError;
pub use header::{FORMAT_VERSION, MAGIC};
