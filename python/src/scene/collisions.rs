//! Bodies that touch or lie inside solid bodies.

use std::ops::ControlFlow;

use bvtree::query;
use numpy::IntoPyArray;
use pyo3::prelude::*;

use super::{Object, PyScene};
use crate::poses::one_pose;
use crate::records::pairs;
use crate::scratch::with_query;
use crate::solids::Solid;
use crate::tree::tree_argument;

#[pymethods]
impl PyScene {
    /// Finds all pairs of bodies whose world AABBs are at most `reach` apart along each axis: a broad phase for your
    /// own queries. It includes all pairs whose surfaces are that close, and may include pairs slightly farther apart.
    ///
    /// Args:
    ///     reach: Distance in the world's unit; 0 finds boxes that overlap.
    ///
    /// Returns:
    ///     An (M, 2) int64 array of bodies' numbers.
    ///
    /// Raises:
    ///     TypeError: If `reach` is not a number.
    #[pyo3(signature = (reach = 0.0))]
    fn neighbor_pairs(&self, py: Python<'_>, reach: f64) -> Object {
        let found = self.ask(py, move |state, cancelled| {
            let mut found = Vec::new();
            state.scene.for_each_neighbor_pair(
                reach,
                |_, near| Some(near.ids),
                |ids| {
                    found.push(ids);
                    if cancelled.ends_work() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            state.sorted(found)
        })?;
        pairs(py, found)
    }

    /// Finds the bodies whose world AABBs are at most `reach` away from a mesh's along each axis, or slightly farther:
    /// a broad phase for your own queries.
    ///
    /// Args:
    ///     tree, pose: The mesh's tree and its pose in the world.
    ///     reach: Distance in the world's unit; 0 finds boxes that overlap.
    ///
    /// Returns:
    ///     An (M,) int64 array of bodies' numbers, sorted.
    ///
    /// Raises:
    ///     InvalidPose: If the pose is not a rotation and a translation.
    ///     ValueError: If several poses are given.
    #[pyo3(signature = (tree, pose = None, *, reach = 0.0))]
    fn bodies_near(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        reach: f64,
    ) -> Object {
        let (tree, pose) = (tree_argument(tree, "tree")?.tree.clone(), one_pose(pose, "pose")?);
        let found = self.ask(py, move |state, _| {
            let near = state.scene.bodies_near(&tree, &pose, reach, u32::MAX);
            let mut found: Vec<i64> = near.into_iter().map(|id| state.number(id)).collect();
            found.sort_unstable();
            found
        })?;
        Ok(found.into_pyarray(py).into_any().unbind())
    }

    /// Finds exactly all pairs of intersecting bodies: their surfaces touch, or one is solid and a part of the other is
    /// inside it.
    ///
    /// Args:
    ///     first: Stop at the first pair.
    ///
    /// Returns:
    ///     An (M, 2) int64 array of bodies' numbers.
    ///
    /// Raises:
    ///     TypeError: If `first` is not a bool.
    #[pyo3(signature = (*, first = false))]
    fn intersecting_pairs(&self, py: Python<'_>, first: bool) -> Object {
        let found = self.ask(py, move |state, _| {
            let found = if first {
                Vec::from_iter(state.scene.first_intersecting_pair())
            } else {
                state.scene.intersecting_pairs()
            };
            state.sorted(found)
        })?;
        pairs(py, found)
    }

    /// Finds the bodies that intersect a mesh: the surfaces touch, or one of the two is solid and a part of the other
    /// is inside it.
    ///
    /// Args:
    ///     tree: The mesh's tree.
    ///     pose: Its pose in the world.
    ///     solid: Whether the mesh is solid, so that it collides with what lies inside it; see `add`.
    ///     first: Stop at the first body.
    ///
    /// Returns:
    ///     An (M,) int64 array of bodies' numbers, sorted.
    ///
    /// Raises:
    ///     InvalidPose: If the pose is not a rotation and a translation.
    ///     NotClosed: If `solid` is True and the mesh is open.
    ///     ValueError: If several poses are given, or `solid` is "robust".
    #[pyo3(signature = (tree, pose = None, *, solid = Solid::No, first = false), text_signature = "($self, tree, \
        pose=None, *, solid=False, first=False)")]
    fn bodies_intersecting(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        solid: Solid,
        first: bool,
    ) -> Object {
        let tree = tree_argument(tree, "tree")?;
        let (is_solid, pose) = (solid.of(py, tree)?, one_pose(pose, "pose")?);
        let tree = tree.tree.clone();
        let found = self.ask(py, move |state, _| {
            let mut found = Vec::new();
            with_query(|query| {
                query.set_solids(if is_solid { query::Solid::IfClosed } else { query::Solid::No }, query::Solid::No);
                state.scene.for_each_body_intersecting(query, &tree, &pose, u32::MAX, |id| {
                    found.push(state.number(id));
                    if first { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
            });
            found.sort_unstable();
            found
        })?;
        Ok(found.into_pyarray(py).into_any().unbind())
    }
}
