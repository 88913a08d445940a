//! Questions about two trees.

use std::ops::ControlFlow;
use std::sync::Arc;

use bvtree::query::{DistanceOptions, Relation, TimeOfImpact};
use bvtree::{BvTree, Motion, Pose, Query};
use nalgebra::{Unit, Vector3};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::{Answer, Record};
use crate::arrays::{Asked, row};
use crate::errors::{of_query, value_error};
use crate::poses::poses;
use crate::records::{Closest, ContactRow, Impact, PatchRow, PenetrationRow, faces, offsets, pairs as pair_array};
use crate::scratch::with_query;
use crate::threads::{each, interruptible};
use crate::tree::PyTree;

type Object = PyResult<Py<PyAny>>;

/// Asks at one pose or many. Short questions are asked on this thread.
fn ask<R: Answer + Send>(
    trees: [&PyTree; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> R + Send + Sync + 'static,
) -> Object {
    match poses(pose, "pose")? {
        Asked::One(pose) => {
            let [a, b] = trees.map(|tree| tree.tree.as_ref());
            py.detach(|| with_query(|query| question(query, a, b, &pose))).one(py)
        }
        Asked::Many(poses) => {
            let [a, b] = trees.map(|tree| tree.tree.clone());
            let question = move |pose: &Pose| with_query(|query| question(query, &a, &b, pose));
            Ok(R::many(py, each(py, threads, poses, question)?))
        }
    }
}

/// As [`ask`], for what may take long even once or uses threads: always asked in a pool.
fn ask_long<R: Answer + Send>(
    trees: [&PyTree; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> R + Send + Sync + 'static,
) -> Object {
    let [a, b] = trees.map(|tree| tree.tree.clone());
    let question = move |pose: &Pose| with_query(|query| question(query, &a, &b, pose));
    match poses(pose, "pose")? {
        Asked::One(pose) => interruptible(py, threads, move |_| question(&pose))?.one(py),
        Asked::Many(poses) => Ok(R::many(py, in_pool(py, threads, poses, question)?)),
    }
}

/// All in a pool, from the first on.
fn in_pool<T: Send + Sync + 'static, R: Default + Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    items: Vec<T>,
    question: impl Fn(&T) -> R + Send + Sync + 'static,
) -> PyResult<Vec<R>> {
    interruptible(py, threads, move |cancelled| {
        let ask = |(): &mut (), item: &T| if cancelled.is_set() { R::default() } else { question(item) };
        bvtree::query::many::map(&items, || (), ask)
    })
}

/// Lists of answers: of one pose an array, of many the places where each one's begin and all of them in one array.
fn ask_lists<R: Send + Default + Clone + 'static>(
    trees: [&PyTree; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> Vec<R> + Send + Sync + 'static,
    array: impl Fn(Python<'_>, Vec<R>) -> Object,
) -> Object {
    let [a, b] = trees.map(|tree| tree.tree.clone());
    let question = move |pose: &Pose| with_query(|query| question(query, &a, &b, pose));
    match poses(pose, "pose")? {
        Asked::One(pose) => {
            let found = py.detach(|| question(&pose));
            array(py, found)
        }
        Asked::Many(poses) => {
            let lists = each(py, threads, poses, question)?;
            let ends = offsets(py, lists.iter().map(Vec::len));
            Ok(PyTuple::new(py, [ends, array(py, lists.concat())?])?.into_any().unbind())
        }
    }
}

fn records<R: Record>(py: Python<'_>, rows: Vec<R>) -> Object {
    Ok(R::many(py, rows))
}

/// Whether two meshes touch, exactly: whether any triangle of A intersects any of B. Touching counts.
///
/// Args:
///     a, b: Trees.
///     pose: Where B stands in A's frame: a (4, 4) or (3, 4) matrix, or N of them, (N, 4, 4) or (N, 3, 4), of any dtype; or a
///         tuple of rotations, (3, 3) or (N, 3, 3), and translations, (3,) or (N, 3). None is where they are. The
///         rotation may be off by what float32 leaves (1e-4). `relative_pose` makes it of two poses in the world.
///     threads: How many threads may ask about many poses; all cores if None. Few and quick questions are asked on the
///         caller's thread.
///
/// Returns:
///     bool, or an (N,) array of them.
///
/// Raises:
///     InvalidPose: If a matrix is not a rotation and a translation; of many the text has the place.
///     ValueError: If an array has another shape.
///
/// Examples:
///     >>> import bvtree, numpy as np
///     >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
///     >>> bvtree.intersects(tree, tree)
///     True
///     >>> poses = np.tile(np.eye(4), (3, 1, 1))
///     >>> poses[:, 2, 3] = [0, 1, 2]
///     >>> bvtree.intersects(tree, tree, poses)
///     array([ True, False, False])
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, threads = None))]
fn intersects(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    pose: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    ask([a.get(), b.get()], pose, py, threads, |query, a, b, pose| query.intersects(a, b, pose))
}

