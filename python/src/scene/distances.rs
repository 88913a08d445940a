//! Distances between bodies.

use bvtree::scene::{NearBody, NearPair, OverlappingPair, PenetratingPair};
use bvtree::{Query, query};
use pyo3::prelude::*;

use super::rows::{BodyManifoldRow, NearRow, OverlapRow, PenetrationRow, parts};
use super::{Object, PyScene, State};
use crate::answer::Answer;
use crate::pairs::depth_options;
use crate::poses::one_pose;
use crate::records::{ManifoldRow, NONE};
use crate::scratch::with_query;
use crate::solids::Solid;
use crate::tree::tree_argument;

#[pymethods]
impl PyScene {
    /// Finds all pairs of bodies whose distance is at most a clearance. The distance is that of their surfaces, or 0 if
    /// one is solid and a part of the other is inside it; both points are then the point of the inner surface that is
    /// closest to the outer one.
    ///
    /// Args:
    ///     clearance: Largest distance in the world's unit. 0 finds bodies that touch; a negative clearance finds none.
    ///
    /// Returns:
    ///     A structured array with the fields `a`, `b` (bodies' numbers), `distance`, `on_a`, `on_b` ((3,) points in
    ///     the world), `face_a`, `face_b`, `part_a` and `part_b` (indices of a compound's parts; 0 for other bodies).
    ///
    /// Raises:
    ///     TypeError: If the clearance is not a number.
    fn pairs_within(&self, py: Python<'_>, clearance: f64) -> Object {
        let found = self.ask(py, move |state, _| {
            let found = state.scene.pairs_within(clearance);
            found.iter().map(|pair| NearRow::new(state.numbers(pair.bodies), pair)).collect()
        })?;
        Ok(NearRow::many(py, found))
    }

