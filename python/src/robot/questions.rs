//! Questions about configurations.

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;

use super::run::{Batch, each};
use super::world::world_of;
use super::{Object, PyRobot};
use crate::answer::Answer;

#[pymethods]
#[allow(non_snake_case)]
impl PyRobot {
    /// Decides which configurations are free: those at which all bodies that are compared are farther apart than the
    /// margin.
    ///
    /// Args:
    ///     Q: A configuration, or an (N, n) array of them.
    ///     world: A `World` around the robot, or None.
    ///     margin: The distance in metres up to which bodies collide. At 0 they collide if they touch; for meshes, this
    ///         is decided exactly.
    ///     threads: Number of threads; all cores if None.
    ///     poses: The links' poses in place of Q, (links, 4, 4) or (N, links, 4, 4), from kinematics of your own.
    ///
    /// Returns:
    ///     bool, or an (N,) bool array.
    ///
    /// Raises:
    ///     Error: If a configuration is invalid.
    ///     InvalidPose: If one of `poses` is not a rotation and a translation.
    ///     ValueError: If an array has another shape, not exactly one of `Q` and `poses` is given, or `threads` is not
    ///         from 1 to 4096.
    ///     TypeError: If `world` is not a `World`.
    #[pyo3(signature = (Q = None, world = None, margin = 0.0, threads = None, *, poses = None))]
    fn free(
        &self,
        py: Python<'_>,
        Q: Option<&Bound<'_, PyAny>>,
        world: Option<&Bound<'_, PyAny>>,
        margin: f64,
        threads: Option<usize>,
        poses: Option<&Bound<'_, PyAny>>,
    ) -> Object {
        let robot = self.robot();
        let (batch, world) = (Batch::new(&robot, Q, poses)?, world_of(world)?);
        let is_single = batch.is_single;
        let answers = each(py, threads, (robot, world), batch.count, move |checker, row| {
            batch.place(checker, row)?;
            Ok(checker.is_placed_free(margin))
        })?;
        one_or_many(py, answers, is_single)
    }

    /// Decides which configurations bring bodies within a distance: the opposite of `free` with this distance as
    /// margin.
    ///
    /// Args:
    ///     Q, world, threads, poses: See `free`.
    ///     distance: The distance in metres.
    ///
    /// Returns:
    ///     bool, or an (N,) bool array.
    ///
    /// Raises:
    ///     Error, InvalidPose, TypeError, ValueError: See `free`.
    #[pyo3(signature = (Q = None, distance = 0.0, world = None, threads = None, *, poses = None))]
    fn within(
        &self,
        py: Python<'_>,
        Q: Option<&Bound<'_, PyAny>>,
        distance: f64,
        world: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
        poses: Option<&Bound<'_, PyAny>>,
    ) -> Object {
        let robot = self.robot();
        let (batch, world) = (Batch::new(&robot, Q, poses)?, world_of(world)?);
        let is_single = batch.is_single;
        let answers = each(py, threads, (robot, world), batch.count, move |checker, row| {
            batch.place(checker, row)?;
            Ok(!checker.is_placed_free(distance))
        })?;
        one_or_many(py, answers, is_single)
    }

    /// Finds all pairs of bodies that collide.
    ///
    /// Args:
    ///     Q, world, margin, threads, poses: See `free`.
    ///
    /// Returns:
    ///     A tuple of two int64 arrays: offsets, (N + 1,), and pairs, (M, 2). Configuration i has the pairs
    ///     `pairs[offsets[i]:offsets[i + 1]]`, each two bodies by their index in `bodies`; objects of the world follow
    ///     after all of `bodies`, in the order of `World.names`.
    ///
    /// Raises:
    ///     Error, InvalidPose, TypeError, ValueError: See `free`.
    #[pyo3(signature = (Q = None, world = None, margin = 0.0, threads = None, *, poses = None))]
    fn colliding(
        &self,
        py: Python<'_>,
        Q: Option<&Bound<'_, PyAny>>,
        world: Option<&Bound<'_, PyAny>>,
        margin: f64,
        threads: Option<usize>,
        poses: Option<&Bound<'_, PyAny>>,
    ) -> Object {
        let robot = self.robot();
        let (batch, world) = (Batch::new(&robot, Q, poses)?, world_of(world)?);
        let numbers: Vec<[usize; 2]> = bvtree_robot::Checker::new(&robot, &world).pairs().collect();
        let answers = each(py, threads, (robot, world), batch.count, move |checker, row| {
            batch.place(checker, row)?;
            Ok(checker.placed_colliding(margin))
        })?;
        let mut offsets = vec![0_i64];
        let mut pairs: Vec<i64> = Vec::new();
        for answer in answers {
            pairs.extend(answer.iter().flat_map(|&pair| numbers[pair]).map(|body| body as i64));
            offsets.push(pairs.len() as i64 / 2);
        }
        let count = pairs.len() / 2;
        let pairs = pairs.into_pyarray(py).reshape([count, 2])?;
        Ok((offsets.into_pyarray(py), pairs).into_pyobject(py)?.into_any().unbind())
    }

