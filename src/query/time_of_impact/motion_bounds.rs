//! The time windows of a motion, and bounds on how volumes move in each.

use nalgebra::{Matrix3, Vector3};

use crate::numeric::denormals::{above, rounded};
use crate::numeric::error_bounds::{
    MOTION_BOUND_FACTOR, MOTION_RADIUS_ERROR, MOTION_ROUNDING, ROUNDED_STEP, TRAVEL_ROUNDING, same_contact_time,
};
use crate::pose::{Motion, Pose};
use crate::query::QueryError;
use crate::traversal::{Affine, MotionBound};
use crate::tree::BvTree;
use crate::volume::{Frame, RelativeFrame};

/// The greatest rotation in a window, in radians. Volumes grow by half of this angle times their size; with more
/// windows, triangles are tested more often.
const WINDOW_ANGLE: f64 = 0.125;
/// The greatest translation in a window, in units of the sum of both frames' units; with longer ones, the volume tests
/// would lose precision.
const WINDOW_TRAVEL: f64 = 8.0;
/// The greatest length of a motion, in units of the sum of both frames' units. On a longer motion, the meshes pass each
/// other in a time that f64 does not resolve.
const MAX_LENGTH: f64 = 1e12;
/// The distances between the meshes' bounding spheres at which windows start, in units of the sum of their radii: the
/// least, and the greatest. A great accuracy, which needs no windows far away, makes no difference beyond that.
const NEAR: [f64; 2] = [0.1, 4.0];

/// A distance between two meshes at rest that f64 cannot distinguish from 0.
pub(super) fn floor(trees: [&BvTree; 2]) -> f64 {
    let farthest = |tree: &BvTree| tree.meta().frame.origin.coords.norm() + tree.bounding_radius();
    MOTION_ROUNDING * trees.map(farthest).iter().sum::<f64>()
}

/// Finds the time windows, from the bounding spheres of the two meshes.
pub(super) struct Windows<'a> {
    motion: &'a Motion,
    frames: [Frame; 2],
    /// The sum of the spheres' radii.
    radius: f64,
    /// A bound on the speed of B's centre.
    speed: f64,
    /// A distance that f64 cannot distinguish from 0.
    pub(super) floor: f64,
    /// The distance between the spheres at and below which a window starts.
    near: f64,
}

impl<'a> Windows<'a> {
    pub(super) fn new(trees: [&BvTree; 2], motion: &'a Motion, accuracy: f64) -> Result<Self, QueryError> {
        let frames = trees.map(|tree| tree.meta().frame);
        let radius: f64 = trees.map(BvTree::bounding_radius).iter().sum();
        let speed = motion.speed(&frames[1].origin);
        if speed.is_nan() || speed > MAX_LENGTH * (frames[0].unit + frames[1].unit) {
            return Err(QueryError::MotionTooLong);
        }
        let travel = motion.start().translation().norm() + motion.end().translation().norm();
        let floor = floor(trees) + TRAVEL_ROUNDING * travel;
        let [least, most] = NEAR.map(|near| near * radius);
        Ok(Self { motion, frames, radius, speed, floor, near: least.max(accuracy).min(most).max(floor) })
    }

    /// The difference up to which times of contact count as equal, because of rounding.
    pub(super) fn same_time(&self) -> f64 {
        let speed = self.speed + self.radius * self.motion.angle();
        same_contact_time(self.floor, speed)
    }

    /// The next window, from `time` on: a part of the motion in which the meshes may meet.
    pub(super) fn next(&self, mut time: f64) -> Option<[f64; 2]> {
        let [a, b] = &self.frames;
        loop {
            if time >= 1.0 {
                return None;
            }
            let pose = self.motion.at(time);
            let distance = (pose.rotation() * b.origin.coords + pose.translation() - a.origin.coords).norm();
            // The factor allows for the deviation of the pose from a rotation, and for rounding.
            let gap = distance - self.radius * (1.0 + 4.0 * pose.deviation() + MOTION_RADIUS_ERROR);
            // Half of the floor is for the rounding of this pose; the spheres are apart up to the exact sum only.
            let later = (time + (gap - 0.5 * self.floor) / self.speed * ROUNDED_STEP).next_down();
            if gap <= self.near || later <= time {
                let [unit_a, unit_b] = self.frames.map(|frame| frame.unit);
                let travel = WINDOW_TRAVEL * (unit_a + unit_b) / self.speed;
                return Some([time, (time + travel.min(WINDOW_ANGLE / self.motion.angle())).min(1.0)]);
            }
            time = later;
        }
    }

