//! Depths of the overlap of two solids, as proven intervals.

use std::time::Duration;

use bvtree::query::{DepthOptions, HausdorffDirection, QueryError, Solid};
use bvtree::{BvTree, Pose, Query};
use pyo3::prelude::*;

use super::ask::{Object, ask_lists, ask_long, records};
use crate::answer::Answer;
use crate::errors::value_error;
use crate::records::{HausdorffRow, OverlapDepthRow, OverlapRegionRow, PenetrationDepthRow};
use crate::solids::Solids;
use crate::tree::trees;

/// Computes how far the surface of either of two solids reaches into the other: what clash reports call protrusion.
///
/// The depth is the distance from the deepest point of either surface inside the other solid to that solid's surface.
/// Where parts that fit snugly overlap by rounding, the depth is only nanometres. `penetration_depth` computes how far
/// B must move instead.
///
/// Args:
///     a, b, b_to_a, threads: See `intersects`. Both meshes must be closed, unless `solid` is "robust".
///     relative_tolerance: The search ends once `upper - lower` is at most this fraction of `lower`.
///     absolute_tolerance: The search also ends once `upper - lower` is at most this length, in A's unit.
///     time_limit: Seconds for each pose, after which the interval may be wider; None for no limit.
///     solid: Closed meshes are always solid here; "robust" gives open ones an inside, see `intersects`, and then
///         `lower` and `upper` are estimates.
///
/// Returns:
///     A record with the fields `lower` and `upper`, proven bounds on the depth in A's unit, 0 if nothing overlaps;
///     `point`, the deepest point that was found, and `way_out`, the point of the other surface closest to `point`,
///     both in A's frame, NaN if there is none; `is_on_b`, 1 if `point` is on B's surface. For N poses an (N,) array.
///
/// Raises:
///     NotClosed: If a mesh is not closed, unless `solid` is "robust".
///     InvalidPose, TypeError, ValueError: See `intersects`; ValueError also if a tolerance or `time_limit` is
///         negative.
#[pyfunction]
#[pyo3(signature = (
    a, b, b_to_a = None, *, relative_tolerance = 0.01, absolute_tolerance = 0.0, time_limit = None, solid = Solids::NO,
    threads = None
), text_signature = "(a, b, b_to_a=None, *, relative_tolerance=0.01, absolute_tolerance=0.0, time_limit=None, \
    solid=False, threads=None)")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
fn overlap_depth(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    time_limit: Option<f64>,
    solid: Solids,
    threads: Option<usize>,
) -> Object {
    let options = depth_options(relative_tolerance, absolute_tolerance, time_limit)?;
    let [solid_a, solid_b] = solid.of(py, [a, b])?;
    depths(py, [a, b], b_to_a, [solid_a, solid_b], threads, move |query, a, b, pose| {
        query.set_solids(solid_a, solid_b);
        query.overlap_depth(a, b, pose, &options).map(OverlapDepthRow::from)
    })
}

/// Finds the regions in which two solids overlap: the connected pieces of their intersection, each with its depth.
///
/// A table whose four legs sink into a floor overlaps it in four regions. Regions that touch count as one, up to
/// rounding; a hollow inside a region, bounded by a surface of its own, counts as a region.
///
/// Args:
///     a, b, b_to_a, threads: See `intersects`. Both meshes must be closed, unless `solid` is "robust".
///     relative_tolerance, absolute_tolerance, time_limit, solid: See `overlap_depth`; `time_limit` applies to each
///         region.
///
/// Returns:
///     A structured array, the deepest region first: the fields of `overlap_depth`, and `bounds`, (2, 3), the lower and
///     the upper corner of the region's bounding box in A's frame. For N poses a tuple of offsets and one array.
///
/// Raises:
///     NotClosed, InvalidPose, TypeError, ValueError: See `overlap_depth`.
#[pyfunction]
#[pyo3(signature = (
    a, b, b_to_a = None, *, relative_tolerance = 0.01, absolute_tolerance = 0.0, time_limit = None, solid = Solids::NO,
    threads = None
), text_signature = "(a, b, b_to_a=None, *, relative_tolerance=0.01, absolute_tolerance=0.0, time_limit=None, \
    solid=False, threads=None)")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
fn overlap_regions(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    time_limit: Option<f64>,
    solid: Solids,
    threads: Option<usize>,
) -> Object {
    let options = depth_options(relative_tolerance, absolute_tolerance, time_limit)?;
    let solids = solid.of(py, [a, b])?;
    require_closed(py, [a, b], solids)?;
    let question = move |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<OverlapRegionRow> {
        query.set_solids(solids[0], solids[1]);
        // Both meshes have an inside, and no other error is possible.
        let found = query.overlap_regions(a, b, pose, &options).unwrap_or_default();
        found.iter().map(OverlapRegionRow::from).collect()
    };
    ask_lists([a, b], b_to_a, py, threads, question, records)
}

