//! Fits the volumes of a tree whose nodes and leaves are known.

use nalgebra::Point3;

use super::emit::{CachedFits, Packer};
use super::wide::WideTree;
use crate::simd::SimdLevel;
use crate::tree::{LAST_OF_LEAF, Meta};
use crate::volume::fit::primitives;
use crate::volume::{self, PADDING, for_kind};

/// The content below a volume: a node or a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Below {
    /// A node of this number of volumes.
    Node { children: usize },
    /// A leaf of this number of triangles.
    Leaf { triangles: usize },
}

/// Fits all volumes; returns the words of the nodes, padding included. `volumes` says what is below each volume, in the
/// order of the file. Returns `None` if the volumes are not one tree over all triangles, or if the tree's depth is not
/// that of `meta`. Marks the last triangle of each leaf in `corners`. Requires finite vertices, and that the frame of
/// `meta` is theirs.
pub(crate) fn fit_volumes(
    meta: &Meta,
    volumes: &[Below],
    vertices: &[Point3<f32>],
    corners: &mut [[u32; 3]],
) -> Option<Vec<u32>> {
    let wide = WideTree::of_volumes(volumes, corners.len()).filter(|wide| wide.depth == meta.depth)?;
    let level = SimdLevel::detect();
    let primitives = primitives::gather(vertices, corners);
    wide.leaf_triangles().for_each(|leaf| corners[leaf.end - 1][0] |= LAST_OF_LEAF);
    let cached = CachedFits::default().indexed();
    let (frame, methods) = (&meta.frame, meta.options.fit_methods());
    let packer = Packer { level, tree: &wide, primitives: &primitives, cached: &cached, frame, methods };
    let length = volumes.len() * volume::fields(meta.options.kind);
    let mut words = vec![0; length + PADDING];
    for_kind!(meta.options.kind, V => packer.pack::<V>(0..wide.nodes(), &mut words[..length]));
    Some(words)
}
