//! Questions about one tree: rays, points, balls and boxes.

use std::ops::ControlFlow;
use std::sync::Arc;

use bvtree::probe::{Boundary, CastOptions, Containment, Ray};
use bvtree::shape::{Aabb, Capsule, Sphere};
use bvtree::{BvTree, Probe};
use nalgebra::{Point3, Vector3};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::Answer;
use crate::arrays::{Asked, Rows, row};
use crate::errors::{NotClosed, value_error};
use crate::records::{Hit, Nearest, offsets};
use crate::scratch::with_probe;
use crate::threads::each;
use crate::tree::PyTree;

type Object = PyResult<Py<PyAny>>;

/// Asks about one item on this thread, or about many.
fn ask<T: Send + Sync + 'static, R: Answer + Send>(
    py: Python<'_>,
    tree: &Arc<BvTree>,
    items: Asked<T>,
    threads: Option<usize>,
    question: impl Fn(&mut Probe, &BvTree, &T) -> R + Send + Sync + 'static,
) -> Object {
    match items {
        Asked::One(item) => py.detach(|| with_probe(|probe| question(probe, tree, &item))).one(py),
        Asked::Many(items) => {
            let tree = tree.clone();
            let question = move |item: &T| with_probe(|probe| question(probe, &tree, item));
            Ok(R::many(py, each(py, threads, items, question)?))
        }
    }
}

/// One ray, or many: an origin may go with many directions and the other way round.
fn rays(origins: &Bound<'_, PyAny>, directions: &Bound<'_, PyAny>) -> PyResult<Asked<Ray>> {
    let ray = |origin: [f64; 3], direction: [f64; 3]| Ray { origin: origin.into(), direction: direction.into() };
    let rays = match (Rows::new(origins, "origins")?, Rows::new(directions, "directions")?) {
        (Rows::One(origin), Rows::One(direction)) => Asked::One(ray(origin, direction)),
        (Rows::One(origin), Rows::Many(directions)) => {
            Asked::Many(directions.into_iter().map(|direction| ray(origin, direction)).collect())
        }
        (Rows::Many(origins), Rows::One(direction)) => {
            Asked::Many(origins.into_iter().map(|origin| ray(origin, direction)).collect())
        }
        (Rows::Many(origins), Rows::Many(directions)) if origins.len() == directions.len() => {
            Asked::Many(origins.into_iter().zip(directions).map(|(origin, direction)| ray(origin, direction)).collect())
        }
        (Rows::Many(origins), Rows::Many(directions)) => {
            let text = format!("{} origins and {} directions: expected as many", origins.len(), directions.len());
            return Err(value_error(text));
        }
    };
    let is_zero = |ray: &Ray| ray.direction == Vector3::zeros();
    let first_zero = match &rays {
        Asked::One(ray) => is_zero(ray).then_some(0),
        Asked::Many(rays) => rays.iter().position(is_zero),
    };
    match first_zero {
        Some(place) => Err(value_error(format_args!("directions: row {place} has no length"))),
        None => Ok(rays),
    }
}

#[pymethods]
impl PyTree {
    /// The first triangle that each ray meets.
    ///
    /// Triangles are closed and have no back. No ray slips through a shared edge or corner.
    ///
    /// Args:
    ///     origins, directions: (3,) or (N, 3). Directions may have any length but zero; times are in units of it.
    ///     max_time: Where rays end.
    ///     threads: As of `intersects`.
    ///
    /// Returns:
    ///     A record with the fields `time`, `point`, `normal` (unit, by the corners' order) and `face`, None if nothing is
    ///     met; for N rays an (N,) array, with a time of infinity and a face of -1 where nothing is.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    ///     >>> hit = tree.first_hit([0.25, 0.25, 2.0], [0, 0, -1])
    ///     >>> float(hit.time), int(hit.face)
    ///     (2.0, 0)
    #[pyo3(signature = (origins, directions, *, max_time = f64::INFINITY, threads = None))]
    fn first_hit(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_time: f64,
        threads: Option<usize>,
    ) -> Object {
        ask(py, &self.tree, rays(origins, directions)?, threads, move |probe, tree, ray| {
            let hit = probe.closest_hit(tree, ray, max_time);
            hit.map_or_else(Hit::default, |hit| Hit::new(hit.time, hit.point, hit.normal, hit.face))
        })
    }

