//! Trees of deforming meshes: new positions for the same triangles, without a rebuild.
//!
//! A [`DeformingTree`] holds a mesh and its tree. Given new positions it fits the volumes again from the leaves up, and
//! keeps the triangles below each. [`DeformingTree::tree`] is then a tree like any other: answers stay exact.
//!
//! | Kind | Refitted volume |
//! |---|---|
//! | AABB, k-DOP | the box or the k-DOP of the vertices |
//! | OBB | axes by [`ObbAxes`], around the vertices; a single triangle's box is along its longest edge |
//! | sphere | about the centre that turned with the vertices, or the middle of their box if that is smaller |
//!
//! Trees fit worse as the mesh changes shape: [`DeformingTree::cost_ratio`] measures by how much, and
//! [`RefitOptions::rebuild_above`] rebuilds them.
//!
//! Each kind of volume is refitted in its room in `src/volume`, by one of the two methods in `methods.rs`.

mod deforming;
mod methods;
mod moved;
mod options;
mod pass;
mod state;
#[cfg(test)]
mod tests;
mod topology;
mod vertices;

pub use crate::volume::ObbAxes;
pub use deforming::DeformingTree;
pub use options::{NotRefittable, RefitError, RefitOptions, Refitted};
