//! The broad phase: a dynamic tree of the bodies' fat AABBs, which finds boxes near each other, near a box, or near a
//! ray.

mod all_pairs;
mod build;
mod dynamic_tree;
mod fat_aabb;
mod hilbert;
mod wide;

pub(super) use all_pairs::ItemPair;
pub(super) use dynamic_tree::DynamicTree;
pub(super) use fat_aabb::{Aabb32, LocalRay};
