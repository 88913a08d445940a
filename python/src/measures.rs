//! Tightness of trees and cost of queries, as tables: dicts of arrays.

use std::sync::Arc;

use bvtree::metrics::{LevelMetrics, MeshFacts, MetricsOptions, PoseSet, TreeMetrics, time_queries};
use bvtree::{BvTree, Pose, Query};
use numpy::IntoPyArray;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{of_mesh, value_error};
use crate::threads::interruptible;
use crate::tree::tree_argument;

type Column = (&'static str, fn(&LevelMetrics) -> Option<f64>);

const COLUMNS: [Column; 23] = [
    ("volumes", |level| Some(level.tightness.volumes as f64)),
    ("volume_ratio", |level| level.tightness.volume_ratio),
    ("mesh_volume_ratio", |level| level.tightness.mesh_volume_ratio),
    ("outside_ratio", |level| level.outside.map(|outside| outside.value)),
    ("outside_standard_error", |level| level.outside.map(|outside| outside.standard_error)),
    ("area_ratio", |level| level.tightness.area_ratio),
    ("hausdorff_max", |level| level.hausdorff.max.map(|error| error.upper)),
    ("hausdorff_max_lower", |level| level.hausdorff.max.map(|error| error.lower)),
    ("hausdorff_mean", |level| level.hausdorff.mean.map(|error| error.upper)),
    ("hausdorff_mean_lower", |level| level.hausdorff.mean.map(|error| error.lower)),
    ("hausdorff_cut_short", |level| level.hausdorff.mean.map(|_| level.hausdorff.cut_short as f64)),
    ("sibling_overlap", |level| level.tightness.sibling_overlap),
    ("sah_cost", |level| level.tightness.sah_cost),
    ("line_tests", |level| level.rays.line_tests.map(|estimate| estimate.value)),
    ("line_tests_standard_error", |level| level.rays.line_tests.map(|estimate| estimate.standard_error)),
    ("epo", |level| level.rays.epo.map(|estimate| estimate.value)),
    ("epo_standard_error", |level| level.rays.epo.map(|estimate| estimate.standard_error)),
    ("epo_reached", |level| level.rays.epo_reached.map(|estimate| estimate.value)),
    ("epo_reached_standard_error", |level| level.rays.epo_reached.map(|estimate| estimate.standard_error)),
    ("lcv", |level| level.rays.lcv.map(|estimate| estimate.value)),
    ("lcv_standard_error", |level| level.rays.lcv.map(|estimate| estimate.standard_error)),
    ("lcv_reached", |level| level.rays.lcv_reached.map(|estimate| estimate.value)),
    ("lcv_reached_standard_error", |level| level.rays.lcv_reached.map(|estimate| estimate.standard_error)),
];

/// Maximum number of approaches in all passes together, since the times of their queries are kept for the median.
const MAX_TIMES: usize = 10_000_000;

/// Adds the columns to a table; unknown values are NaN.
fn fill(py: Python<'_>, table: &Bound<'_, PyDict>, levels: &[LevelMetrics]) -> PyResult<()> {
    for (name, of) in COLUMNS {
        let values: Vec<f64> = levels.iter().map(|level| of(level).unwrap_or(f64::NAN)).collect();
        table.set_item(name, values.into_pyarray(py))?;
    }
    Ok(())
}

/// Refuses numbers of samples that would take too much memory.
pub fn check_samples(samples: usize) -> PyResult<()> {
    if samples > 100_000_000 {
        return Err(value_error("samples: expected at most 100,000,000"));
    }
    Ok(())
}

/// Measures how tightly a tree's volumes fit, level by level.
///
/// Args:
///     tree: A tree.
///     seed: Seed of random points and lines.
///     samples: Number of random lines, of points of the surface, and of points in the volumes of each level.
///     threads: Number of threads to use; all cores if None.
///
/// Returns:
///     A dict of arrays, a row for each level from the root on and, last, one for all volumes together, whose `level`
///     is -1. Values that a mesh does not have are NaN, such as the ratio to its volume if it is open. Columns:
///     `level`, `volumes`, `volume_ratio` (sum of volumes over the convex hull's), `mesh_volume_ratio` (over the
///     mesh's), `outside_ratio` and its `outside_standard_error` (volume of the union of the volumes outside the mesh,
///     over the mesh's volume), `area_ratio` (sum of areas over the mesh's), `hausdorff_max`, `hausdorff_mean` (the
///     greatest distance from a point of a volume to its triangles, over the volume's diameter: upper bounds, with
///     lower bounds in `hausdorff_max_lower` and `hausdorff_mean_lower` that are within 1% or 0.001 of them, except for
///     `hausdorff_cut_short` volumes), `sibling_overlap`, `sah_cost` (surface area heuristic), `line_tests` (expected
///     tests of a random line that meets the root), `epo` and `lcv` (end-point overlap and leaf count variability),
///     `epo_reached` and `lcv_reached` (the same for only those nodes that a traversal reaches). Each estimate has a
///     column with its standard error, such as `epo_standard_error`; in 95 of 100 cases the estimate is within two
///     standard errors of the true value. `to_pandas` converts the dict to a DataFrame.
///
/// Raises:
///     ValueError: If `threads` is not from 1 to 4096, or `samples` is above 100 million.
///     TypeError: If `tree` is not a `Tree`.
#[pyfunction]
#[pyo3(signature = (tree, *, seed = 0, samples = 16384, threads = None))]
fn metrics<'py>(
    py: Python<'py>,
    tree: &Bound<'py, PyAny>,
    seed: u64,
    samples: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    check_samples(samples)?;
    let tree = tree_argument(tree, "tree")?.tree.clone();
    let levels = interruptible(py, threads, move |_| {
        let facts = MeshFacts::new(&tree.to_mesh()?);
        let options = MetricsOptions { seed, samples, ..MetricsOptions::default() };
        let metrics = TreeMetrics::with_options(&tree, &facts, &options);
        Ok(metrics.levels().chain([metrics.total()]).collect::<Vec<_>>())
    })?
    .map_err(of_mesh)?;
    levels_table(py, &levels)
}

