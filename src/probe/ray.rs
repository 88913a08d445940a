//! Ray casts: the closest hit, any hit, all hits.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Probe;
use crate::traversal::{OnRay, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::{ExactRay, Triangle};
use crate::volume::LocalRay;

/// A ray: the points `origin + time * direction` for all times of 0 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// The start of the ray.
    pub origin: Point3<f64>,
    /// The displacement per unit of time. It need not have unit length, but its length must be in `1e-60 ..= 1e60`:
    /// rays with a zero direction hit nothing, and beyond the range hits may be missed.
    pub direction: Vector3<f64>,
}

impl Ray {
    /// The ray from `origin` in `direction`.
    pub fn new(origin: Point3<f64>, direction: Vector3<f64>) -> Self {
        Self { origin, direction }
    }
}

/// The first point of a triangle that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// The time of the hit, at which the ray is at `origin + time * direction`; exactly zero if and only if the ray
    /// starts on the triangle.
    pub time: f64,
    /// The point that is hit, up to rounding.
    pub point: Point3<f64>,
    /// The triangle's unit normal by the right-hand rule; zero if the triangle has no area.
    pub normal: Vector3<f64>,
    /// The index of the triangle in the mesh.
    pub face: u32,
}

impl Probe {
    /// Returns the first hit of a ray at a time of at most `max_time`, which may be infinite. Of several triangles hit
    /// at the same time, the one with the lowest index is returned.
    ///
    /// Triangles are closed and two-sided; only if a mask is set ([`Probe::set_mask`]), those that are one-sided by
    /// their [`Layers`](crate::tree::Layers) are passed from behind. A zero-area triangle is a segment or a point; a
    /// triangle in whose plane the ray lies is hit at its boundary, or at the ray's origin if that is inside. The
    /// direction is rounded once, with a relative error of about 1e-16. For that rounded ray, which is the same for all
    /// triangles, whether it meets a triangle is decided exactly, so no ray slips through a shared edge or vertex. The
    /// length of the direction must be in `1e-60 ..= 1e60`.
    #[doc(alias = "nearest hit")]
    #[doc(alias = "ray cast")]
    #[doc(alias = "raycast")]
    #[doc(alias = "cast_ray")]
    #[doc(alias = "rtcIntersect")]
    #[doc(alias = "first hit")]
    pub fn closest_hit(&mut self, tree: &BvTree, ray: &Ray, max_time: f64) -> Option<RayHit> {
        let mut nearest: Option<RayHit> = None;
        self.traverse_ray(tree, ray, max_time, &mut |limit, hit| {
            if nearest.is_none_or(|nearest| (hit.time, hit.face) < (nearest.time, nearest.face)) {
                nearest = Some(hit);
                *limit = hit.time;
            }
            ControlFlow::Continue(())
        });
        nearest
    }

    /// Whether a ray meets any triangle at a time of at most `max_time`; see [`Probe::closest_hit`].
    #[doc(alias = "shadow ray")]
    #[doc(alias = "occluded")]
    #[doc(alias = "rtcOccluded")]
    pub fn any_hit(&mut self, tree: &BvTree, ray: &Ray, max_time: f64) -> bool {
        let mut any = false;
        self.traverse_ray(tree, ray, max_time, &mut |_, _| {
            any = true;
            ControlFlow::Break(())
        });
        any
    }

    /// Calls `visit` for each triangle that a ray meets at a time of at most `max_time`, in no particular order, until
    /// it breaks; see [`Probe::closest_hit`]. A ray through a shared edge or vertex meets all triangles there.
    pub fn for_each_hit(
        &mut self,
        tree: &BvTree,
        ray: &Ray,
        max_time: f64,
        mut visit: impl FnMut(RayHit) -> ControlFlow<()>,
    ) {
        self.traverse_ray(tree, ray, max_time, &mut |_, hit| visit(hit));
    }

    /// Calls `visit` for each hit; `visit` may lower the time up to which hits matter.
    fn traverse_ray(&mut self, tree: &BvTree, ray: &Ray, max_time: f64, visit: Visit<'_>) {
        let exact = ExactRay::new(&ray.origin, &ray.direction);
        let local = LocalRay::new(&tree.meta().frame, &ray.origin, &ray.direction);
        if let (Some(exact), Some(local)) = (exact, local) {
            let (start, limit) = (local.position_before(0.0), local.position_after(max_time));
            let test = OnRay { ray: local, start };
            let mut visitor = RayHitVisitor { exact, local: &test.ray, max_time, visit };
            self.traverse_masked(tree, &test, limit, &mut visitor, Some(&ray.direction));
        } else {
            self.stats = Default::default();
        }
    }
}

type Visit<'a> = &'a mut dyn FnMut(&mut f64, RayHit) -> ControlFlow<()>;

struct RayHitVisitor<'a> {
    exact: ExactRay,
    local: &'a LocalRay,
    max_time: f64,
    visit: Visit<'a>,
}

impl TriangleVisitor for RayHitVisitor<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        if let Some(contact) = self.exact.contact(triangle).filter(|contact| contact.time <= self.max_time) {
            let normal = triangle.unit_normal();
            let hit = RayHit { time: contact.time, point: contact.point, normal, face };
            (self.visit)(&mut self.max_time, hit)?;
        }
        ControlFlow::Continue(self.local.position_after(self.max_time))
    }
}
