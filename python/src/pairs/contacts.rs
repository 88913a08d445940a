//! How two meshes meet: contacts, relation, penetration, time of impact.

use bvtree::pose::unit_vector;
use bvtree::query::{Relation, TimeOfImpact};
use bvtree::{BvTree, Motion, Pose, Query};
use pyo3::prelude::*;

use super::Masks;
use super::ask::{Object, ask, ask_lists, ask_long, records};
use crate::answer::Answer;
use crate::arrays::{Asked, row};
use crate::errors::{of_query, value_error};
use crate::poses::poses;
use crate::records::{
    ContactRow, DirectionalPenetrationRow, FreeIntervalRow, Impact, ManifoldRow, PatchRow, PenetrationRow,
};
use crate::scratch::with_query;
use crate::signals::here;
use crate::solids::Solids;
use crate::threads::{each, each_in_pool, interruptible, number};
use crate::tree::trees;

/// Computes the intersection of each pair of intersecting triangles. The set of pairs is exact; points are rounded.
///
/// Args:
///     a, b, b_to_a, masks, threads: See `intersects`.
///
/// Returns:
///     A structured array sorted by faces: `face_a`, `face_b`; `normal_a`, `normal_b`, the triangles' unit normals;
///     `count` and `points` ((6, 3), NaN past the count): a point, the ends of a segment, or the corners of the polygon
///     that two coplanar triangles share. All are in A's frame. For N poses a tuple of offsets and one array.
///
/// Raises:
///     InvalidPose, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, *, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, b_to_a=None, *, masks=(None, None), threads=None)")]
fn contacts(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let question = move |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<ContactRow> {
        masks.set(query);
        query.contacts(a, b, pose).iter().map(ContactRow::from).collect()
    };
    ask_lists([a, b], b_to_a, py, threads, question, records)
}

/// Reduces connected contacts to one point each. A physics engine needs `contact_manifolds`.
///
/// Args:
///     a, b, b_to_a, masks, threads: See `intersects`.
///
/// Returns:
///     A structured array: `point`, `normal` (unit, from A to B; zero if undefined), `depth` (an estimate of how far B
///     would have to move along the normal; 0 if the meshes only touch) and `contacts` (their number). All are in A's
///     frame. For N poses a tuple of offsets and one array.
///
/// Raises:
///     InvalidPose, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, *, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, b_to_a=None, *, masks=(None, None), threads=None)")]
fn contact_patches(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let question = move |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<PatchRow> {
        masks.set(query);
        query.contact_patches(a, b, pose).iter().map(PatchRow::from).collect()
    };
    ask_lists([a, b], b_to_a, py, threads, question, records)
}

/// Finds contact manifolds: up to four points with a common normal for each region of contact, as a physics engine
/// needs them.
///
/// Args:
///     a, b, b_to_a, threads: See `intersects`.
///     margin (float): How deep contacts may be, and how wide a gap they may bridge, in A's unit. Choose it larger than
///         the distance that bodies move toward each other in a time step, and smaller than their thickness. A negative
///         margin finds none.
///
/// Returns:
///     A structured array with a row for each point: `manifold` (the number of its manifold), `normal` (of the
///     manifold: unit, from A to B), `on_a`, `on_b` (the points), `depth` (negative across a gap), `face_a`, `face_b`
///     and `id` (equal from frame to frame while the same vertices, edges or faces touch). All are in A's frame. For N
///     poses a tuple of offsets and one array.
///
/// Raises:
///     InvalidPose, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, margin, b_to_a = None, *, threads = None))]
fn contact_manifolds(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    margin: f64,
    b_to_a: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    let question = move |query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose| -> Vec<ManifoldRow> {
        (0..).zip(&query.contact_manifolds(a, b, pose, margin)).flat_map(ManifoldRow::of).collect()
    };
    ask_lists([a, b], b_to_a, py, threads, question, records)
}

/// Determines the spatial relation of two meshes, exactly.
///
/// Args:
///     a, b, b_to_a, threads: See `intersects`.
///     solid: Closed meshes are always solid here; "robust" gives open ones an inside, see `intersects`.
///
/// Returns:
///     str, or an (N,) array of them: "separate"; "touching", without passing through each other; "crossing", where the
///     surfaces pass through each other or one mesh is partly inside the other; "a_in_b"; "b_in_a"; "undefined" if the
///     relation depends on the inside of a mesh with holes.
///
/// Raises:
///     InvalidPose, NotClosed, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, *, solid = Solids::NO, threads = None),
    text_signature = "(a, b, b_to_a=None, *, solid=False, threads=None)")]
