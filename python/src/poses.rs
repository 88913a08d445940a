//! Poses from Python: matrices of four or three rows, one or many.

use bvtree::Pose;
use bvtree::pose::PoseError;
use nalgebra::{Matrix3, Quaternion, Vector3};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{Asked, Numbers, wrong_shape};
use crate::errors::of_pose;

const SHAPES: &str = "(4, 4), (3, 4), (N, 4, 4) or (N, 3, 4)";

/// Reads poses: None is the identity; arrays have one of SHAPES; a tuple has a rotation, (3, 3) or (N, 3, 3), and a
/// translation, (3,) or (N, 3).
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

/// Reads a matrix of four rows.
pub fn pose_of_rows(rows: &[f64; 16], place: Option<usize>) -> PyResult<Pose> {
    from_rows(rows, 4, place)
}

fn from_rows(m: &[f64], rows: usize, place: Option<usize>) -> PyResult<Pose> {
    let fail = |error| of_pose(error, place);
    if rows == 4 && m[12..] != [0.0, 0.0, 0.0, 1.0] {
        return Err(fail(PoseError::NotAffine));
    }
    let rotation = Matrix3::new(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]);
    Pose::new(rotation, Vector3::new(m[3], m[7], m[11])).map_err(fail)
}

/// Converts a pose to an array of shape (4, 4).
pub fn pose_array(py: Python<'_>, pose: &Pose) -> PyResult<Py<PyAny>> {
    Ok(pose_values(pose).to_vec().into_pyarray(py).reshape([4, 4])?.into_any().unbind())
}

/// Converts a pose to a 4x4 matrix in row-major order.
pub fn pose_values(pose: &Pose) -> [f64; 16] {
    let (r, t) = (pose.rotation(), pose.translation());
    let row = |i: usize| [r[(i, 0)], r[(i, 1)], r[(i, 2)], t[i]];
    let mut all = [0.0; 16];
    for i in 0..3 {
        all[4 * i..4 * i + 4].copy_from_slice(&row(i));
    }
    all[15] = 1.0;
    all
}

/// Computes B's pose in A's frame from two poses in the world.
///
/// Args:
///     a_to_world, b_to_world: (4, 4) or (N, 4, 4) arrays, or any other form of a pose. One pose may be combined with
///         many.
///
/// Returns:
///     A (4, 4) or (N, 4, 4) float64 array: the pose that queries on two trees take as `b_to_a`. It is computed from
///     the difference of both translations, so that bodies far from the world's origin keep their precision.
///
/// Raises:
///     InvalidPose: If a matrix is not a rotation and a translation.
///     ValueError: If an array has another shape, or the numbers of poses differ.
#[pyfunction]
pub fn relative_pose(
    py: Python<'_>,
    a_to_world: &Bound<'_, PyAny>,
    b_to_world: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    let (a, b) = (poses(Some(a_to_world), "a_to_world")?, poses(Some(b_to_world), "b_to_world")?);
    pose_arrays(py, &a.with(b, ["poses of A", "of B"])?.map(|(a, b)| Pose::relative(&a, &b)))
}

/// Converts poses to an array of shape (4, 4) or (N, 4, 4).
pub fn pose_arrays(py: Python<'_>, poses: &Asked<Pose>) -> PyResult<Py<PyAny>> {
    match poses {
        Asked::One(pose) => pose_array(py, pose),
        Asked::Many(poses) => {
            let many: Vec<f64> = poses.iter().flat_map(pose_values).collect();
            Ok(many.into_pyarray(py).reshape([poses.len(), 4, 4])?.into_any().unbind())
        }
    }
}

