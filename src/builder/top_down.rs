//! Top-down building (Gottschalk, Lin and Manocha 1996, "OBBTree", section 4): splits a node across its longest axis,
//! or the second or third if the first separates no centroids; otherwise the node is a leaf.

use smallvec::SmallVec;

use super::binary_tree::{BinaryNode, BinaryTree};
use super::emit::CachedFits;
use super::leaf_rule::LeafRule;
use super::split::{self, Known, Oriented, Split};
use crate::options::{BuildOptions, Collapse, SplitRule};
use crate::parallel;
use crate::simd::SimdLevel;
use crate::volume::fit::ObbFit;
use crate::volume::fit::primitives::{self, Primitive, Ranges};
use crate::volume::{Frame, WIDTH};

/// Subtrees with fewer triangles than this are built by one thread.
const PARALLEL_FROM: usize = 1 << 13;

/// Number of nodes to reserve: a hint to one allocator, glibc's, on which only peak memory depends (15 MB of 140 for a
/// million triangles).
///
/// glibc maps large blocks individually and returns them when they are freed. Each freed block of up to 32 MB raises
/// the size from which glibc maps blocks (`mallopt`, M_MMAP_THRESHOLD), so that it keeps later ones. Blocks of more
/// than 32 MB do not. The reservation is address space only: memory that is not used is not touched. Trees of fewer
/// triangles than [`ROOMY_FROM`] need so little memory that it does not matter.
const ROOMY: usize = if cfg!(all(target_env = "gnu", target_pointer_width = "64")) { 33 << 20 } else { 0 };
const ROOMY_FROM: usize = 1 << 15;

/// Splits the triangles, at least one, into a binary tree and sorts them into its order.
pub(super) fn build(
    level: SimdLevel,
    primitives: &mut [Primitive],
    frame: &Frame,
    options: &BuildOptions,
    rule: LeafRule,
) -> (BinaryTree, CachedFits) {
    let builder = TopDown { level, options, rule, frame, median_from: median_from(primitives.len()) };
    let hint = if primitives.len() >= ROOMY_FROM { ROOMY / size_of::<BinaryNode>() } else { 0 };
    // Reserved memory that is not used is not touched.
    let mut nodes = bytemuck::zeroed_vec(primitives.len().max(hint));
    let mut cached = CachedFits::default();
    let count =
        builder.subtree(NodeTriangles { primitives, first: 0, depth: 0 }, Known::default(), &mut nodes, &mut cached);
    nodes.truncate(count);
    (BinaryTree::new(primitives.len(), nodes), cached)
}

/// The depth from which on splits are at the median. Other planes may split one triangle at a time off a lopsided mesh;
/// beyond twice the depth of a balanced tree the median keeps the depth logarithmic.
pub(super) fn median_from(triangles: usize) -> u32 {
    2 * triangles.max(1).ilog2() + 16
}

/// The triangles of a subtree.
struct NodeTriangles<'a> {
    primitives: &'a mut [Primitive],
    /// The number of triangles before those of the subtree.
    first: usize,
    depth: u32,
}

struct TopDown<'a> {
    level: SimdLevel,
    options: &'a BuildOptions,
    rule: LeafRule,
    frame: &'a Frame,
    median_from: u32,
}

