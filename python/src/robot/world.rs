//! What stands around a robot.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bvtree::shape::{ConvexError, ConvexShape};
use bvtree_robot::{RobotError, World};
use nalgebra::Vector3;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::of_robot;
use crate::arrays::{Asked, Rows, row};
use crate::poses::one_pose;
use crate::tree::tree_argument;

/// Stationary objects around a robot, in the frame of its root link: trees, boxes, balls, cylinders and points. They
/// are solid, except a tree that is added as a surface, and not compared with each other.
///
/// Each `add` returns the object's index in `names`. An object without a name is called "object" followed by its index,
/// or by the next number for which the name is free.
///
/// Examples:
///     >>> import bvtree
///     >>> world = bvtree.World()
///     >>> world.add_box([0.8, 1.2, 0.1], bvtree.pose_from_translation([0.6, 0, -0.05]), name="table")
///     0
///     >>> world.add_points([[0.5, 0.1, 0.2], [0.5, 0.1, 0.3]], 0.01)
///     1
///     >>> world.names
///     ['table', 'object1']
#[pyclass(frozen, module = "bvtree", name = "World")]
pub struct PyWorld {
    world: Mutex<World>,
}

impl PyWorld {
    fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(
        &self,
        name: Option<String>,
        add: impl FnOnce(&mut World, &str) -> Result<usize, RobotError>,
    ) -> PyResult<usize> {
        let mut world = self.lock();
        let name = name.unwrap_or_else(|| free_name(&world));
        add(&mut world, &name).map_err(of_robot)
    }

    fn add_shape(
        &self,
        name: Option<String>,
        shape: Result<ConvexShape, ConvexError>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        let pose = one_pose(pose, "pose")?;
        self.add(name, |world, name| {
            let shape = shape.map_err(|source| RobotError::Shape { link: name.to_owned(), source })?;
            world.add_shape(name, &shape, &pose)
        })
    }
}

/// Returns the name of the next object that is added without one.
fn free_name(world: &World) -> String {
    let taken: HashSet<&str> = world.names().collect();
    let mut names = (taken.len()..).map(|number| format!("object{number}"));
    names.find(|name| !taken.contains(&**name)).unwrap_or_default()
}

/// Returns a copy of a `World` that later changes don't affect; an empty world for None.
pub fn world_of(object: Option<&Bound<'_, PyAny>>) -> PyResult<World> {
    let Some(object) = object else { return Ok(World::new()) };
    match object.cast::<PyWorld>() {
        Ok(world) => Ok(world.get().lock().clone()),
        Err(_) => {
            let other = object.get_type().fully_qualified_name()?;
            Err(PyTypeError::new_err(format!("argument 'world' must be a bvtree.World, not {other}")))
        }
    }
}

#[pymethods]
impl PyWorld {
    #[new]
    fn new() -> Self {
        Self { world: Mutex::default() }
    }

    /// The objects' names, in the order in which they were added.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.lock().names().map(str::to_owned).collect()
    }

    /// Adds a tree.
    ///
    /// Args:
    ///     tree: The tree. An open mesh is solid too: winding numbers decide what is inside.
    ///     pose: Its pose; the identity if None.
    ///     name: Its name.
    ///     surface: Whether it is a surface, so that what is wholly inside does not touch it.
    ///
    /// Raises:
    ///     Error: If the name is taken.
    ///     InvalidPose: If the pose is not a rotation and a translation.
    ///     TypeError: If `tree` is not a `Tree`.
    #[pyo3(signature = (tree, pose = None, *, name = None, surface = false))]
    fn add_mesh(
        &self,
        tree: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        name: Option<String>,
        surface: bool,
    ) -> PyResult<usize> {
        let (tree, pose) = (tree_argument(tree, "tree")?.tree.clone(), one_pose(pose, "pose")?);
        self.add(name, |world, name| world.add_tree(name, tree, &pose, surface))
    }

    /// Adds a box of three side lengths, with its centre at the pose's origin.
    ///
    /// Raises:
    ///     Error: If the name is taken, a side length is negative, or a coordinate is beyond float32.
    ///     InvalidPose: If the pose is not a rotation and a translation.
    ///     ValueError: If `size` is not three finite numbers.
    #[pyo3(signature = (size, pose = None, *, name = None))]
    fn add_box(
        &self,
        size: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        name: Option<String>,
    ) -> PyResult<usize> {
        self.add_shape(name, ConvexShape::cuboid(Vector3::from(row(size, "size")?) * 0.5), pose)
    }

    /// Adds a sphere with its centre at the pose's origin.
    ///
    /// Raises:
    ///     Error: If the name is taken, the radius is negative or not finite, or a coordinate is beyond float32.
    #[pyo3(signature = (radius, pose = None, *, name = None))]
    fn add_sphere(&self, radius: f64, pose: Option<&Bound<'_, PyAny>>, name: Option<String>) -> PyResult<usize> {
        self.add_shape(name, ConvexShape::sphere(radius), pose)
    }

    /// Adds a cylinder about the pose's z axis, with its middle at the pose's origin.
    ///
    /// Raises:
    ///     Error: If the name is taken, a length is negative or not finite, or a coordinate is beyond float32.
    ///     InvalidPose: If the pose is not a rotation and a translation.
    #[pyo3(signature = (radius, length, pose = None, *, name = None))]
    fn add_cylinder(
        &self,
        radius: f64,
        length: f64,
        pose: Option<&Bound<'_, PyAny>>,
        name: Option<String>,
    ) -> PyResult<usize> {
        self.add_shape(name, ConvexShape::cylinder(length * 0.5, radius), pose)
    }

    /// Adds points, such as those of a depth camera, as one object: each is a sphere of the radius.
    ///
    /// Args:
    ///     points: (N, 3) coordinates, which are rounded to float32.
    ///     radius: The spheres' radius.
    ///     name: The object's name.
    ///
    /// Raises:
    ///     Error: If the name is taken, the radius is negative or not finite, or a coordinate is beyond float32.
    #[pyo3(signature = (points, radius, *, name = None))]
    fn add_points(&self, points: &Bound<'_, PyAny>, radius: f64, name: Option<String>) -> PyResult<usize> {
        let points = match Rows::new(points, "points")?.points() {
            Asked::One(point) => vec![point],
            Asked::Many(points) => points,
        };
        self.add(name, |world, name| world.add_points(name, &points, radius))
    }

    /// Lets a link touch an object. The link's name is not checked.
    ///
    /// Raises:
    ///     Error: If there is no such object.
    fn allow(&self, link: &str, object: &str) -> PyResult<()> {
        self.lock().allow(link, object).map_err(of_robot)
    }

    /// Sets the distance that queries add to their margin for an object.
    ///
    /// Raises:
    ///     Error: If there is no such object, or the margin is NaN.
    fn set_margin(&self, object: &str, margin: f64) -> PyResult<()> {
        self.lock().set_margin(object, margin).map_err(of_robot)
    }

    fn __repr__(&self) -> String {
        format!("<bvtree.World: {} objects>", self.lock().names().count())
    }
}
