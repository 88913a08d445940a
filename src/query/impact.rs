//! When a moving mesh meets one that stands still: the visitor, and the windows of time that it is sent through.
//!
//! Within a window a volume's centre moves nearly straight, and what it strays from that, with the volume's turning, is
//! bounded and added to it; the straight part is swept exactly. Triangles advance conservatively.

use std::ops::ControlFlow;

use nalgebra::{Matrix3, Point3, Vector3};

use super::advance::{Advance, Approach};
use super::descent::{Affine, LeafVisitor, MotionBound, Pace, PairQueue, PosedTrees, Sweep, SweepEnd};
use super::{FacePair, Query, QueryError, QueryStats};
use crate::motion::Motion;
use crate::packed::{Frame, ToFrame, above, rounded};
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;

/// What comes of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeOfImpact {
    /// The meshes don't touch at any time of the motion.
    Free,
    /// They touch at the start: one pair of triangles that does.
    Touching(MotionContact),
    /// They meet later: the first pair of triangles that does.
    Impact(MotionContact),
}

/// Where two meshes meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionContact {
    /// 0 to 1; no two triangles touch earlier.
    pub time: f64,
    /// How far apart the two triangles still are at that time, in A's units.
    pub distance: f64,
    /// The closest point of A's triangle, in A's frame.
    pub on_a: Point3<f64>,
    /// The closest point of B's triangle at that time, in A's frame.
    pub on_b: Point3<f64>,
    /// Of unit length, from A to B, in A's frame: across the gap, or for triangles that touch the normal of A's, else of
    /// B's, on the side that B's centre is on; zero where neither has a normal.
    pub normal: Vector3<f64>,
    /// The two triangles.
    pub faces: FacePair,
}

/// In radians. Volumes grow by half of it times their size, and triangles are tested in each window anew.
const WINDOW_ANGLE: f64 = 0.125;
/// In parts of the frames' units, for the volume tests to keep their precision.
const WINDOW_TRAVEL: f64 = 8.0;
/// Motions longer than this many times the meshes' size pass them in less than time can tell in f64.
const LONGEST: f64 = 1e12;

impl Query {
    /// When B, on a motion, first touches A: the time of impact, by continuous collision detection.
    ///
    /// [`TimeOfImpact::Free`] is a proof for the motion as stated, up to rounding in f64, not a sampling. The time of an
    /// impact is never later than the true one, and the two triangles are then within `tolerance` (in A's units; what
    /// rounding leaves of it if that is more, so that 0 is as exact as can be). Triangles that come that near and part
    /// again count as free where a few steps show it, and as an impact where they don't. Of a motion that moves B a large
    /// multiple of its size, time's last digit may say less than the tolerance.
    ///
    /// # Errors
    /// If the motion is more than 1e12 times as long as the meshes are large.
    pub fn time_of_impact(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        motion: &Motion,
        tolerance: f64,
    ) -> Result<TimeOfImpact, QueryError> {
        let mut touching = None;
        let mut work = self.pairs([a, b], motion.start(), true, &mut |place_a, place_b| {
            touching = Some((place_a, place_b));
            ControlFlow::Break(())
        });
        let views = [a, b].map(BvTree::view);
        if let Some((place_a, place_b)) = touching {
            self.stats = work;
            let triangle_a = triangle(&views[0], place_a);
            let start = Triangle { vertices: views[1].triangle(place_b).map(|v| motion.start().transform(v)) };
            let approach = Approach { time: 0.0, closest: triangle_a.closest_points(&start) };
            return Ok(TimeOfImpact::Touching(contact([a, b], motion, place_a, place_b, &approach)));
        }
        if views.iter().any(|view| view.corners.is_empty()) {
            self.stats = work;
            return Ok(TimeOfImpact::Free);
        }
        let scene = Scene::new([a, b], motion)?;
        let mut first = FirstContact::new([a, b], Advance::new(motion, tolerance, scene.floor));
        let mut time = 0.0;
        while let Some(window) = scene.next_window(time, tolerance) {
            let (to_frames, bounds) = scene.motion_bounds(window);
            first.enter(window);
            let (trees, test) = (PosedTrees::new([a, b], &to_frames), Sweep { bounds, end: SweepEnd::First });
            work.volume_tests += self.engine.descend(&trees, &test, 1.0, &mut first, Pace::ONE_BY_ONE);
            if first.best.is_some() {
                break;
            }
            time = window[1];
        }
        self.stats = QueryStats { triangle_tests: work.triangle_tests + first.triangle_tests, ..work };
        Ok(match first.best {
            Some((place_a, place_b, approach)) => {
                TimeOfImpact::Impact(contact([a, b], motion, place_a, place_b, &approach))
            }
            None => TimeOfImpact::Free,
        })
    }
}

fn triangle(view: &View<'_>, place: usize) -> Triangle {
    Triangle { vertices: view.triangle(place).map(|vertex| vertex.map(f64::from)) }
}

