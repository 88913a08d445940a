//! The nodes to refit when some vertices move.

use std::ops::Range;

use super::topology::{Topology, below, unmarked};
use crate::tree::{BvTree, View};
use crate::volume::VolumeKind;

/// For each vertex, the nodes with a leaf that contains one of the vertex's triangles.
pub(super) struct Users {
    first: Vec<usize>,
    nodes: Vec<u32>,
}

impl Users {
    pub(super) fn new(view: &View<'_>, kind: VolumeKind, topology: &Topology) -> Self {
        let mut node_of = vec![0; view.corners.len()];
        for (number, node) in topology.nodes.iter().enumerate() {
            let (first, children) = (node.first as usize, node.children as usize);
            for lane in 0..children {
                let below = below(view, kind, [first, children, lane]);
                if below.is_leaf() {
                    node_of[view.leaf(below.first_triangle())].fill(number as u32);
                }
            }
        }
        // A counting sort: count, sum up, distribute.
        let mut first = vec![0; view.vertices.len() + 1];
        let corners = || view.corners.iter().zip(&node_of).flat_map(|(&c, &node)| unmarked(c).0.map(|v| (v, node)));
        for (vertex, _) in corners() {
            first[vertex + 1] += 1;
        }
        for vertex in 0..view.vertices.len() {
            first[vertex + 1] += first[vertex];
        }
        let (mut free, mut nodes) = (first.clone(), vec![0; 3 * view.corners.len()]);
        for (vertex, node) in corners() {
            nodes[free[vertex]] = node;
            free[vertex] += 1;
        }
        Self { first, nodes }
    }

    fn of(&self, vertex: usize) -> &[u32] {
        &self.nodes[self.first[vertex]..self.first[vertex + 1]]
    }
}

/// A bit for each node, set if a vertex below it moved.
pub(super) struct Dirty {
    bits: Vec<u64>,
    volumes: usize,
}

impl Dirty {
    pub(super) fn new(topology: &Topology) -> Self {
        Self { bits: vec![0; topology.nodes.len().div_ceil(64)], volumes: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.bits.fill(0);
        self.volumes = 0;
    }

    /// Marks the nodes with a leaf that contains one of the vertex's triangles, and all nodes above them.
    pub(super) fn add(&mut self, users: &Users, vertex: usize, topology: &Topology) {
        for &node in users.of(vertex) {
            let mut number = node as usize;
            while !self.contains(number) {
                let node = &topology.nodes[number];
                self.bits[number / 64] |= 1 << (number % 64);
                self.volumes += node.children as usize;
                number = node.parent as usize;
            }
        }
    }

    #[inline(always)]
    pub(super) fn contains(&self, node: usize) -> bool {
        self.bits[node / 64] & (1 << (node % 64)) != 0
    }

    /// The last marked node in a range; `None` if there is none.
    #[inline(always)]
    pub(super) fn last_in(&self, nodes: &Range<usize>) -> Option<usize> {
        let mut end = nodes.end;
        while end > nodes.start {
            let word = (end - 1) / 64;
            let found = self.bits[word] & (u64::MAX >> (63 - (end - 1) % 64));
            if found != 0 {
                return Some(64 * word + 63 - found.leading_zeros() as usize).filter(|&last| last >= nodes.start);
            }
            end = 64 * word;
        }
        None
    }

    pub(super) fn volumes(&self) -> usize {
        self.volumes
    }
}

/// The vertices that move in a partial refit, and the nodes that they affect.
pub(super) struct PartlyMoved {
    /// The tree's vertex for each vertex of the mesh; [`UNUSED`] if no triangle has it.
    tree_vertices: Vec<u32>,
    users: Users,
    pub(super) dirty: Dirty,
    /// The moved vertices, by their indices in the tree.
    pub(super) moved: Vec<u32>,
}

const UNUSED: u32 = u32::MAX;

impl PartlyMoved {
    pub(super) fn new(tree: &BvTree, vertices: usize, mesh_vertices: &[u32], topology: &Topology) -> Self {
        let mut tree_vertices = vec![UNUSED; vertices];
        for (number, &vertex) in (0..).zip(mesh_vertices) {
            tree_vertices[vertex as usize] = number;
        }
        let users = Users::new(&tree.view(), tree.kind(), topology);
        Self { tree_vertices, users, dirty: Dirty::new(topology), moved: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.dirty.clear();
        self.moved.clear();
    }

    /// Adds a vertex of the mesh. Returns its index in the tree, or `None` if no triangle uses it.
    pub(super) fn add(&mut self, vertex: u32, topology: &Topology) -> Option<usize> {
        let number = self.tree_vertices[vertex as usize];
        if number == UNUSED {
            return None;
        }
        self.dirty.add(&self.users, number as usize, topology);
        self.moved.push(number);
        Some(number as usize)
    }
}
