//! Paths of many configurations, straight or curved, and questions about them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bvtree_robot::{Checker, ConfigurationError, JointPath, PathError};
use numpy::IntoPyArray;
use pyo3::prelude::*;

use super::run::each;
use super::world::world_of;
use super::{Object, PyRobot};
use crate::arrays::{Numbers, wrong_shape};
use crate::errors::{Error, value_error};

/// A path of a robot through many configurations, in pieces: straight lines of joint values, or polynomials of them.
///
/// `JointPath(configurations)` joins the rows of an (N, n) array by straight lines. Along each piece, a parameter runs
/// from 0 at the start to 1 at the end; `len(path)` is the number of pieces.
///
/// Raises:
///     Error: If there are fewer than two configurations.
///     ValueError: If the array has another shape.
///
/// Examples:
///     >>> import bvtree
///     >>> len(bvtree.JointPath([[0, 0], [1, 0.5], [1, 1.5]]))
///     2
///     >>> path = bvtree.JointPath.hermite([0, 1, 2.5], [[0, 0], [1, 0.5], [1, 1.5]], [[0, 0], [0.5, 0.7], [0, 0]])
///     >>> path
///     <bvtree.JointPath: 2 pieces>
#[pyclass(frozen, module = "bvtree", name = "JointPath")]
pub struct PyJointPath {
    path: Arc<JointPath>,
}

impl PyJointPath {
    fn made(path: Result<JointPath, PathError>) -> PyResult<Self> {
        path.map(|path| Self { path: Arc::new(path) }).map_err(|error| Error::new_err(error.to_string()))
    }
}

#[pymethods]
impl PyJointPath {
    #[new]
    fn new(configurations: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::made(JointPath::straight(&rows(configurations, "configurations")?))
    }

    /// Makes a path of Bézier curves.
    ///
    /// Args:
    ///     control_points: A (pieces, degree + 1, n) array: the control points of each piece, whose first and last are
    ///         its ends.
    ///
    /// Raises:
    ///     Error: If there is no piece, a piece has no control point, or the degree is above 32.
    ///     ValueError: If the array has another shape.
    #[staticmethod]
    fn bezier(control_points: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (numbers, [pieces, points, width]) = shaped(control_points, "control_points", "(pieces, degree + 1, n)")?;
        let row = |piece: usize, point: usize| numbers.values()[(piece * points + point) * width..][..width].to_vec();
        Self::made(JointPath::bezier(
            (0..pieces).map(|piece| (0..points).map(|point| row(piece, point)).collect()).collect(),
        ))
    }

    /// Makes a spline that has the given positions and velocities at the given times: a cubic one or, if accelerations
    /// are given too, a quintic one. A trajectory controller of ROS interpolates the points of a `JointTrajectory` in
    /// this way.
    ///
    /// Args:
    ///     times: (N,) numbers that increase.
    ///     positions, velocities, accelerations: (N, n) arrays; accelerations may be None.
    ///
    /// Raises:
    ///     Error: If there are fewer than two rows, the numbers of rows or columns differ, or the times are not finite
    ///         and increasing.
    ///     ValueError: If an array has another shape.
    #[staticmethod]
    #[pyo3(signature = (times, positions, velocities, accelerations = None))]
    fn hermite(
        times: &Bound<'_, PyAny>,
        positions: &Bound<'_, PyAny>,
        velocities: &Bound<'_, PyAny>,
        accelerations: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let bent = accelerations.map(|rows| self::rows(rows, "accelerations")).transpose()?;
        let (positions, velocities) = (rows(positions, "positions")?, rows(velocities, "velocities")?);
        Self::made(JointPath::hermite(&self::times(times)?, &positions, &velocities, bent.as_deref()))
    }

    /// Makes a path of polynomials of time: the arguments are the attributes `x` and `c` of
    /// `scipy.interpolate.CubicSpline` and `PPoly`.
    ///
    /// Args:
    ///     times: (pieces + 1,) numbers that increase: the pieces' starts, and the end of the last.
    ///     coefficients: A (degree + 1, pieces, n) array, the highest power of the time since the piece's start first.
    ///
    /// Raises:
    ///     Error: If there is no piece, there are no coefficients, the degree is above 32, the number of times is
    ///         wrong, or the times are not finite and increasing.
    ///     ValueError: If an array has another shape.
    #[staticmethod]
    fn polynomials(times: &Bound<'_, PyAny>, coefficients: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (numbers, [powers, pieces, width]) = shaped(coefficients, "coefficients", "(degree + 1, pieces, n)")?;
        let row = |piece: usize, power: usize| numbers.values()[(power * pieces + piece) * width..][..width].to_vec();
        let coefficients: Vec<Vec<_>> =
            (0..pieces).map(|piece| (0..powers).map(|power| row(piece, power)).collect()).collect();
        Self::made(JointPath::polynomials(&self::times(times)?, &coefficients))
    }

    fn __len__(&self) -> usize {
        self.path.piece_count()
    }

    fn __repr__(&self) -> String {
        format!("<bvtree.JointPath: {} pieces>", self.path.piece_count())
    }
}

/// Converts an object to an array of three axes once: another conversion of it may have another shape.
fn shaped<'py>(object: &Bound<'py, PyAny>, what: &str, expected: &str) -> PyResult<(Numbers<'py>, [usize; 3])> {
    let numbers = Numbers::new(object, what)?;
    // An array of nothing may claim any number of rows.
    let is_empty = numbers.shape().contains(&0) && numbers.shape().iter().any(|&count| count > 1 << 20);
    match numbers.shape().try_into() {
        Ok(shape) if !is_empty => Ok((numbers, shape)),
        _ => Err(wrong_shape(what, expected, numbers.shape())),
    }
}

