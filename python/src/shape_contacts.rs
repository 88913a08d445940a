//! Contacts, depths and manifolds of convex shapes, against trees and each other; and support points of trees.

use std::ops::ControlFlow;

use bvtree::Pose;
use bvtree::response::MassProperties;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Rows;
use crate::errors::Error;
use crate::mesh::mass_dict;
use crate::poses::poses;
use crate::probe::{ask, ask_lists};
use crate::records::{ContactOfShapes, ManifoldRow, NONE, Support};
use crate::shapes::{PyConvexShape, shape_argument};
use crate::tree::PyTree;

type Object = PyResult<Py<PyAny>>;

#[pymethods]
impl PyConvexShape {
    /// Finds the contact of this shape, A, with another, B, both solid: where they are nearest or, if they overlap, how
    /// deeply.
    ///
    /// Args:
    ///     other: A `ConvexShape`.
    ///     b_to_a: Maps B's coordinates into A's frame: one pose, or N of them. None is the identity.
    ///     max_distance: Largest distance of interest; shapes farther apart have no contact.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     A record with the fields `distance` (negative if they overlap: minus the penetration depth), `on_a`, `on_b`,
    ///     `normal` (unit, from A to B: a translation of B along it by the depth separates the two), `face_a` and
    ///     `face_b` (-1), in A's frame. None if the shapes are farther apart than `max_distance`; for N poses an (N,)
    ///     array, with a distance of infinity for those poses.
    ///
    /// Raises:
    ///     InvalidPose: If a matrix is not a rotation and a translation.
    ///     ValueError: If an array has another shape, or `threads` is not from 1 to 4096.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> cube, ball = bvtree.ConvexShape.box([1, 1, 1]), bvtree.ConvexShape.sphere(0.5)
    ///     >>> found = cube.contact(ball, bvtree.pose_from_translation([0, 0, 0.9]))
    ///     >>> round(float(found.distance), 6), round(float(found.normal[2]), 6)
    ///     (-0.1, 1.0)
    #[pyo3(signature = (other, b_to_a = None, *, max_distance = f64::INFINITY, threads = None),
        text_signature = "($self, other, b_to_a=None, *, max_distance=math.inf, threads=None)")]
    fn contact(
        &self,
        py: Python<'_>,
        other: &Bound<'_, PyAny>,
        b_to_a: Option<&Bound<'_, PyAny>>,
        max_distance: f64,
        threads: Option<usize>,
    ) -> Object {
        let (other, poses) = (shape_argument(other, "other")?, poses(b_to_a, "b_to_a")?);
        ask(py, self.shape.clone(), poses, threads, move |_, shape, pose: &Pose| {
            let found = shape.contact(&other.transformed(pose), max_distance);
            found.map_or_else(ContactOfShapes::default, ContactOfShapes::from)
        })
    }

    /// Computes volume, centre of mass and inertia of the shape at a density of 1, in the shape's frame.
    ///
    /// Returns:
    ///     The dict of `Mesh.mass_properties`.
    ///
    /// Raises:
    ///     Error: If the shape is flat and not rounded.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> round(bvtree.ConvexShape.box([2, 2, 2]).mass_properties()["volume"], 9)
    ///     8.0
    fn mass_properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let properties = MassProperties::of_shape(&self.shape);
        mass_dict(py, &properties.map_err(|error| Error::new_err(error.to_string()))?)
    }

    /// Finds the point of the shape that is farthest along each direction.
    ///
    /// Args:
    ///     directions: (3,) or (N, 3), of any length but zero.
    ///
    /// Returns:
    ///     A record with the fields `point` and `face` (-1); for N directions an (N,) array.
    ///
    /// Raises:
    ///     ValueError: If the array has another shape, or a number is not finite.
    fn support_point(&self, py: Python<'_>, directions: &Bound<'_, PyAny>) -> Object {
        let directions = Rows::new(directions, "directions")?.points();
        ask(py, self.shape.clone(), directions, Some(1), |_, shape, direction| Support {
            point: shape.support_point(&direction.coords).into(),
            face: NONE,
        })
    }

    /// Finds the contact manifolds of this shape, A, and another, B, for a physics engine.
    ///
    /// Args:
    ///     other, b_to_a, threads: See `contact`.
    ///     margin: See `contact_manifolds`.
    ///
    /// Returns:
    ///     The structured array of `contact_manifolds`, with faces of -1. For N poses a tuple of offsets and one array.
    ///
    /// Raises:
    ///     InvalidPose, ValueError: See `contact`.
    #[pyo3(signature = (other, margin, b_to_a = None, *, threads = None))]
    fn contact_manifolds(
        &self,
        py: Python<'_>,
        other: &Bound<'_, PyAny>,
        margin: f64,
        b_to_a: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> Object {
        let (other, poses) = (shape_argument(other, "other")?, poses(b_to_a, "b_to_a")?);
        ask_lists(py, self.shape.clone(), poses, threads, move |_, shape, pose: &Pose| -> Vec<ManifoldRow> {
            (0..).zip(&shape.contact_manifolds(&other.transformed(pose), margin)).flat_map(ManifoldRow::of).collect()
        })
    }
}

