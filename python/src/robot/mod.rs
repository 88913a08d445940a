//! Robots read from URDF. Queries about configurations are in `questions`, those about motions in `motions` and `path`.

mod motions;
mod path;
mod questions;
mod run;
mod world;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bvtree::Pose;
use bvtree_robot::{Certificate, OpenMeshes, Robot, RobotError, RobotOptions, World};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Numbers, wrong_shape};
use crate::errors::{Error, of_mesh, value_error};
use crate::poses::{one_pose, pose_values};
use crate::signals::here;
use crate::threads::interruptible;
use crate::tree::tree_argument;

pub use path::PyJointPath;
pub use world::PyWorld;

type Object = PyResult<Py<PyAny>>;

/// A robot with joints and links, read from a URDF file. Its links' meshes and shapes are compared exactly.
///
/// Configurations are arrays of one number for each name in `joints`: angles in radians, lengths in metres, and a
/// quaternion for the rotation of a floating joint. Poses are in the frame of the root link. All pairs of links with
/// collision geometry that move relative to each other are compared, except the two links of a joint and the pairs that
/// the SRDF disables; and each link with each object of a `World`. Links are solids: what is wholly inside a link
/// collides with it.
///
/// Make one with `Robot.from_urdf`. Calls release the GIL; a robot may be shared between threads.
///
/// Examples:
///     >>> import bvtree, numpy as np
///     >>> robot = bvtree.Robot.from_urdf('''<robot name="arm">
///     ...   <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
///     ...   <link name="upper"/>
///     ...   <link name="hand">
///     ...     <collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.1"/></geometry></collision>
///     ...   </link>
///     ...   <joint name="shoulder" type="revolute">
///     ...     <parent link="base"/><child link="upper"/><axis xyz="1 0 0"/>
///     ...   </joint>
///     ...   <joint name="lift" type="prismatic">
///     ...     <parent link="upper"/><child link="hand"/><axis xyz="0 0 1"/>
///     ...   </joint>
///     ... </robot>''')
///     >>> robot.joints, robot.pairs
///     (['shoulder', 'lift'], [('base', 'hand')])
///     >>> robot.free([[0.5, 0.0], [0.5, -0.4]])
///     array([ True, False])
///     >>> round(robot.distance([0, 0]), 6)
///     0.3
///     >>> round(robot.first_impact([0, 0], [0, -0.5], clearance=0.1), 3)
///     0.4
#[pyclass(frozen, module = "bvtree", name = "Robot")]
pub struct PyRobot {
    robot: Mutex<Robot>,
}

impl PyRobot {
    fn new(robot: Robot) -> Self {
        Self { robot: Mutex::new(robot) }
    }

    fn lock(&self) -> MutexGuard<'_, Robot> {
        self.robot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a copy of the robot that later changes don't affect. The copy shares all geometry.
    fn robot(&self) -> Robot {
        self.lock().clone()
    }
}

pub fn of_robot(error: RobotError) -> PyErr {
    let text = error.to_string();
    match error {
        RobotError::Read { .. } | RobotError::Write { .. } => PyOSError::new_err(text),
        RobotError::Mesh { link, source } => {
            let error = of_mesh(source);
            Python::attach(|py| match error.value(py).call_method1("add_note", (format!("link `{link}`"),)) {
                Ok(_) => error,
                // Before Python 3.11.
                Err(_) => Error::new_err(text),
            })
        }
        _ => Error::new_err(text),
    }
}

fn open_meshes(name: &str) -> PyResult<OpenMeshes> {
    match name {
        "solid" => Ok(OpenMeshes::Solid),
        "surface" => Ok(OpenMeshes::Surface),
        "hull" => Ok(OpenMeshes::Hull),
        "error" => Ok(OpenMeshes::Refuse),
        _ => Err(value_error(format_args!(
            "open_meshes: expected \"solid\", \"surface\", \"hull\" or \"error\", not {name:?}"
        ))),
    }
}

#[pymethods]
impl PyRobot {
    #[new]
    fn refused() -> PyResult<Self> {
        Err(PyTypeError::new_err("make a robot with bvtree.Robot.from_urdf"))
    }