fn relation(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    solid: Solids,
    threads: Option<usize>,
) -> Object {
    let [solid_a, solid_b] = solid.of(py, [a, b])?;
    let [a, b] = trees([a, b])?.map(|tree| tree.tree.clone());
    let question = move |pose: &Pose| {
        with_query(|query| {
            query.set_solids(solid_a, solid_b);
            Some(query.relation(&a, &b, pose))
        })
    };
    match poses(b_to_a, "b_to_a")? {
        Asked::One(pose) => {
            let found = interruptible(py, threads, move |_| question(&pose))?;
            Ok(relation_name(found).into_pyobject(py)?.into_any().unbind())
        }
        Asked::Many(poses) => {
            let names: Vec<&str> = each_in_pool(py, threads, poses, question)?.into_iter().map(relation_name).collect();
            Ok(py.import("numpy")?.call_method1("array", (names, "U9"))?.unbind())
        }
    }
}

fn relation_name(relation: Option<Relation>) -> &'static str {
    relation.unwrap_or(Relation::Undefined).name()
}

/// Computes a short translation that separates two intersecting meshes: an upper bound on the penetration depth.
///
/// Args:
///     a, b, b_to_a, threads: See `intersects`.
///
/// Returns:
///     A record with the fields `upper_bound` (the translation's length, in A's unit) and `direction` (unit, in A's
///     frame), the shortest among up to about a hundred directions; None if the meshes do not intersect. For N poses an
///     (N,) array, NaN where they do not.
///
/// Raises:
///     InvalidPose, TypeError, ValueError: See `intersects`.
#[pyfunction]
#[pyo3(signature = (a, b, b_to_a = None, *, threads = None))]
fn penetration(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> Object {
    ask_long([a, b], b_to_a, py, threads, |query, a, b, pose| {
        query.penetration(a, b, pose).map_or_else(PenetrationRow::default, PenetrationRow::from)
    })
}

/// Computes how far B must move along a direction to separate from A: the last contact along the direction.
///
/// Args:
///     a, b, b_to_a, masks, threads: See `intersects`.
///     direction: A (3,) direction in A's frame, of any nonzero length.
///
/// Returns:
///     A record with the fields `depth` (in A's unit; exact up to rounding and never too small), `normal` (unit, from A
///     to B), `face_a` and `face_b` (the last two triangles in contact); None if the meshes do not intersect. For N
///     poses an (N,) array, NaN and faces of -1 where they do not.
///
/// Raises:
///     InvalidPose, TypeError: See `intersects`.
///     ValueError: If an array has another shape, or the direction is zero.
#[pyfunction]
#[pyo3(signature = (a, b, direction, b_to_a = None, *, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, direction, b_to_a=None, *, masks=(None, None), threads=None)")]
fn penetration_along(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let direction = unit_vector(&row(direction, "direction")?.into())
        .ok_or_else(|| value_error("direction: expected a finite vector of non-zero length"))?;
    ask([a, b], b_to_a, py, threads, move |query, a, b, pose| {
        masks.set(query);
        let found = query.penetration_along(a, b, pose, &direction);
        found.map_or_else(DirectionalPenetrationRow::default, DirectionalPenetrationRow::from)
    })
}

/// Computes the first way out along a direction: the first interval of lengths such that B, translated along the
/// direction by a length strictly in between, is free of A. The last way out starts at `penetration_along`.
///
/// Args:
///     a, b, b_to_a, solid, masks, threads: See `intersects`. Where a mesh is solid, masks are ignored.
///     direction: Direction in A's frame, of any non-zero length.
///
/// Returns:
///     A record with the fields `start` (in A's unit; 0 if B is free where it is) and `end` (infinity if B never meets
///     A again). For N poses an (N,) array.
///
/// Raises:
///     NotClosed: If `solid` is True and a mesh is open.
///     InvalidPose, TypeError: See `intersects`.
///     ValueError: If an array has another shape, or the direction is zero.
#[pyfunction]
#[pyo3(signature = (a, b, direction, b_to_a = None, *, solid = Solids::NO, masks = Masks::NONE,
    threads = None),
    text_signature = "(a, b, direction, b_to_a=None, *, solid=False, masks=(None, None), threads=None)")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
