//! A tree with eight children per node, for rays: a copy of the binary tree, made after many rays without a change.

use smallvec::SmallVec;

use super::build::Node;
use super::fat_aabb::{Aabb32, Boxes, LocalRay};
use crate::simd::{Simd, SimdLevel, Task, dispatch};

const WIDTH: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct WideTree {
    /// The nodes, the root first.
    nodes: Vec<WideNode>,
}

#[derive(Clone, Debug)]
struct WideNode {
    boxes: Boxes,
    /// The index of a node, or the index of an item with the bit [`ITEM`], which indices never reach.
    children: [u32; WIDTH],
    /// The lanes with a child, a bit for each.
    lanes: u8,
}

const ITEM: u32 = 1 << 31;

impl WideTree {
    /// Copies the subtree of a node, into the memory of a former copy if there is one.
    pub(super) fn of(binary: &[Node], root: u32, former: Option<Self>) -> Self {
        let mut nodes = former.map(|tree| tree.nodes).unwrap_or_default();
        nodes.clear();
        // A binary node, and the wide node and the lane whose child it becomes.
        let mut pending: SmallVec<[(u32, usize, usize); 64]> = SmallVec::new();
        pending.push((root, 0, 0));
        while let Some((top, parent, lane)) = pending.pop() {
            let number = nodes.len();
            if let Some(WideNode { children, .. }) = nodes.get_mut(parent) {
                children[lane] = number as u32;
            }
            let below = descendants(binary, top);
            let lanes = (0xff_u32 >> (WIDTH - below.len())) as u8;
            let mut node = WideNode { boxes: Boxes::default(), children: [0; WIDTH], lanes };
            for (lane, &child) in below.iter().enumerate() {
                let child_node = &binary[child as usize];
                let Aabb32 { lower, upper } = child_node.bounds;
                for k in 0..3 {
                    (node.boxes[0][k][lane], node.boxes[1][k][lane]) = (lower[k], upper[k]);
                }
                if child_node.is_leaf() {
                    node.children[lane] = child_node.children[1] | ITEM;
                } else {
                    pending.push((child, number, lane));
                }
            }
            nodes.push(node);
        }
        Self { nodes }
    }

    /// Calls `visit` with the items whose boxes the ray enters up to the time `limit`, roughly in the order of entry.
    /// `visit` returns the new limit, which must not increase.
    pub(super) fn along_ray(&self, level: SimdLevel, ray: &LocalRay, limit: f64, visit: impl FnMut(u32, f64) -> f64) {
        dispatch(level, AlongRay { nodes: &self.nodes, ray, limit, visit });
    }
}

/// Up to eight nodes that together cover a node's subtree, found by replacing the largest one by its children
/// repeatedly.
fn descendants(binary: &[Node], top: u32) -> SmallVec<[u32; WIDTH]> {
    let mut below: SmallVec<[u32; WIDTH]> = SmallVec::from_slice(&[top]);
    while below.len() < WIDTH {
        let inner =
            below.iter().map(|&number| &binary[number as usize]).enumerate().filter(|(_, node)| !node.is_leaf());
        let area = |(_, node): &(usize, &Node)| node.bounds.half_area();
        let Some((largest, node)) = inner.max_by(|a, b| area(a).total_cmp(&area(b))) else { break };
        below[largest] = node.children[0];
        below.push(node.children[1]);
    }
    below
}

struct AlongRay<'a, F> {
    nodes: &'a [WideNode],
    ray: &'a LocalRay,
    limit: f64,
    visit: F,
}

impl<F: FnMut(u32, f64) -> f64> Task for AlongRay<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { nodes, ray, mut limit, mut visit } = self;
        let mut last = ray.after(limit);
        let mut stack: SmallVec<[(f32, u32); 64]> = SmallVec::new();
        stack.push((0.0, 0));
        while let Some((entry, number)) = stack.pop() {
            if entry > last {
                continue;
            }
            if number & ITEM != 0 {
                limit = visit(number & !ITEM, limit);
                last = ray.after(limit);
                continue;
            }
            let node = &nodes[number as usize];
            let (met, entries) = ray.entries(simd, &node.boxes, last);
            let mut remaining = met & node.lanes;
            if remaining == 0 {
                continue;
            }
            let entries = simd.to_array(entries);
            let first = stack.len();
            while remaining != 0 {
                let lane = remaining.trailing_zeros() as usize;
                remaining &= remaining - 1;
                let child = (entries[lane], node.children[lane]);
                stack.push(child);
                let mut at = stack.len() - 1;
                while at > first && stack[at - 1].0 < child.0 {
                    stack[at] = stack[at - 1];
                    at -= 1;
                }
                stack[at] = child;
            }
        }
    }
}
