//! Fits a volume to every node of the binary tree, then decides which nodes are worth keeping.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::binary::{Binary, BinaryNode};
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
    binary: Binary,
    items: &[Item],
    frame: &Frame,
    options: &BuildOptions,
) -> Chosen {
    let fit = |(node, &first): (&BinaryNode, &u32)| {
        let mut fields = [0; 16];
        let items = &items[first as usize..][..node.triangles as usize];
        V::pack(&V::fit(level, items, options, frame), &mut fields);
        fields
    };
    let firsts = binary.first_triangles();
    let mut fields: Vec<[u32; 16]> = binary.nodes.par_iter().zip(&firsts).map(fit).collect();
    drop(firsts);
    let mut volumes: Vec<f64> = fields.iter().map(|fields| V::unpack(fields).volume()).collect();
    let (binary, kept) = keep_nodes(binary, &volumes, options.max_leaf_triangles);
    keep(&mut fields, &kept);
    keep(&mut volumes, &kept);
    let collapse = LeastVolume::new(&binary, &volumes);
    Chosen { binary, collapse, fields }
}

/// Of the values those with the indices, which ascend.
fn keep<T: Copy>(values: &mut Vec<T>, indices: &[u32]) {
    for (to, &from) in indices.iter().enumerate() {
        values[to] = values[from as usize];
    }
    values.truncate(indices.len());
}

/// The nodes that stay, and their indices; a node of few triangles becomes a leaf where its volume is no more than that
/// of the leaves below it.
fn keep_nodes(binary: Binary, volumes: &[f64], max_leaf_triangles: u32) -> (Binary, Vec<u32>) {
    /// A subtree: its nodes, those of them that stay, and the content of its leaves.
    struct Below {
        nodes: u32,
        kept: u32,
        leaves: f64,
    }
    let Binary { mut nodes } = binary;
    let mut sizes = vec![1; nodes.len()];
    // In reverse preorder the children of a node are the last two subtrees, the left one on top.
    let mut subtrees: Vec<Below> = Vec::new();
    for (i, node) in nodes.iter_mut().enumerate().rev() {
        let children = if node.right == 0 { None } else { subtrees.pop().zip(subtrees.pop()) };
        let mut below = Below { nodes: 1, kept: 1, leaves: volumes[i] };
        if let Some((left, right)) = children {
            below.nodes += left.nodes + right.nodes;
            let leaves = left.leaves + right.leaves;
            if node.triangles <= max_leaf_triangles && volumes[i] <= leaves {
                *node = BinaryNode::leaf(node.triangles);
            } else {
                node.right = 1 + left.kept;
                below.kept += left.kept + right.kept;
                below.leaves = leaves;
            }
        }
        sizes[i] = below.nodes;
        subtrees.push(below);
    }
    let mut kept = Vec::with_capacity(subtrees.pop().map_or(0, |root| root.kept as usize));
    let mut next = 0;
    while let Some(node) = nodes.get(next as usize) {
        kept.push(next);
        next += if node.right == 0 { sizes[next as usize] } else { 1 };
    }
    keep(&mut nodes, &kept);
    (Binary::new(nodes), kept)
}
