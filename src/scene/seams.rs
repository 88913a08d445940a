//! Seams of static bodies: the triangles of other bodies that continue a body's surface at its boundary.

use nalgebra::Point3;

use super::body::Body;
use super::compound::{PartPair, Simple};
use super::narrow_phase::BodyPair;
use crate::pose::Pose;
use crate::probe::Probe;
use crate::query::ManifoldNeighbors;
use crate::shape::{Aabb, Sphere};
use crate::triangle::Triangle;

#[cfg(test)]
mod tests;

impl BodyPair<'_> {
    /// The triangles that pass within a tolerance of `point`, a boundary point of the part on `side` (0 for A, 1 for
    /// B), and that tolerance, all in the pair's frame. They are triangles of other static bodies and of the same
    /// body's other parts. The body on `side` is static. Bodies that the scene does not compare with the body on the
    /// other side are left out, since that body passes through them.
    pub(super) fn seam_triangles(
        &self,
        pair: &PartPair<'_>,
        probe: &mut Probe,
        side: usize,
        point: &Point3<f64>,
    ) -> (ManifoldNeighbors, f64) {
        let mut found = ManifoldNeighbors::new();
        let own = self.slots[side];
        let to_world = pair.frame();
        let mut tolerance = own.seam_tolerance();
        let in_world = to_world.transform_point(point);
        let at = Aabb { lower: in_world, upper: in_world };
        let own_tolerance = tolerance;
        self.scene.for_each_near(&at, own_tolerance, |id| {
            let neighbor = &self.scene.slots[id.index()];
            let is_own = id.index == self.indices[side];
            if !neighbor.body.is_static
                || id.index == self.indices[1 - side]
                || !is_own && !self.scene.is_compared(id.index, self.indices[1 - side])
            {
                return;
            }
            let reach = own_tolerance + neighbor.seam_tolerance();
            tolerance = tolerance.max(reach);
            let Body { geometry, pose, .. } = &neighbor.body;
            let local = pose.inverse_transform(&pose.inverse_rotation(), &in_world);
            geometry.near_parts(&Aabb { lower: local, upper: local }.grown(reach), reach, |part, limit| {
                let (simple, pose) = geometry.part(part, pose);
                let Simple::Tree(tree) = simple else { return limit };
                if is_own && part == pair.parts[side] {
                    return limit;
                }
                let to_frame = Pose::relative(to_world, &pose);
                let center = to_frame.inverse_transform(&to_frame.inverse_rotation(), point);
                let triangles = probe.triangles_in_sphere(tree, &Sphere { center, radius: reach });
                found.extend(triangles.iter().map(|triangle| Triangle {
                    vertices: triangle.vertices.map(|vertex| to_frame.transform_point(&vertex)),
                }));
                limit
            });
        });
        (found, tolerance)
    }
}
