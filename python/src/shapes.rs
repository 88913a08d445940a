//! Convex shapes with parameters, as bodies of scenes and against trees.

use std::sync::Arc;

use bvtree::Pose;
use bvtree::probe::CastOptions;
use bvtree::shape::{ConvexError, ConvexShape};
use nalgebra::Vector3;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{Asked, Rows, row};
use crate::errors::Error;
use crate::poses::{one_pose, poses};
use crate::probe::ask;
use crate::records::{Closest, Hit, NONE};
use crate::tree::PyTree;

type Object = PyResult<Py<PyAny>>;

/// An immutable convex solid: the convex hull of points or, by its static methods, a box, sphere, cylinder, capsule or
/// cone about the origin of its own frame, with its axis along z as in URDF and FCL. Lengths of zero are allowed.
///
/// Intersection tests are exact for boxes and hulls that are not rounded, on their posed coordinates. For other shapes
/// no contact is missed, but a gap within rounding may be reported as a contact, or for cylinders and cones a gap of up
/// to a millionth of the size.
///
/// Args:
///     points: (N, 3) points; the shape is their convex hull.
///
/// Raises:
///     Error: If there is no point.
///     ValueError: If the array has another shape, or a coordinate is not finite.
///
/// Examples:
///     >>> import bvtree
///     >>> floor = bvtree.Tree(([[-2, -2, 0], [2, -2, 0], [0, 2, 0]], [[0, 1, 2]]))
///     >>> drum = bvtree.ConvexShape.cylinder(0.25, 1.0)
///     >>> floor.intersects_convex(drum, bvtree.pose_from_translation([0, 0, 0.5]))
///     True
///     >>> scene = bvtree.Scene()
///     >>> [scene.add(floor), scene.add(drum, bvtree.pose_from_translation([0, 0, 0.75]))]
///     [0, 1]
///     >>> round(float(scene.closest_pair().distance), 6)
///     0.25
#[pyclass(frozen, module = "bvtree", name = "ConvexShape")]
pub struct PyConvexShape {
    pub shape: Arc<ConvexShape>,
}

fn made(shape: Result<ConvexShape, ConvexError>) -> PyResult<PyConvexShape> {
    let shape = shape.map_err(|error| Error::new_err(error.to_string()))?;
    Ok(PyConvexShape { shape: Arc::new(shape) })
}

#[pymethods]
impl PyConvexShape {
    /// Makes a box of three side lengths.
    ///
    /// Raises:
    ///     Error: If a length is negative or not finite.
    #[staticmethod]
    #[pyo3(name = "box")]
    fn cuboid(size: &Bound<'_, PyAny>) -> PyResult<Self> {
        made(ConvexShape::cuboid(Vector3::from(row(size, "size")?) * 0.5))
    }

    /// Makes a sphere.
    ///
    /// Raises:
    ///     Error: If the radius is negative or not finite.
    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<Self> {
        made(ConvexShape::sphere(radius))
    }

    /// Makes a cylinder about the z axis; its middle is the origin.
    ///
    /// Raises:
    ///     Error: If a length is negative or not finite.
    #[staticmethod]
    fn cylinder(radius: f64, length: f64) -> PyResult<Self> {
        made(ConvexShape::cylinder(length * 0.5, radius))
    }

    /// Makes a capsule about the z axis: all points within the radius of a segment of this length.
    ///
    /// Raises:
    ///     Error: If a length is negative or not finite.
    #[staticmethod]
    fn capsule(radius: f64, length: f64) -> PyResult<Self> {
        made(ConvexShape::capsule(length * 0.5, radius))
    }

    /// Makes a cone about the z axis, with its apex half its length above the origin and its base as far below.
    ///
    /// Raises:
    ///     Error: If a length is negative or not finite.
    #[staticmethod]
    fn cone(radius: f64, length: f64) -> PyResult<Self> {
        made(ConvexShape::cone(length * 0.5, radius))
    }

    #[new]
    pub fn hull(points: &Bound<'_, PyAny>) -> PyResult<Self> {
        match Rows::new(points, "points")?.points() {
            Asked::One(point) => made(ConvexShape::hull(&[point])),
            Asked::Many(points) => made(ConvexShape::hull(&points)),
        }
    }

    /// Returns the shape enlarged by a radius on all sides, which rounds its edges.
    ///
    /// Raises:
    ///     Error: If the radius is negative or not finite.
    fn rounded(&self, radius: f64) -> PyResult<Self> {
        made((*self.shape).clone().rounded(radius))
    }

    fn __repr__(&self) -> String {
        let bounds = self.shape.aabb();
        let [x, y, z]: [f64; 3] = (bounds.upper - bounds.lower).into();
        format!("<bvtree.ConvexShape: {x} x {y} x {z}>")
    }
}

