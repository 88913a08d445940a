//! Cooked trees: `.bvt` files that open by memory-mapping.
//!
//! A file is self-contained: nodes, triangles, face numbers, groups and build options. It depends on the mesh, the
//! options and the format version alone. [`BvTree::save`] writes it atomically; [`BvTree::cook`] writes it while the tree is
//! built, in about half the memory. [`BvTree::open`] checks everything before the tree can be used, and the arrays are used
//! where they lie.
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
#![doc = include_str!("FORMAT.md")]

#[cfg(target_endian = "big")]
compile_error!("cooked files are little-endian and used in place: big-endian hosts are not supported");

mod direct;
mod error;
mod groups;
mod header;
mod open;
mod sections;
mod sizes;
mod write;

pub use error::CookError;
pub use header::{FORMAT_VERSION, MAGIC};