fn contact(trees: [&BvTree; 2], motion: &Motion, a: usize, b: usize, approach: &Approach) -> MotionContact {
    let views = trees.map(BvTree::view);
    let Approach { time, closest } = approach;
    let pose = motion.at(*time);
    let across = closest.on_b - closest.on_a;
    let normal = if closest.distance_sq > 0.0 { across.try_normalize(0.0) } else { None };
    let normal = normal.unwrap_or_else(|| {
        let triangle_b = Triangle { vertices: views[1].triangle(b).map(|vertex| pose.transform(vertex)) };
        let to_b = pose.rotation() * trees[1].meta().frame.origin.coords + pose.translation() - closest.on_a.coords;
        let normals = [triangle(&views[0], a), triangle_b].map(|t| t.scaled_normal().try_normalize(0.0));
        let normal = normals.into_iter().flatten().next().unwrap_or_default();
        if normal.dot(&to_b) < 0.0 { -normal } else { normal }
    });
    MotionContact {
        time: *time,
        distance: closest.distance_sq.sqrt(),
        on_a: closest.on_a,
        on_b: closest.on_b,
        normal,
        faces: FacePair { face_a: views[0].faces[a], face_b: views[1].faces[b] },
    }
}

/// The two meshes as balls, of which one moves.
struct Scene<'a> {
    motion: &'a Motion,
    frames: [Frame; 2],
    /// The balls' radii together.
    reach: f64,
    /// Bounds the speed of B's middle.
    speed: f64,
    /// A distance that f64 can't tell from none.
    floor: f64,
}

impl<'a> Scene<'a> {
    fn new(trees: [&BvTree; 2], motion: &'a Motion) -> Result<Self, QueryError> {
        let frames = trees.map(|tree| tree.meta().frame);
        let reach: f64 = trees.map(BvTree::reach).iter().sum();
        let speed = motion.speed(&frames[1].origin);
        if speed.is_nan() || speed > LONGEST * (frames[0].unit + frames[1].unit) {
            return Err(QueryError::MotionTooLong);
        }
        let far = frames.map(|frame| frame.origin.coords.norm()).iter().sum::<f64>();
        Ok(Self { motion, frames, reach, speed, floor: 64.0 * f64::EPSILON * (far + reach) })
    }

    /// The next stretch of time, from `time` on, in which the meshes may meet.
    fn next_window(&self, mut time: f64, tolerance: f64) -> Option<[f64; 2]> {
        let [a, b] = &self.frames;
        let near = (0.1 * self.reach).max(tolerance).max(self.floor);
        loop {
            if time >= 1.0 {
                return None;
            }
            let pose = self.motion.at(time);
            let distance = (pose.rotation() * b.origin.coords + pose.translation() - a.origin.coords).norm();
            // The factor is for rotations that are none, and the rounding of it all.
            let gap = distance - self.reach * (1.0 + 4.0 * pose.deviation() + 1e-12);
            let later = time + gap / self.speed * (1.0 - 1e-12);
            if gap <= near || later <= time {
                let [unit_a, unit_b] = self.frames.map(|frame| frame.unit);
                let travel = WINDOW_TRAVEL * (unit_a + unit_b) / self.speed;
                return Some([time, (time + travel.min(WINDOW_ANGLE / self.motion.angle())).min(1.0)]);
            }
            time = later;
        }
    }

    /// Bounds of the motion in a window of time, 0 to 1 for the test, and the frames at its middle, as which the volumes
    /// are tested.
    fn motion_bounds(&self, window: [f64; 2]) -> ([ToFrame; 2], [MotionBound; 2]) {
        let [start, end] = window;
        let poses = [start, 0.5 * (start + end), end].map(|time| self.motion.at(time));
        let [at_start, middle, at_end] = &poses;
        let [frame_a, frame_b] = &self.frames;
        let to_frames = poses.map(|pose| ToFrame::both(frame_a, frame_b, &pose));

        let length = end - start;
        let angle = self.motion.angle() * length;
        let travel = self.motion.linear().norm() * length;
        let axis = self.motion.angular().try_normalize(0.0).unwrap_or_default();
        // A twice differentiable path is off its chord by an eighth of the greatest acceleration; the factor covers rounding
        // and what is no rotation.
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
        let [_, at_middle, _] = to_frames;
        (at_middle, bounds)
    }
}

/// Finds the pair of triangles that touches first.
struct FirstContact<'a> {
    views: [View<'a>; 2],
    advance: Advance<'a>,
    window: [f64; 2],
    best: Option<(usize, usize, Approach)>,
    /// Nothing after this time matters; and in parts of the window, rounded up.
    until: f64,
    limit: f32,
    triangle_tests: u64,
}

impl<'a> FirstContact<'a> {
    fn new(trees: [&'a BvTree; 2], advance: Advance<'a>) -> Self {
        Self {
            views: trees.map(BvTree::view),
            advance,
            window: [0.0; 2],
            best: None,
            until: 1.0,
            limit: 1.0,
            triangle_tests: 0,
        }
    }

    /// Takes on a window of time.
    fn enter(&mut self, window: [f64; 2]) {
        self.window = window;
        [_, self.until] = window;
        self.limit = 1.0;
    }

    fn test(&mut self, a: usize, b: usize) {
        self.triangle_tests += 1;
        let triangle_a = triangle(&self.views[0], a);
        if let Some(approach) = self.advance.contact(&triangle_a, self.views[1].triangle(b), self.window[0], self.until)
        {
            let faces = |a: usize, b: usize| [self.views[0].faces[a], self.views[1].faces[b]];
            // Of pairs at the same time the first in the meshes, in whatever order they come.
            let is_tie = approach.time == self.until;
            if is_tie && self.best.as_ref().is_some_and(|&(x, y, _)| faces(x, y) <= faces(a, b)) {
                return;
            }
            self.until = approach.time;
            let [start, end] = self.window;
            self.limit = above((approach.time - start) / (end - start));
            self.best = Some((a, b, approach));
        }
    }
}

impl LeafVisitor for FirstContact<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            self.test(a, b);
        }
        ControlFlow::Continue(self.limit)
    }
}
