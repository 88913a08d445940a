//! Trees of deforming meshes: new positions for the same triangles, without a rebuild.
//!
//! A [`DeformingTree`] holds a mesh and its tree. Given new positions, it fits the volumes again from the leaves up;
//! which triangles are below each volume does not change. [`DeformingTree::tree`] is then a tree like any other:
//! answers stay exact.
//!
//! | Kind | Refitted volume |
//! |---|---|
//! | AABB, k-DOP | the box or the k-DOP of the vertices |
//! | OBB | around the vertices, along axes chosen by [`ObbAxes`]; for one triangle, along its longest edge |
//! | sphere | about the centre moved rigidly with the vertices or about the middle of their box, whichever is smaller |
//!
//! A sphere of one triangle is the smallest around it.
//!
//! A refitted tree becomes less efficient as the mesh changes shape: [`DeformingTree::cost_ratio`] measures by how
//! much, and [`RefitOptions::rebuild_above`] sets when the tree is rebuilt.
//!
//! The code that fits each kind of volume is in `src/volume`; `methods.rs` has the two refit methods, of which each
//! kind uses one.

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