/// Which triangles of two meshes intersect, exactly.
///
/// Args:
///     a, b, pose, threads: As of `intersects`.
///
/// Returns:
///     An (M, 2) int64 array of faces of A and of B, sorted. For N poses a tuple of an (N + 1,) array of offsets and one (M, 2)
///     array: the pairs at pose i are `pairs[offsets[i]:offsets[i + 1]]`.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, threads = None))]
fn intersecting_pairs(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    pose: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    let question = |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<[i64; 2]> {
        query.collect_pairs(a, b, pose).iter().map(faces).collect()
    };
    ask_lists([a.get(), b.get()], pose, py, threads, question, pair_array)
}

/// How many pairs of triangles of two meshes intersect, exactly.
///
/// Args:
///     a, b, pose, threads: As of `intersects`.
///
/// Returns:
///     int, or an (N,) int64 array.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, threads = None))]
fn count_pairs(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    pose: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    ask([a.get(), b.get()], pose, py, threads, |query, a, b, pose| query.count_pairs(a, b, pose) as i64)
}

/// The least distance between two meshes: 0 exactly when they intersect.
///
/// Args:
///     a, b, pose, threads: As of `intersects`.
///     upper_bound: Greater distances are not of interest, and told as infinity. The smaller, the less work.
///     relative_tolerance, absolute_tolerance: By how much the answer may exceed the least distance: a part of it, or so
///         much in A's unit. They never make 0 of a distance that is not.
///
/// Returns:
///     float in A's unit, or an (N,) float64 array; infinity if a mesh is empty.
///
/// See also:
///     `closest`, which tells points and faces as well.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, upper_bound = f64::INFINITY, relative_tolerance = 0.0, absolute_tolerance = 0.0, threads = None))]
#[allow(clippy::too_many_arguments)]
fn distance(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    pose: Option<&Bound<'_, PyAny>>,
    upper_bound: f64,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    threads: Option<usize>,
) -> Object {
    let options = DistanceOptions { relative_tolerance, absolute_tolerance, upper_bound };
    ask([a.get(), b.get()], pose, py, threads, move |query, a, b, pose| {
        query.distance_with(a, b, pose, &options).map_or(f64::INFINITY, |found| found.distance)
    })
}

/// The least distance between two meshes, with the points and triangles that it is between.
///
/// Args:
///     a, b, pose, upper_bound, relative_tolerance, absolute_tolerance, threads: As of `distance`.
///
/// Returns:
///     A record, or an (N,) array of them, with the fields `distance`, `on_a`, `on_b` ((3,) points in A's frame), `face_a` and
///     `face_b`. Fields are had by name, as in `found["distance"]`; of a record also as `found.distance`. If a mesh is empty,
///     or the distance exceeds the bound: None, and in an array infinity, NaN and faces of -1.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, upper_bound = f64::INFINITY, relative_tolerance = 0.0, absolute_tolerance = 0.0, threads = None))]
#[allow(clippy::too_many_arguments)]
fn closest(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    pose: Option<&Bound<'_, PyAny>>,
    upper_bound: f64,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    threads: Option<usize>,
) -> Object {
    let options = DistanceOptions { relative_tolerance, absolute_tolerance, upper_bound };
    ask([a.get(), b.get()], pose, py, threads, move |query, a, b, pose| {
        query.distance_with(a, b, pose, &options).map_or_else(Closest::default, |found| Closest::from(&found))
    })
}

/// Whether the distance of two meshes is at most a tolerance: the same as comparing `distance`, in less time.
///
/// Args:
///     a, b, pose, threads: As of `intersects`.
///     tolerance: In A's unit. 0 asks whether they intersect; nothing is within a negative one.
///
/// Returns:
///     bool, or an (N,) array of them.
#[pyfunction]
#[pyo3(signature = (a, b, tolerance, pose = None, *, threads = None))]
fn within(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    tolerance: f64,
    pose: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    ask([a.get(), b.get()], pose, py, threads, move |query, a, b, pose| query.within(a, b, pose, tolerance).is_yes())
}

