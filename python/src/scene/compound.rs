//! Compounds: several trees and convex shapes in one body, and the argument for a body's geometry.

use std::sync::Arc;

use bvtree::scene::{Compound, Geometry, Part};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::{Error, InvalidPose, value_error};
use crate::poses::{one_pose, pose_array};
use crate::shapes::PyConvexShape;
use crate::solids::Solid;
use crate::tree::{PyTree, tree_argument};

/// Several trees and convex shapes that move as one body of a `Scene`, each with a pose in the body's frame.
///
/// The parts are compared with those of other bodies, each as a body of its own would be, and never with each other.
/// They may overlap. A compound may be empty: then nothing touches it. It is immutable; several bodies may share it.
///
/// Args:
///     parts: An iterable of parts: each a `Tree` or a `ConvexShape`, or a tuple of either and the pose that maps it
///         into the body's frame: a (4, 4) or (3, 4) matrix, a tuple of rotation and translation, or None for the
///         identity. Results name parts by their index.
///
/// Raises:
///     InvalidPose: If a matrix is not a rotation and a translation.
///     Error: If a pose deviates from a rotation by more than 1e-6, or a part extends farther than 1e30 from the body's
///         origin.
///     TypeError: If a part is something else, such as a compound.
///     ValueError: If a tuple does not have two items, or several poses are given for a part.
///
/// Examples:
///     >>> import bvtree
///     >>> ball = bvtree.ConvexShape.sphere(1.0)
///     >>> at = bvtree.pose_from_translation
///     >>> dumbbell = bvtree.Compound([(ball, at([-3, 0, 0])), (ball, at([3, 0, 0]))])
///     >>> scene = bvtree.Scene()
///     >>> [scene.add(dumbbell), scene.add(ball, at([5, 0, 1]))]
///     [0, 1]
///     >>> pair = scene.closest_pair()
///     >>> int(pair.part_a), int(pair.part_b), round(float(pair.distance), 6)
///     (1, 0, 0.236068)
#[pyclass(frozen, module = "bvtree", name = "Compound")]
pub struct PyCompound {
    compound: Arc<Compound>,
    /// The trees and shapes of the parts.
    geometries: Vec<Py<PyAny>>,
}

#[pymethods]
impl PyCompound {
    #[new]
    fn new(parts: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = parts.py();
        let (mut geometries, mut of_compound) = (Vec::new(), Vec::new());
        for (index, part) in parts.try_iter()?.enumerate() {
            let part = part?;
            let (geometry, pose) = match part.cast::<PyTuple>() {
                Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, Some(pair.get_item(1)?)),
                Ok(_) => return Err(value_error(format_args!("part {index}: expected a tuple of two"))),
                Err(_) => (part, None),
            };
            let pose = pose.filter(|pose| !pose.is_none());
            let pose = one_pose(pose.as_ref(), &format!("pose of part {index}"));
            let pose = pose.map_err(|error| match error.is_instance_of::<InvalidPose>(py) {
                true => InvalidPose::new_err(format!("part {index}: {}", error.value(py))),
                false => error,
            })?;
            let simple = match geometry.cast::<PyConvexShape>() {
                Ok(shape) => shape.get().shape.clone().into(),
                Err(_) if geometry.is_instance_of::<Self>() => {
                    return Err(PyTypeError::new_err(format!("part {index} is a compound itself")));
                }
                Err(_) => tree_argument(&geometry, &format!("part {index}"))?.tree.clone().into(),
            };
            of_compound.push(Part { geometry: simple, pose });
            geometries.push(geometry.unbind());
        }
        let compound = Compound::new(of_compound).map_err(|error| Error::new_err(error.to_string()))?;
        Ok(Self { compound: Arc::new(compound), geometries })
    }

    /// Returns the parts as a list of tuples: the tree or shape, and its pose in the body's frame, a (4, 4) array.
    #[getter]
    fn parts(&self, py: Python<'_>) -> PyResult<Vec<(Py<PyAny>, Py<PyAny>)>> {
        let parts = self.geometries.iter().zip(self.compound.parts());
        parts.map(|(geometry, part)| Ok((geometry.clone_ref(py), pose_array(py, &part.pose)?))).collect()
    }

    fn __len__(&self) -> usize {
        self.geometries.len()
    }

    fn __repr__(&self) -> String {
        format!("<bvtree.Compound: {} parts>", self.__len__())
    }
}

/// Reads a tree, a convex shape or a compound. Also returns whether a body with this geometry must be marked as solid:
/// not for a shape, which is always solid.
pub(super) fn geometry_argument(
    py: Python<'_>,
    argument: &Bound<'_, PyAny>,
    name: &str,
    solid: Solid,
) -> PyResult<(Geometry, bool)> {
    if let Ok(shape) = argument.cast::<PyConvexShape>() {
        return Ok((shape.get().shape.clone().into(), false));
    }
    let Ok(compound) = argument.cast::<PyCompound>() else {
        let tree = tree_argument(argument, name)?;
        return Ok((tree.tree.clone().into(), solid.of(py, tree)?));
    };
    let compound = compound.get();
    let trees = compound.geometries.iter().filter_map(|geometry| geometry.bind(py).cast::<PyTree>().ok());
    let mut is_solid = !matches!(solid, Solid::No);
    for tree in trees {
        is_solid &= solid.of(py, tree.get())?;
    }
    Ok((compound.compound.clone().into(), is_solid))
}
