//! Cooked trees: `.bvt` files that queries use in place, read into memory or mapped.
//!
//! A file is self-contained: nodes, triangles, face numbers, groups and build options. One version of this library
//! writes the same bytes for the same mesh and options, on every machine and with any number of threads; another
//! version may write other bytes in the same format version. [`BvTree::save`] writes a file atomically;
//! [`BvTree::cook`] writes it while it builds the tree, in about half the memory; `LargeMesh::cook` (feature `files`)
//! cooks meshes that are larger than memory. Opening parses and rebuilds nothing.
//!
//! [`BvTree::save_compact`] writes the same tree in about 10 bytes a triangle, for downloads and packages. All
//! functions below open these compact files, too, but decode them into the tree's own memory and fit the volumes again.
//!
//! | | checked: no file can crash or hang a query | trusted: only the header is checked |
//! |---|---|---|
//! | read into memory | [`BvTree::open`] | [`BvTree::open_trusted`] |
//! | mapped, if the file never changes | [`BvTree::open_mapped`] | [`BvTree::open_mapped_trusted`] |
//! | bytes in memory, copied | [`BvTree::from_bytes`] | |
//! | bytes in memory, used in place | [`BvTree::from_buffer`] | [`BvTree::from_buffer_trusted`] |
//!
//! Reading and checking a file takes two to three times as long as mapping and checking it. The checks cover checksums
//! and structure; only [`BvTree::validate`] checks that volumes enclose their triangles.
//!
//! ```
//! use bvtree::{BuildOptions, BvTree, Mesh};
//!
//! let mesh = Mesh::from_slices(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
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
//! [`BvTree::save_compact`]: crate::BvTree::save_compact
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
mod compact;
mod error;
mod header;
#[cfg(feature = "mmap")]
mod mmap;
mod open;
mod sections;
#[cfg(feature = "files")]
mod tiles;
mod write;

#[cfg(feature = "files")]
pub use atomic_file::AtomicFile;
pub use error::CookError;
pub use header::{Encoding, FORMAT_VERSION, MAGIC};
pub use sections::FileSections;
#[cfg(feature = "files")]
pub use tiles::{DividedMesh, MeshTile};