    /// Computes the least distance of all pairs that are compared.
    ///
    /// Args:
    ///     Q, world, threads, poses: See `free`.
    ///     upper_bound: The greatest distance of interest; a smaller one takes less time.
    ///
    /// Returns:
    ///     float, or an (N,) array, in metres: 0 where bodies collide, infinite above the upper bound.
    ///
    /// Raises:
    ///     Error, InvalidPose, TypeError, ValueError: See `free`.
    #[pyo3(signature = (Q = None, world = None, upper_bound = f64::INFINITY, threads = None, *, poses = None),
           text_signature = "($self, Q=None, world=None, upper_bound=math.inf, threads=None, *, poses=None)")]
    fn distance(
        &self,
        py: Python<'_>,
        Q: Option<&Bound<'_, PyAny>>,
        world: Option<&Bound<'_, PyAny>>,
        upper_bound: f64,
        threads: Option<usize>,
        poses: Option<&Bound<'_, PyAny>>,
    ) -> Object {
        let robot = self.robot();
        let (batch, world) = (Batch::new(&robot, Q, poses)?, world_of(world)?);
        let is_single = batch.is_single;
        let answers = each(py, threads, (robot, world), batch.count, move |checker, row| {
            batch.place(checker, row)?;
            Ok(checker.placed_closest(upper_bound).map_or(f64::INFINITY, |closest| closest.distance))
        })?;
        one_or_many(py, answers, is_single)
    }

    /// Finds the nearest pair of bodies that are compared.
    ///
    /// Args:
    ///     Q, world, upper_bound, threads, poses: See `distance`.
    ///
    /// Returns:
    ///     A tuple: the distances as `distance` returns them, and the two bodies' indices, (2,) or (N, 2) int64, as
    ///     `colliding` has them; -1 above the upper bound.
    ///
    /// Raises:
    ///     Error, InvalidPose, TypeError, ValueError: See `free`.
    #[pyo3(signature = (Q = None, world = None, upper_bound = f64::INFINITY, threads = None, *, poses = None),
           text_signature = "($self, Q=None, world=None, upper_bound=math.inf, threads=None, *, poses=None)")]
    fn closest(
        &self,
        py: Python<'_>,
        Q: Option<&Bound<'_, PyAny>>,
        world: Option<&Bound<'_, PyAny>>,
        upper_bound: f64,
        threads: Option<usize>,
        poses: Option<&Bound<'_, PyAny>>,
    ) -> Object {
        let robot = self.robot();
        let (batch, world) = (Batch::new(&robot, Q, poses)?, world_of(world)?);
        let is_single = batch.is_single;
        let answers = each(py, threads, (robot, world), batch.count, move |checker, row| {
            batch.place(checker, row)?;
            Ok(checker.placed_closest(upper_bound))
        })?;
        let distances = answers.iter().map(|found| found.map_or(f64::INFINITY, |found| found.distance)).collect();
        let bodies =
            answers.iter().flat_map(|found| found.map_or([-1; 2], |found| found.bodies.map(|body| body as i64)));
        let bodies = bodies.collect::<Vec<i64>>().into_pyarray(py);
        let bodies = if is_single { bodies.into_any() } else { bodies.reshape([answers.len(), 2])?.into_any() };
        Ok((one_or_many::<f64>(py, distances, is_single)?, bodies).into_pyobject(py)?.into_any().unbind())
    }
}

/// Returns a number for one configuration, or an array for many.
pub fn one_or_many<T: Answer>(py: Python<'_>, answers: Vec<T>, is_single: bool) -> Object {
    match answers[..] {
        [one] if is_single => one.one(py),
        _ => Ok(T::many(py, answers)),
    }
}
