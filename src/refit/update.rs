//! The steps of a refit: vertices into the tree's order, the frame, the volumes.

use std::sync::Arc;

use nalgebra::Point3;

use super::cost::{cost_by_root, costs_of};
use super::deforming::DeformingTree;
use super::error::NotRefittable;
use super::moved::{Dirty, Users};
use super::plan::Plan;
use super::state::Task;
use super::vertices::bounds;
use crate::build::{Triangles, reorder};
use crate::mesh::Mesh;
use crate::packed::Frame;
use crate::parallel;
use crate::tree::{BvTree, Owned, View, check_structure};

/// What it takes to find what moves with some vertices.
pub(super) struct PartlyMoved {
    /// For each vertex of the mesh that of the tree; [`UNUSED`] where no triangle has it.
    tree_vertices: Vec<u32>,
    users: Users,
    dirty: Dirty,
    /// By their numbers in the tree.
    moved: Vec<u32>,
}

const UNUSED: u32 = u32::MAX;

/// Part of a frame's unit that must be in use.
const USED_UNIT: f64 = 0.5;

impl DeformingTree {
    /// Fits all volumes to the mesh's vertices.
    pub(super) fn refit_all(&mut self) {
        let Some((meta, arrays)) = Arc::make_mut(&mut self.tree).arrays_mut() else { return };
        let (vertices, mesh_vertices) = (&self.mesh.vertices, &self.mesh_vertices);
        parallel::for_each_mut(&mut arrays.vertices, |number, vertex| {
            *vertex = vertices[mesh_vertices[number] as usize];
        });
        meta.bounds = bounds(self.level, &arrays.vertices);
        meta.frame = Frame::of(&meta.bounds);
        meta.mesh_digest = 0;
        let task = Task { level: self.level, plan: &self.plan, frame: meta.frame, dirty: None, moved: None };
        self.state.refit(&task, arrays, &mut self.costs);
        self.is_refitted = true;
    }

    /// Fits volumes to the mesh's vertices, of which just these have moved; returns how many.
    pub(super) fn refit_some(&mut self, moved: &[(u32, Point3<f32>)]) -> usize {
        let (mesh, plan) = (&self.mesh, &self.plan);
        let parts = self
            .partly_moved
            .get_or_insert_with(|| PartlyMoved::new(&self.tree, mesh.vertices.len(), &self.mesh_vertices, plan));
        let Some((meta, arrays)) = Arc::make_mut(&mut self.tree).arrays_mut() else { return 0 };
        parts.begin();
        for &(vertex, _) in moved {
            let number = parts.tree_vertices[vertex as usize];
            if number != UNUSED {
                arrays.vertices[number as usize] = mesh.vertices[vertex as usize];
                parts.dirty.add(&parts.users, number as usize, plan);
                parts.moved.push(number);
            }
        }
        meta.mesh_digest = 0;
        meta.bounds = bounds(self.level, &arrays.vertices);
        let frame = Frame::of(&meta.bounds);
        let is_of_use = meta.frame.is_for(&meta.bounds) && frame.unit >= USED_UNIT * meta.frame.unit;
        let is_kept = is_of_use && self.is_refitted;
        self.is_refitted = true;
        let (dirty, volumes) =
            if is_kept { (Some(&parts.dirty), parts.dirty.volumes()) } else { (None, plan.volumes()) };
        if !is_kept {
            meta.frame = frame;
        }
        let task = Task { level: self.level, plan, frame: meta.frame, dirty, moved: Some(&parts.moved) };
        self.state.refit(&task, arrays, &mut self.costs);
        volumes
    }

    pub(super) fn measure_at_build(&mut self) {
        costs_of(self.level, &self.tree.view(), self.tree.kind(), &self.plan, &mut self.costs);
        self.cost_at_build = self.cost();
    }

    /// By the surface area heuristic; NaN for a mesh without area.
    pub(super) fn cost(&self) -> f64 {
        if self.costs.is_empty() {
            return f64::NAN;
        }
        cost_by_root(self.tree.view().nodes, self.tree.kind(), &self.costs)
    }
}

impl PartlyMoved {
    fn new(tree: &BvTree, vertices: usize, mesh_vertices: &[u32], plan: &Plan) -> Self {
        let mut tree_vertices = vec![UNUSED; vertices];
        for (number, &vertex) in (0..).zip(mesh_vertices) {
            tree_vertices[vertex as usize] = number;
        }
        let users = Users::new(&tree.view(), tree.kind(), plan);
        Self { tree_vertices, users, dirty: Dirty::new(plan), moved: Vec::new() }
    }

    fn begin(&mut self) {
        self.dirty.clear();
        self.moved.clear();
    }
}

/// A tree of the mesh in memory of its own, its vertices numbered by first use.
pub(super) fn numbered(tree: Arc<BvTree>, mesh: &Mesh) -> Result<BvTree, NotRefittable> {
    check_structure(tree.view(), tree.meta(), tree.groups())?;
    if tree.triangle_count() != mesh.triangles.len() {
        return Err(NotRefittable::Triangles { tree: tree.triangle_count(), mesh: mesh.triangles.len() });
    }
    let view = tree.view();
    for (place, &face) in view.faces.iter().enumerate() {
        let in_mesh = mesh.triangles[face as usize].map(|vertex| &mesh.vertices[vertex as usize]);
        if view.triangle(place) != in_mesh {
            return Err(NotRefittable::OtherMesh { face });
        }
    }
    let Triangles { vertices, corners, faces } = reorder(mesh, view.faces.to_vec(), leaves(&view).into_iter());
    let (nodes, polygons) = (view.nodes.to_vec(), view.polygons.to_vec());
    let groups = tree.groups().to_vec();
    let meta = tree.meta().clone();
    Ok(BvTree::from_parts(meta, Owned { nodes, vertices, corners, faces, polygons, groups }))
}

/// Where each leaf's triangles are.
fn leaves(view: &View<'_>) -> Vec<std::ops::Range<usize>> {
    let mut leaves = Vec::new();
    let mut first = 0;
    while first < view.corners.len() {
        let leaf = view.leaf(first);
        first = leaf.end;
        leaves.push(leaf);
    }
    leaves
}

/// For each vertex of a tree that is numbered by first use that of its mesh.
pub(super) fn mesh_vertices(tree: &BvTree, mesh: &Mesh) -> Vec<u32> {
    let view = tree.view();
    let mut mesh_vertices = vec![0; view.vertices.len()];
    for (corners, &face) in view.triangles().zip(view.faces) {
        for (number, &vertex) in corners.into_iter().zip(&mesh.triangles[face as usize]) {
            mesh_vertices[number as usize] = vertex;
        }
    }
    mesh_vertices
}