/// A table with a row for each level; the last row is for all volumes together.
pub fn levels_table<'py>(py: Python<'py>, levels: &[LevelMetrics]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let all = levels.len() as i64 - 1;
    let numbers: Vec<i64> = (0..all).chain([-1]).collect();
    table.set_item("level", numbers.into_pyarray(py))?;
    fill(py, &table, levels)?;
    Ok(table)
}

/// Compares trees of one mesh or several: how tightly each fits, and what its queries cost.
///
/// Args:
///     trees: Trees.
///     approaches: Number of lines along which a copy of the mesh approaches; each has a pose at four separations. The
///         queries find all pairs of intersecting triangles, on one thread.
///     passes: Number of timed passes, after one that is not counted.
///
/// Returns:
///     A dict of arrays, a row for each tree: `kind`, `triangles`, `nodes`, `depth`, `bytes`, the columns of `metrics`
///     for all volumes together, `queries` and `hits` (counts), and `volume_tests`, `triangle_tests` and
///     `micros_per_query` (means over the queries).
///
/// Raises:
///     ValueError: If `passes` is 0, or there are more than ten million approaches in all passes.
///     TypeError: If `trees` is not iterable, or an item is not a `Tree`.
#[pyfunction]
#[pyo3(signature = (trees, *, approaches = 25, passes = 3))]
fn compare<'py>(
    py: Python<'py>,
    trees: &Bound<'py, PyAny>,
    approaches: usize,
    passes: usize,
) -> PyResult<Bound<'py, PyDict>> {
    if passes == 0 || approaches.saturating_mul(passes) > MAX_TIMES {
        return Err(value_error(
            "passes: expected at least 1, and at most ten million approaches in all passes together",
        ));
    }
    let tree = |(index, tree): (usize, PyResult<Bound<'py, PyAny>>)| {
        Ok(tree_argument(&tree?, &format!("trees[{index}]"))?.tree.clone())
    };
    let other = trees.get_type().fully_qualified_name()?;
    let no_list = |_| PyTypeError::new_err(format!("argument 'trees' must be a list of bvtree.Tree, not {other}"));
    let trees: Vec<Arc<BvTree>> = trees.try_iter().map_err(no_list)?.enumerate().map(tree).collect::<PyResult<_>>()?;
    let asked = trees.clone();
    let measured = interruptible(py, None, move |cancelled| {
        let measure = |tree: &Arc<BvTree>| {
            if cancelled.is_set() {
                return Ok((LevelMetrics::default(), Vec::new()));
            }
            let facts = MeshFacts::new(&tree.to_mesh()?);
            let total = TreeMetrics::new(tree, &facts).total();
            let poses = PoseSet { approaches, ..PoseSet::default() }.poses(tree, tree);
            let poses: Vec<Pose> = poses.iter().map(|posed| posed.pose).collect();
            Ok((total, time_queries(&mut Query::new(), tree, tree, &poses, passes)))
        };
        asked.iter().map(measure).collect::<Result<Vec<_>, _>>()
    })?
    .map_err(of_mesh)?;

    let table = PyDict::new(py);
    let kinds: Vec<&str> = trees.iter().map(|tree| tree.kind().name()).collect();
    table.set_item("kind", py.import("numpy")?.call_method1("array", (kinds, "U6"))?)?;
    type Count = fn(&BvTree) -> usize;
    let counted: [(&str, Count); 4] = [
        ("triangles", BvTree::triangle_count),
        ("nodes", BvTree::node_count),
        ("depth", |tree| tree.depth() as usize),
        ("bytes", |tree| tree.section_sizes().iter().map(|&(_, bytes)| bytes).sum()),
    ];
    for (name, of) in counted {
        let values: Vec<i64> = trees.iter().map(|tree| of(tree) as i64).collect();
        table.set_item(name, values.into_pyarray(py))?;
    }
    let totals: Vec<LevelMetrics> = measured.iter().map(|&(total, _)| total).collect();
    fill(py, &table, &totals)?;
    let mean = |of: fn(&bvtree::metrics::PoseCost) -> f64| -> Vec<f64> {
        measured.iter().map(|(_, costs)| costs.iter().map(of).sum::<f64>() / costs.len() as f64).collect()
    };
    let queries: Vec<i64> = measured.iter().map(|(_, costs)| costs.len() as i64).collect();
    let hits: Vec<i64> =
        measured.iter().map(|(_, costs)| costs.iter().filter(|cost| cost.hit).count() as i64).collect();
    table.set_item("queries", queries.into_pyarray(py))?;
    table.set_item("hits", hits.into_pyarray(py))?;
    table.set_item("volume_tests", mean(|cost| cost.volume_tests as f64).into_pyarray(py))?;
    table.set_item("triangle_tests", mean(|cost| cost.triangle_tests as f64).into_pyarray(py))?;
    table.set_item("micros_per_query", mean(|cost| cost.time.as_secs_f64() * 1e6).into_pyarray(py))?;
    Ok(table)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(metrics, module)?)?;
    module.add_function(wrap_pyfunction!(compare, module)?)
}
