//! Which bodies touch, or lie inside solid ones.

use std::ops::ControlFlow;

use bvtree::query::Relation;
use bvtree::{BvTree, Pose, Query};
use numpy::IntoPyArray;
use pyo3::prelude::*;

use super::{Object, PyScene, is_solid};
use crate::poses::one_pose;
use crate::records::pairs;
use crate::scratch::with_query;
use crate::tree::PyTree;

#[pymethods]
impl PyScene {
    /// All pairs of bodies whose surfaces touch, exactly.
    ///
    /// Returns:
    ///     An (M, 2) int64 array of bodies' numbers.
    fn touching_pairs(&self, py: Python<'_>) -> Object {
        let found = self.ask(py, |state, _| {
            let found = state.scene.touching_pairs();
            state.sorted(found)
        })?;
        pairs(py, found)
    }

    /// All pairs of bodies whose AABBs in the world are at most `reach` apart (along each axis): for a question of one's own. Those whose
    /// surfaces are as near are among them, and some that are a little farther may be.
    ///
    /// Args:
    ///     reach: In the world's unit; 0 is for boxes that overlap.
    ///
    /// Returns:
    ///     An (M, 2) int64 array of bodies' numbers.
    ///
    /// Raises:
    ///     TypeError: If `reach` is no number.
    #[pyo3(signature = (reach = 0.0))]
    fn neighbor_pairs(&self, py: Python<'_>, reach: f64) -> Object {
        let found = self.ask(py, move |state, cancelled| {
            let mut found = Vec::new();
            state.scene.for_each_neighbor(
                reach,
                |_, near| Some(near.ids),
                |ids| {
                    found.push(ids);
                    if cancelled.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            state.sorted(found)
        })?;
        pairs(py, found)
    }

    /// The bodies whose AABBs in the world are at most `reach` from a mesh's (along each axis, or a little more): for a question of one's own.
    ///
    /// Args:
    ///     tree, pose: The mesh's tree, and where it stands in the world.
    ///     reach: In the world's unit; 0 is for boxes that overlap.
    ///
    /// Returns:
    ///     An (M,) int64 array of bodies' numbers, sorted.
    ///
    /// Raises:
    ///     InvalidPose: If the pose is no rotation and translation.
    ///     ValueError: If there are several poses.
    #[pyo3(signature = (tree, pose = None, *, reach = 0.0))]
    fn neighbors(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        pose: Option<&Bound<'_, PyAny>>,
        reach: f64,
    ) -> Object {
        let (tree, pose) = (tree.get().tree.clone(), one_pose(pose, "pose")?);
        let found = self.ask(py, move |state, _| {
            let near = state.scene.neighbors_of_tree(&tree, &pose, reach, u32::MAX);
            let mut found: Vec<i64> = near.into_iter().map(|id| state.number(id)).collect();
            found.sort_unstable();
            found
        })?;
        Ok(found.into_pyarray(py).into_any().unbind())
    }

    /// All pairs of bodies that touch or of which one lies inside a solid one.
    ///
    /// Args:
    ///     first: End with the first pair.
    ///
    /// Returns:
    ///     An (M, 2) int64 array of bodies' numbers.
    ///
    /// Raises:
    ///     TypeError: If `first` is no bool.
    #[pyo3(signature = (*, first = false))]
    fn colliding_pairs(&self, py: Python<'_>, first: bool) -> Object {
        let found = self.ask(py, move |state, cancelled| {
            let mut found = Vec::new();
            state.scene.for_each_neighbor(
                0.0,
                |query, near| {
                    let [a, b] = near.bodies;
                    let solid = near.bodies.map(is_solid);
                    let asks = !cancelled.is_set();
                    (asks && collide(query, [&a.tree, &b.tree], solid, &near.b_to_a())).then_some(near.ids)
                },
                |ids| {
                    found.push(ids);
                    if first || cancelled.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            state.sorted(found)
        })?;
        pairs(py, found)
    }

    /// The bodies that a mesh touches, or that lie inside it or it in them where the outer one is solid.
    ///
    /// Args:
    ///     tree: The mesh's tree.
    ///     pose: Where it stands in the world.
    ///     solid: Whether what lies inside it collides with it.
    ///     first: End with the first body.
    ///
    /// Returns:
    ///     An (M,) int64 array of bodies' numbers, sorted.
    ///
    /// Raises:
    ///     InvalidPose: If the pose is no rotation and translation.
    ///     ValueError: If there are several poses.
    #[pyo3(signature = (tree, pose = None, *, solid = false, first = false))]
    fn colliding(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        pose: Option<&Bound<'_, PyAny>>,
        solid: bool,
        first: bool,
    ) -> Object {
        let (tree, pose) = (tree.get().tree.clone(), one_pose(pose, "pose")?);
        let found = self.ask(py, move |state, _| {
            let near = state.scene.neighbors_of_tree(&tree, &pose, 0.0, u32::MAX);
            let mut found = Vec::new();
            for id in near {
                let Some(body) = state.scene.body(id) else { continue };
                let body_to_tree = Pose::relative(&pose, &body.pose);
                let trees = [&*tree, &*body.tree];
                if with_query(|query| collide(query, trees, [solid, is_solid(body)], &body_to_tree)) {
                    found.push(state.number(id));
                    if first {
                        break;
                    }
                }
            }
            found.sort_unstable();
            found
        })?;
        Ok(found.into_pyarray(py).into_any().unbind())
    }
}

/// Whether two meshes touch, or of one a part lies inside the other, which is solid.
fn collide(query: &mut Query, [a, b]: [&BvTree; 2], [a_solid, b_solid]: [bool; 2], b_to_a: &Pose) -> bool {
    if query.intersects(a, b, b_to_a) {
        return true;
    }
    if !a_solid && !b_solid {
        return false;
    }
    match query.relation(a, b, b_to_a) {
        Relation::AInB => b_solid,
        Relation::BInA => a_solid,
        // Some parts are inside the other mesh, and it is not told of which.
        Relation::Crossing => true,
        Relation::Separate | Relation::Touching | Relation::Undefined => false,
    }
}
