//! A mesh against all bodies.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::body::{posed_bounds, to_world};
use super::broad_phase::Box32;
use super::pair_cache::reach32;
use super::{Body, BodyId, Scene};
use crate::pose::Pose;
use crate::query::{ClosestPair, DistanceOptions, FacePair, Query};
use crate::tree::BvTree;

/// A body near a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearBody {
    /// The body.
    pub body: BodyId,
    /// As [`ClosestPair::distance`](crate::query::ClosestPair::distance): 0 exactly when they touch.
    pub distance: f64,
    /// The closest points of the mesh and of the body, in the world.
    pub points: [Point3<f64>; 2],
    /// The triangles that they are on; A is the mesh.
    pub faces: FacePair,
}

impl Scene {
    /// The bodies that a mesh touches, posed in the world, in the order of their ids: of those in a collision group of
    /// the mask (`body.groups & mask != 0`; bodies' own masks play no part). For a body that is in the scene the answer
    /// has the body itself.
    ///
    /// Any number of threads may ask at once, each with a query object of its own.
    pub fn bodies_intersecting(&self, query: &mut Query, tree: &BvTree, pose: &Pose, mask: u32) -> Vec<BodyId> {
        let mut found = self.bodies_near(tree, pose, 0.0, mask);
        found.retain(|&id| {
            self.body(id).is_some_and(|body| {
                let b_to_a = Pose::relative(pose, &body.pose);
                query.intersects(tree, &body.tree, &b_to_a) || lies_inside(query, tree, body, &b_to_a)
            })
        });
        found
    }

    /// The bodies in the mask's collision groups whose distance from a mesh, posed in the world, is at most a
    /// clearance, in the order of their ids; see [`Scene::bodies_intersecting`].
    pub fn bodies_within(
        &self,
        query: &mut Query,
        tree: &BvTree,
        pose: &Pose,
        clearance: f64,
        mask: u32,
    ) -> Vec<NearBody> {
        if clearance.is_nan() || clearance < 0.0 {
            return Vec::new();
        }
        let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
        let distance = |id: BodyId| {
            let body = self.body(id)?;
            let b_to_a = Pose::relative(pose, &body.pose);
            let mut found = query.distance_with(tree, &body.tree, &b_to_a, &options);
            if found.is_none_or(|found| found.distance > 0.0) && lies_inside(query, tree, body, &b_to_a) {
                let closest = query.distance(tree, &body.tree, &b_to_a)?;
                found = Some(ClosestPair { distance: 0.0, on_b: closest.on_a, ..closest });
            }
            let found = found?;
            let points = [found.on_a, found.on_b].map(|point| to_world(pose, &point));
            Some(NearBody { body: id, distance: found.distance, points, faces: found.faces })
        };
        self.bodies_near(tree, pose, clearance, mask).into_iter().filter_map(distance).collect()
    }

    /// The bodies in the mask's collision groups whose world AABBs are at most `reach` (in the world's unit, along each
    /// axis) from that of a mesh, posed in the world, in the order of their ids: for a question of one's own. Some that
    /// are a little farther may come too, for bodies' boxes have room; none that is so near is missing. Nothing is near
    /// an empty mesh.
    pub fn bodies_near(&self, tree: &BvTree, pose: &Pose, reach: f64, mask: u32) -> Vec<BodyId> {
        let bounds = posed_bounds(tree, pose);
        let mut found = Vec::new();
        if bounds.is_empty() {
            return found;
        }
        let near = Box32::around(&bounds, &self.origin).grown(reach32(reach));
        let _ = self.tree.for_each_overlap(&near, |place| {
            found.push(self.id(place));
            ControlFlow::Continue(())
        });
        found.retain(|&id| self.body(id).is_some_and(|body| body.groups & mask != 0));
        found.sort_unstable();
        found
    }
}

/// Whether a mesh, whose surface does not touch the body's, lies inside the body, which must be solid for that.
fn lies_inside(query: &mut Query, tree: &BvTree, body: &Body, b_to_a: &Pose) -> bool {
    body.is_solid && query.inner([tree, &body.tree], b_to_a, [false, true]).is_some()
}