/// Computes the Hausdorff distance between two surfaces: the greatest distance from a point of one to the closest point
/// of the other. Meshes may be open.
///
/// Args:
///     a, b, b_to_a, threads: See `intersects`.
///     direction (str): "a_to_b" measures from the points of A, "b_to_a" from those of B, "both" takes the greater of
///         the two.
///     relative_tolerance, absolute_tolerance, time_limit: See `overlap_depth`.
///
/// Returns:
///     A record with the fields `lower` and `upper`, proven bounds on the distance in A's unit; `point`, the point
///     farthest from the other surface that was found, and `closest`, the point of the other surface closest to it, in
///     A's frame; `is_on_b`, 1 if `point` is on B's surface. None if a mesh is empty. For N poses an (N,) array, with
///     NaN for none.
///
/// Raises:
///     InvalidPose, TypeError, ValueError: See `overlap_depth`; ValueError also if `direction` has another value.
#[pyfunction]
#[pyo3(signature = (
    a, b, b_to_a = None, *, direction = "both", relative_tolerance = 0.01, absolute_tolerance = 0.0, time_limit = None,
    threads = None
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
fn hausdorff_distance(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    direction: &str,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    time_limit: Option<f64>,
    threads: Option<usize>,
) -> Object {
    let options = depth_options(relative_tolerance, absolute_tolerance, time_limit)?;
    let direction: HausdorffDirection = direction.parse().map_err(value_error)?;
    ask_long([a, b], b_to_a, py, threads, move |query, a, b, pose| {
        query.hausdorff_distance(a, b, pose, direction, &options).map_or_else(HausdorffRow::default, HausdorffRow::from)
    })
}

/// Computes the penetration depth: the shortest translation of B after which the interiors of two solids are disjoint.
///
/// Args:
///     a, b, b_to_a, threads: See `intersects`. Both meshes must be closed.
///     relative_tolerance, absolute_tolerance, time_limit: See `overlap_depth`. Without a limit, a pose takes up to a
///         few seconds where the solids are linked or thin.
///
/// Returns:
///     A record with the fields `lower` and `upper`, proven bounds on the depth in A's unit, 0 if nothing overlaps, and
///     `translation`, in A's frame, of length `upper`: added to the translation of the pose, it separates B. For N
///     poses an (N,) array.
///
/// Raises:
///     NotClosed, InvalidPose, TypeError, ValueError: See `overlap_depth`.
#[pyfunction]
#[pyo3(signature = (
    a, b, b_to_a = None, *, relative_tolerance = 0.01, absolute_tolerance = 0.0, time_limit = None, threads = None
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
fn penetration_depth(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    time_limit: Option<f64>,
    threads: Option<usize>,
) -> Object {
    let options = depth_options(relative_tolerance, absolute_tolerance, time_limit)?;
    depths(py, [a, b], b_to_a, [Solid::No; 2], threads, move |query, a, b, pose| {
        query.penetration_depth(a, b, pose, &options).map(PenetrationDepthRow::from)
    })
}

pub fn depth_options(
    relative_tolerance: f64,
    absolute_tolerance: f64,
    time_limit: Option<f64>,
) -> PyResult<DepthOptions> {
    for (name, value) in [("relative_tolerance", relative_tolerance), ("absolute_tolerance", absolute_tolerance)] {
        if value.is_nan() || value < 0.0 {
            return Err(value_error(format!("{name}: expected a number of at least 0, not {value}")));
        }
    }
    let limit = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|error| value_error(format!("time_limit: expected seconds, not {seconds}: {error}")))
    };
    let time_limit = time_limit.filter(|seconds| *seconds != f64::INFINITY).map(limit).transpose()?;
    Ok(DepthOptions { relative_tolerance, absolute_tolerance, time_limit, ..DepthOptions::default() })
}

/// Computes depths of two solids at one pose or many.
fn depths<R: Answer + Send>(
    py: Python<'_>,
    ab: [&Bound<'_, PyAny>; 2],
    b_to_a: Option<&Bound<'_, PyAny>>,
    solids: [Solid; 2],
    threads: Option<usize>,
    depth: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> Result<R, QueryError> + Send + Sync + 'static,
) -> Object {
    require_closed(py, ab, solids)?;
    // Both meshes have an inside, and no other error is possible.
    ask_long(ab, b_to_a, py, threads, move |query, a, b, pose| depth(query, a, b, pose).unwrap_or_default())
}

/// Checks that both meshes have an inside.
///
/// # Errors
/// NotClosed if a mesh has no inside.
fn require_closed(py: Python<'_>, ab: [&Bound<'_, PyAny>; 2], solids: [Solid; 2]) -> PyResult<()> {
    for (tree, solid) in trees(ab)?.into_iter().zip(solids) {
        if solid != Solid::Robust && !tree.watertightness(py)?.is_closed() {
            return Err(tree.not_closed(py, ""));
        }
    }
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(overlap_depth, module)?)?;
    module.add_function(wrap_pyfunction!(overlap_regions, module)?)?;
    module.add_function(wrap_pyfunction!(hausdorff_distance, module)?)?;
    module.add_function(wrap_pyfunction!(penetration_depth, module)?)
}
