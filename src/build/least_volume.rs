//! Fits a volume to every node of the binary tree, then decides which nodes are worth keeping.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::binary::{Binary, BinaryNode, Place};
use super::collapse::LeastVolume;
use super::items::Item;
use super::options::BuildOptions;
use super::volumes::Fitted;
use crate::packed::Frame;
use crate::simd::SimdLevel;

/// Volumes fitted to all nodes of a binary tree, and which of them to keep.
pub(super) struct Chosen {
    /// With leaves where nodes take no more volume than their parts.
    pub(super) binary: Binary,
    pub(super) collapse: LeastVolume,
    /// Words of each node's volume.
    pub(super) fields: Vec<[u32; 16]>,
}

/// Fits the volumes and chooses.
pub(super) fn choose<V: Fitted>(
    level: SimdLevel,
    binary: &Binary,
    items: &[Item],
    frame: &Frame,
    options: &BuildOptions,
) -> Chosen {
    let places = binary.places();
    let fit = |place: &Place| {
        let mut fields = [0; 16];
        let items = &items[place.first..place.first + place.triangles];
        V::pack(&V::fit(level, items, options, frame), &mut fields);
        fields
    };
    let fields: Vec<[u32; 16]> = places.par_iter().map(fit).collect();
    let volumes: Vec<f64> = fields.iter().map(|fields| V::unpack(fields).volume()).collect();
    let kept = kept_nodes(binary, &volumes, options.max_leaf_triangles);
    let volumes: Vec<f64> = kept.iter().map(|&(node, _)| volumes[node]).collect();
    let fields = kept.iter().map(|&(node, _)| fields[node]).collect();
    let binary = Binary::new(kept.into_iter().map(|(_, node)| node).collect());
    let collapse = LeastVolume::new(&binary, &volumes);
    Chosen { binary, collapse, fields }
}

/// The nodes that stay, with their indices; a node of few triangles becomes a leaf where its volume is no more than that
/// of the leaves below it.
fn kept_nodes(binary: &Binary, volumes: &[f64], max_leaf_triangles: u32) -> Vec<(usize, BinaryNode)> {
    /// A subtree: its nodes, those of them that stay, and the content of its leaves.
    struct Below {
        nodes: usize,
        kept: usize,
        leaves: f64,
    }
    let mut kept: Vec<BinaryNode> = binary.nodes.clone();
    let mut sizes = vec![1; kept.len()];
    // In reverse preorder the children of a node are the last two subtrees, the left one on top.
    let mut subtrees: Vec<Below> = Vec::new();
    for (i, node) in kept.iter_mut().enumerate().rev() {
        let children = if node.right == 0 { None } else { subtrees.pop().zip(subtrees.pop()) };
        let mut below = Below { nodes: 1, kept: 1, leaves: volumes[i] };
        if let Some((left, right)) = children {
            below.nodes += left.nodes + right.nodes;
            let leaves = left.leaves + right.leaves;
            if node.triangles <= max_leaf_triangles && volumes[i] <= leaves {
                *node = BinaryNode::leaf(node.triangles);
            } else {
                node.right = 1 + left.kept as u32;
                below.kept += left.kept + right.kept;
                below.leaves = leaves;
            }
        }
        sizes[i] = below.nodes;
        subtrees.push(below);
    }
    let mut nodes = Vec::with_capacity(subtrees.pop().map_or(0, |root| root.kept));
    let mut next = 0;
    while let Some(&node) = kept.get(next) {
        nodes.push((next, node));
        next += if node.right == 0 { sizes[next] } else { 1 };
    }
    nodes
}
