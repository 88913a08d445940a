//! Scenes of many bodies: created and changed here, queried in the submodules.

mod character;
pub mod clashes;
mod collisions;
mod compound;
mod distances;
mod impacts;
mod pair_filter;
mod probe;
mod relations;
mod rows;

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

use bvtree::Pose;
use bvtree::scene::{Body, BodyId, Scene};
use pyo3::exceptions::{PyKeyError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{Asked, numbers, one_or_many};
use crate::errors::{of_scene, value_error};
use crate::loan::Lender;
use crate::poses::{one_pose, pose_array, poses};
use crate::records::NONE;
use crate::signals::{Cancelled, here};
use crate::solids::Solid;
use crate::threads::{interruptible, interruptible_apart, is_own_pool};

pub use character::PyCharacter;
pub use compound::PyCompound;
use compound::geometry_argument;
use pair_filter::PairFilter;

type Object = PyResult<Py<PyAny>>;

/// A scene of many posed bodies; each query is about all of them.
///
/// Bodies have numbers that are never reused: 0, 1, 2 and so on. Thousands of bodies may share one tree. Each pair is
/// compared once, on all cores. A scene keeps results of bodies that did not move from one query to the next.
///
/// The rows of results have the same order in every run. It is the order of the bodies' numbers until a body takes the
/// place of a removed one: then `a` may be the greater number, except in `intersecting_pairs` and `neighbor_pairs`; A's
/// fields refer to the body `a`.
///
/// Args:
///     include_static_pairs: Whether static bodies are compared with each other, as for a report about an assembly in
///         which nothing moves.
///     threads: Number of threads for queries; all cores if None. With 1, most queries run on the calling thread.
///
/// Raises:
///     ValueError: If `threads` is not from 1 to 4096.
///
/// Examples:
///     >>> import bvtree
///     >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
///     >>> scene = bvtree.Scene()
///     >>> [scene.add(tree), scene.add(tree), scene.add(tree, ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 5]))]
///     [0, 1, 2]
///     >>> scene.intersecting_pairs()
///     array([[0, 1]])
#[pyclass(frozen, module = "bvtree", name = "Scene")]
pub struct PyScene {
    state: Arc<Lender<State>>,
    threads: Option<usize>,
}

#[derive(Default)]
struct State {
    scene: Scene,
    ids: HashMap<u64, BodyId>,
    filter: Option<Arc<PairFilter>>,
    /// The number of the next body.
    next: u64,
}

impl State {
    fn number(&self, id: BodyId) -> i64 {
        self.scene.body(id).map_or(NONE, |body| body.user as i64)
    }

    /// Returns the numbers of two bodies in the order of their ids, which differs from that of the numbers if a body
    /// took the place of a removed one.
    fn numbers(&self, ids: [BodyId; 2]) -> [i64; 2] {
        ids.map(|id| self.number(id))
    }

    /// Sorts pairs by numbers.
    fn sorted(&self, ids: impl IntoIterator<Item = [BodyId; 2]>) -> Vec<[i64; 2]> {
        let mut pairs: Vec<[i64; 2]> = ids.into_iter().map(|ids| self.numbers(ids)).collect();
        for pair in &mut pairs {
            pair.sort_unstable();
        }
        pairs.sort_unstable();
        pairs
    }

    fn id(&self, number: u64) -> PyResult<BodyId> {
        self.ids.get(&number).copied().ok_or_else(|| no_body(number))
    }
}

/// A number of a body from Python.
struct Number(u64);

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|error: PyErr| {
            let is_outside = error.is_instance_of::<PyOverflowError>(object.py());
            if is_outside { no_body(&*object) } else { error }
        })
    }
}

fn no_body(number: impl Display) -> PyErr {
    PyKeyError::new_err(format!("there is no body {number} in the scene"))
}

impl PyScene {
    /// Runs a query that checks for signals often, while Python's other threads run. It runs on this thread if the
    /// scene uses one thread and [`is_own_pool`] allows it, else in a pool.
    fn ask<R: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut State, &Cancelled) -> R + Send + 'static,
    ) -> PyResult<R> {
        if self.threads != Some(1) || !is_own_pool() {
            return self.ask_in_pool(py, question);
        }
        let mut state = self.state.lend_here(py)?;
        state.note_callers();
        here(py, || interruptibly(&mut state, &Cancelled::default(), question))?
    }

    /// Runs a query in a pool, while Python's other threads run. If a signal ends the query, the waiting thread returns
    /// immediately.
    fn ask_in_pool<R: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut State, &Cancelled) -> R + Send + 'static,
    ) -> PyResult<R> {
        let mut state = self.state.lend(py)?;
        state.note_callers();
        let (threads, has_filter) = (self.threads, state.filter.is_some());
        let work = move |cancelled: &Cancelled| interruptibly(&mut state, cancelled, question);
        if has_filter { interruptible_apart(py, threads, work)? } else { interruptible(py, threads, work)? }
    }

    /// Changes the scene, after waiting for queries of other threads.
    fn change<R: Send>(&self, py: Python<'_>, change: impl FnOnce(&mut State) -> PyResult<R> + Send) -> PyResult<R> {
        let mut state = self.state.lend(py)?;
        py.detach(|| change(&mut state))
    }
}