impl TopDown<'_> {
    /// Writes the subtree in preorder into `nodes`, which has one slot less than there are triangles; returns the
    /// number of nodes.
    fn subtree(
        &self,
        node: NodeTriangles<'_>,
        known: Known,
        nodes: &mut [BinaryNode],
        cached: &mut CachedFits,
    ) -> usize {
        let NodeTriangles { primitives, first, depth } = node;
        let triangles = primitives.len();
        if let Some(area) = self.unexpanded_area(primitives, known.bounds, depth) {
            nodes[0] = BinaryNode::unexpanded(triangles, area);
            return 1;
        }
        let Some(split) = self.split(primitives, known, depth) else {
            let leaf = BinaryNode::leaf(triangles);
            if let Some(leaf) = leaf {
                nodes[0] = leaf;
            }
            return usize::from(leaf.is_some());
        };
        if let Some(Oriented { fit, .. }) = &split.oriented
            && self.caches_fits()
        {
            cached.push(first..first + triangles, fit);
        }
        let Split { middle, area, .. } = split;
        let (left, right) = primitives.split_at_mut(middle);
        let [left_known, right_known] = self.known(&split, [left, right], depth + 1);
        let left = NodeTriangles { primitives: left, first, depth: depth + 1 };
        let right = NodeTriangles { primitives: right, first: first + middle, depth: depth + 1 };
        let (node, below) = nodes.split_at_mut(1);
        let (left_nodes, right_nodes);
        if triangles >= PARALLEL_FROM {
            // Each side is built in its own slots; then the right side's nodes are moved behind the left side's.
            let (here, there) = below.split_at_mut(middle - 1);
            let mut cached_right = CachedFits::default();
            (left_nodes, right_nodes) = parallel::join(
                || self.subtree(left, left_known, here, cached),
                || self.subtree(right, right_known, there, &mut cached_right),
            );
            below.copy_within(middle - 1..middle - 1 + right_nodes, left_nodes);
            cached.append(cached_right);
        } else {
            left_nodes = self.subtree(left, left_known, below, cached);
            right_nodes = self.subtree(right, right_known, &mut below[left_nodes..], cached);
        }
        node[0] = BinaryNode::inner(triangles, 1 + left_nodes, area);
        1 + left_nodes + right_nodes
    }

    /// Splits the triangles; `None` if they stay together.
    fn split(&self, primitives: &mut [Primitive], known: Known, depth: u32) -> Option<Split> {
        if self.rule.is_leaf(primitives.len(), depth) {
            return None;
        }
        let plane = if depth < self.median_from { self.options.split } else { SplitRule::Median };
        split::partition(self.level, primitives, known, self.frame, self.options.kind, plane)
    }

    fn known(&self, split: &Split, sides: [&[Primitive]; 2], depth: u32) -> [Known; 2] {
        let bounds = split.bounds.map_or([None; 2], |bounds| bounds.map(Some));
        // If one side is not split, summing the other side is cheaper than summing both.
        let are_split = |side: &[Primitive]| side.len() > WIDTH && !self.rule.is_leaf(side.len(), depth);
        let moments = match &split.oriented {
            Some(Oriented { moments, .. }) if sides.iter().all(|side| are_split(side)) => {
                moments.of_parts(self.level, sides).map(Some)
            }
            _ => [None; 2],
        };
        [0, 1].map(|side| Known { bounds: bounds[side], moments: moments[side] })
    }

    /// Whether the boxes measured for splits are the boxes that the tree stores.
    fn caches_fits(&self) -> bool {
        self.is_final() && self.options.obb_fit == ObbFit::VertexCovariance
    }

    /// Whether no later step changes the nodes of the binary tree.
    fn is_final(&self) -> bool {
        self.options.rotation_passes == 0 && self.options.collapse == Collapse::LargestFirst
    }

    /// Half the area of the triangles' box, if the triangles become leaves of one wide node however they are split.
    fn unexpanded_area(&self, primitives: &[Primitive], bounds: Option<Ranges>, depth: u32) -> Option<f32> {
        let is_small = (2..=WIDTH).contains(&primitives.len()) && self.is_final();
        if !is_small || !self.rule.separates_eight(depth) {
            return None;
        }
        // Triangles with equal centroids cannot be separated.
        are_distinct(primitives)
            .then(|| bounds.unwrap_or_else(|| primitives::bounds(self.level, primitives)).half_area() as f32)
    }
}

/// Whether no two of up to eight triangles have the same centroid.
fn are_distinct(primitives: &[Primitive]) -> bool {
    // Usually one coordinate decides, for all pairs at once; NaN in unused lanes equals nothing.
    let mut along = [f64::NAN; WIDTH];
    for (along, primitive) in along.iter_mut().zip(primitives) {
        *along = primitive.corner_sum_along(0);
    }
    let mut any_equal = false;
    for shift in 1..=WIDTH / 2 {
        for i in 0..WIDTH {
            any_equal |= along[i] == along[(i + shift) % WIDTH];
        }
    }
    if !any_equal {
        return true;
    }
    let sums: SmallVec<[_; WIDTH]> = primitives.iter().map(Primitive::corner_sum).collect();
    (1..sums.len()).all(|i| !sums[..i].contains(&sums[i]))
}
