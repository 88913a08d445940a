//! Questions about motions between two configurations.

use bvtree_robot::ImpactOptions;
use pyo3::prelude::*;

use super::run::{Batch, each};
use super::world::world_of;
use super::{Object, PyRobot};
use crate::answer::Answer;
use crate::errors::value_error;

/// The ends of one motion, or of many.
fn ends(robot: &bvtree_robot::Robot, q0: &Bound<'_, PyAny>, q1: &Bound<'_, PyAny>) -> PyResult<[Batch; 2]> {
    let ends = [Batch::of_values(robot, q0, "q0")?, Batch::of_values(robot, q1, "q1")?];
    if ends[0].count != ends[1].count || ends[0].is_single != ends[1].is_single {
        return Err(value_error(format_args!("{} q0 and {} q1: expected as many", ends[0].count, ends[1].count)));
    }
    Ok(ends)
}

pub fn impact_options(clearance: f64, tolerance: f64) -> PyResult<ImpactOptions> {
    if clearance >= 0.0 && tolerance > 0.0 {
        Ok(ImpactOptions { clearance, tolerance })
    } else {
        Err(value_error("expected a clearance that is not negative, and a positive tolerance"))
    }
}

#[pymethods]
impl PyRobot {
    /// Finds the first configuration of a motion that is not free.
    ///
    /// Args:
    ///     q0, q1: The motion's ends; joint values change evenly between them. With (N, n) arrays there are N motions.
    ///     world, margin, threads: See `free`.
    ///     steps: The number of configurations, evenly spaced and with both ends: those of
    ///         `numpy.linspace(q0, q1, steps)`.
    ///
    /// Returns:
    ///     The first blocked configuration's index, or None if all are free; for N motions an (N,) int64 array, with -1
    ///     in place of None.
    ///
    /// Raises:
    ///     Error, TypeError, ValueError: See `free`; ValueError also if the numbers of `q0` and `q1` differ or `steps`
    ///         is above 2^40.
    #[pyo3(signature = (q0, q1, world = None, steps = 128, *, margin = 0.0, threads = None))]
    #[allow(clippy::too_many_arguments)]
    fn first_blocked(
        &self,
        py: Python<'_>,
        q0: &Bound<'_, PyAny>,
        q1: &Bound<'_, PyAny>,
        world: Option<&Bound<'_, PyAny>>,
        steps: usize,
        margin: f64,
        threads: Option<usize>,
    ) -> Object {
        let robot = self.robot();
        let ([from, to], world) = (ends(&robot, q0, q1)?, world_of(world)?);
        if steps > 1 << 40 {
            return Err(value_error("steps: expected at most 2**40"));
        }
        let (count, is_single) = (from.count, from.is_single);
        let answers = each(py, threads, (robot, world), count, move |checker, row| {
            let first = checker.first_blocked(from.values(row), to.values(row), steps, margin)?;
            Ok(first.map_or(-1, |index| index as i64))
        })?;
        match answers[..] {
            [-1] if is_single => Ok(py.None()),
            [index] if is_single => index.one(py),
            _ => Ok(i64::many(py, answers)),
        }
    }

    /// Finds where a motion first brings two bodies nearer than a clearance. None is a proof that it never does: the
    /// whole motion is checked, not samples of it.
    ///
    /// Args:
    ///     q0, q1: See `first_blocked`.
    ///     world, threads: See `free`.
    ///     clearance: The distance in metres that bodies must keep.
    ///     tolerance: Bodies count as too near up to a distance of the clearance plus this, in metres. A smaller
    ///         tolerance takes longer where bodies pass each other at just the clearance.
    ///
    /// Returns:
    ///     The motion's parameter, from 0 at q0 to 1 at q1, or None; for N motions an (N,) array, with NaN in place of
    ///     None. The parameter is never too large: before it, all bodies are proven to keep the clearance.
    ///
    /// Raises:
    ///     Error, TypeError, ValueError: See `free`; ValueError also if the numbers of `q0` and `q1` differ,
    ///         `clearance` is negative or `tolerance` is not positive.
    #[pyo3(signature = (q0, q1, world = None, clearance = 0.0, *, tolerance = 1e-5, threads = None))]
    #[allow(clippy::too_many_arguments)]
    fn first_impact(
        &self,
        py: Python<'_>,
        q0: &Bound<'_, PyAny>,
        q1: &Bound<'_, PyAny>,
        world: Option<&Bound<'_, PyAny>>,
        clearance: f64,
        tolerance: f64,
        threads: Option<usize>,
    ) -> Object {
        let robot = self.robot();
        let ([from, to], world) = (ends(&robot, q0, q1)?, world_of(world)?);
        let options = impact_options(clearance, tolerance)?;
        let (count, is_single) = (from.count, from.is_single);
        let answers = each(py, threads, (robot, world), count, move |checker, row| {
            let impact = checker.first_impact(from.values(row), to.values(row), &options)?;
            Ok(impact.map_or(f64::NAN, |impact| impact.parameter))
        })?;
        match answers[..] {
            [parameter] if is_single && parameter.is_nan() => Ok(py.None()),
            [parameter] if is_single => parameter.one(py),
            _ => Ok(f64::many(py, answers)),
        }
    }
}
