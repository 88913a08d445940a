//! A tree's wide nodes in the order of the file, which stay what they are.

use std::ops::Range;

use crate::simd::Simd;
use crate::tree::{LAST_OF_LEAF, View};
use crate::volume::VolumeKind;
use crate::volume::{self, NodeRef, WIDTH};

/// Siblings. A node's subtree follows it: one child's after the other.
#[derive(Clone, Debug)]
pub(super) struct WideNode {
    /// The first of its volumes among all.
    pub(super) first: u32,
    /// How many volumes it has.
    pub(super) children: u32,
    /// The node above; of the root itself.
    pub(super) parent: u32,
    /// Which of all volumes is that of the whole subtree; of no meaning for the root.
    pub(super) volume: u32,
    /// The node after its subtree.
    pub(super) end: u32,
    /// The triangles of its subtree, by their places in leaf order.
    pub(super) triangles: Range<u32>,
}

/// All wide nodes of a tree whose structure is sound.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) nodes: Vec<WideNode>,
    /// The leaf of each triangle, by its number among all volumes.
    pub(super) leaves: Vec<u32>,
    /// How many tests there are below each volume, of triangles or of volumes; zeros behind.
    tests: Vec<f32>,
    /// All nodes in turn: whole subtrees of at most [`BLOCK`] volumes, and single nodes above them.
    blocks: Vec<Range<u32>>,
}

/// The most volumes of a subtree that is refitted in one sweep: as many as stay close at hand.
pub(super) const BLOCK: usize = 512;

impl Plan {
    pub(super) fn new(view: &View<'_>, kind: VolumeKind) -> Self {
        let volumes = (view.nodes.len() - volume::PADDING) / volume::fields(kind);
        let leaves = vec![0; view.corners.len()];
        let mut plan = Self { nodes: Vec::new(), leaves, tests: vec![0.0; volumes + WIDTH], blocks: Vec::new() };
        if view.corners.is_empty() {
            return plan;
        }
        let mut ahead = vec![(NodeRef::ROOT, 0, 0)];
        while let Some((node, parent, volume)) = ahead.pop() {
            let number = plan.nodes.len() as u32;
            let (first, children) = (node.first_child(), node.children());
            for lane in (0..children).rev() {
                let below = below(view, kind, [first, children, lane]);
                plan.tests[first + lane] = if below.is_leaf() {
                    let leaf = view.leaf(below.first_triangle());
                    plan.leaves[leaf.clone()].fill((first + lane) as u32);
                    leaf.len() as f32
                } else {
                    ahead.push((below, number, (first + lane) as u32));
                    below.children() as f32
                };
            }
            let (first, children) = (first as u32, children as u32);
            plan.nodes.push(WideNode { first, children, parent, volume, end: number + 1, triangles: 0..0 });
        }
        plan.find_ends(view, kind);
        plan.find_blocks();
        plan
    }

    fn find_blocks(&mut self) {
        let mut start = 0;
        while start < self.nodes.len() {
            let end = self.end(start);
            let is_small = self.first(end) - self.first(start) <= BLOCK;
            let end = if is_small { end } else { start + 1 };
            self.blocks.push(start as u32..end as u32);
            start = end;
        }
    }

    /// Those of whole subtrees, or of a node alone.
    pub(super) fn blocks(&self, nodes: &Range<usize>) -> &[Range<u32>] {
        let before = |number: usize| self.blocks.partition_point(|block| (block.start as usize) < number);
        &self.blocks[before(nodes.start)..before(nodes.end)]
    }

    /// From the last node to the first, for all below a node come after it.
    fn find_ends(&mut self, view: &View<'_>, kind: VolumeKind) {
        for number in (0..self.nodes.len()).rev() {
            let (first, children) = (self.nodes[number].first as usize, self.nodes[number].children as usize);
            let mut next = number + 1;
            let mut all: Option<Range<u32>> = None;
            for lane in 0..children {
                let below = below(view, kind, [first, children, lane]);
                let triangles = if below.is_leaf() {
                    let leaf = view.leaf(below.first_triangle());
                    leaf.start as u32..leaf.end as u32
                } else {
                    let child = &self.nodes[next];
                    next = child.end as usize;
                    child.triangles.clone()
                };
                all = Some(all.map_or(triangles.start, |all| all.start)..triangles.end);
            }
            let node = &mut self.nodes[number];
            (node.end, node.triangles) = (next as u32, all.unwrap_or_default());
        }
    }

    pub(super) fn volumes(&self) -> usize {
        self.tests.len() - WIDTH
    }

    /// How many tests there are below each volume of a node; 0 past its children.
    #[inline(always)]
    pub(super) fn tests<S: Simd>(&self, s: S, node: &WideNode) -> [f32; WIDTH] {
        let [tests] =
            s.load_rows(bytemuck::cast_slice(&self.tests[node.first as usize..]), WIDTH, node.children as usize);
        s.to_array(tests)
    }

    /// The first volume of a node; for the node after the last one, the end of all.
    #[inline(always)]
    pub(super) fn first(&self, number: usize) -> usize {
        self.nodes.get(number).map_or(self.volumes(), |node| node.first as usize)
    }

    /// The node after a node's subtree.
    #[inline(always)]
    pub(super) fn end(&self, number: usize) -> usize {
        self.nodes[number].end as usize
    }
}

fn below(view: &View<'_>, kind: VolumeKind, [first, children, lane]: [usize; 3]) -> NodeRef {
    let fields = volume::fields(kind);
    NodeRef::from_word(view.nodes[first * fields + (fields - 1) * children + lane])
}

/// The vertices of a triangle's corners, and whether it is the last of its leaf.
#[inline(always)]
pub(super) fn unmarked([a, b, c]: [u32; 3]) -> ([usize; 3], bool) {
    ([(a & !LAST_OF_LEAF) as usize, b as usize, c as usize], a & LAST_OF_LEAF != 0)
}
