//! Clash reports and impacts of moving bodies.

use std::ops::ControlFlow;

use bvtree::query::DistanceOptions;
use bvtree::scene::{BodyId, BodyRelation};
use bvtree::{Motion, Pose, Query};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::relations::names;
use super::rows::MeetingRow;
use super::{Object, PyScene};
use crate::answer::Answer;
use crate::arrays::{Asked, numbers};
use crate::errors::{of_scene, value_error};
use crate::poses::poses;
use crate::records::faces;

#[pymethods]
impl PyScene {
    /// Reports all clashes of the scene as a table.
    ///
    /// Args:
    ///     clearance: Bodies closer than this distance also clash, in the world's unit.
    ///     tolerance: Distance in the world's unit: two bodies are "coincident" if each triangle of one is within it of
    ///         a triangle of the other. With a negative tolerance, no bodies are.
    ///
    /// Returns:
    ///     A dict of arrays, a row for each pair of bodies that touch, are close or contain one another: `a`, `b`
    ///     (numbers), `relation` ("separate", "touching", "crossing", "a_in_b", "b_in_a", "undefined" or "coincident"),
    ///     `pairs` (number of pairs of intersecting triangles) and `distance`. `to_pandas` converts it to a DataFrame.
    ///
    /// Raises:
    ///     ValueError: If the clearance is negative, infinite or NaN.
    #[pyo3(signature = (*, clearance = 0.0, tolerance = 0.0))]
    fn clash<'py>(&self, py: Python<'py>, clearance: f64, tolerance: f64) -> PyResult<Bound<'py, PyDict>> {
        if !(clearance >= 0.0 && clearance.is_finite()) {
            return Err(value_error("clearance: expected a finite number that is not negative"));
        }
        let found = self.ask_in_pool(py, move |state, cancelled| {
            let mut found = Vec::new();
            state.scene.for_each_neighbor_pair(
                clearance,
                |query, near| if cancelled.ends_work() { None } else { clash(query, near, clearance, tolerance) },
                |row| {
                    found.push(row);
                    if cancelled.ends_work() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            found.into_iter().map(|row| (state.numbers(row.ids), row)).collect::<Vec<_>>()
        })?;
        let table = PyDict::new(py);
        let column = |of: fn(&[i64; 2]) -> i64| -> Vec<i64> { found.iter().map(|(bodies, _)| of(bodies)).collect() };
        table.set_item("a", column(|bodies| bodies[0]).into_pyarray(py))?;
        table.set_item("b", column(|bodies| bodies[1]).into_pyarray(py))?;
        table.set_item("relation", names(py, found.iter().map(|(_, row)| row.relation))?)?;
        table.set_item("pairs", found.iter().map(|(_, row)| row.pairs).collect::<Vec<i64>>().into_pyarray(py))?;
        table.set_item("distance", found.iter().map(|(_, row)| row.distance).collect::<Vec<f64>>().into_pyarray(py))?;
        Ok(table)
    }

    /// Computes when pairs of bodies first meet while some of them move in the time from 0 to 1; see `time_of_impact`.
    ///
    /// Each body moves in a straight line and rotates at a constant rate from pose to pose. Pairs without a row are
    /// proven not to meet in these motions. Links of a robot move along arcs instead.
    ///
    /// Args:
    ///     bodies: Numbers of the N bodies that move. The query does not change their poses.
    ///     ends: Poses in the world at time 1, (N, 4, 4). The bodies start at their current poses.
    ///     accuracy: Distance that may remain between triangles at that time. It is not a clearance; see
    ///         `time_of_impact`.
    ///
    /// Returns:
    ///     A structured array, a row for each pair that meets: `a`, `b`, `time`, `distance`, `on_a`, `on_b`, `normal`
    ///     (in the world at that time), `face_a`, `face_b`.
    ///
    /// Raises:
    ///     Error: If a body has two motions, or a motion is too long.
    ///     KeyError: If the scene does not contain a body.
    ///     InvalidPose: If an end is not a rotation and a translation.
    ///     ValueError: If the numbers of bodies and ends differ.
    #[pyo3(signature = (bodies, ends, *, accuracy = 0.0))]
    fn impacts(&self, py: Python<'_>, bodies: &Bound<'_, PyAny>, ends: &Bound<'_, PyAny>, accuracy: f64) -> Object {
        let bodies = numbers(bodies, "bodies")?;
        let Asked::Many(ends) = poses(Some(ends), "ends")? else {
            return Err(value_error("ends: expected an array of shape (N, 4, 4)"));
        };
        if ends.len() != bodies.len() {
            return Err(value_error(format_args!("{} bodies and {} ends: expected as many", bodies.len(), ends.len())));
        }
        let found = self.ask_in_pool(py, move |state, _| {
            let mut motions = Vec::new();
            for (&number, end) in bodies.iter().zip(ends) {
                let id = state.id(number)?;
                let start = state.scene.body(id).map_or_else(Pose::identity, |body| body.pose);
                motions.push((id, Motion::new(start, end)));
            }
            let found = state.scene.impacts(&motions, accuracy).map_err(of_scene)?;
            let row = |impact: &bvtree::scene::BodyImpact| {
                let ([a, b], [face_a, face_b]) = (state.numbers(impact.bodies), faces(&impact.faces));
                let [on_a, on_b] = impact.points.map(Into::into);
                let normal = impact.normal.into();
                MeetingRow { a, b, time: impact.time, distance: impact.distance, on_a, on_b, normal, face_a, face_b }
            };
            PyResult::Ok(found.iter().map(row).collect::<Vec<_>>())
        })??;
        Ok(MeetingRow::many(py, found))
    }
}

struct ClashRow {
    ids: [BodyId; 2],
    relation: BodyRelation,
    pairs: i64,
    distance: f64,
}

/// Returns the clash report's row for two bodies whose boxes are near each other.
fn clash(query: &mut Query, near: &bvtree::scene::Neighbors<'_>, clearance: f64, tolerance: f64) -> Option<ClashRow> {
    let relation = near.relation(query, tolerance);
    let [Some(a), Some(b)] = near.bodies.map(|body| body.geometry.tree()) else { return None };
    let pairs = query.count_pairs(a, b, &near.b_to_a()) as i64;
    let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
    let is_near = relation == BodyRelation::Separate || relation == BodyRelation::Undefined;
    let distance = match pairs {
        0 if is_near => query.distance_with(a, b, &near.b_to_a(), &options)?.distance,
        0 => query.distance(a, b, &near.b_to_a())?.distance,
        _ => 0.0,
    };
    Some(ClashRow { ids: near.ids, relation, pairs, distance })
}
