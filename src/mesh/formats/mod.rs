//! Files that hold meshes: a file here for each format.
//!
//! All readers keep faces in the file's order and cut them into fans from their first corner (which is right for convex
//! polygons; of others the fan covers area outside of the polygon), name the line, byte or part of the file that an
//! error is about, never trust a count before the data are there, and open no file but the one that they are given and,
//! for glTF, the buffers it names.
//!
//! The readers of STL, PLY and OFF are our own. `stl_io` 0.11 and `ply-rs-bw` 4.0 are kept, but neither says where in
//! the file an error is; the second reads into a map of named values for every vertex. Nothing that is kept reads OFF.

mod builder;
#[cfg(any(feature = "stl", feature = "ply"))]
mod bytes;
mod foreign;
#[cfg(feature = "gltf")]
mod gltf;
mod import;
mod instances;
mod lines;
#[cfg(feature = "gltf")]
mod merge;
mod obj;
#[cfg(feature = "off")]
mod off;
mod open;
mod options;
mod placement;
#[cfg(feature = "ply")]
mod ply;
#[cfg(feature = "stl")]
mod stl;
#[cfg(any(feature = "stl", feature = "ply"))]
mod words;

pub use import::{Import, Skipped};
pub use instances::{MeshInstance, MeshInstances};
pub use options::{GroupBy, ReadOptions};
pub use placement::{Origin, UpAxis};
