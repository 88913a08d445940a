//! Casts of a moving shape and a moving tree, with results as if the tree were the first shape.

use std::collections::HashSet;

use bvtree::probe::CastOptions;
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::{Pose, Vector};
use parry3d::query::{
    DefaultQueryDispatcher, NonlinearRigidMotion, QueryDispatcher, ShapeCastHit, ShapeCastOptions, ShapeCastStatus,
    Unsupported,
};
use parry3d::shape::Shape;

use crate::convex::convex_shape;
use crate::pair::{Pair, PlacedBox, narrow, narrow_vector, widen_vector, with_probe};

/// The gap that counts as contact in a cast, relative to the largest coordinate of the shape's box: below the rounding
/// of f32.
const CAST_TOLERANCE: f64 = 1e-8;

/// The greatest number of time intervals into which a turning motion is divided. In each, the triangles near the path
/// are found anew.
const MAX_INTERVALS: f32 = 64.0;

impl Pair<'_> {
    /// The first contact of the other shape, which moves with a velocity in the tree's frame.
    pub(crate) fn cast(
        &self,
        velocity: Vector,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        if let Some(parts) = self.parts(None) {
            let mut best = Earliest::before(options.max_time_of_impact);
            for id in parts {
                self.map_part(id, &mut |part, pose, _| {
                    let options = ShapeCastOptions { max_time_of_impact: best.limit, ..options };
                    best.consider(part.cast(velocity, options).ok().flatten().map(|hit| in_whole(hit, pose, id)));
                });
            }
            return Ok(best.hit);
        }
        // The time after which the shape has passed the tree.
        let start = self.other.compute_aabb(&self.pose).loosened(options.target_distance);
        let speed = velocity.length();
        let length = start.merged(&self.tree.compute_local_aabb()).extents().length();
        let passed = if speed > 0.0 { length / speed } else { 0.0 };
        let end = options.max_time_of_impact.min(passed);
        if !end.is_finite() {
            // The other shape is a half-space, or has no bounds for another reason.
            return self.cast_triangles(velocity, &self.tree.compute_local_aabb(), options);
        }
        let displacement = velocity * end;
        if let Some(shape) = convex_shape(self.other, &self.pose, options.target_distance) {
            let (aabb, displacement) = (shape.aabb(), widen_vector(displacement));
            let largest = aabb.lower.coords.amax().max(aabb.upper.coords.amax());
            let cast = CastOptions { tolerance: CAST_TOLERANCE * largest, departing: options.stop_at_penetration };
            let found = with_probe(|probe| probe.cast_convex(self.tree.tree(), &shape, &displacement, &cast));
            match found {
                // Triangles that are touched at the start don't count if the shape leaves them: parry3d decides which
                // do.
                Some(hit) if hit.time == 0.0 && !options.stop_at_penetration => {}
                Some(hit) => {
                    let time = hit.time as f32 * end;
                    let normal = narrow_vector(&hit.normal);
                    let point = narrow(&hit.point);
                    let place = Pose { translation: self.pose.translation + velocity * time, ..self.pose };
                    let is_start = hit.time == 0.0;
                    return Ok(Some(ShapeCastHit {
                        time_of_impact: time,
                        witness1: point,
                        witness2: place.inverse_transform_point(point + normal * options.target_distance),
                        normal1: normal,
                        normal2: place.rotation.inverse() * -normal,
                        status: if is_start {
                            ShapeCastStatus::PenetratingOrWithinTargetDist
                        } else {
                            ShapeCastStatus::Converged
                        },
                        subshape1: hit.face,
                        subshape2: 0,
                    }));
                }
                None => return Ok(None),
            }
        }
        let moved = Aabb::new(start.mins + displacement, start.maxs + displacement);
        self.cast_triangles(velocity, &start.merged(&moved), options)
    }

    /// Casts the shape by parry3d against each triangle in a box around the path.
    fn cast_triangles(
        &self,
        velocity: Vector,
        path: &Aabb,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let mut best = Earliest::before(options.max_time_of_impact);
        // The triangle is parry3d's second shape, as in the other queries.
        let (inverse, back) = (self.pose.inverse(), -(self.pose.rotation.inverse() * velocity));
        for (face, triangle) in self.triangles_in(path) {
            let options = ShapeCastOptions { max_time_of_impact: best.limit, ..options };
            let hit = DefaultQueryDispatcher.cast_shapes(&inverse, back, self.other, &triangle, options)?;
            best.consider(hit.map(|hit| ShapeCastHit { subshape1: face, ..hit.swapped() }));
        }
        Ok(best.hit)
    }

    /// The first contact while the tree and the other shape move and turn.
    ///
    /// Time is divided into intervals. For one interval after another, parry3d computes the time of contact for each
    /// triangle in a box around all that the shape may reach in it; the search ends when a triangle is met before the
    /// next interval begins.
    pub(crate) fn cast_nonlinear(
        &self,
        tree_motion: &NonlinearRigidMotion,
        motion: &NonlinearRigidMotion,
        [start, end]: [f32; 2],
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        if let Some(parts) = self.parts(None) {
            let mut best = Earliest::before(end);
            for id in parts {
                self.map_part(id, &mut |part, pose, _| {
                    let motion = pose.map_or(*motion, |pose| motion.prepend(*pose));
                    let times = [start, best.limit];
                    let hit = part.cast_nonlinear(tree_motion, &motion, times, stop_at_penetration);
                    best.consider(hit.ok().flatten().map(|hit| in_whole(hit, pose, id)));
                });
            }
            return Ok(best.hit);
        }
        let sphere = self.other.compute_local_bounding_sphere();
        let velocity = motion.linvel - tree_motion.linvel;
        let [turn, tree_turn] = [motion.angvel.length(), tree_motion.angvel.length()];
        // The greatest speed of the shape's points in the world due to its turning alone, and in all; then relative to
        // the tree.
        let turning = turn * ((sphere.center - motion.local_center).length() + sphere.radius);
        let speed = velocity.length() + turning;
        let fastest = speed + tree_turn * (self.tree.compute_local_bounding_sphere().radius + sphere.radius);
        let count = (fastest * (end - start) / sphere.radius.max(f32::MIN_POSITIVE)).ceil().clamp(1.0, MAX_INTERVALS);
        let half = (end - start) / count * 0.5;
        let (local, mut tried) = (self.other.compute_local_aabb(), HashSet::new());
        let mut best = Earliest::before(end);
        for k in 0..count as u32 {
            let middle = start + half * (2 * k + 1) as f32;
            if best.limit < middle - half {
                break;
            }
            let [tree_pose, pose] = [tree_motion, motion].map(|motion| motion.position_at_time(middle));
            // The displacement in half the interval, in the tree's frame at its middle, and how far points may deviate
            // from it.
            let way = tree_pose.rotation.inverse() * velocity * half;
            let lever = (pose * sphere.center - tree_pose * tree_motion.local_center).length() + sphere.radius;
            let reach = (turning + tree_turn * (lever + (speed + velocity.length()) * half)) * half;
            let relative = tree_pose.inv_mul(&pose);
            let reach = reach * 1.001;
            let near = swept(&self.other.compute_aabb(&relative).loosened(reach), way);
            let in_frame = swept(&local.loosened(reach), relative.rotation.inverse() * way);
            let placed = PlacedBox::new(&relative, &in_frame);
            for (face, triangle) in self.triangles_in(&near) {
                if !placed.is_apart_from(&triangle, triangle.normal()) && tried.insert(face) {
                    let hit = DefaultQueryDispatcher.cast_shapes_nonlinear(
                        tree_motion,
                        &triangle,
                        motion,
                        self.other,
                        start,
                        end,
                        stop_at_penetration,
                    )?;
                    best.consider(hit.map(|hit| ShapeCastHit { subshape1: face, ..hit }));
                }
            }
        }
        Ok(best.hit)
    }
}

/// The AABB of a box that is swept along `way` in both directions from where it is.
fn swept(bounds: &Aabb, way: Vector) -> Aabb {
    Aabb::new(bounds.mins - way.abs(), bounds.maxs + way.abs())
}

/// Converts a hit of a part to a hit of the whole shape, in which `pose` places the part.
fn in_whole(hit: ShapeCastHit, pose: Option<&Pose>, part: u32) -> ShapeCastHit {
    let hit = pose.map_or(hit, |pose| hit.swapped().transform1_by(pose).swapped());
    ShapeCastHit { subshape2: part, ..hit }
}

/// The earliest of several hits.
struct Earliest {
    /// The time after which hits don't matter.
    limit: f32,
    hit: Option<ShapeCastHit>,
}

impl Earliest {
    fn before(limit: f32) -> Self {
        Self { limit, hit: None }
    }

    fn consider(&mut self, hit: Option<ShapeCastHit>) {
        if let Some(hit) = hit
            && (hit.time_of_impact < self.limit || self.hit.is_none())
        {
            self.limit = hit.time_of_impact;
            self.hit = Some(hit);
        }
    }
}