    /// Whether each ray meets any triangle.
    ///
    /// Args:
    ///     origins, directions, max_time, threads: As of `first_hit`.
    ///
    /// Returns:
    ///     bool, or an (N,) array of them.
    #[pyo3(signature = (origins, directions, *, max_time = f64::INFINITY, threads = None))]
    fn any_hit(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_time: f64,
        threads: Option<usize>,
    ) -> Object {
        ask(py, &self.tree, rays(origins, directions)?, threads, move |probe, tree, ray| {
            probe.any_hit(tree, ray, max_time)
        })
    }

    /// All triangles that each ray meets, the first ones first. A ray through a shared edge or corner meets all the
    /// triangles there.
    ///
    /// Args:
    ///     origins, directions, max_time, threads: As of `first_hit`.
    ///
    /// Returns:
    ///     A structured array with the fields of `first_hit`. For N rays a tuple of an (N + 1,) array of offsets and one array.
    #[pyo3(signature = (origins, directions, *, max_time = f64::INFINITY, threads = None))]
    fn all_hits(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_time: f64,
        threads: Option<usize>,
    ) -> Object {
        let tree = self.tree.clone();
        let question = move |ray: &Ray| {
            let mut hits: Vec<Hit> = Vec::new();
            with_probe(|probe| {
                probe.for_each_hit(&tree, ray, max_time, |hit| {
                    hits.push(Hit::new(hit.time, hit.point, hit.normal, hit.face));
                    ControlFlow::Continue(())
                });
            });
            hits.sort_unstable_by(|p, q| p.time.total_cmp(&q.time).then(p.face.cmp(&q.face)));
            hits
        };
        match rays(origins, directions)? {
            Asked::One(ray) => Ok(Hit::many(py, py.detach(|| question(&ray)))),
            Asked::Many(rays) => {
                let lists = each(py, threads, rays, question)?;
                let ends = offsets(py, lists.iter().map(Vec::len));
                Ok(PyTuple::new(py, [ends, Hit::many(py, lists.concat())])?.into_any().unbind())
            }
        }
    }