    /// The pose in the middle of a window, at which volumes are tested, and the bounds on the motion in the window,
    /// with times from 0 at its start to 1 at its end.
    pub(super) fn motion_bounds(&self, window: [f64; 2]) -> (Pose, [MotionBound; 2]) {
        let [start, end] = window;
        let poses = [start, 0.5 * (start + end), end].map(|time| self.motion.at(time));
        let [at_start, middle, at_end] = &poses;
        let [frame_a, frame_b] = &self.frames;
        let to_frames = poses.map(|pose| RelativeFrame::both(frame_a, frame_b, &pose));

        let length = end - start;
        let angle = self.motion.angle() * length;
        let travel = self.motion.linear().norm() * length;
        let axis = self.motion.angular().try_normalize(0.0).unwrap_or_default();
        // A twice differentiable path deviates from its chord by at most an eighth of the greatest acceleration.
        let chord = MOTION_BOUND_FACTOR / 8.0;
        let stray_of_b = [chord * angle * angle, 0.0];
        // B's frame moves too: A's points are up to half the travel farther from its axis, and the Coriolis
        // acceleration is twice the angle times the travel.
        let stray_of_a = [chord * angle * angle, chord * (0.5 * angle * angle + 2.0 * angle) * travel];

        let inverse = |matrix: &Matrix3<f64>| matrix.try_inverse().unwrap_or(matrix.transpose());
        let (identity, back) = (Matrix3::identity(), inverse(middle.rotation()));
        let displacements_of_b = [at_start, at_end].map(|pose| {
            // x -> P(M^-1 x) - x, about the origin of A's frame.
            let turn = pose.rotation() * back;
            let fixed = (turn - identity) * frame_a.origin.coords;
            let shift = fixed + (pose.translation() - turn * middle.translation());
            Affine::new(&(turn - identity), &(shift / frame_a.unit))
        });
        let displacements_of_a = [at_start, at_end].map(|pose| {
            // y -> P^-1(M y) - y, about the origin of B's frame.
            let inverse = inverse(pose.rotation());
            let turn = inverse * middle.rotation();
            let fixed = (turn - identity) * frame_b.origin.coords;
            let shift = fixed + inverse * (middle.translation() - pose.translation());
            Affine::new(&(turn - identity), &(shift / frame_b.unit))
        });
        let bound =
            |target: usize, displacements, pivot: Vector3<f64>, axis: Vector3<f64>, stray: [f64; 2], unit: f64| {
                let margin: f32 = to_frames.iter().map(|to| to[target].margin).sum();
                MotionBound {
                    displacements,
                    pivot: pivot.map(rounded).into(),
                    axis: axis.map(rounded).into(),
                    stray: [stray[0] as f32, (stray[1] / unit) as f32],
                    half_angle: (MOTION_BOUND_FACTOR / 2.0 * angle) as f32,
                    margin: above(f64::from(margin) + self.floor / unit),
                }
            };
        let pivot_of_b = (middle.translation() - frame_a.origin.coords) / frame_a.unit;
        let pivot_of_a = -frame_b.origin.coords / frame_b.unit;
        let bounds = [
            bound(0, displacements_of_b, pivot_of_b, axis, stray_of_b, frame_a.unit),
            bound(1, displacements_of_a, pivot_of_a, middle.rotation().tr_mul(&axis), stray_of_a, frame_b.unit),
        ];
        (*middle, bounds)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Point3, UnitQuaternion};

    use super::*;
    use crate::mesh::Mesh;
    use crate::options::BuildOptions;

    /// A random number from 0 to 1.
    fn draw(random: &mut u64) -> f64 {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*random >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(random: &mut u64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| 2.0 * draw(random) - 1.0)
    }

    /// A tree of triangles across a box.
    fn tree(center: Vector3<f64>, half_size: f64) -> BvTree {
        let corners = (0..6).map(|i| {
            let sign = |k: usize| if (i + k).is_multiple_of(3) || i < 3 { -half_size } else { half_size };
            Point3::from((center + Vector3::new(sign(0), sign(1), sign(2))).map(|x| x as f32))
        });
        let mesh = Mesh::from_arrays(corners.collect(), vec![[0, 1, 2], [3, 4, 5], [0, 2, 4]]).unwrap();
        BvTree::build(&mesh, &BuildOptions::default()).unwrap()
    }

    /// The greatest fractions of the bounds that samples reach: of the deviation of centres from the straight path, and
    /// of the displacement by rotation, for B's tree and for A's.
    #[derive(Default)]
    struct UsedUp {
        stray: [f64; 2],
        turn: [f64; 2],
    }

