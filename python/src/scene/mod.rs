//! Scenes of many bodies: made and changed here, asked in the files below.

mod collisions;
mod distances;
mod probe;
mod relations;
mod reports;
mod rows;
mod solid;

use std::collections::HashMap;
use std::sync::Arc;

use bvtree::Pose;
use bvtree::scene::{Body, BodyId, Scene};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use self::solid::Solid;
use crate::arrays::{Asked, numbers};
use crate::errors::{of_scene, value_error};
use crate::loan::Lender;
use crate::poses::{one_pose, pose_array, poses};
use crate::records::NONE;
use crate::signals::{Cancelled, here};
use crate::threads::{interruptible, is_own_pool};
use crate::tree::PyTree;

type Object = PyResult<Py<PyAny>>;

/// Many posed bodies, asked about all at once.
///
/// Bodies are known by numbers, which are given out once: 0, 1, 2 and so on. Thousands may share one tree. Pairs are
/// compared once each, on all cores. A scene remembers from one question to the next what did not move.
///
/// Rows come in the same order every time. That is the order of the numbers until a body takes the place of a removed
/// one: then of a row of `pairs_within`, `clash` or `impacts` `a` may be the greater number, and what is said of A is
/// of that body.
///
/// Args: include_static_pairs: Whether two static bodies are compared, for a report about an assembly of which nothing
/// moves. threads: How many threads ask; all cores if None. If 1, most questions are answered on the calling thread.
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
    /// The number that the next body gets.
    next: u64,
}

impl State {
    fn number(&self, id: BodyId) -> i64 {
        self.scene.body(id).map_or(NONE, |body| body.user as i64)
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
    /// Asks what looks for signals often, while Python's other threads run: on this thread if one thread is to ask,
    /// else in a pool.
    fn ask<R: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut State, &Cancelled) -> R + Send + 'static,
    ) -> PyResult<R> {
        if self.threads != Some(1) || !is_own_pool() {
            return self.ask_in_pool(py, question);
        }
        let mut state = self.state.lend_here(py)?;
        here(py, || interruptibly(&mut state, &Cancelled::default(), question))
    }

    /// Asks in a pool, while Python's other threads run: who waits is free at once where a signal ends the question.
    fn ask_in_pool<R: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut State, &Cancelled) -> R + Send + 'static,
    ) -> PyResult<R> {
        let mut state = self.state.lend(py)?;
        interruptible(py, self.threads, move |cancelled| interruptibly(&mut state, cancelled, question))
    }

    /// A change, for which the scene may have to wait until a question of another thread is answered.
    fn change<R: Send>(&self, py: Python<'_>, change: impl FnOnce(&mut State) -> PyResult<R> + Send) -> PyResult<R> {
        let mut state = self.state.lend(py)?;
        py.detach(|| change(&mut state))
    }
}

/// Asks a question that ends when the work is to.
fn interruptibly<R>(state: &mut State, cancelled: &Cancelled, question: impl FnOnce(&mut State, &Cancelled) -> R) -> R {
    let watched = cancelled.clone();
    state.scene.interrupt_when(move || watched.ends_work());
    let answer = question(state, cancelled);
    // Whoever watches knows it, and the next question is another one.
    state.scene.take_interrupted();
    answer
}

#[pymethods]
impl PyScene {
    #[new]
    #[pyo3(signature = (*, include_static_pairs = false, threads = None))]
    fn new(include_static_pairs: bool, threads: Option<usize>) -> PyResult<Self> {
        crate::threads::pool(threads)?;
        let mut state = State::default();
        state.scene.include_static_pairs(include_static_pairs);
        Ok(Self { state: Lender::new(state), threads })
    }

