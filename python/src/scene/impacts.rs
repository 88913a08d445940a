//! Impacts of moving bodies.

use bvtree::{Motion, Pose};
use pyo3::prelude::*;

use super::rows::{MeetingRow, parts};
use super::{Object, PyScene};
use crate::answer::Answer;
use crate::arrays::{Asked, numbers};
use crate::errors::{of_scene, value_error};
use crate::poses::poses;
use crate::records::faces;

#[pymethods]
impl PyScene {
    /// Computes when pairs of bodies first meet while some of them move in the time from 0 to 1; see `time_of_impact`.
    ///
    /// Each body moves in a straight line and rotates at a constant rate from pose to pose. Pairs without a row are
    /// proven not to meet in these motions. The parts of a compound move with its body. The links of a robot do not
    /// move in this way, but along arcs.
    ///
    /// Args:
    ///     bodies: Numbers of the N bodies that move. The query does not change their poses.
    ///     ends: Poses in the world at time 1, (N, 4, 4). The bodies start at their current poses.
    ///     accuracy: Distance that may remain between triangles at the reported time. It is not a clearance; see
    ///         `time_of_impact`.
    ///
    /// Returns:
    ///     A structured array, a row for each pair that meets: `a`, `b`, `time`, `distance`, `on_a`, `on_b`, `normal`
    ///     (the last three in the world at `time`), `face_a`, `face_b`, `part_a`, `part_b`.
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
                let ([a, b], [part_a, part_b]) = (state.numbers(impact.bodies), parts(impact.parts));
                let [face_a, face_b] = faces(&impact.faces);
                let [on_a, on_b] = impact.points.map(Into::into);
                let (time, distance, normal) = (impact.time, impact.distance, impact.normal.into());
                MeetingRow { a, b, time, distance, on_a, on_b, normal, face_a, face_b, part_a, part_b }
            };
            PyResult::Ok(found.iter().map(row).collect::<Vec<_>>())
        })??;
        Ok(MeetingRow::many(py, found))
    }
}
