//! Builds a tree of boxes from the top, by the surface area heuristic over bins (Wald 2007).

use super::box32::Box32;
use super::node::{NONE, Node};
use crate::parallel::join;

const BINS: usize = 16;
/// Parts of fewer leaves are built on one thread.
const PARALLEL: usize = 4096;

/// The nodes, the root first and each left child behind its parent, and their parents. Orders the leaves anew.
pub(crate) fn build(leaves: &mut [Node]) -> (Vec<Node>, Vec<u32>) {
    let count = (2 * leaves.len()).saturating_sub(1);
    let mut nodes = vec![Node::leaf(Box32::EMPTY, NONE); count];
    let mut parents = vec![NONE; count];
    if !leaves.is_empty() {
        build_part(leaves, Part { nodes: &mut nodes, parents: &mut parents, first: 0 });
    }
    (nodes, parents)
}

/// Where the nodes of some leaves go: `2 n - 1` of them, the first of which has the number `first`.
struct Part<'a> {
    nodes: &'a mut [Node],
    parents: &'a mut [u32],
    first: u32,
}

fn build_part(leaves: &mut [Node], part: Part<'_>) {
    if let [leaf] = leaves {
        part.nodes[0] = *leaf;
        return;
    }
    let bounds = leaves.iter().fold(Box32::EMPTY, |bounds, leaf| bounds.union(&leaf.bounds));
    let middle = split(leaves);
    let (left, right) = leaves.split_at_mut(middle);
    let (node, nodes) = part.nodes.split_at_mut(1);
    let (_, parents) = part.parents.split_at_mut(1);
    let left_count = 2 * left.len() - 1;
    let (left_nodes, right_nodes) = nodes.split_at_mut(left_count);
    let (left_parents, right_parents) = parents.split_at_mut(left_count);
    let firsts = [part.first + 1, part.first + 1 + left_count as u32];
    node[0] = Node { bounds, children: firsts };
    left_parents[0] = part.first;
    right_parents[0] = part.first;
    let left_part = Part { nodes: left_nodes, parents: left_parents, first: firsts[0] };
    let right_part = Part { nodes: right_nodes, parents: right_parents, first: firsts[1] };
    if left.len().min(right.len()) >= PARALLEL {
        join(|| build_part(left, left_part), || build_part(right, right_part));
    } else {
        build_part(left, left_part);
        build_part(right, right_part);
    }
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: Box32,
    count: usize,
}

/// Divides two or more leaves: how many come first.
fn split(leaves: &mut [Node]) -> usize {
    let half = leaves.len() / 2;
    let mut centers = Box32::EMPTY;
    for leaf in leaves.iter() {
        let center = leaf.bounds.twice_center();
        centers = centers.union(&Box32 { lower: center, upper: center });
    }
    let sizes: [f32; 3] = std::array::from_fn(|k| centers.upper[k] - centers.lower[k]);
    let axis = (1..3).fold(0, |axis, k| if sizes[k] > sizes[axis] { k } else { axis });
    let (start, scale) = (centers.lower[axis], BINS as f32 / sizes[axis]);
    if !scale.is_finite() || scale <= 0.0 || leaves.len() <= 4 {
        let center = |leaf: &Node| leaf.bounds.twice_center()[axis];
        leaves.select_nth_unstable_by(half, |a, b| {
            center(a).total_cmp(&center(b)).then(a.children[1].cmp(&b.children[1]))
        });
        return half;
    }
    let bin_of = |leaf: &Node| (((leaf.bounds.twice_center()[axis] - start) * scale) as usize).min(BINS - 1);
    let mut bins = [Bin { bounds: Box32::EMPTY, count: 0 }; BINS];
    for leaf in leaves.iter() {
        let bin = &mut bins[bin_of(leaf)];
        *bin = Bin { bounds: bin.bounds.union(&leaf.bounds), count: bin.count + 1 };
    }
    let cut = best_cut(&bins);
    let mut middle = 0;
    for i in 0..leaves.len() {
        if bin_of(&leaves[i]) < cut {
            leaves.swap(i, middle);
            middle += 1;
        }
    }
    middle
}

/// The first bin of the right side, where both sides' areas times counts are least. The outermost bins hold something.
fn best_cut(bins: &[Bin; BINS]) -> usize {
    let mut costs = [0.0; BINS];
    let (mut bounds, mut count) = (Box32::EMPTY, 0);
    for cut in 1..BINS {
        (bounds, count) = (bounds.union(&bins[cut - 1].bounds), count + bins[cut - 1].count);
        costs[cut] = bounds.half_area() * count as f32;
    }
    let (mut bounds, mut count) = (Box32::EMPTY, 0);
    for cut in (1..BINS).rev() {
        (bounds, count) = (bounds.union(&bins[cut].bounds), count + bins[cut].count);
        costs[cut] += bounds.half_area() * count as f32;
    }
    (1..BINS).fold(1, |best, cut| if costs[cut] < costs[best] { cut } else { best })
}
