//! Scenes of many bodies.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bvtree::probe::Ray;
use bvtree::query::{DistanceOptions, Relation};
use bvtree::scene::{Body, BodyId, BodyRelation, NearPair, Scene};
use bvtree::{BvTree, Motion, Pose, Query};
use numpy::IntoPyArray;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::answer::Answer;
use crate::arrays::{Asked, row};
use crate::errors::{of_scene, value_error};
use crate::poses::{one_pose, pose_array, poses};
use crate::records::{NONE, faces, pairs};
use crate::scene_rows::{BodyHitRow, MeetingRow, NearRow};
use crate::scratch::{with_probe, with_query};
use crate::threads::{Cancelled, interruptible};
use crate::tree::PyTree;

type Object = PyResult<Py<PyAny>>;

/// Many posed bodies, asked about all at once.
///
/// Bodies are known by numbers, which are given out once: 0, 1, 2 and so on. Thousands may share one tree. Pairs are compared
/// once each, on all cores. A scene remembers from one question to the next what did not move.
///
/// Args:
///     compare_static: Whether two static bodies are compared, for a report about an assembly of which nothing moves.
///     threads: How many threads ask; all cores if None.
///
/// Examples:
///     >>> import bvtree
///     >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
///     >>> scene = bvtree.Scene()
///     >>> [scene.add(tree), scene.add(tree), scene.add(tree, ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 5]))]
///     [0, 1, 2]
///     >>> scene.touching_pairs()
///     array([[0, 1]])
#[pyclass(frozen, module = "bvtree", name = "Scene")]
pub struct PyScene {
    state: Arc<Mutex<State>>,
    next: AtomicU64,
    threads: Option<usize>,
}

#[derive(Default)]
struct State {
    scene: Scene,
    ids: HashMap<u64, BodyId>,
}

/// A body's number, and whether it is solid, in what the scene keeps for us.
fn user(number: u64, solid: bool) -> u64 {
    number << 1 | u64::from(solid)
}

fn is_solid(body: &Body) -> bool {
    body.user & 1 == 1
}

impl State {
    fn number(&self, id: BodyId) -> i64 {
        self.scene.body(id).map_or(NONE, |body| (body.user >> 1) as i64)
    }

    /// Of two, in the order of the ids, which is another than the numbers' where a body took a removed one's place.
    fn numbers(&self, ids: [BodyId; 2]) -> [i64; 2] {
        ids.map(|id| self.number(id))
    }

    /// Pairs in the order of the numbers.
    fn sorted(&self, ids: impl IntoIterator<Item = [BodyId; 2]>) -> Vec<[i64; 2]> {
        let mut pairs: Vec<[i64; 2]> = ids.into_iter().map(|ids| self.numbers(ids)).collect();
        for pair in &mut pairs {
            pair.sort_unstable();
        }
        pairs.sort_unstable();
        pairs
    }

    fn id(&self, number: u64) -> PyResult<BodyId> {
        self.ids
            .get(&number)
            .copied()
            .ok_or_else(|| PyKeyError::new_err(format!("there is no body {number} in the scene")))
    }
}

impl PyScene {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks in a pool, while Python's other threads run.
    fn ask<R: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut State, &Cancelled) -> R + Send + 'static,
    ) -> PyResult<R> {
        let state = self.state.clone();
        interruptible(py, self.threads, move |cancelled| {
            question(&mut state.lock().unwrap_or_else(PoisonError::into_inner), cancelled)
        })
    }

    /// A change, for which the scene may have to wait until a question of another thread is answered.
    fn change<R: Send>(&self, py: Python<'_>, change: impl FnOnce(&mut State) -> PyResult<R> + Send) -> PyResult<R> {
        py.detach(|| change(&mut self.lock()))
    }
}

#[pymethods]
impl PyScene {
    #[new]
    #[pyo3(signature = (*, compare_static = false, threads = None))]
    fn new(compare_static: bool, threads: Option<usize>) -> PyResult<Self> {
        crate::threads::pool(threads)?;
        let mut state = State::default();
        state.scene.compare_static(compare_static);
        Ok(Self { state: Arc::new(Mutex::new(state)), next: AtomicU64::new(0), threads })
    }

