//! Questions about one tree: points, balls and boxes here, rays in a file of their own.

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
use crate::errors::NotClosed;
use crate::records::{Nearest, in_one_array};
use crate::scratch::with_probe;
use crate::threads::each;
use crate::tree::PyTree;

pub use rays::rays;

type Object = PyResult<Py<PyAny>>;

/// Asks a tree or a scene about one item on this thread, or about many. The target is moved: a caller that kept a loan
/// while signals' handlers run, which may want it too, would wait for itself.
pub fn ask<S: Send + Sync + 'static, T: Send + Sync + 'static, R: Answer + Send>(
    py: Python<'_>,
    target: Arc<S>,
    items: Asked<T>,
    threads: Option<usize>,
    question: impl Fn(&mut Probe, &S, &T) -> R + Send + Sync + 'static,
) -> Object {
    match items {
        Asked::One(item) => py.detach(|| with_probe(|probe| question(probe, &target, &item))).one(py),
        Asked::Many(items) => {
            let question = move |item: &T| with_probe(|probe| question(probe, &target, item));
            Ok(R::many(py, each(py, threads, items, question)?))
        }
    }
}

/// As [`ask`], for lists of answers: of one item an array, of many the places where each one's begin and all of them in
/// one array.
pub fn ask_lists<S: Send + Sync + 'static, T: Send + Sync + 'static, R: Answer + Send>(
    py: Python<'_>,
    target: Arc<S>,
    items: Asked<T>,
    threads: Option<usize>,
    question: impl Fn(&mut Probe, &S, &T) -> Vec<R> + Send + Sync + 'static,
) -> Object {
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
    /// The point of the mesh that is nearest to each given one.
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     max_distance: What is farther is not of interest.
    ///     threads: As of `intersects`.
    ///
    /// Returns: A record with the fields `distance`, `point` and `face`, None if nothing is as near; for N points an
    /// (N,) array, with a distance of infinity and a face of -1 where nothing is.
    ///
    /// Raises:
    ///     ValueError: If the array has another shape, or a number is not finite.
    #[pyo3(signature = (points, *, max_distance = f64::INFINITY, threads = None), text_signature = "($self, points, \
        *, max_distance=math.inf, threads=None)")]
    fn closest_point(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        max_distance: f64,
        threads: Option<usize>,
    ) -> Object {
        ask(py, self.tree.clone(), Rows::new(points, "points")?.points(), threads, move |probe, tree, point| {
            let found = probe.closest_point_within(tree, point, max_distance);
            found.map_or_else(Nearest::default, |found| Nearest {
                distance: found.distance,
                point: found.point.into(),
                face: found.face.into(),
            })
        })
    }

    /// Whether each point is inside the mesh or on it, exactly.
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     surface: What points exactly on a triangle are.
    ///     threads: As of `intersects`.
    ///
    /// Returns:
    ///     bool, or an (N,) array of them.
    ///
    /// Raises:
    ///     NotClosed: If the mesh has holes: then nothing is inside, and `winding_number` is a sound notion of it.
    ///     ValueError: As `closest_point`.
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

    /// The distance of each point from the mesh: negative inside, zero exactly on it. (trimesh has the opposite sign.)
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     threads: As of `intersects`.
    ///
    /// Returns:
    ///     float, or an (N,) float64 array; infinity for a mesh without triangles.
    ///
    /// Raises:
    ///     NotClosed: If the mesh has holes.
    ///     ValueError: As `closest_point`.
    #[pyo3(signature = (points, *, threads = None))]
    fn signed_distance(&self, py: Python<'_>, points: &Bound<'_, PyAny>, threads: Option<usize>) -> Object {
        let points = Rows::new(points, "points")?.points();
        self.must_be_closed(py)?;
        ask(py, self.tree.clone(), points, threads, |probe, tree, point| {
            probe.signed_distance(tree, point).unwrap_or(f64::INFINITY)
        })
    }

    /// How often the mesh winds around each point: 1 inside and 0 outside of a closed mesh whose normals are outward;
    /// of one with holes something between, and inside above one half is a sound notion.
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     threads: As of `intersects`.
    ///
    /// Returns:
    ///     float, or an (N,) float64 array.
    ///
    /// Raises:
    ///     ValueError: As `closest_point`.
    #[pyo3(signature = (points, *, threads = None))]
    fn winding_number(&self, py: Python<'_>, points: &Bound<'_, PyAny>, threads: Option<usize>) -> Object {
        ask(py, self.tree.clone(), Rows::new(points, "points")?.points(), threads, |_, tree, point| {
            bvtree::probe::winding_number(tree, point)
        })
    }

    /// Faces whose triangles touch a closed axis-aligned box.
    ///
    /// Args:
    ///     lower, upper: (3,) corners. Nothing touches a box whose lower corner is above its upper one.
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

    /// Faces whose triangles touch a closed ball.
    ///
    /// Args:
    ///     center: (3,).
    ///     radius: In the mesh's unit.
    ///
    /// Returns:
    ///     An (M,) int64 array, sorted.
    ///
    /// Raises:
    ///     ValueError: If the centre is not three finite numbers.
    fn faces_in_sphere(&self, py: Python<'_>, center: &Bound<'_, PyAny>, radius: f64) -> Object {
        let sphere = Sphere { center: row(center, "center")?.into(), radius };
        self.faces(py, |probe, tree, visit| probe.for_each_face_in_sphere(tree, &sphere, visit))
    }
}

impl PyTree {
    fn must_be_closed(&self, py: Python<'_>) -> PyResult<()> {
        match self.watertightness(py)? {
            Watertightness::Open => Err(NotClosed::new_err("the mesh is not closed")),
            _ => Ok(()),
        }
    }

    fn faces(
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
