//! Queries on one tree: points, spheres and boxes here, rays in `rays`.

mod rays;

use std::ops::ControlFlow;
use std::sync::Arc;

use bvtree::probe::{Containment, Watertightness};
use bvtree::shape::{Aabb, Sphere};
use bvtree::{BvTree, Probe};
use nalgebra::Point3;
use numpy::IntoPyArray;
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::arrays::{Asked, Rows, row};
use crate::records::{Nearest, in_one_array};
use crate::scratch::with_probe;
use crate::threads::{each, number};
use crate::tree::PyTree;

pub use rays::rays;

type Object = PyResult<Py<PyAny>>;

/// Runs a query of a tree or a scene for one item, on this thread, or for many. Takes ownership of the target: signal
/// handlers may need it too, and would wait forever for a loan that the caller keeps.
pub fn ask<S: Send + Sync + 'static, T: Send + Sync + 'static, R: Answer + Send>(
    py: Python<'_>,
    target: Arc<S>,
    items: Asked<T>,
    threads: Option<usize>,
    question: impl Fn(&mut Probe, &S, &T) -> R + Send + Sync + 'static,
) -> Object {
    number(threads)?;
    match items {
        Asked::One(item) => py.detach(|| with_probe(|probe| question(probe, &target, &item))).one(py),
        Asked::Many(items) => {
            let question = move |item: &T| with_probe(|probe| question(probe, &target, item));
            Ok(R::many(py, each(py, threads, items, question)?))
        }
    }
}

/// Runs a query that returns lists: one item gives an array; many items give the offsets of their lists and one array
/// of all lists.
pub fn ask_lists<S: Send + Sync + 'static, T: Send + Sync + 'static, R: Answer + Send>(
    py: Python<'_>,
    target: Arc<S>,
    items: Asked<T>,
    threads: Option<usize>,
    question: impl Fn(&mut Probe, &S, &T) -> Vec<R> + Send + Sync + 'static,
) -> Object {
    number(threads)?;
    match items {
        Asked::One(item) => Ok(R::many(py, py.detach(|| with_probe(|probe| question(probe, &target, &item))))),
        Asked::Many(items) => {
            let question = move |item: &T| with_probe(|probe| question(probe, &target, item));
            in_one_array(py, &each(py, threads, items, question)?, |py, rows| Ok(R::many(py, rows)))
        }
    }
}

