//! The tree itself: packed nodes, the triangles they end in, and where those came from.
//!
//! What is done with a tree stands where its work is: [`BvTree::build`] in [`build`](crate::builder), [`BvTree::open`]
//! and [`BvTree::save`] in [`cook`](crate::cook), questions in [`probe`](crate::probe) and [`query`](crate::query).

mod arrays;
mod bvtree;
mod defect;
mod meta;
mod structure;
mod to_mesh;
mod validate;
mod view;
mod walk;
mod winding_tree;

pub(crate) use arrays::{Bytes, InFile, Owned};
pub use bvtree::BvTree;
pub use defect::TreeDefect;
pub(crate) use meta::Meta;
pub(crate) use structure::check as check_structure;
pub(crate) use view::{LAST_OF_LEAF, View};
pub use walk::NodeInfo;
