//! Rays, points and moving convex shapes against all bodies.

use std::sync::Arc;

use bvtree::probe::{CastOptions, ConvexCastHit, Ray, RayHit};
use bvtree::scene::BodyHit;
use bvtree::{Pose, Probe};
use pyo3::prelude::*;

use super::rows::{BodyHitRow, BodyPointRow};
use super::{Object, PyScene, State};
use crate::arrays::Rows;
use crate::loan::Loan;
use crate::poses::poses;
use crate::probe::{ask, ask_lists, rays};
use crate::records::face;
use crate::shapes::shape_argument;

#[pymethods]
impl PyScene {
    /// Finds the first triangle or convex shape of any body that each ray hits.
    ///
    /// Args:
    ///     origins, directions: (3,) or (N, 3), in the world; one of either may be combined with many of the other.
    ///         Directions may have any nonzero length; times are in units of that length.
    ///     max_time: Largest time of interest, where the rays end.
    ///     mask: Collision groups as bits: bodies in none of these groups are ignored.
    ///
    /// Returns:
    ///     A record with the fields `body` (its number), `time`, `point` ((3,) float64), `normal` (unit, from the order
    ///     of the corners, in the world), `face` (-1 for a convex shape) and `part` (the index of a compound's part),
    ///     None without a hit; for N rays an (N,) structured array, with a time of infinity and a body, face and part
    ///     of -1 for rays without a hit. If a ray hits several triangles at the same time, any one of them may be
    ///     returned, but always the same one.
    ///
    /// Raises:
    ///     ValueError: If an array has another shape, the numbers of origins and directions differ, a number is not
    ///         finite or a direction is zero.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    ///     >>> scene = bvtree.Scene()
    ///     >>> [scene.add(tree, ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, z])) for z in (0, 3)]
    ///     [0, 1]
    ///     >>> hit = scene.closest_hit([0.25, 0.25, 5], [0, 0, -1])
    ///     >>> int(hit.body), float(hit.time)
    ///     (1, 2.0)
    ///     >>> offsets, hits = scene.all_hits([[0.25, 0.25, 5], [9, 9, 5]], [0, 0, -1])
    ///     >>> offsets.tolist(), hits["body"].tolist(), hits["time"].tolist()
    ///     ([0, 2, 2], [1, 0], [2.0, 5.0])
    #[pyo3(signature = (origins, directions, *, max_time = f64::INFINITY, mask = 0xFFFF_FFFF),
        text_signature = "($self, origins, directions, *, max_time=math.inf, mask=4294967295)")]
    fn closest_hit(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_time: f64,
        mask: u32,
    ) -> Object {
        let (rays, state) = (rays(origins, directions)?, self.lend(py)?);
        ask(py, state, rays, self.threads, move |probe, state, ray| {
            let hit = state.scene.closest_hit(probe, ray, max_time, mask);
            hit.map_or_else(BodyHitRow::default, |hit| state.hit(&hit))
        })
    }

    /// Tests whether each ray hits any body.
    ///
    /// Args:
    ///     origins, directions, max_time, mask: See `closest_hit`.
    ///
    /// Returns:
    ///     bool, or an (N,) array of them.
    ///
    /// Raises:
    ///     ValueError: See `closest_hit`.
    #[pyo3(signature = (origins, directions, *, max_time = f64::INFINITY, mask = 0xFFFF_FFFF),
        text_signature = "($self, origins, directions, *, max_time=math.inf, mask=4294967295)")]
    fn any_hit(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_time: f64,
        mask: u32,
    ) -> Object {
        let (rays, state) = (rays(origins, directions)?, self.lend(py)?);
        let question =
            move |probe: &mut Probe, state: &Loan<State>, ray: &Ray| state.scene.any_hit(probe, ray, max_time, mask);
        ask(py, state, rays, self.threads, question)
    }

    /// Finds all triangles and convex shapes of all bodies that each ray hits, sorted by time, then body, part and
    /// face. A ray through a shared edge or corner hits all triangles there.
    ///
    /// Args:
    ///     origins, directions, max_time, mask: See `closest_hit`.
    ///
    /// Returns:
    ///     An (M,) structured array with the fields of `closest_hit`. For N rays a tuple of an (N + 1,) int64 array of
    ///     offsets and one array: the hits of ray i are `hits[offsets[i]:offsets[i + 1]]`.
    ///
    /// Raises:
    ///     ValueError: See `closest_hit`.
    #[pyo3(signature = (origins, directions, *, max_time = f64::INFINITY, mask = 0xFFFF_FFFF),
        text_signature = "($self, origins, directions, *, max_time=math.inf, mask=4294967295)")]
    fn all_hits(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_time: f64,
        mask: u32,
    ) -> Object {
        let (rays, state) = (rays(origins, directions)?, self.lend(py)?);
        ask_lists(py, state, rays, self.threads, move |probe, state, ray| {
            let hits = state.scene.hits(probe, ray, max_time, mask);
            let mut rows: Vec<BodyHitRow> = hits.iter().map(|hit| state.hit(hit)).collect();
            let key = |row: &BodyHitRow| (row.body, row.part, row.face);
            rows.sort_unstable_by(|p, q| p.time.total_cmp(&q.time).then(key(p).cmp(&key(q))));
            rows
        })
    }

    /// Finds the point of all bodies that is closest to each query point.
    ///
    /// Meshes count as surfaces here: the distance of a point inside a body is that from its closest triangle. A point
    /// inside a convex shape is at distance 0; its face is -1.
    ///
    /// Args:
    ///     points: (3,) or (N, 3), in the world.
    ///     max_distance: Largest distance of interest, in the world's unit; points farther away are not found.
    ///     mask: Collision groups as bits: bodies in none of these groups are ignored.
    ///
    /// Returns:
    ///     A record with the fields `body` (its number), `distance`, `point` ((3,) float64, in the world), `face`
    ///     and `part`, None if no point is that close; for N points an (N,) structured array, with a distance of
    ///     infinity and a body, face and part of -1 where no point is.
    ///
    /// Raises:
    ///     ValueError: If the array has another shape, or a number is not finite.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    ///     >>> scene = bvtree.Scene()
    ///     >>> [scene.add(tree, ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, z])) for z in (0, 3)]
    ///     [0, 1]
    ///     >>> found = scene.closest_point([[0, 0, 1], [0, 0, 7]])
    ///     >>> found["body"].tolist(), found["distance"].tolist()
    ///     ([0, 1], [1.0, 4.0])
    ///     >>> scene.closest_point([0, 0, 7], max_distance=2) is None
    ///     True
    #[pyo3(signature = (points, *, max_distance = f64::INFINITY, mask = 0xFFFF_FFFF), text_signature = "($self, \
        points, *, max_distance=math.inf, mask=4294967295)")]
    fn closest_point(&self, py: Python<'_>, points: &Bound<'_, PyAny>, max_distance: f64, mask: u32) -> Object {
        let (points, state) = (Rows::new(points, "points")?.points(), self.lend(py)?);
        ask(py, state, points, self.threads, move |probe, state, point| {
            let found = state.scene.closest_point(probe, point, max_distance, mask);
            found.map_or_else(BodyPointRow::default, |found| BodyPointRow {
                body: state.number(found.body),
                distance: found.distance,
                point: found.point.into(),
                face: face(found.face),
                part: found.part.into(),
            })
        })
    }

    /// Computes when a convex shape, which is solid and moves without turning, first touches a body.
    ///
    /// Args:
    ///     shape: A `ConvexShape`.
    ///     displacement: (3,) or (N, 3), the movement in the time from 0 to 1, in the world. Zero finds a contact at
    ///         the start.
    ///     pose: Maps the shape at the start into the world: one pose, or N of them. None is the identity.
    ///     tolerance: See `Tree.cast_sphere`.
    ///     mask: Collision groups as bits: bodies in none of these groups are ignored.
    ///
    /// Returns:
    ///     A record with the fields of `closest_hit` (`normal` points from the body to the shape), or None, which
    ///     proves that there is no contact. For N displacements or poses an (N,) array, with a time of infinity and a
    ///     body, face and part of -1 where there is none.
    ///
    /// Raises:
    ///     InvalidPose: If a matrix is not a rotation and a translation.
    ///     ValueError: If an array has another shape or the numbers of poses and displacements differ.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> scene = bvtree.Scene()
    ///     >>> pillar = scene.add(bvtree.ConvexShape.cylinder(0.5, 4.0))
    ///     >>> crate = bvtree.ConvexShape.box([1, 1, 1])
    ///     >>> hit = scene.cast_convex(crate, [10, 0, 0], bvtree.pose_from_translation([-5, 0, 0]))
    ///     >>> int(hit.body), round(float(hit.time), 6)
    ///     (0, 0.4)
    #[pyo3(signature = (shape, displacement, pose = None, *, tolerance = 0.0, mask = 0xFFFF_FFFF))]
    fn cast_convex(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        displacement: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        tolerance: f64,
        mask: u32,
    ) -> Object {
        let shape = shape_argument(shape, "shape")?;
        let displacements = Rows::new(displacement, "displacement")?.asked();
        let asked = poses(pose, "pose")?.with(displacements, ["pose", "displacement"])?;
        let (options, state) = (CastOptions { tolerance, ..CastOptions::default() }, self.lend(py)?);
        ask(py, state, asked, self.threads, move |probe, state, (pose, displacement): &(Pose, [f64; 3])| {
            let hit = state.scene.cast_convex(probe, &shape, pose, &(*displacement).into(), &options, mask);
            hit.map_or_else(BodyHitRow::default, |found| {
                let ConvexCastHit { time, point, normal, face } = found.hit;
                state.hit(&BodyHit { body: found.body, hit: RayHit { time, point, normal, face }, part: found.part })
            })
        })
    }
}

impl PyScene {
    /// Lends the scene for read-only queries, which several threads may run at once.
    fn lend(&self, py: Python<'_>) -> PyResult<Arc<Loan<State>>> {
        self.state.lend(py).map(Arc::new)
    }
}

impl State {
    fn hit(&self, found: &BodyHit) -> BodyHitRow {
        BodyHitRow {
            body: self.number(found.body),
            time: found.hit.time,
            point: found.hit.point.into(),
            normal: found.hit.normal.into(),
            face: face(found.hit.face),
            part: found.part.into(),
        }
    }
}