    /// Adds a body.
    ///
    /// Args:
    ///     tree: Its mesh's tree.
    ///     pose: Takes the mesh's points into the world: a (4, 4) or (3, 4) matrix, or a tuple of rotation and translation. None is
    ///         where they are.
    ///     static: Two static bodies are not compared, unless the scene compares them.
    ///     solid: For `colliding_pairs`: whether what lies inside collides with it, too. Its mesh must be closed.
    ///     groups, mask: Bits. Two bodies are compared if each one's mask has a group of the other.
    ///
    /// Returns:
    ///     The body's number.
    ///
    /// Raises:
    ///     InvalidPose: If the matrix is no rotation and translation.
    ///     Error: If the body reaches farther than 1e30 from the world's origin.
    #[pyo3(signature = (tree, pose = None, *, r#static = false, solid = false, groups = 1, mask = u32::MAX))]
    #[allow(clippy::too_many_arguments)]
    fn add(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        pose: Option<&Bound<'_, PyAny>>,
        r#static: bool,
        solid: bool,
        groups: u32,
        mask: u32,
    ) -> PyResult<u64> {
        let pose = one_pose(pose, "pose")?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let tree = tree.get().tree.clone();
        let body = Body { tree, pose, is_static: r#static, user: user(number, solid), groups, mask };
        self.change(py, |state| {
            let id = state.scene.add(body).map_err(of_scene)?;
            state.ids.insert(number, id);
            Ok(number)
        })
    }

    /// Takes a body out.
    ///
    /// Raises:
    ///     KeyError: If it is not there.
    fn remove(&self, py: Python<'_>, body: u64) -> PyResult<()> {
        self.change(py, |state| {
            let id = state.id(body)?;
            state.scene.remove(id).map_err(of_scene)?;
            state.ids.remove(&body);
            Ok(())
        })
    }

    /// Puts a body elsewhere.
    ///
    /// Raises:
    ///     KeyError: If it is not there.
    ///     InvalidPose, Error: As `add`; then it stays.
    fn set_pose(&self, py: Python<'_>, body: u64, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = one_pose(Some(pose), "pose")?;
        self.change(py, |state| {
            let id = state.id(body)?;
            state.scene.set_pose(id, pose).map_err(of_scene)
        })
    }

    /// Puts bodies elsewhere: quicker than one by one where many of them go far.
    ///
    /// Args:
    ///     bodies: N numbers.
    ///     poses: (N, 4, 4) or (N, 3, 4), or a tuple of rotations and translations.
    fn set_poses(&self, py: Python<'_>, bodies: Vec<u64>, poses: &Bound<'_, PyAny>) -> PyResult<()> {
        let Asked::Many(poses) = self::poses(Some(poses), "poses")? else {
            return Err(value_error("poses: expected an array of shape (N, 4, 4)"));
        };
        if poses.len() != bodies.len() {
            return Err(value_error(format_args!(
                "{} bodies and {} poses: expected as many",
                bodies.len(),
                poses.len()
            )));
        }
        self.change(py, |state| {
            let ids: Vec<BodyId> = bodies.iter().map(|&body| state.id(body)).collect::<PyResult<_>>()?;
            state.scene.set_poses(ids.into_iter().zip(poses)).map_err(of_scene)
        })
    }

    /// Where a body stands: a (4, 4) float64 array.
    fn pose(&self, py: Python<'_>, body: u64) -> Object {
        let pose = self.change(py, |state| {
            let id = state.id(body)?;
            Ok(state.scene.body(id).map_or_else(Pose::identity, |body| body.pose))
        })?;
        pose_array(py, &pose)
    }

    /// Leaves two bodies out of comparison, like a robot's neighbouring links, or takes that back.
    #[pyo3(signature = (a, b, ignored = true))]
    fn set_ignored(&self, py: Python<'_>, a: u64, b: u64, ignored: bool) -> PyResult<()> {
        self.change(py, |state| {
            let (a, b) = (state.id(a)?, state.id(b)?);
            state.scene.set_ignored(a, b, ignored).map_err(of_scene)
        })
    }

    /// The numbers of all bodies, a list.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        self.change(py, |state| {
            let mut numbers: Vec<u64> = state.ids.keys().copied().collect();
            numbers.sort_unstable();
            Ok(numbers)
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.change(py, |state| Ok(state.scene.len()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<bvtree.Scene: {} bodies>", self.__len__(py)?))
    }

    /// All pairs of bodies whose surfaces touch, exactly.
    ///
    /// Returns:
    ///     An (M, 2) int64 array of bodies' numbers.
    fn touching_pairs(&self, py: Python<'_>) -> Object {
        let found = self.ask(py, |state, _| {
            let found = state.scene.touching_pairs();
            state.sorted(found)
        })?;
        pairs(py, found)
    }

    /// All pairs of bodies that touch or of which one lies inside a solid one.
    ///
    /// Args:
    ///     first: End with the first pair.
    ///
    /// Returns:
    ///     An (M, 2) int64 array of bodies' numbers.
    #[pyo3(signature = (*, first = false))]
    fn colliding_pairs(&self, py: Python<'_>, first: bool) -> Object {
        let found = self.ask(py, move |state, cancelled| {
            let mut found = Vec::new();
            state.scene.for_each_neighbor(
                0.0,
                |query, near| {
                    let [a, b] = near.bodies;
                    let solid = near.bodies.map(is_solid);
                    let asks = !cancelled.is_set();
                    (asks && collide(query, [&a.tree, &b.tree], solid, &near.b_to_a)).then_some(near.ids)
                },
                |ids| {
                    found.push(ids);
                    if first || cancelled.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            state.sorted(found)
        })?;
        pairs(py, found)
    }

    /// The bodies that a mesh touches, or that lie inside it or it in them where the outer one is solid.
    ///
    /// Args:
    ///     tree: The mesh's tree.
    ///     pose: Where it stands in the world.
    ///     solid: Whether what lies inside it collides with it.
    ///     first: End with the first body.
    ///
    /// Returns:
    ///     An (M,) int64 array of bodies' numbers, sorted.
    #[pyo3(signature = (tree, pose = None, *, solid = false, first = false))]
    fn colliding(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        pose: Option<&Bound<'_, PyAny>>,
        solid: bool,
        first: bool,
    ) -> Object {
        let (tree, pose) = (tree.get().tree.clone(), one_pose(pose, "pose")?);
        let found = self.ask(py, move |state, _| {
            let near = state.scene.neighbors_of_tree(&tree, &pose, 0.0, u32::MAX);
            let mut found = Vec::new();
            for id in near {
                let Some(body) = state.scene.body(id) else { continue };
                let body_to_tree = Pose::relative(&pose, &body.pose);
                let trees = [&*tree, &*body.tree];
                if with_query(|query| collide(query, trees, [solid, is_solid(body)], &body_to_tree)) {
                    found.push(state.number(id));
                    if first {
                        break;
                    }
                }
            }
            found.sort_unstable();
            found
        })?;
        Ok(found.into_pyarray(py).into_any().unbind())
    }

    /// All pairs of bodies whose distance is at most a clearance.
    ///
    /// Returns:
    ///     A structured array with the fields `a`, `b` (bodies' numbers), `distance`, `on_a`, `on_b` ((3,) points in the world),
    ///     `face_a` and `face_b`.
    fn pairs_within(&self, py: Python<'_>, clearance: f64) -> Object {
        let found = self.ask(py, move |state, _| {
            let found = state.scene.pairs_within(clearance);
            found.iter().map(|pair| NearRow::new(state.numbers(pair.bodies), pair)).collect()
        })?;
        Ok(NearRow::many(py, found))
    }

    /// The two bodies that are nearest to each other: a record with the fields of `pairs_within`, or None.
    fn closest_pair(&self, py: Python<'_>) -> Object {
        let found = self.ask(py, |state, _| {
            let found = state.scene.closest_pair();
            found.map(|pair| NearRow::new(state.numbers(pair.bodies), &pair))
        })?;
        found.unwrap_or_default().one(py)
    }

    /// The bodies whose distance from a mesh is at most a clearance.
    ///
    /// Args:
    ///     tree, pose: The mesh's tree, and where it stands in the world.
    ///     clearance: May be infinite: then all bodies' distances are told.
    ///
    /// Returns:
    ///     A structured array as of `pairs_within`, of which B is the body; `a` is -1.
    #[pyo3(signature = (tree, clearance, pose = None))]
    fn near(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        clearance: f64,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> Object {
        let (tree, pose) = (tree.get().tree.clone(), one_pose(pose, "pose")?);
        let found = self.ask(py, move |state, _| {
            let near = with_query(|query| state.scene.within_of_tree(query, &tree, &pose, clearance, u32::MAX));
            let row = |near: &bvtree::scene::NearBody| {
                let pair = NearPair {
                    bodies: [near.body; 2],
                    distance: near.distance,
                    points: near.points,
                    faces: near.faces,
                };
                NearRow::new([NONE, state.number(near.body)], &pair)
            };
            near.iter().map(row).collect()
        })?;
        Ok(NearRow::many(py, found))
    }

    /// The body that is nearest to a mesh.
    ///
    /// Args:
    ///     tree, pose: The mesh's tree, and where it stands in the world.
    ///     max_distance: What is farther is not of interest.
    ///     ignore: The number of a body that does not count, such as the mesh's own.
    ///
    /// Returns:
    ///     A record as of `near`, or None.
    #[pyo3(signature = (tree, pose = None, *, max_distance = f64::INFINITY, ignore = None))]
    fn nearest(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        pose: Option<&Bound<'_, PyAny>>,
        max_distance: f64,
        ignore: Option<u64>,
    ) -> Object {
        let (tree, pose) = (tree.get().tree.clone(), one_pose(pose, "pose")?);
        let found = self.ask(py, move |state, cancelled| {
            let near = state.scene.neighbors_of_tree(&tree, &pose, max_distance, u32::MAX);
            let body = |id: BodyId| Some((id, state.scene.body(id)?));
            let bodies = near.into_iter().filter_map(body);
            let bodies = bodies.filter(|(_, body)| Some(body.user >> 1) != ignore);
            let mut bodies: Vec<_> = bodies.map(|(id, body)| (least_distance(&tree, &pose, body), id, body)).collect();
            bodies.sort_by(|p, q| p.0.total_cmp(&q.0));
            let mut best = NearRow { distance: max_distance, ..NearRow::default() };
            for (least, id, body) in bodies {
                if least > best.distance || cancelled.is_set() {
                    break;
                }
                let options = DistanceOptions { upper_bound: best.distance, ..DistanceOptions::default() };
                let body_to_tree = Pose::relative(&pose, &body.pose);
                let found = with_query(|query| query.distance_with(&tree, &body.tree, &body_to_tree, &options));
                if let Some(found) = found
                    && (best.b == NONE || found.distance < best.distance)
                {
                    best = NearRow::of_tree(state.number(id), &found, &pose);
                }
            }
            best
        })?;
        if found.b == NONE { Ok(py.None()) } else { Ok(NearRow::many(py, vec![found]).bind(py).get_item(0)?.unbind()) }
    }

    /// Everything that clashes, as a table.
    ///
    /// Args:
    ///     clearance: Bodies nearer than this clash, too, in the world's unit.
    ///     tolerance: Bodies of which each triangle is as near as this to one of the other are "coincident"; none are within a
    ///         negative one.
    ///
    /// Returns:
    ///     A dict of arrays, a row for each pair of bodies that touch, lie in each other or are near: `a`, `b` (numbers),
    ///     `relation` ("separate", "touching", "crossing", "a_in_b", "b_in_a", "undefined" or "coincident"), `pairs`
    ///     (triangles that intersect) and `distance`. `to_pandas` makes a frame of it.
    #[pyo3(signature = (*, clearance = 0.0, tolerance = 0.0))]
    fn clash<'py>(&self, py: Python<'py>, clearance: f64, tolerance: f64) -> PyResult<Bound<'py, PyDict>> {
        if !(clearance >= 0.0 && clearance.is_finite()) {
            return Err(value_error("clearance: expected a finite number that is not negative"));
        }
        let found = self.ask(py, move |state, cancelled| {
            let mut found = Vec::new();
            state.scene.for_each_neighbor(
                clearance,
                |query, near| if cancelled.is_set() { None } else { clash(query, near, clearance, tolerance) },
                |row| {
                    found.push(row);
                    if cancelled.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            found.into_iter().map(|row| (state.numbers(row.ids), row)).collect::<Vec<_>>()
        })?;
        let table = PyDict::new(py);
        let column = |of: fn(&[i64; 2]) -> i64| -> Vec<i64> { found.iter().map(|(bodies, _)| of(bodies)).collect() };
        table.set_item("a", column(|bodies| bodies[0]).into_pyarray(py))?;
        table.set_item("b", column(|bodies| bodies[1]).into_pyarray(py))?;
        let names: Vec<&str> = found.iter().map(|(_, row)| relation_name(row.relation)).collect();
        table.set_item("relation", py.import("numpy")?.call_method1("array", (names, "U10"))?)?;
        table.set_item("pairs", found.iter().map(|(_, row)| row.pairs).collect::<Vec<i64>>().into_pyarray(py))?;
        table.set_item("distance", found.iter().map(|(_, row)| row.distance).collect::<Vec<f64>>().into_pyarray(py))?;
        Ok(table)
    }

    /// When pairs of bodies first meet while some of them move in the time from 0 to 1; see `time_of_impact`.
    ///
    /// Args:
    ///     bodies: N numbers of those that move; none is moved by asking.
    ///     ends: Where they go: (N, 4, 4) poses in the world. They start where they stand.
    ///     tolerance: How near triangles are to be at that time.
    ///
    /// Returns:
    ///     A structured array, a row for each pair that meets: `a`, `b`, `time`, `distance`, `on_a`, `on_b`, `normal` (in the
    ///     world at that time), `face_a`, `face_b`.
    ///
    /// Raises:
    ///     Error: If a body has two motions, or one is too long.
    #[pyo3(signature = (bodies, ends, *, tolerance = 0.0))]
    fn impacts(&self, py: Python<'_>, bodies: Vec<u64>, ends: &Bound<'_, PyAny>, tolerance: f64) -> Object {
        let Asked::Many(ends) = poses(Some(ends), "ends")? else {
            return Err(value_error("ends: expected an array of shape (N, 4, 4)"));
        };
        if ends.len() != bodies.len() {
            return Err(value_error(format_args!("{} bodies and {} ends: expected as many", bodies.len(), ends.len())));
        }
        let found = self.ask(py, move |state, _| {
            let mut motions = Vec::new();
            for (&number, end) in bodies.iter().zip(ends) {
                let id = state.id(number)?;
                let start = state.scene.body(id).map_or_else(Pose::identity, |body| body.pose);
                motions.push((id, Motion::new(start, end)));
            }
            let found = state.scene.impacts(&motions, tolerance).map_err(of_scene)?;
            let row = |impact: &bvtree::scene::BodyImpact| {
                let ([a, b], [face_a, face_b]) = (state.numbers(impact.bodies), faces(&impact.faces));
                let [on_a, on_b] = impact.points.map(Into::into);
                let normal = impact.normal.into();
                MeetingRow { a, b, time: impact.time, distance: impact.distance, on_a, on_b, normal, face_a, face_b }
            };
            PyResult::Ok(found.iter().map(row).collect::<Vec<_>>())
        })??;
        Ok(MeetingRow::many(py, found))
    }

    /// The first triangle of any body that a ray meets.
    ///
    /// Args:
    ///     origin, direction: (3,), in the world. The direction may have any length but zero; times are in units of it.
    ///     max_time: Where the ray ends.
    ///
    /// Returns:
    ///     A record with the fields `body`, `time`, `point`, `normal` (in the world) and `face`, or None.
    #[pyo3(signature = (origin, direction, *, max_time = f64::INFINITY))]
    fn first_hit(
        &self,
        py: Python<'_>,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
        max_time: f64,
    ) -> Object {
        let ray = Ray { origin: row(origin, "origin")?.into(), direction: row(direction, "direction")?.into() };
        if ray.direction == nalgebra::Vector3::zeros() {
            return Err(value_error("direction: expected one of some length"));
        }
        let found = self.change(py, |state| {
            let found = with_probe(|probe| state.scene.closest_hit(probe, &ray, max_time, u32::MAX));
            Ok(found.map_or_else(BodyHitRow::default, |found| BodyHitRow {
                body: state.number(found.body),
                time: found.hit.time,
                point: found.hit.point.into(),
                normal: found.hit.normal.into(),
                face: found.hit.face.into(),
            }))
        })?;
        found.one(py)
    }

    fn __reduce__(&self) -> PyResult<Bound<'_, PyTuple>> {
        Err(pyo3::exceptions::PyTypeError::new_err("a scene can't be pickled: pickle its trees and poses"))
    }
}

/// By the balls around their boxes, a body is no nearer to a mesh than this.
fn least_distance(tree: &BvTree, pose: &Pose, body: &Body) -> f64 {
    let ball = |tree: &BvTree, pose: &Pose| {
        let bounds = tree.bounds();
        let center = nalgebra::center(&bounds.lower, &bounds.upper);
        (pose.rotation() * center + pose.translation(), (bounds.upper - bounds.lower).norm() / 2.0)
    };
    let ((p, p_radius), (q, q_radius)) = (ball(tree, pose), ball(&body.tree, &body.pose));
    // What f32 leaves of a rotation may stretch by this much, and rounding by far less.
    (p - q).norm()
        - (p_radius + q_radius) * (1.0 + 2.0 * Pose::MAX_DEVIATION)
        - 1e-9 * (p.coords.norm() + q.coords.norm())
}

/// Whether two meshes touch, or of one a part lies inside the other, which is solid.
fn collide(query: &mut Query, [a, b]: [&BvTree; 2], [a_solid, b_solid]: [bool; 2], b_to_a: &Pose) -> bool {
    if query.intersects(a, b, b_to_a) {
        return true;
    }
    if !a_solid && !b_solid {
        return false;
    }
    match query.relation(a, b, b_to_a) {
        Relation::AInB => b_solid,
        Relation::BInA => a_solid,
        // Some parts are inside the other mesh, and it is not told of which.
        Relation::Crossing => true,
        Relation::Separate | Relation::Touching | Relation::Undefined => false,
    }
}

struct ClashRow {
    ids: [BodyId; 2],
    relation: BodyRelation,
    pairs: i64,
    distance: f64,
}

/// What there is to tell about two bodies whose boxes are near each other.
fn clash(query: &mut Query, near: &bvtree::scene::Neighbors<'_>, clearance: f64, tolerance: f64) -> Option<ClashRow> {
    let relation = near.relation(query, tolerance);
    let [a, b] = near.bodies.map(|body| &*body.tree);
    let pairs = query.count_pairs(a, b, &near.b_to_a) as i64;
    let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
    let is_near = relation == BodyRelation::Separate || relation == BodyRelation::Undefined;
    let distance = match pairs {
        0 if is_near => query.distance_with(a, b, &near.b_to_a, &options)?.distance,
        0 => query.distance(a, b, &near.b_to_a)?.distance,
        _ => 0.0,
    };
    Some(ClashRow { ids: near.ids, relation, pairs, distance })
}

fn relation_name(relation: BodyRelation) -> &'static str {
    match relation {
        BodyRelation::Separate => "separate",
        BodyRelation::Touching => "touching",
        BodyRelation::Crossing => "crossing",
        BodyRelation::AInB => "a_in_b",
        BodyRelation::BInA => "b_in_a",
        BodyRelation::Undefined => "undefined",
        BodyRelation::Coincident => "coincident",
    }
}
