//! Bounds of how far volumes move, in the parts of a motion that are looked at one by one.

use nalgebra::{Matrix3, Vector3};

use crate::numeric::denormals::rounded;
use crate::pose::Motion;
use crate::pose::Pose;
use crate::query::descent::{Affine, MotionBound};
use crate::query::state::QueryError;
use crate::tree::BvTree;
use crate::volume::{Frame, RelativeFrame};

/// In radians. Volumes grow by half of it times their size, and triangles are tested in each window anew.
const WINDOW_ANGLE: f64 = 0.125;
/// In parts of the frames' units, for the volume tests to keep their precision.
const WINDOW_TRAVEL: f64 = 8.0;
/// Motions longer than this many times the meshes' size pass them in less than time can tell in f64.
const LONGEST: f64 = 1e12;

/// A distance that f64 can't tell from none.
pub(super) fn floor(trees: [&BvTree; 2]) -> f64 {
    let reach = |tree: &BvTree| tree.meta().frame.origin.coords.norm() + tree.bounding_radius();
    64.0 * f64::EPSILON * trees.map(reach).iter().sum::<f64>()
}

/// Finds the windows: the two meshes are balls there, of which one moves.
pub(super) struct Windows<'a> {
    motion: &'a Motion,
    frames: [Frame; 2],
    /// The sum of the balls' radii.
    radius: f64,
    /// Bounds the speed of B's middle.
    speed: f64,
    /// A distance that f64 can't tell from none.
    pub(super) floor: f64,
    /// How far apart they may be at the start of a window.
    near: f64,
}

impl<'a> Windows<'a> {
    pub(super) fn new(trees: [&BvTree; 2], motion: &'a Motion, accuracy: f64) -> Result<Self, QueryError> {
        let frames = trees.map(|tree| tree.meta().frame);
        let radius: f64 = trees.map(BvTree::bounding_radius).iter().sum();
        let speed = motion.speed(&frames[1].origin);
        if speed.is_nan() || speed > LONGEST * (frames[0].unit + frames[1].unit) {
            return Err(QueryError::MotionTooLong);
        }
        let floor = floor(trees);
        Ok(Self { motion, frames, radius, speed, floor, near: (0.1 * radius).max(accuracy).max(floor) })
    }

    /// Times of contact that differ by no more are the same up to rounding.
    pub(super) fn same_time(&self) -> f64 {
        let speed = self.speed + self.radius * self.motion.angle();
        (4.0 * self.floor / speed).max(4.0 * f64::EPSILON)
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
            // The factor is for rotations that are none, and the rounding of it all.
            let gap = distance - self.radius * (1.0 + 4.0 * pose.deviation() + 1e-12);
            let later = time + gap / self.speed * (1.0 - 1e-12);
            if gap <= self.near || later <= time {
                let [unit_a, unit_b] = self.frames.map(|frame| frame.unit);
                let travel = WINDOW_TRAVEL * (unit_a + unit_b) / self.speed;
                return Some([time, (time + travel.min(WINDOW_ANGLE / self.motion.angle())).min(1.0)]);
            }
            time = later;
        }
    }

    /// Bounds of the motion in a window, whose time is 0 to 1 for the test, and the pose at its middle, as which the
    /// volumes are tested.
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
        // A twice differentiable path is off its chord by an eighth of the greatest acceleration; the factor covers
        // rounding and what is no rotation.
        let chord = 1.01 / 8.0;
        let stray_of_b = [chord * angle * angle, 0.0];
        // B's frame moves too: A's points are up to half the travel farther from its axis, and Coriolis is twice that.
        let stray_of_a = [chord * angle * angle, chord * (0.5 * angle * angle + 2.0 * angle) * travel];

        let inverse = |matrix: &Matrix3<f64>| matrix.try_inverse().unwrap_or(matrix.transpose());
        let (identity, back) = (Matrix3::identity(), inverse(middle.rotation()));
        let displacements_of_b = [at_start, at_end].map(|pose| {
            // x -> P(M^-1 x) - x, written about A's frame's origin.
            let turn = pose.rotation() * back;
            let fixed = (turn - identity) * frame_a.origin.coords;
            let shift = fixed + (pose.translation() - turn * middle.translation());
            Affine::new(&(turn - identity), &(shift / frame_a.unit))
        });
        let displacements_of_a = [at_start, at_end].map(|pose| {
            // y -> P^-1(M y) - y, about B's.
            let inverse = inverse(pose.rotation());
            let turn = inverse * middle.rotation();
            let fixed = (turn - identity) * frame_b.origin.coords;
            let shift = fixed + inverse * (middle.translation() - pose.translation());
            Affine::new(&(turn - identity), &(shift / frame_b.unit))
        });
        let bound =
            |target: usize, displacements, pivot: Vector3<f64>, axis: Vector3<f64>, stray: [f64; 2], unit: f64| {
                MotionBound {
                    displacements,
                    pivot: pivot.map(rounded).into(),
                    axis: axis.map(rounded).into(),
                    stray: [stray[0] as f32, (stray[1] / unit) as f32],
                    half_angle: (0.505 * angle) as f32,
                    margin: to_frames.iter().map(|to| to[target].margin).sum(),
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
#[path = "motion_bounds_tests.rs"]
mod tests;
