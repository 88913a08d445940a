//! Queries on two trees: intersection and distance.

mod ask;
mod contacts;
mod curves;
mod depths;

use bvtree::query::{ClosestPair, DistanceOptions, Solid};
use bvtree::{BvTree, Pose, Query};
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::arrays::Asked;
use crate::poses::poses;
use crate::records::{Closest, faces, pairs as pair_array};
use crate::scratch::with_query;
use crate::signals::here;
use crate::solids::Solids;
use crate::threads::interruptible;
use crate::tree::{tree_argument, trees};
pub use depths::depth_options;

use ask::{Object, ask, ask_lists, ask_paths, records};

/// The Python argument `masks`: masks of layers for A's triangles and for B's.
#[derive(Clone, Copy, FromPyObject)]
struct Masks(Option<u32>, Option<u32>);

impl Masks {
    const NONE: Self = Self(None, None);

    fn set(self, query: &mut Query) {
        query.set_masks(self.0, self.1);
    }
}

/// Tests exactly whether two meshes intersect: whether any triangle of A intersects any of B. Touching counts as
/// intersecting.
///
/// Args:
///     a, b: Trees.
///     b_to_a: B's pose in A's frame, which maps B's coordinates into A's frame: a (4, 4) or (3, 4) matrix, or N of
///         them, (N, 4, 4) or (N, 3, 4), of any dtype; or a tuple of rotations, (3, 3) or (N, 3, 3), and translations,
///         (3,) or (N, 3). None is the identity. Entries must be finite, a rotation R must not mirror, and no entry of
///         R^T R - I may exceed 1e-4, which allows for float32 rounding. A translation may have any length; a
///         body of a scene must stay within 1e30 of the world's origin. `relative_pose` computes the pose from two
///         poses in the world.
///     solid: Whether meshes are solid and not only surfaces: what lies inside a solid then intersects it, at
///         distance 0. False, True (an open mesh is an error), "if_closed" (an open mesh stays a surface) or "robust"
///         (what is inside an open mesh is what `Tree.contains_robust` says); or a tuple of two, for A and for B.
///         `Scene.add` has the same choice, without "robust".
///     masks: Masks of layers for A's triangles and for B's, as bits: triangles in no layer of their mesh's mask are
///         ignored; None means all triangles. See `Tree.set_layers`. What is inside a solid is not masked.
///     threads: Maximum number of threads for many poses; all cores if None. If there are only a few quick queries,
///         they run on the caller's thread.
///
/// Returns:
///     bool, or an (N,) array of them.
///
/// Raises:
///     InvalidPose: If a matrix is not a rotation and a translation; of many poses, the message names the index.
///     NotClosed: If `solid` is True and a mesh is open.
///     ValueError: If an array has another shape or does not contain numbers, `solid` has another value, or `threads`
///         is not from 1 to 4096.
///     TypeError: If `a` or `b` is not a `Tree`.
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
#[pyo3(signature = (a, b, b_to_a = None, *, solid = Solids::NO, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, b_to_a=None, *, solid=False, masks=(None, None), threads=None)")]
fn intersects(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    solid: Solids,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let [solid_a, solid_b] = solid.of(py, [a, b])?;
    let one = move |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| {
        query.set_solids(solid_a, solid_b);
        masks.set(query);
        query.intersects(a, b, pose)
    };
    let many = move |query: &mut Query, a: &BvTree, b: &BvTree, poses: &[Pose]| {
        query.set_solids(solid_a, solid_b);
        masks.set(query);
        query.intersects_many(a, b, poses)
    };
    ask_paths([a, b], b_to_a, py, threads, one, many)
}

/// Finds the first of many poses at which two meshes intersect: whether a path is free, and where it is not. Poses that
/// follow the first hit are not tested, and neighbouring poses share results.
///
/// Args:
///     a, b, solid, masks: See `intersects`.
///     b_to_a: N poses, (N, 4, 4) or (N, 3, 4), in the order of the path.
///
/// Returns:
///     The index of the first pose with contact, or None.
///
/// Raises:
///     InvalidPose, NotClosed, ValueError, TypeError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a, *, solid = Solids::NO, masks = Masks::NONE),
    text_signature = "(a, b, b_to_a, *, solid=False, masks=(None, None))")]
