//! Poses from Python: matrices of four or three rows, one or many of them.

use bvtree::Pose;
use nalgebra::{Matrix3, Vector3};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{Asked, Numbers, wrong_shape};
use crate::errors::of_pose;

const SHAPES: &str = "(4, 4), (3, 4), (N, 4, 4) or (N, 3, 4)";

/// None is the identity; of arrays SHAPES; of a tuple its rotation, (3, 3) or (N, 3, 3), and translation, (3,) or (N, 3).
pub fn poses(object: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Asked<Pose>> {
    let Some(object) = object else { return Ok(Asked::One(Pose::identity())) };
    if let Ok(parts) = object.cast::<PyTuple>()
        && parts.len() == 2
    {
        return from_parts(&parts.get_item(0)?, &parts.get_item(1)?);
    }
    let numbers = Numbers::new(object, what)?;
    let values = numbers.values();
    match *numbers.shape() {
        [rows @ (3 | 4), 4] => Ok(Asked::One(from_rows(values, rows, None)?)),
        [_, rows @ (3 | 4), 4] => {
            let each = values.chunks_exact(4 * rows).enumerate();
            Ok(Asked::Many(each.map(|(place, values)| from_rows(values, rows, Some(place))).collect::<PyResult<_>>()?))
        }
        ref shape => Err(wrong_shape(what, SHAPES, shape)),
    }
}

pub fn one_pose(object: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Pose> {
    match poses(object, what)? {
        Asked::One(pose) => Ok(pose),
        Asked::Many(poses) => Err(wrong_shape(what, "(4, 4) or (3, 4)", &[poses.len(), 4, 4])),
    }
}

fn from_parts(rotation: &Bound<'_, PyAny>, translation: &Bound<'_, PyAny>) -> PyResult<Asked<Pose>> {
    let rotation = Numbers::new(rotation, "rotation")?;
    let translation = Numbers::new(translation, "translation")?;
    let make = |rotation: &[f64], translation: &[f64], place| {
        Pose::new(Matrix3::from_row_slice(rotation), Vector3::from_column_slice(translation))
            .map_err(|error| of_pose(error, place))
    };
    match (rotation.shape(), translation.shape()) {
        ([3, 3], [3]) => Ok(Asked::One(make(rotation.values(), translation.values(), None)?)),
        ([n, 3, 3], [m, 3]) if n == m => {
            let each = rotation.values().chunks_exact(9).zip(translation.values().chunks_exact(3)).enumerate();
            let poses = each.map(|(place, (rotation, translation))| make(rotation, translation, Some(place)));
            Ok(Asked::Many(poses.collect::<PyResult<_>>()?))
        }
        ([3, 3] | [_, 3, 3], shape) => Err(wrong_shape("translation", "(3,) or (N, 3), one for each rotation", shape)),
        (shape, _) => Err(wrong_shape("rotation", "(3, 3) or (N, 3, 3)", shape)),
    }
}

fn from_rows(m: &[f64], rows: usize, place: Option<usize>) -> PyResult<Pose> {
    let fail = |error| of_pose(error, place);
    if rows == 4 && m[12..] != [0.0, 0.0, 0.0, 1.0] {
        return Err(fail(bvtree::pose::PoseError::NotAffine));
    }
    let rotation = Matrix3::new(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]);
    Pose::new(rotation, Vector3::new(m[3], m[7], m[11])).map_err(fail)
}

/// A pose as an array of shape (4, 4).
pub fn pose_array(py: Python<'_>, pose: &Pose) -> PyResult<Py<PyAny>> {
    Ok(matrix(pose).to_vec().into_pyarray(py).reshape([4, 4])?.into_any().unbind())
}

/// A matrix of four rows.
fn matrix(pose: &Pose) -> [f64; 16] {
    let (r, t) = (pose.rotation(), pose.translation());
    let row = |i: usize| [r[(i, 0)], r[(i, 1)], r[(i, 2)], t[i]];
    let mut all = [0.0; 16];
    for i in 0..3 {
        all[4 * i..4 * i + 4].copy_from_slice(&row(i));
    }
    all[15] = 1.0;
    all
}

/// Where B stands in A's frame, of two poses in the world.
///
/// Args:
///     a_to_world, b_to_world: (4, 4) or (N, 4, 4) arrays, or whatever else a pose may be; one of either may go with
///         many of the other.
///
/// Returns:
///     A (4, 4) or (N, 4, 4) float64 array: the pose that the questions about two trees take. It is computed from the
///     difference of both translations, so that bodies far from the world's origin keep their digits.
///
/// Raises:
///     InvalidPose: If a matrix is not a rotation and a translation.
#[pyfunction]
pub fn relative_pose(
    py: Python<'_>,
    a_to_world: &Bound<'_, PyAny>,
    b_to_world: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    let (a, b) = (poses(Some(a_to_world), "a_to_world")?, poses(Some(b_to_world), "b_to_world")?);
    match a.with(b, ["poses of A", "of B"])? {
        Asked::One((a, b)) => pose_array(py, &Pose::relative(&a, &b)),
        Asked::Many(pairs) => {
            let many: Vec<f64> = pairs.iter().flat_map(|(a, b)| matrix(&Pose::relative(a, b))).collect();
            Ok(many.into_pyarray(py).reshape([pairs.len(), 4, 4])?.into_any().unbind())
        }
    }
}
