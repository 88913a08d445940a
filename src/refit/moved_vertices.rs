//! What moves with some of a mesh's vertices.

use super::dirty_nodes::{Dirty, Users};
use super::plan::Plan;
use crate::tree::BvTree;

/// What it takes to find what moves with some vertices.
pub(super) struct PartlyMoved {
    /// For each vertex of the mesh that of the tree; [`UNUSED`] where no triangle has it.
    tree_vertices: Vec<u32>,
    users: Users,
    /// The nodes to fit again.
    pub(super) dirty: Dirty,
    /// The vertices, by their numbers in the tree.
    pub(super) moved: Vec<u32>,
}

const UNUSED: u32 = u32::MAX;

impl PartlyMoved {
    pub(super) fn new(tree: &BvTree, vertices: usize, mesh_vertices: &[u32], plan: &Plan) -> Self {
        let mut tree_vertices = vec![UNUSED; vertices];
        for (number, &vertex) in (0..).zip(mesh_vertices) {
            tree_vertices[vertex as usize] = number;
        }
        let users = Users::new(&tree.view(), tree.kind(), plan);
        Self { tree_vertices, users, dirty: Dirty::new(plan), moved: Vec::new() }
    }

    /// As if nothing had moved.
    pub(super) fn clear(&mut self) {
        self.dirty.clear();
        self.moved.clear();
    }

    /// Adds a vertex of the mesh; its number in the tree, or none where no triangle has it.
    pub(super) fn add(&mut self, vertex: u32, plan: &Plan) -> Option<usize> {
        let number = self.tree_vertices[vertex as usize];
        if number == UNUSED {
            return None;
        }
        self.dirty.add(&self.users, number as usize, plan);
        self.moved.push(number);
        Some(number as usize)
    }
}
