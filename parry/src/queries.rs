//! Intersections, distances, closest points and contacts of a tree and another shape, with results as if the tree were
//! the first shape.
//!
//! Calls of parry3d pass a triangle as the second shape: with a triangle first and a half-space second, parry3d 0.31.1
//! mistakes the pose for its inverse.

use std::ops::ControlFlow;

use bvtree::{Pose as TreePose, Query, query};
use nalgebra::Point3;
use parry3d::bounding_volume::BoundingVolume;
use parry3d::query::{
    ClosestPoints, Contact, DefaultQueryDispatcher, QueryDispatcher, ShapeDistance, ShapeIntersection, Unsupported,
};
use parry3d::shape::Shape;

use crate::TreeShape;
use crate::convex::convex_shape;
use crate::pair::{Pair, narrow, narrow_vector, widen, with_probe};

/// The closest points of a tree and another shape, in the tree's frame. If the two touch, both points are the same: a
/// common point, or the center of a touching triangle if bvtree has no such shape.
struct Closest {
    distance: f64,
    on_tree: Point3<f64>,
    on_other: Point3<f64>,
    face: u32,
    /// The id of the other shape's part.
    part: u32,
}

impl Pair<'_> {
    pub(crate) fn intersection(&self) -> Result<ShapeIntersection, Unsupported> {
        let at = |face, part| ShapeIntersection::new(true).with_subshapes(face, part);
        let mut found = ShapeIntersection::new(false);
        if let Some(other) = self.other.as_shape::<TreeShape>() {
            Query::new().for_each_intersecting_pair(self.tree.tree(), other.tree(), &self.tree_pose()?, |faces| {
                found = at(faces.face_a, faces.face_b);
                ControlFlow::Break(())
            });
        } else if let Some(parts) = self.parts(Some(&self.tree.compute_local_aabb())) {
            for id in parts {
                self.map_part(id, &mut |part, _, _| {
                    if let Ok(hit) = part.intersection()
                        && hit.intersecting
                    {
                        found = at(hit.subshape1, id);
                    }
                });
                if found.intersecting {
                    break;
                }
            }
        } else if let Some(shape) = convex_shape(self.other, &self.pose, 0.0) {
            with_probe(|probe| {
                probe.for_each_face_in_convex(self.tree.tree(), &shape, |face| {
                    found = at(face, 0);
                    ControlFlow::Break(())
                });
            });
        } else {
            let inverse = self.pose.inverse();
            for (face, triangle) in self.triangles_in(&self.other.compute_aabb(&self.pose)) {
                if DefaultQueryDispatcher.intersection_test(&inverse, self.other, &triangle)?.intersecting {
                    return Ok(at(face, 0));
                }
            }
        }
        Ok(found)
    }

    pub(crate) fn distance(&self) -> Result<ShapeDistance, Unsupported> {
        let closest = self.closest(f32::MAX)?.ok_or(Unsupported)?;
        Ok(ShapeDistance::new(closest.distance as f32).with_subshapes(closest.face, closest.part))
    }

    pub(crate) fn closest_points(&self, max_dist: f32) -> Result<ClosestPoints, Unsupported> {
        Ok(match self.closest(max_dist)? {
            None => ClosestPoints::Disjoint,
            Some(closest) if closest.distance == 0.0 => ClosestPoints::Intersecting,
            Some(closest) => ClosestPoints::WithinMargin(
                narrow(&closest.on_tree),
                self.pose.inverse_transform_point(narrow(&closest.on_other)),
            ),
        })
    }

    /// The deepest contact of a triangle with the other shape; if no triangle touches the shape, the contact at the
    /// closest points, within `prediction`.
    pub(crate) fn contact(&self, prediction: f32) -> Result<Option<Contact>, Unsupported> {
        let Some(closest) = self.closest(prediction)? else { return Ok(None) };
        if closest.distance > 0.0 {
            let normal = narrow_vector(&((closest.on_other - closest.on_tree) / closest.distance));
            let on_other = self.pose.inverse_transform_point(narrow(&closest.on_other));
            let inward = self.pose.rotation.inverse() * -normal;
            let contact = Contact::new(narrow(&closest.on_tree), on_other, normal, inward, closest.distance as f32);
            return Ok(Some(contact.with_subshapes(closest.face, closest.part)));
        }
        let mut deepest: Option<Contact> = None;
        let mut consider = |contact: Contact| {
            if deepest.is_none_or(|deepest| contact.dist < deepest.dist) {
                deepest = Some(contact);
            }
        };
        if let Some(parts) = self.parts(Some(&self.tree.compute_local_aabb())) {
            for id in parts {
                self.map_part(id, &mut |part, pose, _| {
                    if let Ok(Some(mut contact)) = part.contact(prediction) {
                        if let Some(pose) = pose {
                            contact.point2 = pose * contact.point2;
                            contact.normal2 = pose.rotation * contact.normal2;
                        }
                        consider(contact.with_subshapes(contact.subshape1, id));
                    }
                });
            }
        } else {
            let inverse = self.pose.inverse();
            for (face, triangle) in self.triangles_in(&self.other.compute_aabb(&self.pose)) {
                let contact = DefaultQueryDispatcher.contact(&inverse, self.other, &triangle, prediction)?;
                if let Some(contact) = contact {
                    consider(contact.flipped().with_subshapes(face, 0));
                }
            }
        }
        Ok(deepest)
    }

    /// The closest points; `None` if they are farther apart than `max_dist`.
    fn closest(&self, max_dist: f32) -> Result<Option<Closest>, Unsupported> {
        if let Some(other) = self.other.as_shape::<TreeShape>() {
            let options = query::DistanceOptions { upper_bound: max_dist.into(), ..Default::default() };
            let pose = self.tree_pose()?;
            let pair = Query::new().distance_with(self.tree.tree(), other.tree(), &pose, &options);
            return Ok(pair.map(|pair| Closest {
                distance: pair.distance,
                on_tree: pair.on_a,
                on_other: pair.on_b,
                face: pair.faces.face_a,
                part: pair.faces.face_b,
            }));
        }
        let mut closest: Option<Closest> = None;
        let mut bound = max_dist;
        if let Some(parts) = self.parts(None) {
            for id in parts {
                self.map_part(id, &mut |part, _, _| {
                    if let Ok(Some(of_part)) = part.closest(bound)
                        && closest.as_ref().is_none_or(|closest| of_part.distance < closest.distance)
                    {
                        bound = of_part.distance as f32;
                        closest = Some(Closest { part: id, ..of_part });
                    }
                });
            }
            return Ok(closest);
        }
        if let Some(shape) = convex_shape(self.other, &self.pose, 0.0) {
            let found = with_probe(|probe| probe.closest_to_convex(self.tree.tree(), &shape, max_dist.into()));
            return Ok(found.map(|found| Closest {
                distance: found.distance,
                on_tree: found.on_mesh,
                on_other: found.on_shape,
                face: found.face,
                part: 0,
            }));
        }
        let inverse = self.pose.inverse();
        for (face, triangle) in self.triangles_in(&self.other.compute_aabb(&self.pose).loosened(max_dist)) {
            let (on_other, on_tree) =
                match DefaultQueryDispatcher.closest_points(&inverse, self.other, &triangle, bound)? {
                    ClosestPoints::Intersecting => (triangle.center(), triangle.center()),
                    ClosestPoints::WithinMargin(on_other, on_triangle) => (self.pose * on_other, on_triangle),
                    ClosestPoints::Disjoint => continue,
                };
            let [on_tree, on_other] = [on_tree, on_other].map(widen);
            let distance = (on_other - on_tree).norm();
            if closest.as_ref().is_none_or(|closest| distance < closest.distance) {
                bound = distance as f32;
                closest = Some(Closest { distance, on_tree, on_other, face, part: 0 });
            }
        }
        Ok(closest)
    }

    fn tree_pose(&self) -> Result<TreePose, Unsupported> {
        TreePose::try_from(self.pose).map_err(|_| Unsupported)
    }
}