/// Runs a query that stops when the work is cancelled or the pair filter has raised an exception.
fn interruptibly<R>(
    state: &mut State,
    cancelled: &Cancelled,
    question: impl FnOnce(&mut State, &Cancelled) -> R,
) -> PyResult<R> {
    let (watched, filter) = (cancelled.clone(), state.filter.clone());
    let has_raised = move || filter.as_ref().is_some_and(|filter| filter.has_raised());
    state.scene.interrupt_when(move || watched.ends_work() || has_raised());
    let answer = question(state, cancelled);
    // Clears the interruption, which the watcher has noticed, so that it does not end the next query.
    state.scene.take_interrupted();
    state.raised_by_filter().map(|()| answer)
}

#[pymethods]
impl PyScene {
    #[new]
    #[pyo3(signature = (*, include_static_pairs = false, threads = None))]
    fn new(include_static_pairs: bool, threads: Option<usize>) -> PyResult<Self> {
        crate::threads::number(threads)?;
        let mut state = State::default();
        state.scene.include_static_pairs(include_static_pairs);
        Ok(Self { state: Lender::new(state), threads })
    }

    /// Adds a body.
    ///
    /// Args:
    ///     tree: The tree of the body's mesh, a `ConvexShape`, or a `Compound` of either. Shapes and compounds take
    ///         part in all queries except `clash`, which leaves them out. In results, the face of a shape is -1, and
    ///         the part of a body that is not a compound is 0.
    ///     pose: Maps the mesh's coordinates into the world: a (4, 4) or (3, 4) matrix, or a tuple of rotation and
    ///         translation. None is the identity.
    ///     static: Whether the body is static: static bodies are only compared with each other if the scene includes
    ///         static pairs.
    ///     solid: Whether the body is solid and not only a surface: what lies inside it then collides with it and is at
    ///         distance 0. True requires a closed mesh; "if_closed" treats an open one as a surface. A shape is solid
    ///         in any case. Each part of a compound is a solid by itself.
    ///     groups, mask: Collision groups of the body and those that it is compared with, as bits. Two bodies are
    ///         compared if each one's mask includes a group of the other.
    ///
    /// Returns:
    ///     The number of the body.
    ///
    /// Raises:
    ///     InvalidPose: If the matrix is not a rotation and a translation.
    ///     NotClosed: If `solid` is True and the mesh is open; `open_edges` of the exception is the number of edges
    ///         with only one triangle.
    ///     Error: If the body extends farther than 1e30 from the world's origin, or the scene is full.
    ///     ValueError: If `solid` has another value, or several poses are given.
    ///     TypeError: If `tree` is not a tree, a shape or a compound.
    #[pyo3(signature = (tree, pose = None, *, r#static = false, solid = Solid::No, groups = 1, mask = 0xFFFF_FFFF),
        text_signature = "($self, tree, pose=None, *, static=False, solid=False, groups=1, mask=4294967295)")]
    #[allow(clippy::too_many_arguments)]
    fn add(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        r#static: bool,
        solid: Solid,
        groups: u32,
        mask: u32,
    ) -> PyResult<u64> {
        let pose = one_pose(pose, "pose")?;
        let (geometry, is_solid) = geometry_argument(py, tree, "tree", solid)?;
        self.change(py, |state| {
            let number = state.next;
            let body =
                Body { is_static: r#static, is_solid, user: number, groups, mask, ..Body::moving(geometry, pose) };
            let id = state.scene.add(body).map_err(of_scene)?;
            state.ids.insert(number, id);
            state.next += 1;
            Ok(number)
        })
    }

    /// Removes a body.
    ///
    /// Args:
    ///     body: The body's number.
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain the body.
    fn remove(&self, py: Python<'_>, body: Number) -> PyResult<()> {
        self.change(py, |state| {
            let id = state.id(body.0)?;
            state.scene.remove(id).map_err(of_scene)?;
            state.ids.remove(&body.0);
            Ok(())
        })
    }

    /// Moves a body to another pose in the world.
    ///
    /// Args:
    ///     body: The body's number.
    ///     pose: The new pose; see `add`.
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain the body.
    ///     InvalidPose, Error: See `add`; the body has not moved then.
    fn set_pose(&self, py: Python<'_>, body: Number, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = one_pose(Some(pose), "pose")?;
        self.change(py, |state| {
            let id = state.id(body.0)?;
            state.scene.set_pose(id, pose).map_err(of_scene)
        })
    }

    /// Moves many bodies: faster than one by one if many of them move far.
    ///
    /// Args:
    ///     bodies: Numbers of N bodies.
    ///     poses: (N, 4, 4) or (N, 3, 4), or a tuple of rotations and translations.
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain one of them; none has moved then.
    ///     InvalidPose: See `add`; the message names the index, and none has moved then.
    ///     ValueError: If the numbers of bodies and poses differ.
    ///     Error: If one would extend farther than 1e30 from the world's origin; those before it have moved then.
    fn set_poses(&self, py: Python<'_>, bodies: &Bound<'_, PyAny>, poses: &Bound<'_, PyAny>) -> PyResult<()> {
        let bodies = numbers(bodies, "bodies")?;
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

    /// Replaces the tree, shape or compound of a body, for example after its mesh has deformed.
    ///
    /// Args:
    ///     body: The body's number.
    ///     tree: The new tree, `ConvexShape` or `Compound`.
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain the body.
    ///     NotClosed: If the body is solid and the tree's mesh is open; the body keeps its tree then.
    ///     Error: If it would extend farther than 1e30 from the world's origin; the body keeps its tree then.
    fn set_tree(&self, py: Python<'_>, body: Number, tree: &Bound<'_, PyAny>) -> PyResult<()> {
        let is_solid = self.change(py, |state| {
            let id = state.id(body.0)?;
            Ok(state.scene.body(id).is_some_and(|body| body.is_solid))
        })?;
        let solid = if is_solid { Solid::Yes } else { Solid::No };
        let (geometry, _) = geometry_argument(py, tree, "tree", solid)?;
        self.change(py, |state| {
            let id = state.id(body.0)?;
            state.scene.set_geometry(id, geometry).map(drop).map_err(of_scene)
        })
    }

    /// Returns whether a body is solid: as set in `add` or, with "if_closed", if its mesh, or each tree of a compound,
    /// is closed. A `ConvexShape` is always solid.
    ///
    /// Args:
    ///     body: The body's number.
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain the body.
    fn is_solid(&self, py: Python<'_>, body: Number) -> PyResult<bool> {
        self.change(py, |state| {
            let id = state.id(body.0)?;
            Ok(state.scene.body(id).is_some_and(|body| body.is_solid || body.geometry.shape().is_some()))
        })
    }

    /// Returns a body's pose in the world, a (4, 4) float64 array.
    ///
    /// Args:
    ///     body: The body's number.
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain the body.
    fn pose(&self, py: Python<'_>, body: Number) -> Object {
        let pose = self.change(py, |state| {
            let id = state.id(body.0)?;
            Ok(state.scene.body(id).map_or_else(Pose::identity, |body| body.pose))
        })?;
        pose_array(py, &pose)
    }

    /// Sets whether pairs of bodies are excluded from comparison, such as neighbouring links of a robot.
    ///
    /// Args:
    ///     a, b: Numbers of bodies, or (N,) arrays of them; one of either may be combined with many of the other.
    ///     ignored: Whether the pairs are excluded.
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain one of them; nothing has changed then.
    ///     ValueError: If the lengths of the arrays differ, or a number is negative or not an integer.
    #[pyo3(signature = (a, b, ignored = true))]
    fn set_ignored(&self, py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>, ignored: bool) -> PyResult<()> {
        let pairs = match one_or_many(a, "a")?.with(one_or_many(b, "b")?, ["bodies A", "bodies B"])? {
            Asked::One(pair) => vec![pair],
            Asked::Many(pairs) => pairs,
        };
        self.change(py, |state| {
            let ids = pairs.iter().map(|&(a, b)| Ok((state.id(a)?, state.id(b)?)));
            let ids: Vec<(BodyId, BodyId)> = ids.collect::<PyResult<_>>()?;
            ids.into_iter().try_for_each(|(a, b)| state.scene.set_ignored(a, b, ignored)).map_err(of_scene)
        })
    }

    /// Sets a body's collision groups and the groups that it is compared with.
    ///
    /// Args:
    ///     body: The body's number.
    ///     groups, mask: Bits; see `add`.
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain the body.
    fn set_groups(&self, py: Python<'_>, body: Number, groups: u32, mask: u32) -> PyResult<()> {
        self.change(py, |state| {
            let id = state.id(body.0)?;
            state.scene.set_groups(id, groups, mask).map_err(of_scene)
        })
    }

    /// Returns the numbers of all bodies as a list.
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

    fn __reduce__(&self) -> PyResult<Bound<'_, PyTuple>> {
        Err(pyo3::exceptions::PyTypeError::new_err("a scene can't be pickled: pickle its trees and poses"))
    }
}