    /// Reads a robot.
    ///
    /// Args:
    ///     urdf: A URDF file, or its text, as xacro prints it.
    ///     srdf: An SRDF file, or its text. It names pairs of links that are not compared, groups of joints, and states
    ///         of the groups.
    ///     package_dirs: Folders of packages, or folders that hold them, for `package://` names. The folders around the
    ///         URDF file are searched too.
    ///     surfaces: Whether meshes of links are surfaces, so that what is wholly inside one does not touch it. Boxes,
    ///         cylinders, capsules and spheres are always solid.
    ///     open_meshes: How to treat links whose mesh is not closed: "solid" (winding numbers decide what is inside),
    ///         "surface", "hull" (their convex hull) or "error".
    ///     turn_collada_up: Whether the up axis that a COLLADA file declares is turned to z. By default coordinates are
    ///         taken as they are, as RViz, MoveIt and Coal take them.
    ///     cache: A folder that keeps the meshes' trees, so that robots with the same meshes open in less time from
    ///         then on; it is created if need be. Its files may be deleted at any time. A mesh that changes is cooked
    ///         again.
    ///
    /// Raises:
    ///     OSError: If a file cannot be read, or the cache cannot be written.
    ///     InvalidMesh: If a mesh is invalid.
    ///     Error: If anything else in the files is invalid; the message names the file, the line and the link.
    ///     ValueError: If `open_meshes` has another value.
    #[staticmethod]
    #[pyo3(signature = (urdf, srdf = None, package_dirs = Vec::new(), *, surfaces = false,
           open_meshes = "solid", turn_collada_up = false, cache = None),
           text_signature = "(urdf, srdf=None, package_dirs=(), *, surfaces=False, open_meshes='solid', turn_collada_up=False, cache=None)")]
    #[allow(clippy::too_many_arguments)]
    fn from_urdf(
        py: Python<'_>,
        urdf: PathBuf,
        srdf: Option<PathBuf>,
        package_dirs: Vec<PathBuf>,
        surfaces: bool,
        open_meshes: &str,
        turn_collada_up: bool,
        cache: Option<PathBuf>,
    ) -> PyResult<Self> {
        let open_meshes = self::open_meshes(open_meshes)?;
        let options =
            RobotOptions { package_dirs, surfaces, open_meshes, turn_collada_up, cache, ..RobotOptions::default() };
        let read = move || -> Result<Robot, RobotError> {
            let text = |path: &Path| path.to_str().filter(|text| text.trim_start().starts_with('<')).map(str::to_owned);
            let (urdf_text, srdf_text) = (text(&urdf), srdf.as_deref().and_then(text));
            match (urdf_text, srdf) {
                (None, srdf) if srdf_text.is_none() => Robot::open(&urdf, srdf.as_deref(), &options),
                (urdf_text, srdf) => {
                    // As `Robot::open` reads them: what isn't UTF-8 is in comments.
                    let read = |path: &Path| match std::fs::read(path) {
                        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                        Err(source) => Err(RobotError::Read { path: path.to_owned(), source }),
                    };
                    let folder =
                        if urdf_text.is_some() { Path::new("") } else { urdf.parent().unwrap_or(Path::new("")) };
                    let urdf_text = urdf_text.map_or_else(|| read(&urdf), Ok)?;
                    let srdf_text = match (srdf_text, srdf) {
                        (None, Some(path)) => Some(read(&path)?),
                        (text, _) => text,
                    };
                    Robot::parse(&urdf_text, srdf_text.as_deref(), folder, &options)
                }
            }
        };
        interruptible(py, None, move |_| read())?.map(Self::new).map_err(of_robot)
    }

    /// Reads a robot from pinocchio's models in memory.
    ///
    /// The bodies are the geometry objects, by their names, and the pairs are the geometry model's collision pairs; if
    /// it has none, all pairs of objects on different joints. A configuration's numbers are in pinocchio's order, but a
    /// joint that pinocchio describes by a cosine and a sine has an angle instead: three numbers for a planar joint,
    /// one for a joint without limits.
    ///
    /// Args:
    ///     model: A `pinocchio.Model`.
    ///     geometry_model: Its `pinocchio.GeometryModel`.
    ///     surfaces, open_meshes: See `from_urdf`.
    ///
    /// Raises:
    ///     ValueError: If a joint or a geometry object is of a kind that URDF does not have, such as a spherical joint
    ///         or a cone.
    #[staticmethod]
    #[pyo3(signature = (model, geometry_model, *, surfaces = false, open_meshes = "solid"))]
    fn from_pinocchio<'py>(
        py: Python<'py>,
        model: &Bound<'py, PyAny>,
        geometry_model: &Bound<'py, PyAny>,
        surfaces: bool,
        open_meshes: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(py);
        options.set_item("surfaces", surfaces)?;
        options.set_item("open_meshes", open_meshes)?;
        py.import("bvtree._pinocchio")?.call_method("read", (model, geometry_model), Some(&options))
    }

    /// The robot's name.
    #[getter]
    fn name(&self) -> String {
        self.lock().name().to_owned()
    }

    /// The names of a configuration's numbers: the joints in the URDF's order, without fixed joints and those that
    /// mimic another. A planar or floating joint has several, such as "base/x".
    #[getter]
    fn joints(&self) -> Vec<String> {
        self.lock().values().to_vec()
    }

    /// The limits of each number of a configuration as an (n, 2) array; infinite where the URDF has none.
    #[getter]
    fn limits(&self, py: Python<'_>) -> Object {
        let limits = self.lock().limits();
        Ok(limits.as_flattened().to_vec().into_pyarray(py).reshape([limits.len(), 2])?.into_any().unbind())
    }

    /// The links' names, in the URDF's order.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.lock().links().to_vec()
    }

    /// The names of all bodies, in the order of their indices in results: the links, then attached objects. The indices
    /// of a world's objects follow.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.lock().bodies().map(str::to_owned).collect()
    }

    /// The pairs of bodies that are compared, by name.
    #[getter]
    fn pairs(&self) -> Vec<(String, String)> {
        let robot = self.lock();
        let names: Vec<&str> = robot.bodies().collect();
        robot.pairs().map(|[a, b]| (names[a].to_owned(), names[b].to_owned())).collect()
    }

    /// The SRDF's groups: a dict from a group's name to the names of its joints.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let groups = PyDict::new(py);
        for (name, joints) in &self.lock().srdf().groups {
            groups.set_item(name, joints.clone())?;
        }
        Ok(groups)
    }

    /// Returns the configuration of a named state of the SRDF.
    ///
    /// Args:
    ///     group, state: The names.
    ///     rest: A configuration whose numbers are used where the state has none; if None, zeros, and no rotation for
    ///         floating joints.
    ///
    /// Raises:
    ///     Error: If there is no such state, or `rest` is not a configuration of this robot.
    ///     ValueError: If `rest` is not a one-dimensional array.
    #[pyo3(signature = (group, state, rest = None))]
    fn state(&self, py: Python<'_>, group: &str, state: &str, rest: Option<&Bound<'_, PyAny>>) -> Object {
        let robot = self.robot();
        let values = robot.state(group, state, &rest_of(&robot, rest)?).map_err(of_robot)?;
        Ok(values.into_pyarray(py).into_any().unbind())
    }

    /// Returns a robot whose configurations have only the numbers of a group of joints. The other joints stay as in
    /// `rest`. Pairs of bodies that the group does not move relative to each other are not compared.
    ///
    /// Args:
    ///     joints: The name of a group of the SRDF, or names of joints.
    ///     rest: A configuration of this robot; if None, zeros, and no rotation for floating joints.
    ///
    /// Raises:
    ///     Error: If a name is unknown, or `rest` is not a configuration of this robot.
    ///     ValueError: If `rest` is not a one-dimensional array.
    #[pyo3(signature = (joints, rest = None))]
    fn with_group(&self, joints: &Bound<'_, PyAny>, rest: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let robot = self.robot();
        let rest = rest_of(&robot, rest)?;
        let group = match joints.extract::<String>() {
            Ok(name) => robot.with_group(&name, &rest),
            Err(_) => robot.with_joints(&joints.extract::<Vec<String>>()?, &rest),
        };
        group.map(Self::new).map_err(of_robot)
    }

    /// Excludes a pair of bodies from all later queries.
    ///
    /// Raises:
    ///     Error: If a name is unknown, or is that of a link without collision geometry.
    fn allow(&self, a: &str, b: &str) -> PyResult<()> {
        self.lock().allow(a, b).map_err(of_robot)
    }

    /// Sets the distance that queries add to their margin for a pair of bodies.
    ///
    /// Raises:
    ///     Error: If a name is unknown, or is that of a link without collision geometry, or the margin is NaN.
    fn set_margin(&self, a: &str, b: &str, margin: f64) -> PyResult<()> {
        self.lock().set_margin(a, b, margin).map_err(of_robot)
    }

    /// Attaches a mesh to a link, such as what a gripper holds: it moves with the link.
    ///
    /// Args:
    ///     name: The mesh's name.
    ///     link: The link's name.
    ///     tree: The mesh's tree. The mesh is solid.
    ///     pose: The mesh's pose in the link's frame; the identity if None.
    ///     touched: Names of bodies that may touch the mesh, besides the link and what is fixed to the link.
    ///
    /// Raises:
    ///     Error: If `name` is taken, there is no such link, or a name in `touched` is unknown or that of a link
    ///         without collision geometry.
    ///     InvalidPose: If the pose is not a rotation and a translation.
    ///     TypeError: If `tree` is not a `Tree`.
    #[pyo3(signature = (name, link, tree, pose = None, *, touched = Vec::new()),
           text_signature = "($self, name, link, tree, pose=None, *, touched=())")]
    fn attach(
        &self,
        name: &str,
        link: &str,
        tree: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        touched: Vec<String>,
    ) -> PyResult<()> {
        let (tree, pose) = (tree_argument(tree, "tree")?.tree.clone(), one_pose(pose, "pose")?);
        self.lock().attach_tree(name, link, tree, &pose, &touched).map_err(of_robot)
    }

    /// Removes an attached object.
    ///
    /// Raises:
    ///     Error: If there is no attached object of this name.
    fn detach(&self, name: &str) -> PyResult<()> {
        self.lock().detach(name).map_err(of_robot)
    }

    /// Finds the pairs of bodies that provably never meet at any configuration within the limits, using bounds on how
    /// far the joints move each body.
    ///
    /// Args:
    ///     margin: The distance in metres up to which bodies count as meeting; a negative one counts as 0.
    ///     limits: (n, 2) least and greatest values of the joints; those of the URDF if None. A joint without limits
    ///         may then turn without end. Nothing is proven about pairs that it moves if another joint that mimics it
    ///         is elsewhere after a whole turn: one that slides, or turns by a factor that is no whole number.
    ///     budget: The maximum number of configurations tried for each pair. With more, more pairs may be proven never
    ///         to collide.
    ///     threads: Number of threads; all cores if None.
    ///
    /// Returns:
    ///     Those of `pairs` that provably never meet, by name.
    ///
    /// Raises:
    ///     Error: If the value halfway between a joint's limits exceeds 1e9 in magnitude.
    ///     ValueError: If `limits` has another shape, or `threads` is not from 1 to 4096.
    #[pyo3(signature = (margin = 0.0, *, limits = None, budget = 1000, threads = None))]
    fn never_colliding(
        &self,
        py: Python<'_>,
        margin: f64,
        limits: Option<&Bound<'_, PyAny>>,
        budget: usize,
        threads: Option<usize>,
    ) -> PyResult<Vec<(String, String)>> {
        let robot = self.robot();
        let certificates = certificates(py, &robot, margin, limits, budget, threads)?;
        let names: Vec<&str> = robot.bodies().collect();
        let proven = robot.pairs().zip(certificates).filter(|(_, certificate)| *certificate == Certificate::Never);
        Ok(proven.map(|([a, b], _)| (names[a].to_owned(), names[b].to_owned())).collect())
    }

    /// Writes an SRDF with the groups and states of the SRDF that was read. It disables all pairs of links that a joint
    /// connects or that do not move relative to each other, those that the SRDF that was read disables, and those of
    /// `never_colliding`. Pairs that only `allow` excludes are not in it.
    ///
    /// Args:
    ///     margin, limits, budget, threads: See `never_colliding`.
    ///
    /// Returns:
    ///     The SRDF's text.
    ///
    /// Raises:
    ///     Error, ValueError: See `never_colliding`.
    #[pyo3(signature = (margin = 0.0, *, limits = None, budget = 1000, threads = None))]
    fn to_srdf(
        &self,
        py: Python<'_>,
        margin: f64,
        limits: Option<&Bound<'_, PyAny>>,
        budget: usize,
        threads: Option<usize>,
    ) -> PyResult<String> {
        let robot = self.robot();
        Ok(robot.to_srdf(&certificates(py, &robot, margin, limits, budget, threads)?))
    }

    /// Computes the links' poses in the frame of the root link.
    ///
    /// Args:
    ///     Q: A configuration, or an (N, n) array of them.
    ///
    /// Returns:
    ///     A (links, 4, 4) or (N, links, 4, 4) array, in the order of `links`.
    ///
    /// Raises:
    ///     Error: If a configuration is invalid.
    ///     ValueError: If the array has another shape.
    #[pyo3(name = "place", signature = (Q))]
    #[allow(non_snake_case)]
    fn place(&self, py: Python<'_>, Q: &Bound<'_, PyAny>) -> Object {
        let robot = self.robot();
        let batch = run::Batch::of_values(&robot, Q, "Q")?;
        let placed = here(py, || {
            let each = (0..batch.count).map(|row| robot.place(batch.values(row)));
            each.collect::<Result<Vec<Vec<Pose>>, RobotError>>()
        })?;
        let placed: Vec<f64> = placed.map_err(of_robot)?.iter().flatten().flat_map(pose_values).collect();
        let (array, links) = (placed.into_pyarray(py), robot.links().len());
        let shaped = if batch.is_single {
            array.reshape([links, 4, 4])?.into_any()
        } else {
            array.reshape([batch.count, links, 4, 4])?.into_any()
        };
        Ok(shaped.unbind())
    }

    fn __repr__(&self) -> String {
        let robot = self.lock();
        let [links, joints, pairs] = [robot.links().len(), robot.values().len(), robot.pairs().len()];
        format!("<bvtree.Robot: {}, {links} links, {joints} joint values, {pairs} pairs>", robot.name())
    }
}