fn first_hit(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: &Bound<'_, PyAny>,
    solid: Solids,
    masks: Masks,
) -> PyResult<Option<usize>> {
    let [solid_a, solid_b] = solid.of(py, [a, b])?;
    let [a, b] = trees([a, b])?.map(|tree| tree.tree.clone());
    let poses = match poses(Some(b_to_a), "b_to_a")? {
        Asked::One(pose) => vec![pose],
        Asked::Many(poses) => poses,
    };
    here(py, || {
        with_query(|query| {
            query.set_solids(solid_a, solid_b);
            masks.set(query);
            query.first_hit(&a, &b, &poses)
        })
    })
}

/// Finds exactly which triangles of two meshes intersect.
///
/// Args:
///     a, b, b_to_a, masks, threads: See `intersects`.
///
/// Returns:
///     An (M, 2) int64 array of faces of A and of B, sorted. For N poses a tuple of an (N + 1,) array of offsets and
///     one (M, 2) array: the pairs at pose i are `pairs[offsets[i]:offsets[i + 1]]`.
///
/// Raises:
///     InvalidPose, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, *, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, b_to_a=None, *, masks=(None, None), threads=None)")]
fn intersecting_pairs(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let question = move |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<[i64; 2]> {
        masks.set(query);
        query.intersecting_pairs(a, b, pose).iter().map(faces).collect()
    };
    ask_lists([a, b], b_to_a, py, threads, question, pair_array)
}

/// Counts exactly how many pairs of triangles of two meshes intersect.
///
/// Args:
///     a, b, b_to_a, masks, threads: See `intersects`.
///
/// Returns:
///     int, or an (N,) int64 array.
///
/// Raises:
///     InvalidPose, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, *, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, b_to_a=None, *, masks=(None, None), threads=None)")]
fn count_pairs(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    ask([a, b], b_to_a, py, threads, move |query, a, b, pose| {
        masks.set(query);
        query.count_pairs(a, b, pose) as i64
    })
}

/// Computes the least distance between two meshes: 0 exactly when they intersect.
///
/// Args:
///     a, b, b_to_a, solid, masks, threads: See `intersects`.
///     upper_bound: Largest distance of interest; greater ones are returned as infinity. A smaller bound means less
///         work.
///     relative_tolerance, absolute_tolerance: Allowed error: the result may exceed the least distance by this fraction
///         of it, or by this much in A's unit. A result of 0 is always exact.
///
/// Returns:
///     float in A's unit, or an (N,) float64 array; infinity if a mesh is empty.
///
/// Raises:
///     InvalidPose, NotClosed, TypeError, ValueError: See `intersects`.
///
/// See also:
///     `closest_points`, which also returns points and faces.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, *, upper_bound = f64::INFINITY, relative_tolerance = 0.0,
    absolute_tolerance = 0.0, solid = Solids::NO, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, b_to_a=None, *, upper_bound=math.inf, \
    relative_tolerance=0.0, absolute_tolerance=0.0, solid=False, masks=(None, None), threads=None)")]
#[allow(clippy::too_many_arguments)]
fn distance(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    upper_bound: f64,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    solid: Solids,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let [solid_a, solid_b] = solid.of(py, [a, b])?;
    let options = DistanceOptions { relative_tolerance, absolute_tolerance, upper_bound };
    let of = |found: Option<ClosestPair>| found.map_or(f64::INFINITY, |found| found.distance);
    ask_distances([a, b], b_to_a, py, threads, ([solid_a, solid_b], masks), options, of)
}

/// Finds the closest points of two meshes, with their distance and triangles.
///
/// Args:
///     a, b, b_to_a, upper_bound, relative_tolerance, absolute_tolerance, solid, masks, threads: See `distance`.
///
/// Returns:
///     A record, or an (N,) array of them, with the fields `distance`, `on_a`, `on_b` ((3,) points in A's frame),
///     `face_a` and `face_b`. Read fields by name, as in `found["distance"]`; those of a record also as attributes, as
///     in `found.distance`. If a mesh is empty or the distance exceeds the bound, the result is None, or in an array
///     infinity, NaN and faces of -1.
///
/// Raises:
///     InvalidPose, NotClosed, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, *, upper_bound = f64::INFINITY, relative_tolerance = 0.0,
    absolute_tolerance = 0.0, solid = Solids::NO, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, b_to_a=None, *, upper_bound=math.inf, \
    relative_tolerance=0.0, absolute_tolerance=0.0, solid=False, masks=(None, None), threads=None)")]
