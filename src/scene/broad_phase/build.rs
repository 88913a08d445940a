//! Builds the broad phase's tree: leaves are sorted along a space-filling curve into groups of eight, and the tree
//! above the groups is built top-down by the surface area heuristic over bins (Wald 2007).
//!
//! The curve is Hilbert's, extended by box size as Morton's is by Vinkler, Bittner and Havran (2017).

use super::fat_aabb::Aabb32;
use super::hilbert::{self, CELLS};
use crate::parallel::{self, join};

const BINS: usize = 16;
/// Leaves per group.
const WIDTH: usize = 8;
/// If both subtrees of a node have at least this many groups, they are built in parallel.
const PARALLEL: usize = 512;

pub(crate) const NONE: u32 = u32::MAX;

/// A node with two children. In a leaf, the first child is [`NONE`] and the second is the item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) bounds: Aabb32,
    pub(crate) children: [u32; 2],
}

impl Node {
    pub(crate) fn leaf(bounds: Aabb32, item: u32) -> Self {
        Self { bounds, children: [NONE, item] }
    }

    #[inline(always)]
    pub(crate) fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// Builds a tree. Returns the nodes in depth-first order, left children first, and the index of each node's parent.
pub(crate) fn build(leaves: &[Node]) -> (Vec<Node>, Vec<u32>) {
    let count = (2 * leaves.len()).saturating_sub(1);
    let mut nodes = vec![Node::leaf(Aabb32::EMPTY, NONE); count];
    let mut parents = vec![NONE; count];
    let Ordered { leaves, large, width } = Ordered::new(leaves);
    let part = Part { nodes: &mut nodes, parents: &mut parents, first: 0 };
    let (large, others) = leaves.split_at(large);
    match (large.is_empty(), others.is_empty()) {
        (true, true) => {}
        (true, false) => build_leaves(others, width, part),
        (false, true) => build_group(large, part),
        (false, false) => part.node(others.len(), |left, right| {
            build_leaves(others, width, left);
            build_group(large, right);
        }),
    }
    (nodes, parents)
}

/// Builds a subtree of leaves in curve order.
fn build_leaves(leaves: &[Node], width: usize, part: Part<'_>) {
    // The remaining leaves become the right child, so that groups of eight stay aligned.
    let (in_groups, rest) = leaves.split_at(leaves.len() / width * width);
    let mut groups: Vec<Group<'_>> = in_groups.chunks_exact(width).map(Group::new).collect();
    match (groups.is_empty(), rest.is_empty()) {
        (_, true) => build_groups(&mut groups, part),
        (true, false) => build_group(rest, part),
        (false, false) => part.node(in_groups.len(), |left, right| {
            build_groups(&mut groups, left);
            build_group(rest, right);
        }),
    }
}

/// Leaves in curve order.
struct Ordered {
    leaves: Vec<Node>,
    /// The number of leaves at the front whose sizes are in the class of the largest, such as a game level among the
    /// objects in it; 0 if there are more than [`WIDTH`]. They would enlarge all nodes above them.
    large: usize,
    /// The number of leaves per group: [`WIDTH`], or 1 if many leaves share a cell of the curve.
    width: usize,
}

impl Ordered {
    fn new(leaves: &[Node]) -> Self {
        let mut centers = Aabb32::EMPTY;
        let mut largest = 0.0_f32;
        for leaf in leaves {
            let center = leaf.bounds.twice_center();
            centers = centers.union(&Aabb32 { lower: center, upper: center });
            largest = largest.max(size(leaf));
        }
        let extent = (0..3).map(|k| centers.upper[k] - centers.lower[k]).fold(f32::MIN_POSITIVE, f32::max);
        let cells = (CELLS as f32 / extent).min(f32::MAX);
        // A key of the position on the curve and the leaf's index.
        let key = |(leaf, index): (&Node, u64)| {
            // Boxes a quarter as large are on another part of the curve.
            let sizes = (exponent(largest) - exponent(size(leaf))).min(30) as u64 / 2;
            let center = leaf.bounds.twice_center();
            let cell = std::array::from_fn(|k| (((center[k] - centers.lower[k]) * cells) as u32).min(CELLS - 1));
            sizes << 60 | hilbert::position(cell) << 30 | index
        };
        let mut keys: Vec<u64> = leaves.iter().zip(0..).map(key).collect();
        parallel::sort_unstable(&mut keys);
        let crowded = keys.windows(2).filter(|pair| pair[0] >> 30 == pair[1] >> 30).count();
        let large = keys.iter().take_while(|&&key| key >> 60 == 0).count();
        let leaves = keys.iter().map(|key| leaves[(key & ((1 << 30) - 1)) as usize]).collect();
        let width = if 2 * crowded > keys.len() { 1 } else { WIDTH };
        Self { leaves, large: if large <= WIDTH { large } else { 0 }, width }
    }
}

fn size(leaf: &Node) -> f32 {
    (0..3).map(|k| leaf.bounds.upper[k] - leaf.bounds.lower[k]).fold(0.0, f32::max)
}

fn exponent(x: f32) -> u32 {
    x.to_bits() >> 23
}

/// A group of leaves that becomes a subtree.
#[derive(Clone, Copy)]
struct Group<'a> {
    bounds: Aabb32,
    leaves: &'a [Node],
}