#[pymethods]
impl PyTree {
    /// Tests whether a convex shape, which is solid, intersects the mesh at each pose. A shape wholly inside a closed
    /// mesh touches no triangle, so it does not intersect the mesh.
    ///
    /// Args:
    ///     shape: A `ConvexShape`.
    ///     poses: Map the shape into the mesh's frame: a (4, 4) or (3, 4) matrix, a tuple of rotation and translation,
    ///         or N of them. None is the identity.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     bool, or an (N,) array of them.
    ///
    /// Raises:
    ///     InvalidPose: If a matrix is not a rotation and a translation.
    ///     ValueError: If an array has another shape, or `threads` is not from 1 to 4096.
    #[pyo3(signature = (shape, poses = None, *, threads = None))]
    fn intersects_convex(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        poses: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> Object {
        let (shape, poses) = (shape_argument(shape, "shape")?, crate::poses::poses(poses, "poses")?);
        ask(py, self.tree.clone(), poses, threads, move |probe, tree, pose: &Pose| {
            probe.intersects_convex(tree, &shape.transformed(pose))
        })
    }

    /// Finds the closest points of the mesh and a convex shape, which is solid.
    ///
    /// Args:
    ///     shape: A `ConvexShape`.
    ///     pose: Maps the shape into the mesh's frame: one pose, or N of them. None is the identity.
    ///     max_distance: Largest distance of interest; shapes farther away are not found.
    ///     mask: See `closest_point`.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     A record with the fields of `closest_points`, the mesh being A; `face_b` is -1. None if the shape is farther
    ///     away than `max_distance`. For N poses an (N,) array, with a distance of infinity and a face of -1 for those
    ///     poses.
    ///
    /// Raises:
    ///     InvalidPose: If a matrix is not a rotation and a translation.
    ///     ValueError: If an array has another shape, or `threads` is not from 1 to 4096.
    #[pyo3(signature = (shape, pose = None, *, max_distance = f64::INFINITY, mask = None, threads = None),
        text_signature = "(\
        $self, shape, pose=None, *, max_distance=math.inf, mask=None, threads=None)")]
    fn closest_to_convex(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        max_distance: f64,
        mask: Option<u32>,
        threads: Option<usize>,
    ) -> Object {
        let (shape, poses) = (shape_argument(shape, "shape")?, poses(pose, "pose")?);
        ask(py, self.tree.clone(), poses, threads, move |probe, tree, pose: &Pose| {
            probe.set_mask(mask);
            let found = probe.closest_to_convex(tree, &shape.transformed(pose), max_distance);
            found.map_or_else(Closest::default, |found| Closest {
                distance: found.distance,
                on_a: found.on_mesh.into(),
                on_b: found.on_shape.into(),
                face_a: found.face.into(),
                face_b: NONE,
            })
        })
    }

    /// Computes when a convex shape, which is solid and moves without turning, first touches the mesh.
    ///
    /// Args:
    ///     shape: A `ConvexShape`.
    ///     displacement: (3,) or (N, 3), the movement in the time from 0 to 1, in the mesh's frame. Zero finds a
    ///         contact at the start.
    ///     pose: Maps the shape at the start into the mesh's frame: one pose, or N of them. None is the identity.
    ///     tolerance: See `cast_sphere`.
    ///     mask: See `closest_hit`.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     A record with the fields of `closest_hit` (`normal` points from the triangle to the shape), or None, which
    ///     proves that there is no contact. For N displacements or poses an (N,) array, with a time of infinity and a
    ///     face of -1 where there is none.
    ///
    /// Raises:
    ///     InvalidPose: If a matrix is not a rotation and a translation.
    ///     ValueError: If an array has another shape or the numbers of poses and displacements differ.
    #[pyo3(signature = (shape, displacement, pose = None, *, tolerance = 0.0, mask = None, threads = None))]
    #[allow(clippy::too_many_arguments)]
    fn cast_convex(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        displacement: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        tolerance: f64,
        mask: Option<u32>,
        threads: Option<usize>,
    ) -> Object {
        let (shape, poses) = (shape_argument(shape, "shape")?, poses(pose, "pose")?);
        let displacements = Rows::new(displacement, "displacement")?.asked();
        let asked = poses.with(displacements, ["pose", "displacement"])?;
        let options = CastOptions { tolerance, ..CastOptions::default() };
        ask(py, self.tree.clone(), asked, threads, move |probe, tree, (pose, displacement): &(Pose, [f64; 3])| {
            probe.set_mask(mask);
            let hit = probe.cast_convex(tree, &shape.transformed(pose), &(*displacement).into(), &options);
            hit.map_or_else(Hit::default, |hit| Hit::new(hit.time, hit.point, hit.normal, hit.face))
        })
    }

    /// Finds the faces that touch a convex shape, which is solid.
    ///
    /// Args:
    ///     shape: A `ConvexShape`.
    ///     pose: Maps the shape into the mesh's frame. None is the identity.
    ///
    /// Returns:
    ///     An (M,) int64 array, sorted.
    ///
    /// Raises:
    ///     InvalidPose: If the matrix is not a rotation and a translation.
    ///     ValueError: If several poses are given.
    #[pyo3(signature = (shape, pose = None))]
    fn faces_in_convex(&self, py: Python<'_>, shape: &Bound<'_, PyAny>, pose: Option<&Bound<'_, PyAny>>) -> Object {
        let shape = shape_argument(shape, "shape")?.transformed(&one_pose(pose, "pose")?);
        self.faces(py, |probe, tree, visit| probe.for_each_face_in_convex(tree, &shape, visit))
    }
}

pub fn shape_argument(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Arc<ConvexShape>> {
    match argument.cast::<PyConvexShape>() {
        Ok(shape) => Ok(shape.get().shape.clone()),
        Err(_) => {
            let other = argument.get_type().fully_qualified_name()?;
            Err(PyTypeError::new_err(format!("argument '{name}' must be a bvtree.ConvexShape, not {other}")))
        }
    }
}
