//! Ray casts: the closest hit, any hit, all hits.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Probe;
use crate::traversal::{OnRay, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::{ExactRay, Triangle};
use crate::volume::LocalRay;

/// A ray: the points `origin + time * direction` for times from 0 on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// Where it starts.
    pub origin: Point3<f64>,
    /// Where it goes in a unit of time. Of any length but zero.
    pub direction: Vector3<f64>,
}

/// Where a ray first meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// In units of the ray's direction. Zero exactly if the ray starts on the triangle.
    pub time: f64,
    /// The point of the triangle, up to rounding.
    pub point: Point3<f64>,
    /// The triangle's unit normal, by its corners' order; zero if the triangle has no area.
    pub normal: Vector3<f64>,
    /// The triangle, by its index in the mesh.
    pub face: u32,
}

impl Probe {
    /// The first triangle that a ray meets until `max_time`, which may be infinite.
    ///
    /// Triangles are closed and have no back. One of no area is the segment or point it is; one in whose plane the ray
    /// runs is met at its border. The direction is rounded once, by a relative error of about 1e-16; for that ray,
    /// which is the same for all triangles, whether they meet is exact, so that no ray slips through a shared edge or
    /// vertex.
    #[doc(alias = "nearest hit")]
    #[doc(alias = "ray cast")]
    #[doc(alias = "raycast")]
    #[doc(alias = "cast_ray")]
    #[doc(alias = "rtcIntersect")]
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

    /// Whether a ray meets any triangle until `max_time`; see [`Probe::closest_hit`].
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

    /// Calls `visit` for each triangle that a ray meets until `max_time`, in no particular order, until it breaks; see
    /// [`Probe::closest_hit`]. A ray through a shared edge or vertex meets all the triangles there.
    pub fn for_each_hit(
        &mut self,
        tree: &BvTree,
        ray: &Ray,
        max_time: f64,
        mut visit: impl FnMut(RayHit) -> ControlFlow<()>,
    ) {
        self.traverse_ray(tree, ray, max_time, &mut |_, hit| visit(hit));
    }

    /// `visit` may lower the time up to which hits matter.
    fn traverse_ray(&mut self, tree: &BvTree, ray: &Ray, max_time: f64, visit: Visit<'_>) {
        let exact = ExactRay::new(&ray.origin, &ray.direction);
        let local = LocalRay::new(&tree.meta().frame, &ray.origin, &ray.direction);
        if let (Some(exact), Some(local)) = (exact, local) {
            let positions = [local.position_before(0.0), local.position_after(max_time)];
            self.traverse(tree, OnRay { ray: local, positions }, &mut Hits { exact, local, max_time, visit });
        } else {
            self.stats = Default::default();
        }
    }
}

type Visit<'a> = &'a mut dyn FnMut(&mut f64, RayHit) -> ControlFlow<()>;

struct Hits<'a> {
    exact: ExactRay,
    local: LocalRay,
    max_time: f64,
    visit: Visit<'a>,
}

impl TriangleVisitor for Hits<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        if let Some(contact) = self.exact.contact(triangle).filter(|contact| contact.time <= self.max_time) {
            let normal = triangle.scaled_normal().try_normalize(0.0).unwrap_or_default();
            let hit = RayHit { time: contact.time, point: contact.point, normal, face };
            (self.visit)(&mut self.max_time, hit)?;
        }
        ControlFlow::Continue(self.local.position_after(self.max_time))
    }
}
