//! The steps of a refit: vertices into the tree's order, the frame, the volumes.

use std::sync::Arc;

use nalgebra::Point3;

use super::cost::{cost_by_root, costs_of};
use super::deforming::DeformingTree;
use super::moved_vertices::PartlyMoved;
use super::state::Task;
use super::vertices::{VERTICES, bounds};
use crate::parallel;
use crate::volume::Frame;

/// Part of a frame's unit that must be in use.
const USED_UNIT: f64 = 0.5;

impl DeformingTree {
    /// Fits all volumes to the mesh's vertices.
    pub(super) fn refit_all(&mut self) {
        let Some((meta, arrays)) = Arc::make_mut(&mut self.tree).arrays_mut() else { return };
        let (vertices, mesh_vertices) = (&self.mesh.vertices, &self.mesh_vertices);
        let reorder = |first: usize, run: &mut [_]| {
            for (vertex, &number) in run.iter_mut().zip(&mesh_vertices[first..]) {
                *vertex = vertices[number as usize];
            }
            bounds(self.level, run)
        };
        meta.bounds = parallel::reduce_runs(&mut arrays.vertices, VERTICES, reorder, |a, b| a.union(&b));
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
        parts.clear();
        for &(vertex, _) in moved {
            if let Some(number) = parts.add(vertex, plan) {
                arrays.vertices[number] = mesh.vertices[vertex as usize];
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