    impl UsedUp {
        /// Samples a time window of a motion.
        fn sample(&mut self, windows: &Windows<'_>, motion: &Motion, window: [f64; 2], random: &mut u64) {
            let (middle, bounds) = windows.motion_bounds(window);
            let [frame_a, frame_b] = &windows.frames;
            for (side, bound) in bounds.iter().enumerate() {
                // A point of the moving tree, and its position in the other tree's frame.
                let [moving, target] = if side == 0 { [frame_b, frame_a] } else { [frame_a, frame_b] };
                let seen = |pose: &Pose, point: &Point3<f64>| {
                    let back =
                        |point: &Point3<f64>| pose.rotation().try_inverse().unwrap() * (point - pose.translation());
                    target.to_local(&if side == 0 {
                        Point3::from(pose.rotation() * point.coords + pose.translation())
                    } else {
                        back(point)
                    })
                };
                let point = moving.to_mesh(&Point3::from(vector(random) * 0.577));
                let beside = point + vector(random) * (0.1 * moving.unit);
                let [center, edge] = [seen(&middle, &point), seen(&middle, &beside)];
                let stored: [f32; 3] = center.coords.map(|x| x as f32).into();
                let ends = [0, 1].map(|end| Vector3::from(bound.displacements[end].apply(stored)).map(f64::from));
                let off_axis = f64::from(bound.off_axis(stored));
                let stray = f64::from(bound.stray[0]) * off_axis + f64::from(bound.stray[1]);
                let turn = f64::from(bound.half_angle) * (edge - center).norm();
                // The rounding in f32, for which the margin allows.
                let rounding = 16.0 * f64::from(f32::EPSILON) * (1.0 + center.coords.norm() + ends[0].norm());
                assert!(rounding <= f64::from(bound.margin));
                for step in 0..=10 {
                    let part = f64::from(step) / 10.0;
                    let pose = motion.at(window[0] + part * (window[1] - window[0]));
                    let [now, edge_now] = [seen(&pose, &point), seen(&pose, &beside)];
                    let off = (now - (center + ends[0] * (1.0 - part) + ends[1] * part)).norm();
                    assert!(off <= stray + rounding, "{off} off the straight path, bounded by {stray}: {motion:?}");
                    let turned = ((edge_now - now) - (edge - center)).norm();
                    assert!(turned <= turn + rounding, "turned by {turned}, bounded by {turn}: {motion:?}");
                    if stray > 1e3 * rounding {
                        self.stray[side] = self.stray[side].max(off / stray);
                    }
                    if turn > 1e3 * rounding {
                        self.turn[side] = self.turn[side].max(turned / turn);
                    }
                }
            }
        }
    }

    #[test]
    fn sampled_points_stay_inside_the_bounds_and_come_near_them() {
        let mut random = 1;
        let mut used_up = UsedUp::default();
        let mut sampled = 0;
        for round in 0..2_000 {
            let trees =
                [0, 1].map(|_| tree(vector(&mut random) * 3.0, [0.3, 1.0, 4.0][(draw(&mut random) * 3.0) as usize]));
            let [a, b] = [&trees[0], &trees[1]];
            let unit = a.meta().frame.unit + b.meta().frame.unit;
            let turn = vector(&mut random).normalize() * [0.0, 0.01, 0.125, 2.5][round % 4];
            // Sometimes straight across the axis, where points deviate most in a rotating frame.
            let travel = match round % 3 {
                0 => Vector3::zeros(),
                1 => {
                    turn.cross(&vector(&mut random)).try_normalize(1e-9).unwrap_or(Vector3::x())
                        * (unit * draw(&mut random))
                }
                _ => vector(&mut random) * (unit * 4.0),
            };
            let first = UnitQuaternion::from_scaled_axis(vector(&mut random) * 3.0);
            let last = UnitQuaternion::from_scaled_axis(turn) * first;
            let start = vector(&mut random) * unit;
            let pose = |at: Vector3<f64>, turn: UnitQuaternion<f64>| {
                let offset = at + a.meta().frame.origin.coords - first * b.meta().frame.origin.coords;
                Pose::from(Isometry3::from_parts(offset.into(), turn))
            };
            let motion = Motion::new(pose(start, first), pose(start + travel, last));
            let windows = Windows::new([a, b], &motion, 0.0).unwrap();
            let mut time = 0.0;
            for _ in 0..2 {
                let Some(window) = windows.next(time) else { break };
                used_up.sample(&windows, &motion, window, &mut random);
                (time, sampled) = (window[1], sampled + 1);
            }
        }
        let UsedUp { stray, turn } = used_up;
        assert!(sampled > 1_000, "{sampled} windows");
        // The rest is the factor of a hundredth and, for A's tree, that not all points are on the far side of the
        // travel.
        assert!(stray[0] > 0.97 && stray[1] > 0.9, "{stray:?}");
        assert!(turn.iter().all(|part| *part > 0.97), "{turn:?}");
    }
}
