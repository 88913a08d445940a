//! The top-down rule of OBBTree (Gottschalk, Lin and Manocha 1996, section 4): cut a node by a plane across its longest axis, else its second, else its third, else
//! it is a leaf.

use smallvec::SmallVec;

use super::binary::{Binary, BinaryNode};
use super::items::Item;
use super::kernels::{self, Ranges};
use super::split::{self, Split};
use crate::options::{BuildOptions, Collapse, SplitRule};
use crate::packed::WIDTH;
use crate::parallel;
use crate::simd::SimdLevel;

/// Subtrees with fewer triangles than this are built by one thread.
const PARALLEL_FROM: usize = 1 << 13;

/// A hint to one allocator, glibc's; nothing but peak memory depends on it (15 MB of 140 for a million triangles).
///
/// glibc maps large blocks one by one and gives them back when they are freed, but each block so freed, up to 32 MB, raises the
/// size that it takes for large (`mallopt`, M_MMAP_THRESHOLD), so that it then keeps others. Room of more than 32 MB does
/// not do that. It is address space only: what is not used is not touched. Trees of fewer triangles than
/// [`ROOMY_FROM`] need so little that it does not matter.
const ROOMY: usize = if cfg!(all(target_env = "gnu", target_pointer_width = "64")) { 33 << 20 } else { 0 };
const ROOMY_FROM: usize = 1 << 15;

/// Splits the triangles, one at least, into a binary tree and brings them into its order.
pub(super) fn build(level: SimdLevel, items: &mut [Item], options: &BuildOptions) -> Binary {
    let rule = Rule { level, options, median_from: median_from(items.len()) };
    let hint = if items.len() >= ROOMY_FROM { ROOMY / size_of::<BinaryNode>() } else { 0 };
    // Room that is not used is not touched.
    let mut nodes = bytemuck::zeroed_vec(items.len().max(hint));
    let count = rule.subtree(items, None, 0, &mut nodes);
    nodes.truncate(count);
    Binary::new(items.len(), nodes)
}

/// The depth from which on the median splits. Other planes may peel a triangle at a time off a lopsided mesh; past twice a
/// balanced tree's depth the median takes over, so that the depth stays logarithmic.
pub(super) fn median_from(triangles: usize) -> u32 {
    2 * triangles.max(1).ilog2() + 16
}

struct Rule<'a> {
    level: SimdLevel,
    options: &'a BuildOptions,
    median_from: u32,
}

impl Rule<'_> {
    /// Puts the subtree in preorder at the front of `nodes`, which have room for a node less than there are triangles, and returns how
    /// many it has. `bounds` are the triangles', where they are known.
    fn subtree(&self, items: &mut [Item], bounds: Option<Ranges>, depth: u32, nodes: &mut [BinaryNode]) -> usize {
        let triangles = items.len();
        if let Some(area) = self.all_leaves(items, bounds, depth) {
            nodes[0] = BinaryNode::bundle(triangles, area);
            return 1;
        }
        let Some(Split { middle, area, bounds }) = self.split(items, bounds, depth) else {
            let leaf = BinaryNode::leaf(triangles);
            if let Some(leaf) = leaf {
                nodes[0] = leaf;
            }
            return usize::from(leaf.is_some());
        };
        let (left, right) = items.split_at_mut(middle);
        let [left_bounds, right_bounds] = bounds.map_or([None; 2], |bounds| bounds.map(Some));
        let (node, below) = nodes.split_at_mut(1);
        let (left_nodes, right_nodes);
        if triangles >= PARALLEL_FROM {
            // Each side where it may take all its room; then the right one's after the left one's.
            let (here, there) = below.split_at_mut(middle - 1);
            (left_nodes, right_nodes) = parallel::join(
                || self.subtree(left, left_bounds, depth + 1, here),
                || self.subtree(right, right_bounds, depth + 1, there),
            );
            below.copy_within(middle - 1..middle - 1 + right_nodes, left_nodes);
        } else {
            left_nodes = self.subtree(left, left_bounds, depth + 1, below);
            right_nodes = self.subtree(right, right_bounds, depth + 1, &mut below[left_nodes..]);
        }
        node[0] = BinaryNode::inner(triangles, 1 + left_nodes, area);
        1 + left_nodes + right_nodes
    }

    /// `None` for what stays together.
    fn split(&self, items: &mut [Item], bounds: Option<Ranges>, depth: u32) -> Option<Split> {
        if items.len() <= self.options.max_leaf_triangles as usize || depth >= self.options.max_depth {
            return None;
        }
        let plane = if depth < self.median_from { self.options.split } else { SplitRule::Median };
        split::partition(self.level, items, bounds, self.options.kind, plane)
    }

    /// Whether the triangles become leaves of one each, as children of one wide node, however they are split; then the
    /// half area of their box.
    fn all_leaves(&self, items: &[Item], bounds: Option<Ranges>, depth: u32) -> Option<f32> {
        let binary_is_final = self.options.rotation_passes == 0 && self.options.collapse == Collapse::LargestFirst;
        let is_small = (2..=WIDTH).contains(&items.len()) && self.options.max_leaf_triangles == 1 && binary_is_final;
        if !is_small || depth.saturating_add(WIDTH.ilog2()) > self.options.max_depth {
            return None;
        }
        // Equal centroids can't be separated.
        are_distinct(items).then(|| bounds.unwrap_or_else(|| kernels::bounds(self.level, items)).half_area() as f32)
    }
}

/// Whether no two of up to eight triangles have the same centroid.
fn are_distinct(items: &[Item]) -> bool {
    // Mostly one coordinate tells, of all pairs at once; what is not there equals nothing.
    let mut along = [f64::NAN; WIDTH];
    for (along, item) in along.iter_mut().zip(items) {
        *along = item.corner_sum_along(0);
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
    let sums: SmallVec<[_; WIDTH]> = items.iter().map(Item::corner_sum).collect();
    (1..sums.len()).all(|i| !sums[..i].contains(&sums[i]))
}