#[pymethods]
impl PyTree {
    /// Finds the point of the mesh that is closest to each query point.
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     max_distance: Largest distance of interest; points farther away are not found.
    ///     mask: Layers as bits: triangles in none of them are ignored; see `set_layers`. None means all triangles.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     A record with the fields `distance`, `point` and `face`, None if no point is that close; for N points an
    ///     (N,) array, with a distance of infinity and a face of -1 where no point is.
    ///
    /// Raises:
    ///     ValueError: If the array has another shape, or a number is not finite.
    #[pyo3(signature = (points, *, max_distance = f64::INFINITY, mask = None, threads = None),
        text_signature = "($self, \
        points, *, max_distance=math.inf, mask=None, threads=None)")]
    fn closest_point(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        max_distance: f64,
        mask: Option<u32>,
        threads: Option<usize>,
    ) -> Object {
        ask(py, self.tree.clone(), Rows::new(points, "points")?.points(), threads, move |probe, tree, point| {
            probe.set_mask(mask);
            let found = probe.closest_point_within(tree, point, max_distance);
            found.map_or_else(Nearest::default, |found| Nearest {
                distance: found.distance,
                point: found.point.into(),
                face: found.face.into(),
            })
        })
    }

    /// Tests exactly whether each point is inside the mesh or on it.
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     surface: The result for points exactly on a triangle.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     bool, or an (N,) array of them.
    ///
    /// Raises:
    ///     NotClosed: If the mesh has holes, so that it has no inside; use `winding_number` then.
    ///     ValueError: See `closest_point`.
    #[pyo3(signature = (points, *, surface = true, threads = None))]
    fn contains(&self, py: Python<'_>, points: &Bound<'_, PyAny>, surface: bool, threads: Option<usize>) -> Object {
        let points = Rows::new(points, "points")?.points();
        self.must_be_closed(py)?;
        ask(py, self.tree.clone(), points, threads, move |probe, tree, point| match probe.contains(tree, point) {
            Containment::Inside => true,
            Containment::OnSurface => surface,
            Containment::Outside | Containment::Undefined => false,
        })
    }

    /// Tests whether each point is inside the mesh, which may have holes: for an open mesh by winding numbers or, if
    /// its triangles are oriented inconsistently, by the votes of 15 rays; for a closed one exactly.
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     float, or an (N,) float64 array: positive inside and on the mesh, negative outside. The absolute value is
    ///     the certainty, from 0 to 1.
    ///
    /// Raises:
    ///     ValueError: See `closest_point`.
    #[pyo3(signature = (points, *, threads = None))]
    fn contains_robust(&self, py: Python<'_>, points: &Bound<'_, PyAny>, threads: Option<usize>) -> Object {
        ask(py, self.tree.clone(), Rows::new(points, "points")?.points(), threads, |probe, tree, point| {
            let found = probe.contains_robust(tree, point);
            if found.containment == Containment::Outside { -found.certainty } else { found.certainty }
        })
    }

    /// Computes the signed distance of each point from the mesh: negative inside, zero exactly on it. (trimesh has the
    /// opposite sign.)
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     float, or an (N,) float64 array; infinity for a mesh without triangles.
    ///
    /// Raises:
    ///     NotClosed: If the mesh has holes.
    ///     ValueError: See `closest_point`.
    #[pyo3(signature = (points, *, threads = None))]
    fn signed_distance(&self, py: Python<'_>, points: &Bound<'_, PyAny>, threads: Option<usize>) -> Object {
        let points = Rows::new(points, "points")?.points();
        self.must_be_closed(py)?;
        ask(py, self.tree.clone(), points, threads, |probe, tree, point| {
            probe.signed_distance(tree, point).unwrap_or(f64::INFINITY)
        })
    }

    /// Computes the winding number of the mesh around each point: 1 inside and 0 outside of a closed mesh whose normals
    /// point outward. For a mesh with holes it is fractional; then treat points whose winding number exceeds one half
    /// as inside.
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     float, or an (N,) float64 array.
    ///
    /// Raises:
    ///     ValueError: See `closest_point`.
    #[pyo3(signature = (points, *, threads = None))]
    fn winding_number(&self, py: Python<'_>, points: &Bound<'_, PyAny>, threads: Option<usize>) -> Object {
        ask(py, self.tree.clone(), Rows::new(points, "points")?.points(), threads, |_, tree, point| {
            bvtree::probe::winding_number(tree, point)
        })
    }

    /// Finds the faces that touch a closed axis-aligned box.
    ///
    /// Args:
    ///     lower, upper: (3,) corners. Nothing touches a box whose lower corner exceeds its upper one.
    ///
    /// Returns:
    ///     An (M,) int64 array, sorted.
    ///
    /// Raises:
    ///     ValueError: If a corner is not three finite numbers.
    fn faces_in_aabb(&self, py: Python<'_>, lower: &Bound<'_, PyAny>, upper: &Bound<'_, PyAny>) -> Object {
        let [lower, upper] = [row(lower, "lower")?, row(upper, "upper")?].map(Point3::from);
        let aabb = Aabb { lower, upper };
        self.faces(py, |probe, tree, visit| probe.for_each_face_in_aabb(tree, &aabb, visit))
    }

    /// Finds the faces that touch a closed sphere.
    ///
    /// Args:
    ///     center: (3,).
    ///     radius: Radius in the mesh's unit.
    ///
    /// Returns:
    ///     An (M,) int64 array, sorted.
    ///
    /// Raises:
    ///     ValueError: If `center` is not three finite numbers.
    fn faces_in_sphere(&self, py: Python<'_>, center: &Bound<'_, PyAny>, radius: f64) -> Object {
        let sphere = Sphere { center: row(center, "center")?.into(), radius };
        self.faces(py, |probe, tree, visit| probe.for_each_face_in_sphere(tree, &sphere, visit))
    }
}

impl PyTree {
    fn must_be_closed(&self, py: Python<'_>) -> PyResult<()> {
        match self.watertightness(py)? {
            Watertightness::Open => Err(self.not_closed(py, "; use winding_number")),
            _ => Ok(()),
        }
    }

    /// The sorted faces that a search visits.
    pub fn faces(
        &self,
        py: Python<'_>,
        find: impl Fn(&mut Probe, &BvTree, &mut dyn FnMut(u32) -> ControlFlow<()>) + Send + Sync,
    ) -> Object {
        let tree = &*self.tree;
        let faces = py.detach(|| {
            let mut faces: Vec<i64> = Vec::new();
            with_probe(|probe| {
                find(probe, tree, &mut |face| {
                    faces.push(face.into());
                    ControlFlow::Continue(())
                });
            });
            faces.sort_unstable();
            faces
        });
        Ok(faces.into_pyarray(py).into_any().unbind())
    }
}
