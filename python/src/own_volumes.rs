//! Metrics and costs of queries of bounding volumes that trees don't store.

use std::sync::{Arc, PoisonError};

use bvtree::metrics::{
    MeshFacts, MetricsOptions, PoseSet, VolumeMetrics, stored_query_cost, volume_query_cost as query_cost,
};
use bvtree::{BvTree, Pose};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Asked;
use crate::errors::{of_mesh, value_error};
use crate::measures::{check_samples, levels_table};
use crate::poses::{pose_arrays, poses};
use crate::threads::interruptible;
use crate::tree::{tree_argument, trees};
use crate::volume_object::{OwnVolume, Raised};

/// The volumes that a Python function returns for the nodes of a tree, in the order of the nodes.
fn fitted(py: Python<'_>, tree: &BvTree, fit: &Bound<'_, PyAny>, raised: &Raised) -> PyResult<Vec<OwnVolume>> {
    let mesh = tree.to_mesh().map_err(of_mesh)?;
    let volume = |node: bvtree::tree::NodeInfo| {
        let faces = &tree.faces()[node.first_triangle..node.first_triangle + node.triangles];
        let corners = faces.iter().flat_map(|&face| mesh.triangles()[face as usize]);
        let points = corners.flat_map(|vertex| mesh.vertices()[vertex as usize].coords.data.0[0].map(f64::from));
        let points = points.collect::<Vec<f64>>().into_pyarray(py).reshape([3 * faces.len(), 3])?;
        OwnVolume::new(&fit.call1((points,))?, raised)
    };
    tree.nodes().map(volume).collect()
}

/// Makes a function that ignores its points and returns the volumes one after the other: the library fits the nodes in
/// the same order.
fn in_order(volumes: Vec<OwnVolume>) -> impl FnMut(&[nalgebra::Point3<f64>]) -> OwnVolume {
    let mut volumes = volumes.into_iter();
    move |_| volumes.next().expect("a volume for each node")
}

/// Fails with the exception that a method of a volume raised, if any.
fn check(raised: &Raised) -> PyResult<()> {
    raised.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
}

/// Measures how tightly volumes of your own fit at the nodes of a tree, with the formulas of `metrics`.
///
/// Args:
///     tree: A tree, whose own volumes do not matter.
///     fit: A function that gets the corners of the triangles below a node, (3 n, 3) float64 with vertices repeated,
///         and returns a convex volume around them: a `ConvexShape`, an (M, 3) array of points whose convex hull is the
///         volume, or an object of a class of your own. A capsule, for instance, is
///         `ConvexShape([start, end]).rounded(radius)`. `fit` is called once for each node, in the order of
///         `Tree.nodes`.
///     seed: Seed of random points and lines.
///     samples: Number of random lines, of points of the surface, and of points in the volumes of each level. Four
///         times as many halve the standard errors.
///     threads: Number of threads to use; all cores if None.
///
/// An object of your own has the attributes `volume`, `surface_area` and `aabb`, (2, 3): the lower and the upper corner
/// of an axis-aligned box around it. Its methods `contains(point)` and `meets_line(point, direction)` tell whether a
/// point lies in it, and whether the line through a point along a unit vector meets it; they are called several times
/// for each sample and level. For more figures it may have a method `intersection_volume(other)`, the volume that it
/// shares with another; an attribute `tetrahedra`, an (N, 4, 3) array of tetrahedra that fill the volume up to the
/// distance `deviation` (0 without this attribute), for Hausdorff errors; and an attribute `shape`, a `ConvexShape`,
/// for `volume_query_cost`.
///
/// Returns:
///     The table of `metrics`. Volumes that are a rounded `ConvexShape`, and objects without `tetrahedra` or
///     `intersection_volume`, have no Hausdorff errors or no sibling overlap: they are NaN.
///
/// Raises:
///     ValueError: If `fit` returns something else, `threads` is not from 1 to 4096, or `samples` is above 100 million.
///         What `fit` or a method of a volume raises is passed on.
///     TypeError: If `tree` is not a `Tree`.
///
/// Examples:
///     >>> import numpy as np, bvtree
///     >>> corners = [[0, 0, 0], [4, 0, 0], [0, 3, 0], [0, 0, 6]]
///     >>> tree = bvtree.Tree((corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
///     >>> table = bvtree.volume_metrics(tree, lambda points: points)     # convex hulls
///     >>> table["volume_ratio"][0].round(6), table["mesh_volume_ratio"][0].round(6)
///     (np.float64(1.0), np.float64(1.0))
#[pyfunction]
#[pyo3(signature = (tree, fit, *, seed = 0, samples = 16384, threads = None))]
fn volume_metrics<'py>(
    py: Python<'py>,
    tree: &Bound<'py, PyAny>,
    fit: &Bound<'py, PyAny>,
    seed: u64,
    samples: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    check_samples(samples)?;
    let tree = tree_argument(tree, "tree")?.tree.clone();
    let raised = Raised::default();
    let volumes = fitted(py, &tree, fit, &raised)?;
    let levels = interruptible(py, threads, move |_| {
        let facts = MeshFacts::new(&tree.to_mesh()?);
        let options = MetricsOptions { seed, samples, ..MetricsOptions::default() };
        let metrics = VolumeMetrics::with_options(&tree, &facts, &options, in_order(volumes));
        Ok(metrics.levels().chain([metrics.total()]).collect::<Vec<_>>())
    })?;
    check(&raised)?;
    levels_table(py, &levels.map_err(of_mesh)?)
}