    /// Computes how deep bodies overlap, for all pairs that do; see `bvtree.overlap_depth`. All bodies count as solids.
    ///
    /// Args:
    ///     solid: How to treat bodies whose mesh is open: "robust" gives them an inside (see `intersects`), and then
    ///         `lower` and `upper` are estimates; otherwise their pairs are left out.
    ///     relative_tolerance, absolute_tolerance, time_limit: See `bvtree.overlap_depth`.
    ///
    /// Returns:
    ///     A structured array with the fields `a`, `b` (bodies' numbers), `lower`, `upper`, `point`, `way_out` (in the
    ///     world), `is_on_b`, `part_a` and `part_b` (the parts of compounds that reach deepest into each other).
    ///
    /// Raises:
    ///     ValueError: If a tolerance or `time_limit` is negative.
    #[pyo3(signature = (*, solid = Solid::IfClosed, relative_tolerance = 0.01, absolute_tolerance = 0.0,
        time_limit = None), text_signature = "($self, *, solid=\"if_closed\", relative_tolerance=0.01, \
        absolute_tolerance=0.0, time_limit=None)")]
    fn overlap_depths(
        &self,
        py: Python<'_>,
        solid: Solid,
        relative_tolerance: f64,
        absolute_tolerance: f64,
        time_limit: Option<f64>,
    ) -> Object {
        let options = depth_options(relative_tolerance, absolute_tolerance, time_limit)?;
        let open = if matches!(solid, Solid::Robust) { query::Solid::Robust } else { query::Solid::IfClosed };
        let found = self.ask_in_pool(py, move |state, _| {
            let found = state.scene.overlap_depths(open, &options);
            let row = |pair: &OverlappingPair| {
                OverlapRow::new(state.numbers(pair.bodies), parts(pair.parts), pair.depth.into())
            };
            found.iter().map(row).collect()
        })?;
        Ok(OverlapRow::many(py, found))
    }

    /// Computes how far bodies whose interiors overlap have to move to separate, for all such pairs; see
    /// `bvtree.penetration_depth`. All bodies count as solids. Pairs with an open mesh are left out.
    ///
    /// Args:
    ///     relative_tolerance, absolute_tolerance, time_limit: See `bvtree.penetration_depth`; for each pair.
    ///
    /// Returns:
    ///     A structured array with the fields `a`, `b` (bodies' numbers), `lower`, `upper` and `translation` (of `b`,
    ///     in the world).
    ///
    /// Raises:
    ///     ValueError: If a tolerance or `time_limit` is negative.
    #[pyo3(signature = (*, relative_tolerance = 0.01, absolute_tolerance = 0.0, time_limit = None))]
    fn penetration_depths(
        &self,
        py: Python<'_>,
        relative_tolerance: f64,
        absolute_tolerance: f64,
        time_limit: Option<f64>,
    ) -> Object {
        let options = depth_options(relative_tolerance, absolute_tolerance, time_limit)?;
        let found = self.ask_in_pool(py, move |state, _| {
            let found = state.scene.penetration_depths(&options);
            let row = |pair: &PenetratingPair| PenetrationRow::new(state.numbers(pair.bodies), pair.depth.into());
            found.iter().map(row).collect()
        })?;
        Ok(PenetrationRow::many(py, found))
    }

    /// Finds the contact manifolds of all pairs of bodies, for a physics engine; see `bvtree.contact_manifolds`.
    ///
    /// Args:
    ///     margin: How deep contacts may be, and how wide a gap they may bridge, in the world's unit. A negative margin
    ///         finds none.
    ///
    /// Returns:
    ///     A structured array with the fields `a`, `b` (bodies' numbers), `manifold`, `normal` (from A to B), `on_a`,
    ///     `on_b` (in the world), `depth`, `face_a`, `face_b`, `id`, which is unique among the points of two parts,
    ///     `part_a` and `part_b`.
    ///
    /// Raises:
    ///     TypeError: If the margin is not a number.
    fn contact_manifolds(&self, py: Python<'_>, margin: f64) -> Object {
        let found = self.ask(py, move |state, _| {
            let found = state.scene.contact_manifolds(margin);
            let rows = (0..).zip(&found).flat_map(|(number, found)| {
                let (bodies, parts) = (state.numbers(found.bodies), parts(found.parts));
                ManifoldRow::of((number, &found.manifold)).map(move |point| BodyManifoldRow::new(bodies, parts, point))
            });
            rows.collect()
        })?;
        Ok(BodyManifoldRow::many(py, found))
    }

    /// Finds the two closest bodies. Returns a record with the fields of `pairs_within`; None if no two nonempty bodies
    /// are compared.
    fn closest_pair(&self, py: Python<'_>) -> Object {
        let found = self.ask(py, |state, _| {
            let found = state.scene.closest_pair();
            found.map(|pair| NearRow::new(state.numbers(pair.bodies), &pair))
        })?;
        found.unwrap_or_default().one(py)
    }

    /// Finds the bodies whose distance from a mesh is at most a clearance. The distance of a solid body that contains a
    /// part of the mesh is 0.
    ///
    /// Args:
    ///     tree, pose: The mesh's tree and its pose in the world.
    ///     clearance: Largest distance in the world's unit; infinity returns all nonempty bodies.
    ///
    /// Returns:
    ///     A structured array with the fields of `pairs_within`, where B is the body; `a` is -1.
    ///
    /// Raises:
    ///     InvalidPose: If the pose is not a rotation and a translation.
    ///     ValueError: If several poses are given.
    #[pyo3(signature = (tree, clearance, pose = None))]
    fn bodies_within(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyAny>,
        clearance: f64,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> Object {
        let (tree, pose) = (tree_argument(tree, "tree")?.tree.clone(), one_pose(pose, "pose")?);
        let found = self.ask(py, move |state, _| {
            let near = with_query(|query| state.scene.bodies_within(query, &tree, &pose, clearance, u32::MAX));
            near.iter().map(|near| state.of_tree(near)).collect()
        })?;
        Ok(NearRow::many(py, found))
    }

    /// Finds the body that is closest to a mesh. A solid body that contains a part of the mesh is at distance 0.
    ///
    /// Args:
    ///     tree, pose: The mesh's tree and its pose in the world.
    ///     max_distance: Largest distance of interest; bodies farther away are not found.
    ///     ignore: Number of a body to skip, such as the mesh's own.
    ///
    /// Returns:
    ///     A record with the fields of `bodies_within`; None if no body is within `max_distance`.
    ///
    /// Raises:
    ///     InvalidPose: If the pose is not a rotation and a translation.
    ///     ValueError: If several poses are given.
    #[pyo3(signature = (tree, pose = None, *, max_distance = f64::INFINITY, ignore = None), text_signature = "($self, \
        tree, pose=None, *, max_distance=math.inf, ignore=None)")]
    fn closest_body(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        max_distance: f64,
        ignore: Option<u64>,
    ) -> Object {
        let (tree, pose) = (tree_argument(tree, "tree")?.tree.clone(), one_pose(pose, "pose")?);
        let found = self.ask(py, move |state, _| {
            let ignored = ignore.and_then(|number| state.ids.get(&number).copied());
            let closest =
                |query: &mut Query| state.scene.closest_body(query, &tree, &pose, max_distance, u32::MAX, ignored);
            with_query(closest).map(|near| state.of_tree(&near))
        })?;
        match found {
            Some(found) => Ok(NearRow::many(py, vec![found]).bind(py).get_item(0)?.unbind()),
            None => Ok(py.None()),
        }
    }
}

impl State {
    /// Returns the row for a mesh outside the scene and a body.
    fn of_tree(&self, near: &NearBody) -> NearRow {
        let NearBody { body, distance, points, faces, part } = *near;
        NearRow::new(
            [NONE, self.number(body)],
            &NearPair { bodies: [body; 2], distance, points, faces, parts: [0, part] },
        )
    }
}