/// Reads rows of N numbers, one or many.
fn rows<const N: usize>(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Asked<[f64; N]>> {
    let numbers = Numbers::new(object, what)?;
    match *numbers.shape() {
        [n] if n == N => Ok(Asked::One(std::array::from_fn(|k| numbers.values()[k]))),
        [_, n] if n == N => Ok(Asked::Many(numbers.values().as_chunks::<N>().0.to_vec())),
        ref shape => Err(wrong_shape(what, &format!("({N},) or (N, {N})"), shape)),
    }
}

/// Combines rotations with translations, which are zero if the argument is None.
fn moved<T: Clone>(
    py: Python<'_>,
    (rotations, what): (Asked<T>, &str),
    translation: Option<&Bound<'_, PyAny>>,
    pose: impl Fn(T, Vector3<f64>) -> Result<Pose, PoseError>,
) -> PyResult<Py<PyAny>> {
    let none = Ok(Asked::One([0.0; 3]));
    let translations = translation.map_or(none, |translation| rows::<3>(translation, "translation"))?;
    let pose = |(rotation, by): (T, [f64; 3]), place| pose(rotation, by.into()).map_err(|error| of_pose(error, place));
    let poses = match rotations.with(translations, [what, "translations"])? {
        Asked::One(one) => Asked::One(pose(one, None)?),
        Asked::Many(many) => {
            let many = many.into_iter().enumerate().map(|(place, one)| pose(one, Some(place)));
            Asked::Many(many.collect::<PyResult<_>>()?)
        }
    };
    pose_arrays(py, &poses)
}

/// Creates a pose without rotation from a translation.
///
/// Args:
///     translation: (3,), or (N, 3) for many poses.
///
/// Returns:
///     A (4, 4) or (N, 4, 4) float64 array.
///
/// Raises:
///     InvalidPose: If a number is not finite.
///     ValueError: If the array has another shape.
#[pyfunction]
pub fn pose_from_translation(py: Python<'_>, translation: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    moved(py, (Asked::One(()), "rotations"), Some(translation), |(), by| Pose::from_translation(by))
}

/// Creates a pose from a quaternion and a translation.
///
/// Rotations about a coordinate axis leave that axis unchanged to the last bit, and quarter and half turns have entries
/// 0, 1 and -1 only: bodies that stand flush on a floor touch it. For this, absolute values of the quaternion's
/// components that differ from zero or from each other by at most 4 float64 epsilons times the largest of them count as
/// zero or equal. If last bits do not matter, use `within` with a small tolerance.
///
/// Args:
///     xyzw: (4,): x, y, z, w in scipy's order, of any nonzero length; or (N, 4).
///     translation: (3,), or (N, 3) for many poses; one may be combined with many of the other argument. None means
///         zero.
///
/// Returns:
///     A (4, 4) or (N, 4, 4) float64 array.
///
/// Raises:
///     InvalidPose: If a quaternion is zero or a number is not finite.
///     ValueError: If an array has another shape, or the numbers of quaternions and translations differ.
///
/// >>> import numpy as np, bvtree
/// >>> bvtree.pose_from_quaternion([0, 0, 1, np.cos(np.pi / 2)])[:2, :2]
/// array([[-1.,  0.],
///        [ 0., -1.]])
#[pyfunction]
#[pyo3(signature = (xyzw, translation = None))]
pub fn pose_from_quaternion(
    py: Python<'_>,
    xyzw: &Bound<'_, PyAny>,
    translation: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let quaternions = rows::<4>(xyzw, "xyzw")?.map(Quaternion::from);
    moved(py, (quaternions, "quaternions"), translation, |quaternion, by| Pose::from_quaternion(&quaternion, by))
}

/// Creates a pose from a right-handed rotation about an axis and a translation. It is as exact as
/// `pose_from_quaternion`.
///
/// Args:
///     axis: (3,), of any nonzero length; or (N, 3).
///     angle: In radians: a number, or (N,).
///     translation: (3,), or (N, 3) for many poses; one may be combined with many of the other arguments. None means
///         zero.
///
/// Returns:
///     A (4, 4) or (N, 4, 4) float64 array.
///
/// Raises:
///     InvalidPose: If an axis is zero or a number is not finite.
///     ValueError: If an array has another shape, or the numbers of axes, angles and translations differ.
///
/// >>> import numpy as np, bvtree
/// >>> bvtree.pose_from_axis_angle([0, 0, 1], np.pi / 2, [40, 0, 0])
/// array([[ 0., -1.,  0., 40.],
///        [ 1.,  0.,  0.,  0.],
///        [ 0.,  0.,  1.,  0.],
///        [ 0.,  0.,  0.,  1.]])
#[pyfunction]
#[pyo3(signature = (axis, angle, translation = None))]
pub fn pose_from_axis_angle(
    py: Python<'_>,
    axis: &Bound<'_, PyAny>,
    angle: &Bound<'_, PyAny>,
    translation: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let numbers = Numbers::new(angle, "angle")?;
    let angles = match numbers.shape() {
        [] => Asked::One(numbers.values()[0]),
        [_] => Asked::Many(numbers.values().to_vec()),
        shape => return Err(wrong_shape("angle", "() or (N,)", shape)),
    };
    let turns = rows::<3>(axis, "axis")?.with(angles, ["axes", "angles"])?;
    moved(py, (turns, "turns"), translation, |(axis, angle), by| Pose::from_axis_angle(&axis.into(), angle, by))
}

/// Creates a pose from Euler angles and a translation: it rotates about x by roll, then about y by pitch, then about z
/// by yaw, all about fixed axes (scipy's "xyz", URDF's rpy). It is as exact as `pose_from_quaternion`.
///
/// Args:
///     angles: (3,): roll, pitch and yaw in radians; or (N, 3).
///     translation: (3,), or (N, 3) for many poses; one may be combined with many of the other argument. None means
///         zero.
///
/// Returns:
///     A (4, 4) or (N, 4, 4) float64 array.
///
/// Raises:
///     InvalidPose: If a number is not finite.
///     ValueError: If an array has another shape, or the numbers of angles and translations differ.
#[pyfunction]
#[pyo3(signature = (angles, translation = None))]
pub fn pose_from_euler_angles(
    py: Python<'_>,
    angles: &Bound<'_, PyAny>,
    translation: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let angles = rows::<3>(angles, "angles")?;
    moved(py, (angles, "angles"), translation, |[roll, pitch, yaw], by| Pose::from_euler_angles(roll, pitch, yaw, by))
}