    /// The point of the mesh that is nearest to each given one.
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     max_distance: What is farther is not of interest.
    ///     threads: As of `intersects`.
    ///
    /// Returns:
    ///     A record with the fields `distance`, `point` and `face`, None if nothing is as near; for N points an (N,) array, with
    ///     a distance of infinity and a face of -1 where nothing is.
    #[pyo3(signature = (points, *, max_distance = f64::INFINITY, threads = None))]
    fn closest_point(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        max_distance: f64,
        threads: Option<usize>,
    ) -> Object {
        ask(py, &self.tree, Rows::new(points, "points")?.points(), threads, move |probe, tree, point| {
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
    #[pyo3(signature = (points, *, surface = true, threads = None))]
    fn contains(&self, py: Python<'_>, points: &Bound<'_, PyAny>, surface: bool, threads: Option<usize>) -> Object {
        let points = Rows::new(points, "points")?.points();
        self.must_be_closed(py)?;
        ask(py, &self.tree, points, threads, move |probe, tree, point| match probe.contains(tree, point) {
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
    #[pyo3(signature = (points, *, threads = None))]
    fn signed_distance(&self, py: Python<'_>, points: &Bound<'_, PyAny>, threads: Option<usize>) -> Object {
        let points = Rows::new(points, "points")?.points();
        self.must_be_closed(py)?;
        ask(py, &self.tree, points, threads, |probe, tree, point| {
            probe.signed_distance(tree, point).unwrap_or(f64::INFINITY)
        })
    }

    /// How often the mesh winds around each point: 1 inside and 0 outside of a closed mesh whose normals are outward; of one
    /// with holes something between, and inside above one half is a sound notion.
    ///
    /// Args:
    ///     points: (3,) or (N, 3).
    ///     threads: As of `intersects`.
    ///
    /// Returns:
    ///     float, or an (N,) float64 array.
    #[pyo3(signature = (points, *, threads = None))]
    fn winding_number(&self, py: Python<'_>, points: &Bound<'_, PyAny>, threads: Option<usize>) -> Object {
        ask(py, &self.tree, Rows::new(points, "points")?.points(), threads, |_, tree, point| {
            bvtree::probe::winding_number(tree, point)
        })
    }

    /// When each moving ball first meets a triangle.
    ///
    /// Args:
    ///     centers: (3,) or (N, 3), where the balls' centres start.
    ///     displacements: (3,) or (N, 3), where they go in the time from 0 to 1.
    ///     radius: Of all balls, in the mesh's unit; 0 or more.
    ///     tolerance: A distance that counts as contact. 0 is as exact as can be.
    ///     threads: As of `intersects`.
    ///
    /// Returns:
    ///     A record with the fields of `first_hit` (`normal` is from the triangle to the ball), None if nothing is met, which
    ///     is a proof: nothing is passed at any speed. For N balls an (N,) array.
    #[pyo3(signature = (centers, displacements, radius, *, tolerance = 0.0, threads = None))]
    fn cast_sphere(
        &self,
        py: Python<'_>,
        centers: &Bound<'_, PyAny>,
        displacements: &Bound<'_, PyAny>,
        radius: f64,
        tolerance: f64,
        threads: Option<usize>,
    ) -> Object {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(value_error("radius: expected a finite number that is not negative"));
        }
        let options = CastOptions { tolerance, ..CastOptions::default() };
        ask(py, &self.tree, rays(centers, displacements)?, threads, move |probe, tree, ray| {
            let capsule: Capsule = Sphere { center: ray.origin, radius }.into();
            let hit = probe.cast(tree, &capsule, &ray.direction, &options);
            hit.map_or_else(Hit::default, |hit| {
                Hit::new(hit.time, hit.contact.point, hit.contact.normal, hit.contact.face)
            })
        })
    }

    /// Faces whose triangles touch a closed axis-aligned box.
    ///
    /// Args:
    ///     lower, upper: (3,) corners. Nothing touches a box whose lower corner is above its upper one.
    ///
    /// Returns:
    ///     An (M,) int64 array, sorted.
    fn faces_in_box(&self, py: Python<'_>, lower: &Bound<'_, PyAny>, upper: &Bound<'_, PyAny>) -> Object {
        let [lower, upper] = [row(lower, "lower")?, row(upper, "upper")?].map(Point3::from);
        let aabb = Aabb { lower, upper };
        self.faces(py, |probe, tree, visit| probe.for_each_in_aabb(tree, &aabb, visit))
    }

    /// Faces whose triangles touch a closed ball.
    ///
    /// Args:
    ///     center: (3,).
    ///     radius: In the mesh's unit.
    ///
    /// Returns:
    ///     An (M,) int64 array, sorted.
    fn faces_in_sphere(&self, py: Python<'_>, center: &Bound<'_, PyAny>, radius: f64) -> Object {
        let sphere = Sphere { center: row(center, "center")?.into(), radius };
        self.faces(py, |probe, tree, visit| probe.for_each_in_sphere(tree, &sphere, visit))
    }
}

impl PyTree {
    fn must_be_closed(&self, py: Python<'_>) -> PyResult<()> {
        match self.boundary(py)? {
            Boundary::Open => Err(NotClosed::new_err("the mesh is not closed")),
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
