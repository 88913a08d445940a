//! Which bodies touch, or lie inside solid ones.

use std::ops::ControlFlow;

use bvtree::scene::{Body, Scene};
use bvtree::{Pose, Query};
use numpy::IntoPyArray;
use pyo3::prelude::*;

use super::solid::Solid;
use super::{Object, PyScene};
use crate::poses::one_pose;
use crate::records::pairs;
use crate::scratch::with_query;
use crate::tree::PyTree;

#[pymethods]
impl PyScene {
    /// All pairs of bodies whose AABBs in the world are at most `reach` apart (along each axis): for a question of
    /// one's own. Those whose surfaces are as near are among them, and some that are a little farther may be.
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

    /// The bodies whose AABBs in the world are at most `reach` from a mesh's (along each axis, or a little more): for a
    /// question of one's own.
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
    fn bodies_near(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        pose: Option<&Bound<'_, PyAny>>,
        reach: f64,
    ) -> Object {
        let (tree, pose) = (tree.get().tree.clone(), one_pose(pose, "pose")?);
        let found = self.ask(py, move |state, _| {
            let near = state.scene.bodies_near(&tree, &pose, reach, u32::MAX);
            let mut found: Vec<i64> = near.into_iter().map(|id| state.number(id)).collect();
            found.sort_unstable();
            found
        })?;
        Ok(found.into_pyarray(py).into_any().unbind())
    }

    /// All pairs of bodies that intersect, exactly: their surfaces touch, or one has a part inside the other, which is
    /// solid.
    ///
    /// Args:
    ///     first: Stop at the first pair.
    ///
    /// Returns:
    ///     An (M, 2) int64 array of bodies' numbers.
    ///
    /// Raises:
    ///     TypeError: If `first` is no bool.
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

    /// The bodies that a mesh touches, or that have a part inside it or it in them where the outer one is solid.
    ///
    /// Args:
    ///     tree: The mesh's tree.
    ///     pose: Where it stands in the world.
    ///     solid: Whether what lies inside it collides with it, as of `add`.
    ///     first: End with the first body.
    ///
    /// Returns:
    ///     An (M,) int64 array of bodies' numbers, sorted.
    ///
    /// Raises:
    ///     InvalidPose: If the pose is no rotation and translation.
    ///     NotClosed: If `solid` is True and the mesh is open.
    ///     ValueError: If there are several poses.
    #[pyo3(signature = (tree, pose = None, *, solid = Solid::No, first = false), text_signature = "($self, tree, \
        pose=None, *, solid=False, first=False)")]
    fn bodies_intersecting(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        pose: Option<&Bound<'_, PyAny>>,
        solid: Solid,
        first: bool,
    ) -> Object {
        let (is_solid, pose) = (solid.of(py, tree.get())?, one_pose(pose, "pose")?);
        let tree = tree.get().tree.clone();
        let found = self.ask(py, move |state, cancelled| {
            let near = state.scene.bodies_near(&tree, &pose, 0.0, u32::MAX);
            let mut found = Vec::new();
            for id in near {
                if cancelled.ends_work() {
                    break;
                }
                let Some(body) = state.scene.body(id) else { continue };
                let mesh = Body { is_solid, ..Body::moving(tree.clone(), pose) };
                if with_query(|query| collide(query, mesh, body)) {
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

/// Whether a mesh and a body touch, or one has a part inside the other, which is solid. Nothing else keeps them from
/// being compared.
fn collide(query: &mut Query, mesh: Body, body: &Body) -> bool {
    if query.intersects(&mesh.tree, &body.tree, &Pose::relative(&mesh.pose, &body.pose)) {
        return true;
    }
    if !mesh.is_solid && !body.is_solid {
        return false;
    }
    let body = Body { is_solid: body.is_solid, ..Body::moving(body.tree.clone(), body.pose) };
    let mut both = Scene::new();
    both.add_all([mesh, body]).is_ok() && both.first_intersecting_pair().is_some()
}