#[pymethods]
impl PyTree {
    /// Finds the contacts of the mesh's triangles with a convex shape, which is solid: where each triangle and the
    /// shape are nearest or, if they overlap, how deeply.
    ///
    /// Args:
    ///     shape: A `ConvexShape`.
    ///     pose: Maps the shape into the mesh's frame: one pose, or N of them. None is the identity.
    ///     max_distance: Largest distance of interest. 0 finds the triangles that touch the shape.
    ///     mask: See `closest_point`.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     A structured array with a row for each triangle, sorted by `face_a`: the fields of
    ///     `closest_convex_contact`. For N poses a tuple of offsets and one array.
    ///
    /// Raises:
    ///     InvalidPose: If a matrix is not a rotation and a translation.
    ///     ValueError: If an array has another shape, or `threads` is not from 1 to 4096.
    #[pyo3(signature = (shape, pose = None, *, max_distance = 0.0, mask = None, threads = None))]
    fn convex_contacts(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        max_distance: f64,
        mask: Option<u32>,
        threads: Option<usize>,
    ) -> Object {
        let (shape, poses) = (shape_argument(shape, "shape")?, poses(pose, "pose")?);
        ask_lists(py, self.tree.clone(), poses, threads, move |probe, tree, pose: &Pose| {
            probe.set_mask(mask);
            let mut found: Vec<ContactOfShapes> = Vec::new();
            probe.for_each_convex_contact(tree, &shape.transformed(pose), max_distance, |contact| {
                found.push(contact.into());
                ControlFlow::Continue(())
            });
            found.sort_unstable_by_key(|contact| contact.face_a);
            found
        })
    }

    /// Finds the deepest contact of the mesh's triangles with a convex shape, which is solid; if no triangle overlaps
    /// the shape, the nearest one.
    ///
    /// Args:
    ///     shape, pose, mask, threads: See `convex_contacts`.
    ///     max_distance: Largest distance of interest.
    ///
    /// Returns:
    ///     A record with the fields `distance` (negative if they overlap: minus the penetration depth of the triangle
    ///     and the shape), `on_a` (on the mesh), `on_b`, `normal` (unit, from the triangle to the shape), `face_a` and
    ///     `face_b` (-1). None if no triangle is within `max_distance`; for N poses an (N,) array, with a distance of
    ///     infinity where none is.
    ///
    /// Raises:
    ///     InvalidPose, ValueError: See `convex_contacts`.
    #[pyo3(signature = (shape, pose = None, *, max_distance = f64::INFINITY, mask = None, threads = None),
        text_signature = "($self, shape, pose=None, *, max_distance=math.inf, mask=None, threads=None)")]
    fn closest_convex_contact(
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
            let found = probe.closest_convex_contact(tree, &shape.transformed(pose), max_distance);
            found.map_or_else(ContactOfShapes::default, ContactOfShapes::from)
        })
    }

    /// Finds the contact manifolds of the mesh, A, and a convex shape, B, for a physics engine: contacts that
    /// neighboring triangles hide are left out.
    ///
    /// Args:
    ///     shape, pose, threads: See `convex_contacts`.
    ///     margin: See `contact_manifolds`.
    ///
    /// Returns:
    ///     The structured array of `contact_manifolds`; `face_b` is -1. For N poses a tuple of offsets and one array.
    ///
    /// Raises:
    ///     InvalidPose, ValueError: See `convex_contacts`.
    #[pyo3(signature = (shape, margin, pose = None, *, threads = None))]
    fn convex_contact_manifolds(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        margin: f64,
        pose: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> Object {
        let (shape, poses) = (shape_argument(shape, "shape")?, poses(pose, "pose")?);
        ask_lists(py, self.tree.clone(), poses, threads, move |probe, tree, pose: &Pose| -> Vec<ManifoldRow> {
            let found = probe.convex_contact_manifolds(tree, &shape.transformed(pose), margin);
            (0..).zip(&found).flat_map(ManifoldRow::of).collect()
        })
    }

    /// Finds the vertex of the mesh that is farthest along each direction. If the direction is the inward normal of a
    /// half-space, this is the mesh's deepest point in the half-space or, if the mesh is outside, the point closest to
    /// it.
    ///
    /// Args:
    ///     directions: (3,) or (N, 3), of any length but zero.
    ///     mask: See `closest_point`.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     A record with the fields `point` and `face`, None if the direction is zero, the mesh is empty or `mask`
    ///     excludes all triangles; for N directions an (N,) array, with a face of -1 where there is none.
    ///
    /// Raises:
    ///     ValueError: If the array has another shape, or a number is not finite.
    #[pyo3(signature = (directions, *, mask = None, threads = None))]
    fn support_point(
        &self,
        py: Python<'_>,
        directions: &Bound<'_, PyAny>,
        mask: Option<u32>,
        threads: Option<usize>,
    ) -> Object {
        let directions = Rows::new(directions, "directions")?.points();
        ask(py, self.tree.clone(), directions, threads, move |probe, tree, direction| {
            probe.set_mask(mask);
            let found = probe.support_point(tree, &direction.coords);
            found.map_or_else(Support::default, |found| Support { point: found.point.into(), face: found.face.into() })
        })
    }
}
