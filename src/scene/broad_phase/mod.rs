//! A tree of boxes in f32 that move: which are near each other, and which a ray or a point is near.

mod attach;
mod blocks;
mod box32;
mod build;
mod node;
mod overlaps;
mod pairs;
mod probe;
mod tree;

pub(super) use box32::Box32;
pub(super) use pairs::ItemPair;
pub(super) use probe::{LocalRay, distance};
pub(super) use tree::BoxTree;