fn free_interval_along(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    b_to_a: Option<&Bound<'_, PyAny>>,
    solid: Solids,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let direction = unit_vector(&row(direction, "direction")?.into())
        .ok_or_else(|| value_error("direction: expected a finite vector of non-zero length"))?;
    let [solid_a, solid_b] = solid.of(py, [a, b])?;
    ask_long([a, b], b_to_a, py, threads, move |query, a, b, pose| {
        query.set_solids(solid_a, solid_b);
        masks.set(query);
        FreeIntervalRow::from(query.free_interval_along(a, b, pose, &direction))
    })
}

/// Computes when B first touches A while it moves from one pose to another in the time from 0 to 1 (continuous
/// collision detection).
///
/// The translation is linear in time and the rotation is a slerp about B's origin. The absence of an impact is proven,
/// not sampled, but for this motion only: other motions between the same poses, such as those of a robot's links while
/// its joints move, may collide. The time is never later than the true one.
///
/// Args:
///     a, b: Trees.
///     start, end: Poses of B in A's frame, see `intersects`: one each, or N each.
///     accuracy: Distance that may remain between the triangles at the reported time, in A's unit; 0 is as exact as
///         rounding allows. It is not a clearance: B may pass A at a smaller distance without an impact.
///     solid: See `intersects`. If one mesh is solid and the other starts inside it, the time is 0.
///     masks, threads: See `intersects`.
///
/// Returns:
///     A record with the fields `time` (0 if they touch at the start), `distance`, `on_a`, `on_b`, `normal` (unit, from
///     A to B), `face_a`, `face_b`; None if they don't meet. For N motions an (N,) array, with a time of infinity and
///     faces of -1 for motions without an impact.
///
/// Raises:
///     Error: If a motion is more than 1e12 times as long as the meshes are large.
///     NotClosed: If `solid` is True and a mesh is open.
///     InvalidPose, TypeError: See `intersects`.
///     ValueError: If an array has another shape, or the numbers of starts and ends differ.
#[pyfunction]
#[pyo3(signature = (a, b, start, end, *, accuracy = 0.0, solid = Solids::NO, masks = Masks::NONE, threads = None),
    text_signature = "(a, b, start, end, *, accuracy=0.0, solid=False, masks=(None, None), threads=None)")]
#[allow(clippy::too_many_arguments)]
fn time_of_impact(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    start: &Bound<'_, PyAny>,
    end: &Bound<'_, PyAny>,
    accuracy: f64,
    solid: Solids,
    masks: Masks,
    threads: Option<usize>,
) -> Object {
    let [solid_a, solid_b] = solid.of(py, [a, b])?;
    let [a, b] = trees([a, b])?.map(|tree| tree.tree.clone());
    let question = move |motion: &Motion| {
        let found = with_query(|query| {
            query.set_solids(solid_a, solid_b);
            masks.set(query);
            query.time_of_impact(&a, &b, motion, accuracy)
        });
        Some(found.map(|found| match found {
            TimeOfImpact::NoImpact => Impact::default(),
            TimeOfImpact::Touching(contact) | TimeOfImpact::Impact(contact) => Impact::from(&contact),
        }))
    };
    number(threads)?;
    match (poses(Some(start), "start")?, poses(Some(end), "end")?) {
        (Asked::One(start), Asked::One(end)) => {
            let found = here(py, || question(&Motion::new(start, end)))?;
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

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(contacts, module)?)?;
    module.add_function(wrap_pyfunction!(contact_manifolds, module)?)?;
    module.add_function(wrap_pyfunction!(contact_patches, module)?)?;
    module.add_function(wrap_pyfunction!(relation, module)?)?;
    module.add_function(wrap_pyfunction!(penetration, module)?)?;
    module.add_function(wrap_pyfunction!(penetration_along, module)?)?;
    module.add_function(wrap_pyfunction!(free_interval_along, module)?)?;
    module.add_function(wrap_pyfunction!(time_of_impact, module)?)
}
