//! When a deformed mesh's tree is built anew, and how.

use std::sync::Arc;

use super::deforming::DeformingTree;
use super::error::RefitError;
use super::numbering::mesh_vertices;
use super::options::Refitted;
use super::plan::Plan;
use super::state::AnyState;
use crate::tree::BvTree;

impl DeformingTree {
    /// How much queries cost by the surface area heuristic (Goldsmith and Salmon 1987), relative to when the tree was
    /// built: the sum over all volumes of their areas times the tests below, over the root's area. 1 at first; from
    /// about 1.5 on a rebuild pays soon.
    ///
    /// 1 where areas are 0.
    pub fn cost_ratio(&self) -> f64 {
        let ratio = self.cost() / self.cost_at_build;
        if ratio.is_finite() { ratio } else { 1.0 }
    }

    /// Builds the tree anew, by its own build options, of the mesh as it is now.
    ///
    /// # Errors
    /// As [`BvTree::build`]; then the tree stays as it is.
    pub fn rebuild(&mut self) -> Result<(), RefitError> {
        let tree = BvTree::build(&self.mesh, self.tree.options())?;
        self.plan = Plan::new(&tree.view(), tree.kind());
        self.state = AnyState::new(&tree, &self.plan, self.options.obb_axes);
        self.mesh_vertices = mesh_vertices(&tree, &self.mesh);
        (self.costs, self.partly_moved) = (vec![0.0; self.plan.nodes.len()], None);
        (self.tree, self.is_refitted) = (Arc::new(tree), false);
        self.measure_at_build();
        Ok(())
    }

    /// Builds the tree anew if it is due.
    pub(super) fn finished(&mut self, volumes: usize) -> Result<Refitted, RefitError> {
        let cost_ratio = self.cost_ratio();
        let was_rebuilt = self.options.rebuild_above.is_some_and(|most| cost_ratio > most);
        if was_rebuilt {
            self.rebuild()?;
        }
        Ok(Refitted { volumes, cost_ratio, was_rebuilt })
    }
}
