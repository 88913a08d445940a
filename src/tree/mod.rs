//! The tree itself: packed nodes, their triangles, and checks of the nodes and triangles.
//!
//! Methods of a tree are next to their implementation: [`BvTree::build`] in [`builder`](crate::builder),
//! [`BvTree::open`] and [`BvTree::save`] in [`cook`](crate::cook), queries in [`probe`](crate::probe) and
//! [`query`](crate::query).

mod arrays;
mod boundary_chains;
mod bvtree;
mod defect;
mod layers;
mod nodes;
mod patches;
mod validate;
mod winding_tree;

pub(crate) use arrays::{Bytes, InFile, LAST_OF_LEAF, Meta, Owned, View};
pub use bvtree::BvTree;
pub use defect::TreeDefect;
pub(crate) use layers::{LayerFilter, LayerTable};
pub use layers::{Layers, LayersAlreadySet};
pub use nodes::NodeInfo;
pub(crate) use patches::{Patches, numbers_of};
pub(crate) use validate::{check as check_structure, check_arrays};
pub(crate) use winding_tree::Seal;
