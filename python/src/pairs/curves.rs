//! Intersection curves of two surfaces.

use ndarray::Array2;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::Masks;
use super::ask::Object;
use crate::poses::one_pose;
use crate::scratch::with_query;
use crate::threads::interruptible;
use crate::tree::trees;

/// Computes the intersection curves of two surfaces: the segments of `contacts`, chained.
///
/// Args:
///     a, b: Trees.
///     b_to_a: One pose; see `intersects`.
///     masks: See `intersects`.
///
/// Returns:
///     A list of tuples: (N, 3) float64 points in A's frame, and whether the last point connects to the first. Chains
///     may break where an edge meets an edge.
///
/// Raises:
///     InvalidPose: If the pose is not a rotation and a translation.
///     ValueError: If the array has another shape, for instance that of several poses.
///
/// Examples:
///     >>> import bvtree
///     >>> flat = bvtree.Tree(([[0, 0, 0], [2, 0, 0], [0, 2, 0]], [[0, 1, 2]]))
///     >>> upright = bvtree.Tree(([[0.5, 0.5, -1], [0.5, 0.5, 1], [9, 0.5, 0]], [[0, 1, 2]]))
///     >>> (points, is_closed), = bvtree.intersection_curves(flat, upright)
///     >>> points.round(2), is_closed
///     (array([[0.5, 0.5, 0. ],
///            [1.5, 0.5, 0. ]]), False)
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, *, masks = Masks::NONE),
    text_signature = "(a, b, b_to_a=None, *, masks=(None, None))")]
fn intersection_curves(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    masks: Masks,
) -> Object {
    let pose = one_pose(b_to_a, "b_to_a")?;
    let [a, b] = trees([a, b])?.map(|tree| tree.tree.clone());
    let curves = interruptible(py, None, move |_| {
        bvtree::query::intersection_curves(&with_query(|query| {
            masks.set(query);
            query.contacts(&a, &b, &pose)
        }))
    })?;
    let rows = PyList::empty(py);
    for curve in curves {
        let points: Vec<[f64; 3]> = curve.points.iter().map(|&point| point.into()).collect();
        rows.append((Array2::from(points).into_pyarray(py), curve.is_closed))?;
    }
    Ok(rows.into_any().unbind())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(intersection_curves, module)?)
}
