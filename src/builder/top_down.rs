//! Top-down building (Gottschalk, Lin and Manocha 1996, "OBBTree", section 4): splits a node across its longest axis,
//! or the second or third if the longest separates no centroids; the surface area heuristic chooses the axis by its
//! cost. If no axis separates centroids, the node is a leaf.

use super::binary_tree::{BinaryNode, BinaryTree};
use super::emit::CachedFits;
use super::leaf_rule::LeafRule;
use crate::options::{BuildOptions, Collapse, SplitRule};
use crate::parallel;
use crate::volume::fit::ObbFit;
use crate::volume::{FittedBox, WIDTH};

/// Subtrees with fewer triangles than this are built by one thread.
const PARALLEL_FROM: usize = 1 << 13;

/// Number of bytes to reserve for nodes: a hint to one allocator, glibc's, on which only peak memory depends (15 MB of
/// 140 for a million triangles).
///
/// glibc maps large blocks individually and returns them when they are freed. Each freed block of up to 32 MB raises
/// the size from which glibc maps blocks (`mallopt`, M_MMAP_THRESHOLD), so that it keeps later blocks of that size
/// instead of returning them. Blocks of more than 32 MB do not. The reservation is address space only: memory that is
/// not used is not touched. Trees of fewer triangles than [`ROOMY_FROM`] need so little memory that it does not matter.
const ROOMY: usize = if cfg!(all(target_env = "gnu", target_pointer_width = "64")) { 33 << 20 } else { 0 };
const ROOMY_FROM: usize = 1 << 15;

/// How triangles are split: across the coordinate axes or across those of an oriented box.
pub(super) trait Splitter: Sync {
    /// The data per triangle that splits work on.
    type Item: Send + Sync;
    /// Facts about a node's triangles that may be known before it is split.
    type Known: Copy + Send + Sync;
    /// What a split finds out about the node and its two sides.
    type Found;

    /// Moves the triangles whose centroids lie below a plane to the front; `None` if no axis separates them.
    fn split(
        &self,
        items: &mut [Self::Item],
        known: Option<Self::Known>,
        rule: SplitRule,
    ) -> Option<Split<Self::Found>>;

    /// The facts known about the two sides, given which of them are split.
    fn known(&self, found: &Self::Found, sides: [&[Self::Item]; 2], are_split: [bool; 2]) -> [Option<Self::Known>; 2];

    /// The node's oriented box as it would be stored, if the node was split across that box's axes.
    fn fit(found: &Self::Found) -> Option<&FittedBox>;

    /// Half the surface area of the box around up to eight triangles, in the frame's unit squared; `None` if two of
    /// them have the same centroid.
    fn area_of_distinct(&self, items: &[Self::Item], known: Option<Self::Known>) -> Option<f32>;
}

pub(super) struct Split<F> {
    /// The number of triangles below the plane; they come first.
    pub(super) middle: usize,
    /// Half the surface area of the node's volume, in the frame's unit squared.
    pub(super) area: f32,
    pub(super) found: F,
}

/// Whether two of up to eight items have the same coordinate. All pairs are compared without branches; usually one
/// coordinate shows that no two centroids are the same. `nan` fills idle lanes, because it equals nothing.
#[inline(always)]
pub(super) fn any_equal<T, F: Copy + PartialEq>(items: &[T], nan: F, coordinate: impl Fn(&T) -> F) -> bool {
    let mut along = [nan; WIDTH];
    for (along, item) in along.iter_mut().zip(items) {
        *along = coordinate(item);
    }
    let mut any_equal = false;
    for shift in 1..=WIDTH / 2 {
        for i in 0..WIDTH {
            any_equal |= along[i] == along[(i + shift) % WIDTH];
        }
    }
    any_equal
}

/// Splits the triangles, at least one, into a binary tree and sorts them into its order.
pub(super) fn build<S: Splitter>(
    splitter: &S,
    items: &mut [S::Item],
    options: &BuildOptions,
    rule: LeafRule,
) -> (BinaryTree, CachedFits) {
    let triangles = items.len();
    let builder = TopDown { splitter, options, rule, median_from: median_from(triangles) };
    let hint = if triangles >= ROOMY_FROM { ROOMY / size_of::<BinaryNode>() } else { 0 };
    // Reserved memory that is not used is not touched.
    let mut nodes = bytemuck::zeroed_vec(triangles.max(hint));
    let mut cached = CachedFits::default();
    let built = builder.subtree(NodeTriangles { items, first: 0, depth: 0 }, None, &mut nodes, &mut cached);
    nodes.truncate(built.nodes);
    (BinaryTree::new(triangles, nodes, built.depth), cached)
}