#[allow(clippy::too_many_arguments)]
fn closest_points(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    upper_bound: f64,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    solid: Solids,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let [solid_a, solid_b] = solid.of(py, [a, b])?;
    let options = DistanceOptions { relative_tolerance, absolute_tolerance, upper_bound };
    let of = |found: Option<ClosestPair>| found.map_or_else(Closest::default, |found| Closest::from(&found));
    ask_distances([a, b], b_to_a, py, threads, ([solid_a, solid_b], masks), options, of)
}

/// Runs a distance query at one pose or many, and converts each result.
fn ask_distances<R: Answer + Send>(
    ab: [&Bound<'_, PyAny>; 2],
    b_to_a: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    ([solid_a, solid_b], masks): ([Solid; 2], Masks),
    options: DistanceOptions,
    of: impl Fn(Option<ClosestPair>) -> R + Copy + Send + Sync + 'static,
) -> Object {
    let one = move |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| {
        query.set_solids(solid_a, solid_b);
        masks.set(query);
        of(query.distance_with(a, b, pose, &options))
    };
    let many = move |query: &mut Query, a: &BvTree, b: &BvTree, poses: &[Pose]| {
        query.set_solids(solid_a, solid_b);
        masks.set(query);
        query.distance_many(a, b, poses, &options).into_iter().map(of).collect()
    };
    ask_paths(ab, b_to_a, py, threads, one, many)
}

/// Tests whether the distance between two meshes is at most a tolerance. This takes less time than `distance`.
///
/// Args:
///     a, b, b_to_a, solid, masks, threads: See `intersects`.
///     tolerance: Tolerance in A's unit. 0 tests whether the meshes intersect; a negative one gives False.
///
/// Returns:
///     bool, or an (N,) array of them.
///
/// Raises:
///     InvalidPose, NotClosed, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, tolerance, b_to_a = None, *, solid = Solids::NO, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, tolerance, b_to_a=None, *, solid=False, masks=(None, None), threads=None)")]
#[allow(clippy::too_many_arguments)]
fn within(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    tolerance: f64,
    b_to_a: Option<&Bound<'_, PyAny>>,
    solid: Solids,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let [solid_a, solid_b] = solid.of(py, [a, b])?;
    ask([a, b], b_to_a, py, threads, move |query, a, b, pose| {
        query.set_solids(solid_a, solid_b);
        masks.set(query);
        query.within(a, b, pose, tolerance).is_yes()
    })
}

/// Finds all pairs of triangles whose distance is at most a tolerance.
///
/// Args:
///     a, b, tolerance, b_to_a, masks, threads: See `within`.
///
/// Returns:
///     A structured array with the fields of `closest_points`, sorted by distance. For N poses a tuple of offsets and
///     one array; see `intersecting_pairs`.
///
/// Raises:
///     InvalidPose, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, tolerance, b_to_a = None, *, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, tolerance, b_to_a=None, *, masks=(None, None), threads=None)")]
fn pairs_within(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    tolerance: f64,
    b_to_a: Option<&Bound<'_, PyAny>>,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let question = move |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<Closest> {
        masks.set(query);
        query.pairs_within(a, b, pose, tolerance).iter().map(Closest::from).collect()
    };
    ask_lists([a, b], b_to_a, py, threads, question, records)
}

/// Finds the self-intersections of a mesh: triangles that intersect beyond the corners and edges that they share.
///
/// Args:
///     tree: A tree.
///
/// Returns:
///     An (M, 2) int64 array of faces, the lesser first, sorted.
///
/// Raises:
///     TypeError: If `tree` is not a `Tree`.
#[pyfunction]
fn self_pairs(py: Python<'_>, tree: &Bound<'_, PyAny>) -> Object {
    let tree = tree_argument(tree, "tree")?.tree.clone();
    let found = interruptible(py, None, move |_| with_query(|query| query.self_pairs(&tree)))?;
    pair_array(py, found.iter().map(faces).collect())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    contacts::register(module)?;
    curves::register(module)?;
    depths::register(module)?;
    module.add_function(wrap_pyfunction!(intersects, module)?)?;
    module.add_function(wrap_pyfunction!(first_hit, module)?)?;
    module.add_function(wrap_pyfunction!(intersecting_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(count_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(distance, module)?)?;
    module.add_function(wrap_pyfunction!(closest_points, module)?)?;
    module.add_function(wrap_pyfunction!(within, module)?)?;
    module.add_function(wrap_pyfunction!(pairs_within, module)?)?;
    module.add_function(wrap_pyfunction!(self_pairs, module)?)
}