/// All pairs of triangles closer than a tolerance.
///
/// Args:
///     a, b, tolerance, pose, threads: As of `within`.
///
/// Returns:
///     A structured array with the fields of `closest`, the nearest first. For N poses a tuple of offsets and one array, as of
///     `intersecting_pairs`.
#[pyfunction]
#[pyo3(signature = (a, b, tolerance, pose = None, *, threads = None))]
fn pairs_within(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    tolerance: f64,
    pose: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    let question = move |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<Closest> {
        query.collect_within(a, b, pose, tolerance).iter().map(Closest::from).collect()
    };
    ask_lists([a.get(), b.get()], pose, py, threads, question, records)
}

/// Where each pair of intersecting triangles intersects. Which pairs do is exact; points are rounded.
///
/// Args:
///     a, b, pose, threads: As of `intersects`.
///
/// Returns:
///     A structured array sorted by faces: `face_a`, `face_b`; `normal_a`, `normal_b`, the triangles' unit normals; `count` and
///     `points` ((6, 3), NaN past the count): a point, the ends of a segment, or, of triangles in one plane, the corners of
///     the polygon that they share. In A's frame. For N poses a tuple of offsets and one array.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, threads = None))]
fn contacts(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    pose: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    let question = |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<ContactRow> {
        query.contacts(a, b, pose).iter().map(ContactRow::from).collect()
    };
    ask_lists([a.get(), b.get()], pose, py, threads, question, records)
}

/// Contacts that hang together as one point each, as a physics engine wants them.
///
/// Args:
///     a, b, pose, threads: As of `intersects`.
///
/// Returns:
///     A structured array: `point`, `normal` (unit, from A to B; zero where there is no telling), `depth` (an estimate of how
///     far B would have to move along the normal; 0 for mere touching) and `contacts` (how many). In A's frame. For N poses a tuple of
///     offsets and one array.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, threads = None))]
fn contact_patches(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    pose: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    let question = |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<PatchRow> {
        query.contact_patches(a, b, pose).iter().map(PatchRow::from).collect()
    };
    ask_lists([a.get(), b.get()], pose, py, threads, question, records)
}

/// How two meshes lie to each other, exactly.
///
/// Args:
///     a, b, pose, threads: As of `intersects`.
///
/// Returns:
///     str, or an (N,) array of them: "separate"; "touching", without passing through each other; "crossing", or partly inside;
///     "a_in_b", "b_in_a"; "undefined", where a mesh with holes has no inside to be in.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, threads = None))]
fn relation(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    pose: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    let [a, b] = [a, b].map(|tree| tree.get().tree.clone());
    let question = move |pose: &Pose| with_query(|query| Some(query.relation(&a, &b, pose)));
    match poses(pose, "pose")? {
        Asked::One(pose) => {
            let found = interruptible(py, threads, move |_| question(&pose))?;
            Ok(relation_name(found).into_pyobject(py)?.into_any().unbind())
        }
        Asked::Many(poses) => {
            let names: Vec<&str> = in_pool(py, threads, poses, question)?.into_iter().map(relation_name).collect();
            Ok(py.import("numpy")?.call_method1("array", (names, "U9"))?.unbind())
        }
    }
}

fn relation_name(relation: Option<Relation>) -> &'static str {
    match relation.unwrap_or(Relation::Undefined) {
        Relation::Separate => "separate",
        Relation::Touching => "touching",
        Relation::Crossing => "crossing",
        Relation::AInB => "a_in_b",
        Relation::BInA => "b_in_a",
        Relation::Undefined => "undefined",
    }
}

/// How far to move B until nothing touches any more, and where to.
///
/// Args:
///     a, b, pose, threads: As of `intersects`.
///     direction: A (3,) direction of A's frame to move along; None looks for a direction with a short way.
///
/// Returns:
///     A record with the fields `depth` (in A's unit) and `direction` (unit), None if the meshes don't touch; for N poses an (N,)
///     array, NaN where they don't. Along a given direction the depth is exact up to rounding and errs to the long side; without
///     one it is an upper bound of the penetration depth, the least of some fifty directions.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, direction = None, threads = None))]
fn penetration(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    pose: Option<&Bound<'_, PyAny>>,
    direction: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    let trees = [a.get(), b.get()];
    let Some(direction) = direction else {
        return ask_long(trees, pose, py, threads, |query, a, b, pose| {
            query.penetration(a, b, pose).map_or_else(PenetrationRow::default, PenetrationRow::from)
        });
    };
    let direction = Unit::try_new(Vector3::from(row(direction, "direction")?), 1e-150)
        .ok_or_else(|| value_error("direction: expected one of some length"))?;
    ask(trees, pose, py, threads, move |query, a, b, pose| {
        let found = query.penetration_along(a, b, pose, &direction);
        found.map_or_else(PenetrationRow::default, |found| PenetrationRow {
            depth: found.depth,
            direction: direction.into_inner().into(),
        })
    })
}