/// The depth from which on splits are at the median. Other planes may split one triangle at a time off a lopsided mesh;
/// from this depth on, the median keeps the depth logarithmic.
pub(super) fn median_from(triangles: usize) -> u32 {
    2 * triangles.max(1).ilog2() + 16
}

/// The triangles of a subtree.
struct NodeTriangles<'a, T> {
    items: &'a mut [T],
    /// The number of triangles before those of the subtree.
    first: usize,
    depth: u32,
}

/// The sizes of a subtree that is built.
struct Built {
    nodes: usize,
    /// The number of splits between its root and its deepest leaf.
    depth: u32,
}

struct TopDown<'a, S> {
    splitter: &'a S,
    options: &'a BuildOptions,
    rule: LeafRule,
    median_from: u32,
}

impl<S: Splitter> TopDown<'_, S> {
    /// Writes the subtree in preorder into `nodes`, whose length is at least the number of triangles minus 1.
    fn subtree(
        &self,
        node: NodeTriangles<'_, S::Item>,
        known: Option<S::Known>,
        nodes: &mut [BinaryNode],
        cached: &mut CachedFits,
    ) -> Built {
        let NodeTriangles { items, first, depth } = node;
        let triangles = items.len();
        if let Some(area) = self.unexpanded_area(items, known, depth) {
            nodes[0] = BinaryNode::unexpanded(triangles, area);
            return Built { nodes: 1, depth: triangles.next_power_of_two().ilog2() };
        }
        let Some(Split { middle, area, found }) = self.split(items, known, depth) else {
            let leaf = BinaryNode::leaf(triangles);
            if let Some(leaf) = leaf {
                nodes[0] = leaf;
            }
            return Built { nodes: usize::from(leaf.is_some()), depth: 0 };
        };
        if let Some(fit) = S::fit(&found)
            && self.caches_fits()
        {
            cached.push(first..first + triangles, fit);
        }
        let (left, right) = items.split_at_mut(middle);
        let are_split = [&*left, right].map(|side| side.len() > WIDTH && !self.rule.is_leaf(side.len(), depth + 1));
        let [left_known, right_known] = self.splitter.known(&found, [left, right], are_split);
        let left = NodeTriangles { items: left, first, depth: depth + 1 };
        let right = NodeTriangles { items: right, first: first + middle, depth: depth + 1 };
        let (node, below) = nodes.split_at_mut(1);
        let (of_left, of_right);
        if triangles >= PARALLEL_FROM {
            // Each side is built in its own slots; then the right side's nodes are moved behind the left side's.
            let (here, there) = below.split_at_mut(middle - 1);
            let mut cached_right = CachedFits::default();
            (of_left, of_right) = parallel::join(
                || self.subtree(left, left_known, here, cached),
                || self.subtree(right, right_known, there, &mut cached_right),
            );
            below.copy_within(middle - 1..middle - 1 + of_right.nodes, of_left.nodes);
            cached.append(cached_right);
        } else {
            of_left = self.subtree(left, left_known, below, cached);
            of_right = self.subtree(right, right_known, &mut below[of_left.nodes..], cached);
        }
        node[0] = BinaryNode::inner(triangles, 1 + of_left.nodes, area);
        Built { nodes: 1 + of_left.nodes + of_right.nodes, depth: 1 + of_left.depth.max(of_right.depth) }
    }

    /// Splits the triangles; `None` if they stay together.
    fn split(&self, items: &mut [S::Item], known: Option<S::Known>, depth: u32) -> Option<Split<S::Found>> {
        if self.rule.is_leaf(items.len(), depth) {
            return None;
        }
        let plane = if depth < self.median_from { self.options.split } else { SplitRule::Median };
        self.splitter.split(items, known, plane)
    }

    /// Whether the boxes measured for splits are the boxes that the tree stores.
    fn caches_fits(&self) -> bool {
        self.is_final() && self.options.obb_fit == ObbFit::VertexCovariance
    }

    /// Whether no later step changes the nodes of the binary tree.
    fn is_final(&self) -> bool {
        self.options.rotation_passes == 0 && self.options.collapse == Collapse::LargestFirst
    }

    /// Half the surface area of the triangles' box, in the frame's unit squared, if the triangles become leaves of one
    /// wide node however they are split.
    fn unexpanded_area(&self, items: &[S::Item], known: Option<S::Known>, depth: u32) -> Option<f32> {
        let is_small = (2..=WIDTH).contains(&items.len()) && self.is_final();
        if !is_small || !self.rule.separates_eight(depth) {
            return None;
        }
        // Triangles with equal centroids cannot be separated.
        self.splitter.area_of_distinct(items, known)
    }
}
