//! Rays and moving spheres.

use std::ops::ControlFlow;

use bvtree::probe::{CastOptions, Ray};
use bvtree::shape::{Capsule, Sphere};
use nalgebra::Vector3;
use pyo3::prelude::*;

use super::{Object, ask, ask_lists};
use crate::arrays::{Asked, Rows};
use crate::errors::value_error;
use crate::records::Hit;
use crate::tree::PyTree;

/// Reads one ray or many: one origin may be combined with many directions, and one direction with many origins.
pub fn rays(origins: &Bound<'_, PyAny>, directions: &Bound<'_, PyAny>) -> PyResult<Asked<Ray>> {
    let [starts, ways] = [Rows::new(origins, "origins")?, Rows::new(directions, "directions")?].map(Rows::asked);
    let rays = starts.with(ways, ["origins", "directions"])?;
    let rays = rays.map(|(origin, direction)| Ray { origin: origin.into(), direction: direction.into() });
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
    /// Finds the first triangle that each ray hits.
    ///
    /// Triangles are closed and two-sided. No ray slips through a shared edge or corner.
    ///
    /// Args:
    ///     origins, directions: (3,) or (N, 3). Directions may have any nonzero length; times are in units of that
    ///         length.
    ///     max_time: Largest time of interest, where the rays end.
    ///     mask: Layers as bits: triangles in none of them are ignored, and one-sided ones are passed from behind; see
    ///         `set_layers`. None means all triangles, from both sides.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     A record with the fields `time`, `point`, `normal` (unit, from the order of the corners) and `face`, None
    ///     without a hit; for N rays an (N,) array, with a time of infinity and a face of -1 for rays without a hit.
    ///
    /// Raises:
    ///     ValueError: If an array has another shape, the numbers of origins and directions differ, a number is not
    ///         finite, or a direction is zero.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    ///     >>> hit = tree.closest_hit([0.25, 0.25, 2.0], [0, 0, -1])
    ///     >>> float(hit.time), int(hit.face)
    ///     (2.0, 0)
    #[pyo3(signature = (origins, directions, *, max_time = f64::INFINITY, mask = None, threads = None),
        text_signature = "($self, \
        origins, directions, *, max_time=math.inf, mask=None, threads=None)")]
    fn closest_hit(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_time: f64,
        mask: Option<u32>,
        threads: Option<usize>,
    ) -> Object {
        ask(py, self.tree.clone(), rays(origins, directions)?, threads, move |probe, tree, ray| {
            probe.set_mask(mask);
            let hit = probe.closest_hit(tree, ray, max_time);
            hit.map_or_else(Hit::default, |hit| Hit::new(hit.time, hit.point, hit.normal, hit.face))
        })
    }

    /// Tests whether each ray hits any triangle.
    ///
    /// Args:
    ///     origins, directions, max_time, mask, threads: See `closest_hit`.
    ///
    /// Returns:
    ///     bool, or an (N,) array of them.
    ///
    /// Raises:
    ///     ValueError: See `closest_hit`.
    #[pyo3(signature = (origins, directions, *, max_time = f64::INFINITY, mask = None, threads = None),
        text_signature = "($self, \
        origins, directions, *, max_time=math.inf, mask=None, threads=None)")]
    fn any_hit(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_time: f64,
        mask: Option<u32>,
        threads: Option<usize>,
    ) -> Object {
        ask(py, self.tree.clone(), rays(origins, directions)?, threads, move |probe, tree, ray| {
            probe.set_mask(mask);
            probe.any_hit(tree, ray, max_time)
        })
    }

    /// Finds all triangles that each ray hits, sorted by time. A ray through a shared edge or corner hits all triangles
    /// there.
    ///
    /// Args:
    ///     origins, directions, max_time, mask, threads: See `closest_hit`.
    ///
    /// Returns:
    ///     A structured array with the fields of `closest_hit`. For N rays a tuple of an (N + 1,) array of offsets and
    ///     one array.
    ///
    /// Raises:
    ///     ValueError: See `closest_hit`.
    #[pyo3(signature = (origins, directions, *, max_time = f64::INFINITY, mask = None, threads = None),
        text_signature = "($self, \
        origins, directions, *, max_time=math.inf, mask=None, threads=None)")]
    fn all_hits(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_time: f64,
        mask: Option<u32>,
        threads: Option<usize>,
    ) -> Object {
        ask_lists(py, self.tree.clone(), rays(origins, directions)?, threads, move |probe, tree, ray| {
            probe.set_mask(mask);
            let mut hits: Vec<Hit> = Vec::new();
            probe.for_each_hit(tree, ray, max_time, |hit| {
                hits.push(Hit::new(hit.time, hit.point, hit.normal, hit.face));
                ControlFlow::Continue(())
            });
            hits.sort_unstable_by(|p, q| p.time.total_cmp(&q.time).then(p.face.cmp(&q.face)));
            hits
        })
    }

    /// Computes when each moving sphere first hits a triangle.
    ///
    /// Args:
    ///     centers: (3,) or (N, 3), the spheres' centres at the start.
    ///     displacements: (3,) or (N, 3), the movements in the time from 0 to 1.
    ///     radius: Radius of all spheres, in the mesh's unit; 0 or more.
    ///     tolerance: Distance that may remain between the surfaces at the reported time; 0 is as exact as rounding
    ///         allows. It is not a clearance: for a clearance, enlarge the radius.
    ///     mask: See `closest_hit`.
    ///     threads: See `intersects`.
    ///
    /// Returns:
    ///     A record with the fields of `closest_hit` (`normal` points from the triangle to the sphere), or None, which
    ///     proves that there is no hit: no triangle is missed at any speed. For N spheres an (N,) array.
    ///
    /// Raises:
    ///     ValueError: See `closest_hit`. Also if a sphere does not move, or the radius is negative or not finite.
    #[pyo3(signature = (centers, displacements, radius, *, tolerance = 0.0, mask = None, threads = None))]
    #[allow(clippy::too_many_arguments)]
    fn cast_sphere(
        &self,
        py: Python<'_>,
        centers: &Bound<'_, PyAny>,
        displacements: &Bound<'_, PyAny>,
        radius: f64,
        tolerance: f64,
        mask: Option<u32>,
        threads: Option<usize>,
    ) -> Object {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(value_error("radius: expected a finite number that is not negative"));
        }
        let options = CastOptions { tolerance, ..CastOptions::default() };
        ask(py, self.tree.clone(), rays(centers, displacements)?, threads, move |probe, tree, ray| {
            probe.set_mask(mask);
            let capsule: Capsule = Sphere { center: ray.origin, radius }.into();
            let hit = probe.cast_capsule(tree, &capsule, &ray.direction, &options);
            hit.map_or_else(Hit::default, |hit| {
                Hit::new(hit.time, hit.contact.point, hit.contact.normal, hit.contact.face)
            })
        })
    }
}
