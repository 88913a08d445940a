//! Trees of meshes that deform: new positions for the same triangles, without a rebuild.
//!
//! A [`DeformingTree`] holds a mesh and its tree. Given new positions it fits the volumes again, from the leaves up,
//! and leaves which triangles they hold as it is; [`DeformingTree::tree`] is then a tree as any other, and answers to
//! queries are as exact.
//!
//! | Kind | What becomes of a volume |
//! |---|---|
//! | AABB | the box of its vertices |
//! | OBB | axes as [`ObbAxes`] says, about just its vertices; a single triangle's box is along its longest edge |
//! | sphere | about the centre that turned with its vertices, or the middle of their box where that is smaller |
//!
//! A tree that was built for another shape fits worse: [`DeformingTree::cost_ratio`] tells how much worse, and
//! [`RefitOptions::rebuild_above`] has it built anew.

mod aabb;
mod cost;
mod deforming;
mod dirty_nodes;
mod error;
mod landmarks;
mod leaf_corners;
mod local_vertices;
mod moved_vertices;
mod node_cost;
mod numbering;
mod obb;
mod options;
mod parts;
mod pass;
mod plan;
mod points;
mod positions;
mod rebuild;
mod sphere;
mod state;
#[cfg(test)]
mod tests;
mod update;
mod vertices;

pub use deforming::DeformingTree;
pub use error::{NotRefittable, RefitError};
pub use options::{ObbAxes, RefitOptions, Refitted};
