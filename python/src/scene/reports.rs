//! Clashes and motions.

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
    /// Everything that clashes, as a table.
    ///
    /// Args:
    ///     clearance: Bodies nearer than this clash, too, in the world's unit.
    ///     tolerance: Bodies of which each triangle is as near as this to one of the other are "coincident"; none are
    ///         within a negative one.
    ///
    /// Returns: A dict of arrays, a row for each pair of bodies that touch, lie in each other or are near: `a`, `b`
    /// (numbers), `relation` ("separate", "touching", "crossing", "a_in_b", "b_in_a", "undefined" or "coincident"),
    /// `pairs` (triangles that intersect) and `distance`. `to_pandas` makes a frame of it.
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

    /// When pairs of bodies first meet while some of them move in the time from 0 to 1; see `time_of_impact`.
    ///
    /// Each body goes straight and turns evenly from pose to pose, and pairs that are left out are proven not to meet
    /// on these ways. Links that a robot's joints move go along arcs instead.
    ///
    /// Args:
    ///     bodies: N numbers of those that move; none is moved by asking.
    ///     ends: Where they go: (N, 4, 4) poses in the world. They start where they stand.
    ///     accuracy: How far apart triangles may still be at that time; no clearance, see `time_of_impact`.
    ///
    /// Returns: A structured array, a row for each pair that meets: `a`, `b`, `time`, `distance`, `on_a`, `on_b`,
    /// `normal` (in the world at that time), `face_a`, `face_b`.
    ///
    /// Raises:
    ///     Error: If a body has two motions, or one is too long.
    ///     KeyError: If a body is not there.
    ///     InvalidPose: If an end is no rotation and translation.
    ///     ValueError: If there are not as many bodies as ends.
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

/// What there is to tell about two bodies whose boxes are near each other.
fn clash(query: &mut Query, near: &bvtree::scene::Neighbors<'_>, clearance: f64, tolerance: f64) -> Option<ClashRow> {
    let relation = near.relation(query, tolerance);
    let [a, b] = near.bodies.map(|body| &*body.tree);
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