impl<'a> Group<'a> {
    fn new(leaves: &'a [Node]) -> Self {
        Self { bounds: leaves.iter().fold(Aabb32::EMPTY, |bounds, leaf| bounds.union(&leaf.bounds)), leaves }
    }
}

/// The output range of a subtree: `2 n - 1` nodes for `n` leaves, the first with index `first`.
struct Part<'a> {
    nodes: &'a mut [Node],
    parents: &'a mut [u32],
    first: u32,
}

impl Part<'_> {
    /// Lets `build` write two subtrees, the left one with `left_leaves` leaves, and writes their parent.
    fn node(self, left_leaves: usize, build: impl FnOnce(Part<'_>, Part<'_>)) {
        let (node, nodes) = self.nodes.split_at_mut(1);
        let (_, parents) = self.parents.split_at_mut(1);
        let (left, right) = nodes.split_at_mut(2 * left_leaves - 1);
        let (left_parents, right_parents) = parents.split_at_mut(left.len());
        let children = [self.first + 1, self.first + 1 + left.len() as u32];
        (left_parents[0], right_parents[0]) = (self.first, self.first);
        build(
            Part { nodes: left, parents: left_parents, first: children[0] },
            Part { nodes: right, parents: right_parents, first: children[1] },
        );
        node[0] = Node { bounds: left[0].bounds.union(&right[0].bounds), children };
    }
}

fn build_groups(groups: &mut [Group<'_>], part: Part<'_>) {
    if let [group] = groups {
        build_group(group.leaves, part);
        return;
    }
    let width = groups[0].leaves.len();
    let middle = split(groups);
    let (left, right) = groups.split_at_mut(middle);
    part.node(width * left.len(), |left_part, right_part| {
        if left.len().min(right.len()) >= PARALLEL {
            join(|| build_groups(left, left_part), || build_groups(right, right_part));
        } else {
            build_groups(left, left_part);
            build_groups(right, right_part);
        }
    });
}

/// Builds a balanced subtree of the leaves in their order.
fn build_group(leaves: &[Node], part: Part<'_>) {
    if let [leaf] = leaves {
        part.nodes[0] = *leaf;
        return;
    }
    let (left, right) = leaves.split_at(leaves.len() / 2);
    part.node(left.len(), |left_part, right_part| {
        build_group(left, left_part);
        build_group(right, right_part);
    });
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: Aabb32,
    count: usize,
}

/// Partitions two or more groups and returns the number on the left.
fn split(groups: &mut [Group<'_>]) -> usize {
    let half = groups.len() / 2;
    let mut centers = Aabb32::EMPTY;
    for group in groups.iter() {
        let center = group.bounds.twice_center();
        centers = centers.union(&Aabb32 { lower: center, upper: center });
    }
    let sizes: [f32; 3] = std::array::from_fn(|k| centers.upper[k] - centers.lower[k]);
    let axis = (1..3).fold(0, |axis, k| if sizes[k] > sizes[axis] { k } else { axis });
    let (start, scale) = (centers.lower[axis], BINS as f32 / sizes[axis]);
    if !scale.is_finite() || scale <= 0.0 || groups.len() <= 4 {
        let center = |group: &Group<'_>| group.bounds.twice_center()[axis];
        let item = |group: &Group<'_>| group.leaves[0].children[1];
        groups.select_nth_unstable_by(half, |a, b| center(a).total_cmp(&center(b)).then_with(|| item(a).cmp(&item(b))));
        return half;
    }
    let bin_of = |group: &Group<'_>| (((group.bounds.twice_center()[axis] - start) * scale) as usize).min(BINS - 1);
    let mut bins = [Bin { bounds: Aabb32::EMPTY, count: 0 }; BINS];
    for group in groups.iter() {
        let bin = &mut bins[bin_of(group)];
        *bin = Bin { bounds: bin.bounds.union(&group.bounds), count: bin.count + 1 };
    }
    let cut = best_cut(&bins);
    let mut middle = 0;
    for i in 0..groups.len() {
        if bin_of(&groups[i]) < cut {
            groups.swap(i, middle);
            middle += 1;
        }
    }
    middle
}

/// The first bin to the right of the cheapest cut, which has the least sum of area times count. Precondition: the
/// outermost bins are not empty.
fn best_cut(bins: &[Bin; BINS]) -> usize {
    let mut costs = [0.0; BINS];
    let (mut bounds, mut count) = (Aabb32::EMPTY, 0);
    for cut in 1..BINS {
        (bounds, count) = (bounds.union(&bins[cut - 1].bounds), count + bins[cut - 1].count);
        costs[cut] = bounds.half_area() * count as f64;
    }
    let (mut bounds, mut count) = (Aabb32::EMPTY, 0);
    for cut in (1..BINS).rev() {
        (bounds, count) = (bounds.union(&bins[cut].bounds), count + bins[cut].count);
        costs[cut] += bounds.half_area() * count as f64;
    }
    (1..BINS).fold(1, |best, cut| if costs[cut] < costs[best] { cut } else { best })
}
