//! A tree's wide nodes in the order of the file, which stay what they are.

use std::ops::Range;

use crate::packed::{self, NodeRef};
use crate::tree::{LAST_OF_LEAF, View};
use crate::volume::VolumeKind;

/// Siblings. A node's subtree follows it: one child's after the other.
#[derive(Clone, Debug)]
pub(super) struct WideNode {
    /// The first of its volumes among all.
    pub(super) first: u32,
    /// How many volumes it has.
    pub(super) children: u32,
    /// The node above; of the root itself.
    pub(super) parent: u32,
    /// The node after its subtree.
    pub(super) end: u32,
    /// The triangles of its subtree, by their places in leaf order.
    pub(super) triangles: Range<u32>,
}

/// All wide nodes of a tree whose structure is sound.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) nodes: Vec<WideNode>,
    volumes: usize,
}

impl Plan {
    pub(super) fn new(view: &View<'_>, kind: VolumeKind) -> Self {
        let mut plan = Self { nodes: Vec::new(), volumes: (view.nodes.len() - packed::PADDING) / packed::fields(kind) };
        if view.corners.is_empty() {
            return plan;
        }
        let mut ahead = vec![(NodeRef::ROOT, 0)];
        while let Some((node, parent)) = ahead.pop() {
            let number = plan.nodes.len() as u32;
            let (first, children) = (node.first_child(), node.children());
            let below = |lane| below(view, kind, [first, children, lane]);
            ahead.extend((0..children).rev().map(below).filter(|below| !below.is_leaf()).map(|below| (below, number)));
            let (first, children) = (first as u32, children as u32);
            plan.nodes.push(WideNode { first, children, parent, end: number + 1, triangles: 0..0 });
        }
        plan.find_ends(view, kind);
        plan
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
        self.volumes
    }

    /// The first volume of a node; for the node after the last one, the end of all.
    #[inline(always)]
    pub(super) fn first(&self, number: usize) -> usize {
        self.nodes.get(number).map_or(self.volumes, |node| node.first as usize)
    }

    /// The node after a node's subtree.
    #[inline(always)]
    pub(super) fn end(&self, number: usize) -> usize {
        self.nodes[number].end as usize
    }
}

fn below(view: &View<'_>, kind: VolumeKind, [first, children, lane]: [usize; 3]) -> NodeRef {
    let fields = packed::fields(kind);
    NodeRef::from_word(view.nodes[first * fields + (fields - 1) * children + lane])
}

/// The vertices of a triangle's corners, and whether it is the last of its leaf.
#[inline(always)]
pub(super) fn unmarked([a, b, c]: [u32; 3]) -> ([usize; 3], bool) {
    ([(a & !LAST_OF_LEAF) as usize, b as usize, c as usize], a & LAST_OF_LEAF != 0)
}