/// Counts the tests of queries for all pairs of intersecting triangles, with volumes of your own at the nodes of two
/// trees.
///
/// The traversal is as simple as possible, and the same for all volumes: of two volumes that overlap, it descends into
/// the one with the greater surface area, and for two leaves it counts all pairs of triangles as tested. For each pose
/// it ends after 4,194,304 triangle tests. The counts are not those of the library's own queries, whose traversal has
/// more rules: compare them with those of other volumes by this function.
///
/// Args:
///     a, b: Trees.
///     b_to_a: One pose or many, as for `intersects`; those of a `PoseSet`, for instance.
///     fit: See `volume_metrics`. None counts the tests of the volumes that the trees store.
///     threads: Number of threads to use; all cores if None.
///
/// Returns:
///     A dict of arrays, a row for each pose: `hit` (whether the meshes intersect), `volume_tests` and
///     `triangle_tests`.
///
/// Raises:
///     InvalidPose: If a matrix is not a rotation and a translation.
///     ValueError: If `fit` returns something else or a volume with neither a shape nor tetrahedra, or `threads` is not
///         from 1 to 4096. What `fit` raises is passed on.
///     TypeError: If `a` or `b` is not a `Tree`.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, fit = None, *, threads = None))]
fn volume_query_cost<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    b_to_a: Option<&Bound<'py, PyAny>>,
    fit: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let [a, b] = trees([a, b])?.map(|tree| tree.tree.clone());
    let poses: Vec<Pose> = match poses(b_to_a, "b_to_a")? {
        Asked::One(pose) => vec![pose],
        Asked::Many(poses) => poses,
    };
    let raised = Raised::default();
    let volumes = match fit {
        Some(fit) => {
            let of_a = fitted(py, &a, fit, &raised)?;
            let of_b = if Arc::ptr_eq(&a, &b) { of_a.clone() } else { fitted(py, &b, fit, &raised)? };
            Some([of_a, of_b].concat())
        }
        None => None,
    };
    let costs = interruptible(py, threads, move |_| match volumes {
        Some(volumes) => query_cost(&a, &b, &poses, in_order(volumes)),
        None => Some(stored_query_cost(&a, &b, &poses)),
    })?;
    let costs = costs.ok_or_else(|| value_error("fit: a volume has neither a shape nor tetrahedra"))?;
    let table = PyDict::new(py);
    table.set_item("hit", costs.iter().map(|cost| cost.hit).collect::<Vec<_>>().into_pyarray(py))?;
    let counts = |of: fn(&bvtree::metrics::PoseCost) -> u64| {
        costs.iter().map(|cost| of(cost) as i64).collect::<Vec<_>>().into_pyarray(py)
    };
    table.set_item("volume_tests", counts(|cost| cost.volume_tests))?;
    table.set_item("triangle_tests", counts(|cost| cost.triangle_tests))?;
    Ok(table)
}

/// Computes the poses of the library's `PoseSet`: their labels and an array of them.
#[pyfunction]
fn _sample_poses(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    separations: Vec<f64>,
    approaches: usize,
    seed: u64,
) -> PyResult<(Vec<String>, Py<PyAny>)> {
    let [a, b] = trees([a, b])?.map(|tree| tree.tree.clone());
    if let Some(separation) =
        separations.iter().find(|separation| separation.is_nan() || separation.abs() > MAX_SEPARATION)
    {
        return Err(value_error(format_args!("separations: {separation} is not between -1e6 and 1e6")));
    }
    let set = PoseSet { separations, approaches, seed };
    let posed = interruptible(py, None, move |_| set.poses(&a, &b))?;
    let poses = Asked::Many(posed.iter().map(|posed| posed.pose).collect());
    Ok((posed.iter().map(|posed| posed.label()).collect(), pose_arrays(py, &poses)?))
}

/// Maximum separation of a pose: greater distances would lose their digits.
const MAX_SEPARATION: f64 = 1e6;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(volume_metrics, module)?)?;
    module.add_function(wrap_pyfunction!(volume_query_cost, module)?)?;
    module.add_function(wrap_pyfunction!(_sample_poses, module)?)
}