fn certificates(
    py: Python<'_>,
    robot: &Robot,
    margin: f64,
    limits: Option<&Bound<'_, PyAny>>,
    budget: usize,
    threads: Option<usize>,
) -> PyResult<Vec<Certificate>> {
    let limits = match limits {
        Some(limits) => limits_of(robot, limits)?,
        None => robot.certificate_limits(),
    };
    run::each(py, threads, (robot.clone(), World::new()), robot.pairs().len(), move |checker, pair| {
        checker.certificate(pair, &limits, margin, budget).map(Some)
    })
    .map(|found| found.into_iter().map(|found| found.unwrap_or(Certificate::Unknown)).collect())
}

/// Reads a lower and an upper limit for each number of a robot's configurations.
fn limits_of(robot: &Robot, limits: &Bound<'_, PyAny>) -> PyResult<Vec<[f64; 2]>> {
    let (numbers, expected) = (Numbers::new(limits, "limits")?, robot.values().len());
    match *numbers.shape() {
        [count, 2] if count == expected => {
            Ok(numbers.values().chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
        }
        ref shape => Err(wrong_shape("limits", &format!("({expected}, 2)"), shape)),
    }
}

/// Reads a configuration with all of a robot's numbers; the neutral one if None.
fn rest_of(robot: &Robot, rest: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
    let Some(rest) = rest else { return Ok(robot.neutral()) };
    let numbers = Numbers::new(rest, "rest")?;
    match *numbers.shape() {
        [_] => Ok(numbers.values().to_vec()),
        ref shape => Err(wrong_shape("rest", &format!("({},)", robot.values().len()), shape)),
    }
}