/// When B, moving from one pose to another in the time from 0 to 1, first touches A (continuous collision detection).
///
/// The translation is linear in time and the rotation a slerp about B's origin. That nothing is met is a proof, not a
/// sampling; a time is never later than the true one.
///
/// Args:
///     a, b: Trees.
///     start, end: Poses of B in A's frame, as of `intersects`: one each, or N each.
///     tolerance: How near the triangles are to be at that time, in A's unit. 0 is as exact as can be.
///     threads: As of `intersects`.
///
/// Returns:
///     A record with the fields `time` (0 if they touch at the start), `distance`, `on_a`, `on_b`, `normal` (unit, from A to
///     B), `face_a`, `face_b`; None if they don't meet. For N motions an (N,) array; where nothing is met the time is
///     infinity and faces are -1.
///
/// Raises:
///     Error: If a motion is more than 1e12 times as long as the meshes are large.
#[pyfunction]
#[pyo3(signature = (a, b, start, end, *, tolerance = 0.0, threads = None))]
fn time_of_impact(
    py: Python<'_>,
    a: &Bound<'_, PyTree>,
    b: &Bound<'_, PyTree>,
    start: &Bound<'_, PyAny>,
    end: &Bound<'_, PyAny>,
    tolerance: f64,
    threads: Option<usize>,
) -> Object {
    let [a, b] = [a, b].map(|tree| tree.get().tree.clone());
    let question = move |motion: &Motion| {
        let found = with_query(|query| query.time_of_impact(&a, &b, motion, tolerance));
        Some(found.map(|found| match found {
            TimeOfImpact::Free => Impact::default(),
            TimeOfImpact::Touching(contact) | TimeOfImpact::Impact(contact) => Impact::from(&contact),
        }))
    };
    match (poses(Some(start), "start")?, poses(Some(end), "end")?) {
        (Asked::One(start), Asked::One(end)) => {
            let found = py.detach(|| question(&Motion::new(start, end)));
            found.transpose().map_err(of_query)?.unwrap_or_default().one(py)
        }
        (Asked::Many(starts), Asked::Many(ends)) if starts.len() == ends.len() => {
            let motions = starts.into_iter().zip(ends).map(|(start, end)| Motion::new(start, end)).collect();
            let found: Result<Vec<_>, _> = each(py, threads, motions, question)?.into_iter().flatten().collect();
            Ok(Impact::many(py, found.map_err(of_query)?))
        }
        _ => Err(value_error("start and end: expected one pose each, or as many of both")),
    }
}

/// Which triangles of one mesh intersect each other beyond the corners and edges that they share.
///
/// Args:
///     tree: A tree.
///
/// Returns:
///     An (M, 2) int64 array of faces, the lesser first, sorted.
#[pyfunction]
fn self_pairs(py: Python<'_>, tree: &Bound<'_, PyTree>) -> Object {
    let tree: Arc<BvTree> = tree.get().tree.clone();
    let found = interruptible(py, None, move |cancelled| {
        let mut pairs: Vec<[i64; 2]> = Vec::new();
        with_query(|query| {
            query.for_each_self_pair(&tree, |pair| {
                pairs.push(faces(&pair));
                if cancelled.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        });
        pairs.sort_unstable();
        pairs
    })?;
    pair_array(py, found)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(intersects, module)?)?;
    module.add_function(wrap_pyfunction!(intersecting_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(count_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(distance, module)?)?;
    module.add_function(wrap_pyfunction!(closest, module)?)?;
    module.add_function(wrap_pyfunction!(within, module)?)?;
    module.add_function(wrap_pyfunction!(pairs_within, module)?)?;
    module.add_function(wrap_pyfunction!(contacts, module)?)?;
    module.add_function(wrap_pyfunction!(contact_patches, module)?)?;
    module.add_function(wrap_pyfunction!(relation, module)?)?;
    module.add_function(wrap_pyfunction!(penetration, module)?)?;
    module.add_function(wrap_pyfunction!(time_of_impact, module)?)?;
    module.add_function(wrap_pyfunction!(self_pairs, module)?)
}