fn rows(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Vec<f64>>> {
    let numbers = Numbers::new(object, what)?;
    match *numbers.shape() {
        [count, width] if width > 0 || count == 0 => {
            Ok((0..count).map(|row| numbers.values()[row * width..][..width].to_vec()).collect())
        }
        ref shape => Err(wrong_shape(what, "(N, n) with n of at least 1", shape)),
    }
}

fn times(object: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let numbers = Numbers::new(object, "times")?;
    match *numbers.shape() {
        [_] => Ok(numbers.values().to_vec()),
        ref shape => Err(wrong_shape("times", "(N,)", shape)),
    }
}

/// A `JointPath`, or an array of configurations that straight lines join.
fn path_of(object: &Bound<'_, PyAny>) -> PyResult<Arc<JointPath>> {
    match object.cast::<PyJointPath>() {
        Ok(path) => Ok(path.get().path.clone()),
        Err(_) => PyJointPath::new(object).map(|path| path.path),
    }
}

impl PyRobot {
    /// Returns the answer for the first piece that has one, with the piece's index. An invalid piece is an error unless
    /// one before it has an answer, however many threads there are.
    fn first_on<R: Send + 'static>(
        &self,
        py: Python<'_>,
        (path, world, threads): (Arc<JointPath>, Option<&Bound<'_, PyAny>>, Option<usize>),
        ask: impl Fn(&mut Checker, usize) -> Result<Option<R>, ConfigurationError> + Send + Sync + 'static,
    ) -> PyResult<Option<(usize, R)>> {
        let first = AtomicUsize::new(usize::MAX);
        let asked = move |checker: &mut Checker, piece: usize| {
            // Pieces after a blocked one don't matter.
            if piece > first.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let found = ask(checker, piece).transpose();
            if found.is_some() {
                first.fetch_min(piece, Ordering::Relaxed);
            }
            Ok(found)
        };
        let answers = each(py, threads, (self.robot(), world_of(world)?), path.piece_count(), asked)?;
        let found = answers.into_iter().enumerate().find_map(|(piece, found)| Some((piece, found?)));
        let answer = |(piece, found): (usize, Result<R, ConfigurationError>)| {
            let place = if path.piece_count() > 1 { format!("row {piece}: ") } else { String::new() };
            Ok((piece, found.map_err(|error| Error::new_err(format!("{place}{error}")))?))
        };
        found.map(answer).transpose()
    }
}

#[pymethods]
impl PyRobot {
    /// Finds the first configuration on a path that is not free.
    ///
    /// Args:
    ///     path: A `JointPath`, or an (N, n) array of configurations that straight lines join.
    ///     world, margin, threads: See `free`.
    ///     steps: The number of configurations on each piece, evenly spaced and with both ends.
    ///
    /// Returns:
    ///     The index of the piece and that of the configuration on it, or None if all are free.
    ///
    /// Raises:
    ///     Error, TypeError, ValueError: See `free`; ValueError also if `steps` is above 2^40.
    #[pyo3(signature = (path, world = None, steps = 128, *, margin = 0.0, threads = None))]
    fn first_blocked_on(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        world: Option<&Bound<'_, PyAny>>,
        steps: usize,
        margin: f64,
        threads: Option<usize>,
    ) -> PyResult<Option<(usize, usize)>> {
        if steps > 1 << 40 {
            return Err(value_error("steps: expected at most 2**40"));
        }
        let path = path_of(path)?;
        self.first_on(py, (path.clone(), world, threads), move |checker, piece| {
            checker.first_blocked_on_piece(&path, piece, steps, margin)
        })
    }

    /// Finds where a path first brings two bodies nearer than a clearance. None is a proof that it never does: the
    /// whole path is checked, not samples of it.
    ///
    /// Args:
    ///     path: See `first_blocked_on`.
    ///     world, threads: See `free`.
    ///     clearance, tolerance: See `first_impact`.
    ///
    /// Returns:
    ///     The index of the piece and the parameter on it, from 0 to 1, or None. The parameter is never too large:
    ///     before it, all bodies are proven to keep the clearance.
    ///
    /// Raises:
    ///     Error, TypeError, ValueError: See `free`; ValueError also if `clearance` is negative or `tolerance` is not
    ///         positive.
    #[pyo3(signature = (path, world = None, clearance = 0.0, *, tolerance = 1e-5, threads = None))]
    fn first_impact_on(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        world: Option<&Bound<'_, PyAny>>,
        clearance: f64,
        tolerance: f64,
        threads: Option<usize>,
    ) -> PyResult<Option<(usize, f64)>> {
        let options = super::motions::impact_options(clearance, tolerance)?;
        let path = path_of(path)?;
        self.first_on(py, (path.clone(), world, threads), move |checker, piece| {
            Ok(checker.first_impact_on_piece(&path, piece, &options)?.map(|impact| impact.parameter))
        })
    }

    /// Returns the configuration at a parameter of a path's piece.
    ///
    /// Args:
    ///     path: See `first_blocked_on`.
    ///     piece: The piece's index.
    ///     parameter: From 0 to 1.
    ///
    /// Raises:
    ///     ValueError: If there is no such piece.
    ///     Error: If the path is not for this robot.
    fn interpolate_on(&self, py: Python<'_>, path: &Bound<'_, PyAny>, piece: usize, parameter: f64) -> Object {
        let path = path_of(path)?;
        if piece >= path.piece_count() {
            return Err(value_error(format_args!("piece: the path has {} pieces", path.piece_count())));
        }
        let values = self.robot().interpolate_on(&path, piece, parameter);
        let values = values.map_err(|error| Error::new_err(error.to_string()))?;
        Ok(values.into_pyarray(py).into_any().unbind())
    }
}