    /// Adds a body.
    ///
    /// Args: tree: Its mesh's tree. pose: Takes the mesh's points into the world: a (4, 4) or (3, 4) matrix, or a tuple
    /// of rotation and translation. None is where they are. static: Two static bodies are not compared, unless the
    /// scene compares them. solid: Whether it is solid rather than a surface: what lies inside it then collides with
    /// it, and is at distance 0 from it. True needs a closed mesh; "if_closed" takes an open one for a surface. groups,
    /// mask: Bits. Two bodies are compared if each one's mask has a group of the other.
    ///
    /// Returns:
    ///     The body's number.
    ///
    /// Raises: InvalidPose: If the matrix is no rotation and translation. NotClosed: If `solid` is True and the mesh is
    /// open; `open_edges` of the exception tells how many edges have one triangle. Error: If the body reaches farther
    /// than 1e30 from the world's origin.
    #[pyo3(signature = (tree, pose = None, *, r#static = false, solid = Solid::No, groups = 1, mask = 0xFFFF_FFFF),
        text_signature = "($self, tree, pose=None, *, static=False, solid=False, groups=1, mask=4294967295)")]
    #[allow(clippy::too_many_arguments)]
    fn add(
        &self,
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        pose: Option<&Bound<'_, PyAny>>,
        r#static: bool,
        solid: Solid,
        groups: u32,
        mask: u32,
    ) -> PyResult<u64> {
        let pose = one_pose(pose, "pose")?;
        let is_solid = solid.of(py, tree.get())?;
        let tree = tree.get().tree.clone();
        self.change(py, |state| {
            let number = state.next;
            let body = Body { tree, pose, is_static: r#static, is_solid, user: number, groups, mask };
            let id = state.scene.add(body).map_err(of_scene)?;
            state.ids.insert(number, id);
            state.next += 1;
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
    ///
    /// Raises:
    ///     KeyError: If one of them is not there; then none moves.
    ///     InvalidPose: As `add`, with the place; then none moves.
    ///     ValueError: If there are not as many bodies as poses.
    ///     Error: If one would reach farther than 1e30 from the world's origin: those before it have moved then.
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

    /// Gives a body another tree, as one of the same mesh that has deformed.
    ///
    /// Raises:
    ///     KeyError: If the body is not there.
    ///     NotClosed: If the body is solid and the tree's mesh is open: then it keeps its tree.
    ///     Error: If it would reach farther than 1e30 from the world's origin: likewise.
    fn set_tree(&self, py: Python<'_>, body: u64, tree: &Bound<'_, PyTree>) -> PyResult<()> {
        if self.is_solid(py, body)? {
            Solid::Yes.of(py, tree.get())?;
        }
        let tree = tree.get().tree.clone();
        self.change(py, |state| {
            let id = state.id(body)?;
            state.scene.set_tree(id, tree).map(drop).map_err(of_scene)
        })
    }

    /// Whether a body is solid, as `add` was told or, with "if_closed", as its mesh is closed.
    ///
    /// Raises:
    ///     KeyError: If it is not there.
    fn is_solid(&self, py: Python<'_>, body: u64) -> PyResult<bool> {
        self.change(py, |state| {
            let id = state.id(body)?;
            Ok(state.scene.body(id).is_some_and(|body| body.is_solid))
        })
    }

    /// Where a body stands: a (4, 4) float64 array.
    ///
    /// Raises:
    ///     KeyError: If it is not there.
    fn pose(&self, py: Python<'_>, body: u64) -> Object {
        let pose = self.change(py, |state| {
            let id = state.id(body)?;
            Ok(state.scene.body(id).map_or_else(Pose::identity, |body| body.pose))
        })?;
        pose_array(py, &pose)
    }

    /// Leaves two bodies out of comparison, like a robot's neighbouring links, or takes that back.
    ///
    /// Raises:
    ///     KeyError: If one of them is not there.
    #[pyo3(signature = (a, b, ignored = true))]
    fn set_ignored(&self, py: Python<'_>, a: u64, b: u64, ignored: bool) -> PyResult<()> {
        self.change(py, |state| {
            let (a, b) = (state.id(a)?, state.id(b)?);
            state.scene.set_ignored(a, b, ignored).map_err(of_scene)
        })
    }

    /// Changes which groups a body is in, and which it is compared with.
    ///
    /// Args:
    ///     body: Its number.
    ///     groups, mask: Bits, as of `add`.
    ///
    /// Raises:
    ///     KeyError: If it is not there.
    fn set_groups(&self, py: Python<'_>, body: u64, groups: u32, mask: u32) -> PyResult<()> {
        self.change(py, |state| {
            let id = state.id(body)?;
            state.scene.set_groups(id, groups, mask).map_err(of_scene)
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

    fn __reduce__(&self) -> PyResult<Bound<'_, PyTuple>> {
        Err(pyo3::exceptions::PyTypeError::new_err("a scene can't be pickled: pickle its trees and poses"))
    }
}
